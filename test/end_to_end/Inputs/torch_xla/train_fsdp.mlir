module @SyncTensorsGraph.341 attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32, mhlo.use_auto_spmd_partitioning = false} {
  func.func @main(%arg0: tensor<9xi64> {mhlo.sharding = "{devices=[8]0,1,2,3,4,5,6,7}"}, %arg1: tensor<5xf32> {mhlo.sharding = "{devices=[8]0,1,2,3,4,5,6,7}"}, %arg2: tensor<5x10xf32> {mhlo.sharding = "{devices=[8,1]0,1,2,3,4,5,6,7}"}, %arg3: tensor<10xf32> {mhlo.sharding = "{devices=[8]0,1,2,3,4,5,6,7}"}, %arg4: tensor<10x7xf32> {mhlo.sharding = "{devices=[8,1]0,1,2,3,4,5,6,7}"}, %arg5: tensor<9x7xf32> {mhlo.sharding = "{devices=[8,1]0,1,2,3,4,5,6,7}"}, %arg6: tensor<f32> {mhlo.sharding = "{replicated}"}, %arg7: tensor<f64> {mhlo.sharding = "{replicated}"}, %arg8: tensor<f32> {mhlo.sharding = "{replicated}"}, %arg9: tensor<f64> {mhlo.sharding = "{replicated}"}, %arg10: tensor<f32> {mhlo.sharding = "{replicated}"}, %arg11: tensor<f32> {mhlo.sharding = "{replicated}"}, %arg12: tensor<f32> {mhlo.sharding = "{replicated}"}) -> (tensor<f32>, tensor<10x5xf32>, tensor<1x5xf32>, tensor<5xf32>, tensor<5x10xf32>, tensor<7x10xf32>, tensor<1x10xf32>, tensor<10xf32>, tensor<10x7xf32>, tensor<10x7xf32>, tensor<10x7xf32>, tensor<10x7xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<5x10xf32>, tensor<5x10xf32>, tensor<5x10xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<5xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<5x10xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<10xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<10x7xf32>
    %cst_3 = stablehlo.constant dense<0.398942292> : tensor<9x10xf32>
    %cst_4 = stablehlo.constant dense<-5.000000e-01> : tensor<9x10xf32>
    %c = stablehlo.constant dense<-100> : tensor<9xi64>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<9x10xf32>
    %cst_6 = stablehlo.constant dense<0.707106769> : tensor<9x10xf32>
    %cst_7 = stablehlo.constant dense<5.000000e-01> : tensor<9x10xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<9x5xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<9x5xf32>
    %cst_10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<9xi64>) -> tensor<9x5xi64>
    %1 = stablehlo.iota dim = 0 : tensor<5xi64>
    %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<5xi64>) -> tensor<9x5xi64>
    %3 = stablehlo.compare EQ, %0, %2 : (tensor<9x5xi64>, tensor<9x5xi64>) -> tensor<9x5xi1>
    %4 = stablehlo.select %3, %cst_9, %cst_8 : tensor<9x5xi1>, tensor<9x5xf32>
    %5 = stablehlo.compare NE, %4, %cst_9 : (tensor<9x5xf32>, tensor<9x5xf32>) -> tensor<9x5xi1>
    %6 = stablehlo.negate %4 : tensor<9x5xf32>
    %7 = stablehlo.transpose %arg4, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[7,10]{0,1}"} : (tensor<10x7xf32>) -> tensor<7x10xf32>
    %8 = stablehlo.dot_general %arg5, %7, contracting_dims = [1] x [0] : (tensor<9x7xf32>, tensor<7x10xf32>) -> tensor<9x10xf32>
    %9 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<10xf32>) -> tensor<9x10xf32>
    %10 = stablehlo.add %8, %9 : tensor<9x10xf32>
    %11 = stablehlo.multiply %10, %cst_7 : tensor<9x10xf32>
    %12 = stablehlo.multiply %10, %cst_6 : tensor<9x10xf32>
    %13 = stablehlo.custom_call @mhlo.erf(%12) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<9x10xf32>) -> tensor<9x10xf32>
    %14 = stablehlo.add %13, %cst_5 : tensor<9x10xf32>
    %15 = stablehlo.multiply %11, %14 : tensor<9x10xf32>
    %16 = stablehlo.transpose %arg2, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[10,5]{0,1}"} : (tensor<5x10xf32>) -> tensor<10x5xf32>
    %17 = stablehlo.dot_general %15, %16, contracting_dims = [1] x [0] : (tensor<9x10xf32>, tensor<10x5xf32>) -> tensor<9x5xf32>
    %18 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<5xf32>) -> tensor<9x5xf32>
    %19 = stablehlo.add %17, %18 : tensor<9x5xf32>
    %20 = stablehlo.reduce(%19 init: %cst_10) applies stablehlo.maximum across dimensions = [1] : (tensor<9x5xf32>, tensor<f32>) -> tensor<9xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<9xf32>) -> tensor<9x5xf32>
    %22 = stablehlo.subtract %19, %21 : tensor<9x5xf32>
    %23 = stablehlo.exponential %22 : tensor<9x5xf32>
    %24 = stablehlo.reduce(%23 init: %cst_11) applies stablehlo.add across dimensions = [1] : (tensor<9x5xf32>, tensor<f32>) -> tensor<9xf32>
    %25 = stablehlo.log %24 : tensor<9xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0] : (tensor<9xf32>) -> tensor<9x5xf32>
    %27 = stablehlo.subtract %22, %26 : tensor<9x5xf32>
    %28 = stablehlo.multiply %6, %27 : tensor<9x5xf32>
    %29 = stablehlo.select %5, %cst_8, %28 : tensor<9x5xi1>, tensor<9x5xf32>
    %30 = stablehlo.compare NE, %arg0, %c : (tensor<9xi64>, tensor<9xi64>) -> tensor<9xi1>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0] : (tensor<9xi1>) -> tensor<9x5xi1>
    %32 = stablehlo.select %31, %cst_9, %cst_8 : tensor<9x5xi1>, tensor<9x5xf32>
    %33 = stablehlo.multiply %32, %4 : tensor<9x5xf32>
    %34 = stablehlo.multiply %29, %33 : tensor<9x5xf32>
    %35 = stablehlo.reduce(%34 init: %cst_11) applies stablehlo.add across dimensions = [0, 1] : (tensor<9x5xf32>, tensor<f32>) -> tensor<f32>
    %36 = stablehlo.reduce(%33 init: %cst_11) applies stablehlo.add across dimensions = [0, 1] : (tensor<9x5xf32>, tensor<f32>) -> tensor<f32>
    %37 = stablehlo.divide %35, %36 : tensor<f32>
    %38 = stablehlo.transpose %15, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[10,9]{0,1}"} : (tensor<9x10xf32>) -> tensor<10x9xf32>
    %39 = stablehlo.multiply %6, %33 : tensor<9x5xf32>
    %40 = stablehlo.compare NE, %36, %cst_11 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %41 = stablehlo.select %40, %36, %cst_12 : tensor<i1>, tensor<f32>
    %42 = stablehlo.broadcast_in_dim %41, dims = [] : (tensor<f32>) -> tensor<9x5xf32>
    %43 = stablehlo.divide %39, %42 : tensor<9x5xf32>
    %44 = stablehlo.exponential %27 : tensor<9x5xf32>
    %45 = stablehlo.reduce(%43 init: %cst_11) applies stablehlo.add across dimensions = [1] : (tensor<9x5xf32>, tensor<f32>) -> tensor<9xf32>
    %46 = stablehlo.broadcast_in_dim %45, dims = [0] : (tensor<9xf32>) -> tensor<9x5xf32>
    %47 = stablehlo.multiply %44, %46 : tensor<9x5xf32>
    %48 = stablehlo.subtract %43, %47 : tensor<9x5xf32>
    %49 = stablehlo.dot_general %38, %48, contracting_dims = [1] x [0] : (tensor<10x9xf32>, tensor<9x5xf32>) -> tensor<10x5xf32>
    %50 = stablehlo.reduce(%48 init: %cst_11) applies stablehlo.add across dimensions = [0] : (tensor<9x5xf32>, tensor<f32>) -> tensor<5xf32>
    %51 = stablehlo.reshape %50 : (tensor<5xf32>) -> tensor<1x5xf32>
    %52 = stablehlo.transpose %49, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[5,10]{0,1}"} : (tensor<10x5xf32>) -> tensor<5x10xf32>
    %53 = stablehlo.transpose %arg5, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[7,9]{0,1}"} : (tensor<9x7xf32>) -> tensor<7x9xf32>
    %54 = stablehlo.dot_general %48, %arg2, contracting_dims = [1] x [0] : (tensor<9x5xf32>, tensor<5x10xf32>) -> tensor<9x10xf32>
    %55 = stablehlo.multiply %14, %cst_7 : tensor<9x10xf32>
    %56 = stablehlo.multiply %10, %10 : tensor<9x10xf32>
    %57 = stablehlo.multiply %56, %cst_4 : tensor<9x10xf32>
    %58 = stablehlo.exponential %57 : tensor<9x10xf32>
    %59 = stablehlo.multiply %10, %58 : tensor<9x10xf32>
    %60 = stablehlo.multiply %59, %cst_3 : tensor<9x10xf32>
    %61 = stablehlo.add %55, %60 : tensor<9x10xf32>
    %62 = stablehlo.multiply %54, %61 : tensor<9x10xf32>
    %63 = stablehlo.dot_general %53, %62, contracting_dims = [1] x [0] : (tensor<7x9xf32>, tensor<9x10xf32>) -> tensor<7x10xf32>
    %64 = stablehlo.reduce(%62 init: %cst_11) applies stablehlo.add across dimensions = [0] : (tensor<9x10xf32>, tensor<f32>) -> tensor<10xf32>
    %65 = stablehlo.reshape %64 : (tensor<10xf32>) -> tensor<1x10xf32>
    %66 = stablehlo.transpose %63, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[10,7]{0,1}"} : (tensor<7x10xf32>) -> tensor<10x7xf32>
    %67 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<f32>) -> tensor<10x7xf32>
    %68 = stablehlo.subtract %66, %cst_2 {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[10,7]{0,1}"} : tensor<10x7xf32>
    %69 = stablehlo.multiply %67, %68 : tensor<10x7xf32>
    %70 = stablehlo.broadcast_in_dim %arg8, dims = [] : (tensor<f32>) -> tensor<10x7xf32>
    %71 = stablehlo.multiply %70, %cst_2 : tensor<10x7xf32>
    %72 = stablehlo.multiply %66, %66 {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[10,7]{0,1}"} : tensor<10x7xf32>
    %73 = stablehlo.convert %arg7 : (tensor<f64>) -> tensor<f32>
    %74 = stablehlo.broadcast_in_dim %73, dims = [] : (tensor<f32>) -> tensor<10x7xf32>
    %75 = stablehlo.multiply %72, %74 : tensor<10x7xf32>
    %76 = stablehlo.add %71, %75 : tensor<10x7xf32>
    %77 = stablehlo.broadcast_in_dim %arg12, dims = [] : (tensor<f32>) -> tensor<10x7xf32>
    %78 = stablehlo.multiply %arg4, %77 : tensor<10x7xf32>
    %79 = stablehlo.custom_call @Sharding(%78) {mhlo.sharding = "{devices=[8,1]0,1,2,3,4,5,6,7}"} : (tensor<10x7xf32>) -> tensor<10x7xf32>
    %80 = stablehlo.sqrt %76 : tensor<10x7xf32>
    %81 = stablehlo.broadcast_in_dim %arg11, dims = [] : (tensor<f32>) -> tensor<10x7xf32>
    %82 = stablehlo.divide %80, %81 : tensor<10x7xf32>
    %83 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<10x7xf32>
    %84 = stablehlo.add %82, %83 : tensor<10x7xf32>
    %85 = stablehlo.divide %69, %84 : tensor<10x7xf32>
    %86 = stablehlo.convert %arg9 : (tensor<f64>) -> tensor<f32>
    %87 = stablehlo.broadcast_in_dim %86, dims = [] : (tensor<f32>) -> tensor<10x7xf32>
    %88 = stablehlo.multiply %85, %87 : tensor<10x7xf32>
    %89 = stablehlo.add %79, %88 : tensor<10x7xf32>
    %90 = stablehlo.custom_call @Sharding(%89) {mhlo.sharding = "{devices=[8,1]0,1,2,3,4,5,6,7}"} : (tensor<10x7xf32>) -> tensor<10x7xf32>
    %91 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %92 = stablehlo.subtract %64, %cst_1 : tensor<10xf32>
    %93 = stablehlo.multiply %91, %92 : tensor<10xf32>
    %94 = stablehlo.broadcast_in_dim %arg8, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %95 = stablehlo.multiply %94, %cst_1 : tensor<10xf32>
    %96 = stablehlo.multiply %64, %64 : tensor<10xf32>
    %97 = stablehlo.broadcast_in_dim %73, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %98 = stablehlo.multiply %96, %97 : tensor<10xf32>
    %99 = stablehlo.add %95, %98 : tensor<10xf32>
    %100 = stablehlo.broadcast_in_dim %arg12, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %101 = stablehlo.multiply %arg3, %100 : tensor<10xf32>
    %102 = stablehlo.custom_call @Sharding(%101) {mhlo.sharding = "{devices=[8]0,1,2,3,4,5,6,7}"} : (tensor<10xf32>) -> tensor<10xf32>
    %103 = stablehlo.sqrt %99 : tensor<10xf32>
    %104 = stablehlo.broadcast_in_dim %arg11, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %105 = stablehlo.divide %103, %104 : tensor<10xf32>
    %106 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %107 = stablehlo.add %105, %106 : tensor<10xf32>
    %108 = stablehlo.divide %93, %107 : tensor<10xf32>
    %109 = stablehlo.broadcast_in_dim %86, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %110 = stablehlo.multiply %108, %109 : tensor<10xf32>
    %111 = stablehlo.add %102, %110 : tensor<10xf32>
    %112 = stablehlo.custom_call @Sharding(%111) {mhlo.sharding = "{devices=[8]0,1,2,3,4,5,6,7}"} : (tensor<10xf32>) -> tensor<10xf32>
    %113 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<f32>) -> tensor<5x10xf32>
    %114 = stablehlo.subtract %52, %cst_0 {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[5,10]{0,1}"} : tensor<5x10xf32>
    %115 = stablehlo.multiply %113, %114 : tensor<5x10xf32>
    %116 = stablehlo.broadcast_in_dim %arg8, dims = [] : (tensor<f32>) -> tensor<5x10xf32>
    %117 = stablehlo.multiply %116, %cst_0 : tensor<5x10xf32>
    %118 = stablehlo.multiply %52, %52 {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[5,10]{0,1}"} : tensor<5x10xf32>
    %119 = stablehlo.broadcast_in_dim %73, dims = [] : (tensor<f32>) -> tensor<5x10xf32>
    %120 = stablehlo.multiply %118, %119 : tensor<5x10xf32>
    %121 = stablehlo.add %117, %120 : tensor<5x10xf32>
    %122 = stablehlo.broadcast_in_dim %arg12, dims = [] : (tensor<f32>) -> tensor<5x10xf32>
    %123 = stablehlo.multiply %arg2, %122 : tensor<5x10xf32>
    %124 = stablehlo.custom_call @Sharding(%123) {mhlo.sharding = "{devices=[8,1]0,1,2,3,4,5,6,7}"} : (tensor<5x10xf32>) -> tensor<5x10xf32>
    %125 = stablehlo.sqrt %121 : tensor<5x10xf32>
    %126 = stablehlo.broadcast_in_dim %arg11, dims = [] : (tensor<f32>) -> tensor<5x10xf32>
    %127 = stablehlo.divide %125, %126 : tensor<5x10xf32>
    %128 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<5x10xf32>
    %129 = stablehlo.add %127, %128 : tensor<5x10xf32>
    %130 = stablehlo.divide %115, %129 : tensor<5x10xf32>
    %131 = stablehlo.broadcast_in_dim %86, dims = [] : (tensor<f32>) -> tensor<5x10xf32>
    %132 = stablehlo.multiply %130, %131 : tensor<5x10xf32>
    %133 = stablehlo.add %124, %132 : tensor<5x10xf32>
    %134 = stablehlo.custom_call @Sharding(%133) {mhlo.sharding = "{devices=[8,1]0,1,2,3,4,5,6,7}"} : (tensor<5x10xf32>) -> tensor<5x10xf32>
    %135 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %136 = stablehlo.subtract %50, %cst : tensor<5xf32>
    %137 = stablehlo.multiply %135, %136 : tensor<5xf32>
    %138 = stablehlo.broadcast_in_dim %arg8, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %139 = stablehlo.multiply %138, %cst : tensor<5xf32>
    %140 = stablehlo.multiply %50, %50 : tensor<5xf32>
    %141 = stablehlo.broadcast_in_dim %73, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %142 = stablehlo.multiply %140, %141 : tensor<5xf32>
    %143 = stablehlo.add %139, %142 : tensor<5xf32>
    %144 = stablehlo.broadcast_in_dim %arg12, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %145 = stablehlo.multiply %arg1, %144 : tensor<5xf32>
    %146 = stablehlo.custom_call @Sharding(%145) {mhlo.sharding = "{devices=[8]0,1,2,3,4,5,6,7}"} : (tensor<5xf32>) -> tensor<5xf32>
    %147 = stablehlo.sqrt %143 : tensor<5xf32>
    %148 = stablehlo.broadcast_in_dim %arg11, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %149 = stablehlo.divide %147, %148 : tensor<5xf32>
    %150 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %151 = stablehlo.add %149, %150 : tensor<5xf32>
    %152 = stablehlo.divide %137, %151 : tensor<5xf32>
    %153 = stablehlo.broadcast_in_dim %86, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %154 = stablehlo.multiply %152, %153 : tensor<5xf32>
    %155 = stablehlo.add %146, %154 : tensor<5xf32>
    %156 = stablehlo.custom_call @Sharding(%155) {mhlo.sharding = "{devices=[8]0,1,2,3,4,5,6,7}"} : (tensor<5xf32>) -> tensor<5xf32>
    return %37, %49, %51, %50, %52, %63, %65, %64, %66, %69, %76, %90, %93, %99, %112, %115, %121, %134, %137, %143, %156 : tensor<f32>, tensor<10x5xf32>, tensor<1x5xf32>, tensor<5xf32>, tensor<5x10xf32>, tensor<7x10xf32>, tensor<1x10xf32>, tensor<10xf32>, tensor<10x7xf32>, tensor<10x7xf32>, tensor<10x7xf32>, tensor<10x7xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<5x10xf32>, tensor<5x10xf32>, tensor<5x10xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
  }
}
