module @SyncTensorsGraph.662 attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32, mhlo.use_auto_spmd_partitioning = false} {
  func.func @main(%arg0: tensor<10xi64> {mhlo.sharding = "{devices=[2,4]0,1,2,3,4,5,6,7 last_tile_dim_replicate}"}, %arg1: tensor<3xf32> {mhlo.sharding = "{replicated}"}, %arg2: tensor<3x6xf32> {mhlo.sharding = "{replicated}"}, %arg3: tensor<10x6xi64> {mhlo.sharding = "{replicated}"}, %arg4: tensor<24xf32> {mhlo.sharding = "{replicated}"}, %arg5: tensor<24x4xf32> {mhlo.sharding = "{devices=[4,1,2]0,4,1,5,2,6,3,7 last_tile_dim_replicate}"}, %arg6: tensor<10x3x4xf32> {mhlo.sharding = "{devices=[2,1,1,4]0,1,2,3,4,5,6,7 last_tile_dim_replicate}"}, %arg7: tensor<24xf32> {mhlo.sharding = "{replicated}"}, %arg8: tensor<24x6xf32> {mhlo.sharding = "{devices=[4,1,2]0,4,1,5,2,6,3,7 last_tile_dim_replicate}"}, %arg9: tensor<10x6xi64> {mhlo.sharding = "{replicated}"}, %arg10: tensor<10x6xi64> {mhlo.sharding = "{replicated}"}, %arg11: tensor<10x6xi64> {mhlo.sharding = "{replicated}"}, %arg12: tensor<10x6xi64> {mhlo.sharding = "{replicated}"}, %arg13: tensor<10x6xi64> {mhlo.sharding = "{replicated}"}, %arg14: tensor<10x6xi64> {mhlo.sharding = "{replicated}"}, %arg15: tensor<10x6xi64> {mhlo.sharding = "{replicated}"}, %arg16: tensor<10x6xi64> {mhlo.sharding = "{replicated}"}, %arg17: tensor<f32> {mhlo.sharding = "{replicated}"}) -> (tensor<f32>, tensor<6x3xf32>, tensor<1x3xf32>, tensor<3xf32>, tensor<3x6xf32>, tensor<24xf32>, tensor<24x4xf32>, tensor<24xf32>, tensor<24x6xf32>, tensor<24x4xf32>, tensor<24x6xf32>, tensor<24xf32>, tensor<24xf32>, tensor<3x6xf32>, tensor<3xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<6x10xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<10x6xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<10x6xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<10x3x6xf32>
    %c = stablehlo.constant dense<-100> : tensor<10xi64>
    %c_3 = stablehlo.constant dense<240> : tensor<60xi64>
    %c_4 = stablehlo.constant dense<0> : tensor<60xi64>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<10x6xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<10x3xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<10x3xf32>
    %c_8 = stablehlo.constant dense<2> : tensor<i64>
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c_10 = stablehlo.constant dense<0> : tensor<i64>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<10xi64>) -> tensor<10x3xi64>
    %1 = stablehlo.iota dim = 0 : tensor<3xi64>
    %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<3xi64>) -> tensor<10x3xi64>
    %3 = stablehlo.compare EQ, %0, %2 : (tensor<10x3xi64>, tensor<10x3xi64>) -> tensor<10x3xi1>
    %4 = stablehlo.select %3, %cst_7, %cst_6 : tensor<10x3xi1>, tensor<10x3xf32>
    %5 = stablehlo.compare NE, %4, %cst_7 : (tensor<10x3xf32>, tensor<10x3xf32>) -> tensor<10x3xi1>
    %6 = stablehlo.negate %4 : tensor<10x3xf32>
    %7 = stablehlo.transpose %arg8, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[6,24]{0,1}"} : (tensor<24x6xf32>) -> tensor<6x24xf32>
    %8 = stablehlo.dot_general %cst_5, %7, contracting_dims = [1] x [0] : (tensor<10x6xf32>, tensor<6x24xf32>) -> tensor<10x24xf32>
    %9 = stablehlo.broadcast_in_dim %arg7, dims = [1] : (tensor<24xf32>) -> tensor<10x24xf32>
    %10 = stablehlo.add %8, %9 : tensor<10x24xf32>
    %11 = stablehlo.transpose %arg6, dims = [1, 0, 2] {result_layout = dense<[2, 0, 1]> : tensor<3xindex>, xla_shape = "f32[3,10,4]{2,0,1}"} : (tensor<10x3x4xf32>) -> tensor<3x10x4xf32>
    %12 = stablehlo.slice %11 [0:1, 0:10, 0:4] : (tensor<3x10x4xf32>) -> tensor<1x10x4xf32>
    %13 = stablehlo.reshape %12 : (tensor<1x10x4xf32>) -> tensor<10x4xf32>
    %14 = stablehlo.transpose %arg5, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[4,24]{0,1}"} : (tensor<24x4xf32>) -> tensor<4x24xf32>
    %15 = stablehlo.dot_general %13, %14, contracting_dims = [1] x [0] : (tensor<10x4xf32>, tensor<4x24xf32>) -> tensor<10x24xf32>
    %16 = stablehlo.broadcast_in_dim %arg4, dims = [1] : (tensor<24xf32>) -> tensor<10x24xf32>
    %17 = stablehlo.add %15, %16 : tensor<10x24xf32>
    %18 = stablehlo.add %10, %17 : tensor<10x24xf32>
    %19 = stablehlo.reshape %18 : (tensor<10x24xf32>) -> tensor<240xf32>
    %20 = stablehlo.reshape %arg12 : (tensor<10x6xi64>) -> tensor<60xi64>
    %21 = stablehlo.compare GE, %20, %c_4 : (tensor<60xi64>, tensor<60xi64>) -> tensor<60xi1>
    %22 = stablehlo.add %20, %c_3 : tensor<60xi64>
    %23 = stablehlo.select %21, %20, %22 : tensor<60xi1>, tensor<60xi64>
    %24 = stablehlo.convert %23 : (tensor<60xi64>) -> tensor<60xui32>
    %25 = "stablehlo.gather"(%19, %24) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<240xf32>, tensor<60xui32>) -> tensor<60xf32>
    %26 = stablehlo.reshape %25 : (tensor<60xf32>) -> tensor<10x6xf32>
    %27 = stablehlo.logistic %26 : tensor<10x6xf32>
    %28 = stablehlo.reshape %arg11 : (tensor<10x6xi64>) -> tensor<60xi64>
    %29 = stablehlo.compare GE, %28, %c_4 : (tensor<60xi64>, tensor<60xi64>) -> tensor<60xi1>
    %30 = stablehlo.add %28, %c_3 : tensor<60xi64>
    %31 = stablehlo.select %29, %28, %30 : tensor<60xi1>, tensor<60xi64>
    %32 = stablehlo.convert %31 : (tensor<60xi64>) -> tensor<60xui32>
    %33 = "stablehlo.gather"(%19, %32) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<240xf32>, tensor<60xui32>) -> tensor<60xf32>
    %34 = stablehlo.reshape %33 : (tensor<60xf32>) -> tensor<10x6xf32>
    %35 = stablehlo.logistic %34 : tensor<10x6xf32>
    %36 = stablehlo.multiply %35, %cst_5 : tensor<10x6xf32>
    %37 = stablehlo.slice %18 [0:10, 0:6] : (tensor<10x24xf32>) -> tensor<10x6xf32>
    %38 = stablehlo.logistic %37 : tensor<10x6xf32>
    %39 = stablehlo.reshape %arg10 : (tensor<10x6xi64>) -> tensor<60xi64>
    %40 = stablehlo.compare GE, %39, %c_4 : (tensor<60xi64>, tensor<60xi64>) -> tensor<60xi1>
    %41 = stablehlo.add %39, %c_3 : tensor<60xi64>
    %42 = stablehlo.select %40, %39, %41 : tensor<60xi1>, tensor<60xi64>
    %43 = stablehlo.convert %42 : (tensor<60xi64>) -> tensor<60xui32>
    %44 = "stablehlo.gather"(%19, %43) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<240xf32>, tensor<60xui32>) -> tensor<60xf32>
    %45 = stablehlo.reshape %44 : (tensor<60xf32>) -> tensor<10x6xf32>
    %46 = stablehlo.tanh %45 : tensor<10x6xf32>
    %47 = stablehlo.multiply %38, %46 : tensor<10x6xf32>
    %48 = stablehlo.add %36, %47 : tensor<10x6xf32>
    %49 = stablehlo.tanh %48 : tensor<10x6xf32>
    %50 = stablehlo.multiply %27, %49 : tensor<10x6xf32>
    %51 = stablehlo.reshape %50 : (tensor<10x6xf32>) -> tensor<1x10x6xf32>
    %52 = stablehlo.dot_general %50, %7, contracting_dims = [1] x [0] : (tensor<10x6xf32>, tensor<6x24xf32>) -> tensor<10x24xf32>
    %53 = stablehlo.add %52, %9 : tensor<10x24xf32>
    %54 = stablehlo.slice %11 [1:2, 0:10, 0:4] : (tensor<3x10x4xf32>) -> tensor<1x10x4xf32>
    %55 = stablehlo.reshape %54 : (tensor<1x10x4xf32>) -> tensor<10x4xf32>
    %56 = stablehlo.dot_general %55, %14, contracting_dims = [1] x [0] : (tensor<10x4xf32>, tensor<4x24xf32>) -> tensor<10x24xf32>
    %57 = stablehlo.add %56, %16 : tensor<10x24xf32>
    %58 = stablehlo.add %53, %57 : tensor<10x24xf32>
    %59 = stablehlo.reshape %58 : (tensor<10x24xf32>) -> tensor<240xf32>
    %60 = stablehlo.reshape %arg14 : (tensor<10x6xi64>) -> tensor<60xi64>
    %61 = stablehlo.compare GE, %60, %c_4 : (tensor<60xi64>, tensor<60xi64>) -> tensor<60xi1>
    %62 = stablehlo.add %60, %c_3 : tensor<60xi64>
    %63 = stablehlo.select %61, %60, %62 : tensor<60xi1>, tensor<60xi64>
    %64 = stablehlo.convert %63 : (tensor<60xi64>) -> tensor<60xui32>
    %65 = "stablehlo.gather"(%59, %64) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<240xf32>, tensor<60xui32>) -> tensor<60xf32>
    %66 = stablehlo.reshape %65 : (tensor<60xf32>) -> tensor<10x6xf32>
    %67 = stablehlo.logistic %66 : tensor<10x6xf32>
    %68 = stablehlo.reshape %arg13 : (tensor<10x6xi64>) -> tensor<60xi64>
    %69 = stablehlo.compare GE, %68, %c_4 : (tensor<60xi64>, tensor<60xi64>) -> tensor<60xi1>
    %70 = stablehlo.add %68, %c_3 : tensor<60xi64>
    %71 = stablehlo.select %69, %68, %70 : tensor<60xi1>, tensor<60xi64>
    %72 = stablehlo.convert %71 : (tensor<60xi64>) -> tensor<60xui32>
    %73 = "stablehlo.gather"(%59, %72) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<240xf32>, tensor<60xui32>) -> tensor<60xf32>
    %74 = stablehlo.reshape %73 : (tensor<60xf32>) -> tensor<10x6xf32>
    %75 = stablehlo.logistic %74 : tensor<10x6xf32>
    %76 = stablehlo.multiply %75, %48 : tensor<10x6xf32>
    %77 = stablehlo.slice %58 [0:10, 0:6] : (tensor<10x24xf32>) -> tensor<10x6xf32>
    %78 = stablehlo.logistic %77 : tensor<10x6xf32>
    %79 = stablehlo.reshape %arg9 : (tensor<10x6xi64>) -> tensor<60xi64>
    %80 = stablehlo.compare GE, %79, %c_4 : (tensor<60xi64>, tensor<60xi64>) -> tensor<60xi1>
    %81 = stablehlo.add %79, %c_3 : tensor<60xi64>
    %82 = stablehlo.select %80, %79, %81 : tensor<60xi1>, tensor<60xi64>
    %83 = stablehlo.convert %82 : (tensor<60xi64>) -> tensor<60xui32>
    %84 = "stablehlo.gather"(%59, %83) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<240xf32>, tensor<60xui32>) -> tensor<60xf32>
    %85 = stablehlo.reshape %84 : (tensor<60xf32>) -> tensor<10x6xf32>
    %86 = stablehlo.tanh %85 : tensor<10x6xf32>
    %87 = stablehlo.multiply %78, %86 : tensor<10x6xf32>
    %88 = stablehlo.add %76, %87 : tensor<10x6xf32>
    %89 = stablehlo.tanh %88 : tensor<10x6xf32>
    %90 = stablehlo.multiply %67, %89 : tensor<10x6xf32>
    %91 = stablehlo.reshape %90 : (tensor<10x6xf32>) -> tensor<1x10x6xf32>
    %92 = stablehlo.dot_general %90, %7, contracting_dims = [1] x [0] : (tensor<10x6xf32>, tensor<6x24xf32>) -> tensor<10x24xf32>
    %93 = stablehlo.add %92, %9 : tensor<10x24xf32>
    %94 = stablehlo.slice %11 [2:3, 0:10, 0:4] : (tensor<3x10x4xf32>) -> tensor<1x10x4xf32>
    %95 = stablehlo.reshape %94 : (tensor<1x10x4xf32>) -> tensor<10x4xf32>
    %96 = stablehlo.dot_general %95, %14, contracting_dims = [1] x [0] : (tensor<10x4xf32>, tensor<4x24xf32>) -> tensor<10x24xf32>
    %97 = stablehlo.add %96, %16 : tensor<10x24xf32>
    %98 = stablehlo.add %93, %97 : tensor<10x24xf32>
    %99 = stablehlo.reshape %98 : (tensor<10x24xf32>) -> tensor<240xf32>
    %100 = stablehlo.reshape %arg16 : (tensor<10x6xi64>) -> tensor<60xi64>
    %101 = stablehlo.compare GE, %100, %c_4 : (tensor<60xi64>, tensor<60xi64>) -> tensor<60xi1>
    %102 = stablehlo.add %100, %c_3 : tensor<60xi64>
    %103 = stablehlo.select %101, %100, %102 : tensor<60xi1>, tensor<60xi64>
    %104 = stablehlo.convert %103 : (tensor<60xi64>) -> tensor<60xui32>
    %105 = "stablehlo.gather"(%99, %104) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<240xf32>, tensor<60xui32>) -> tensor<60xf32>
    %106 = stablehlo.reshape %105 : (tensor<60xf32>) -> tensor<10x6xf32>
    %107 = stablehlo.logistic %106 : tensor<10x6xf32>
    %108 = stablehlo.reshape %arg15 : (tensor<10x6xi64>) -> tensor<60xi64>
    %109 = stablehlo.compare GE, %108, %c_4 : (tensor<60xi64>, tensor<60xi64>) -> tensor<60xi1>
    %110 = stablehlo.add %108, %c_3 : tensor<60xi64>
    %111 = stablehlo.select %109, %108, %110 : tensor<60xi1>, tensor<60xi64>
    %112 = stablehlo.convert %111 : (tensor<60xi64>) -> tensor<60xui32>
    %113 = "stablehlo.gather"(%99, %112) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<240xf32>, tensor<60xui32>) -> tensor<60xf32>
    %114 = stablehlo.reshape %113 : (tensor<60xf32>) -> tensor<10x6xf32>
    %115 = stablehlo.logistic %114 : tensor<10x6xf32>
    %116 = stablehlo.multiply %115, %88 : tensor<10x6xf32>
    %117 = stablehlo.slice %98 [0:10, 0:6] : (tensor<10x24xf32>) -> tensor<10x6xf32>
    %118 = stablehlo.logistic %117 : tensor<10x6xf32>
    %119 = stablehlo.reshape %arg3 : (tensor<10x6xi64>) -> tensor<60xi64>
    %120 = stablehlo.compare GE, %119, %c_4 : (tensor<60xi64>, tensor<60xi64>) -> tensor<60xi1>
    %121 = stablehlo.add %119, %c_3 : tensor<60xi64>
    %122 = stablehlo.select %120, %119, %121 : tensor<60xi1>, tensor<60xi64>
    %123 = stablehlo.convert %122 : (tensor<60xi64>) -> tensor<60xui32>
    %124 = "stablehlo.gather"(%99, %123) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<240xf32>, tensor<60xui32>) -> tensor<60xf32>
    %125 = stablehlo.reshape %124 : (tensor<60xf32>) -> tensor<10x6xf32>
    %126 = stablehlo.tanh %125 : tensor<10x6xf32>
    %127 = stablehlo.multiply %118, %126 : tensor<10x6xf32>
    %128 = stablehlo.add %116, %127 : tensor<10x6xf32>
    %129 = stablehlo.tanh %128 : tensor<10x6xf32>
    %130 = stablehlo.multiply %107, %129 : tensor<10x6xf32>
    %131 = stablehlo.reshape %130 : (tensor<10x6xf32>) -> tensor<1x10x6xf32>
    %132 = stablehlo.concatenate %51, %91, %131, dim = 0 : (tensor<1x10x6xf32>, tensor<1x10x6xf32>, tensor<1x10x6xf32>) -> tensor<3x10x6xf32>
    %133 = stablehlo.transpose %132, dims = [1, 0, 2] {result_layout = dense<[2, 0, 1]> : tensor<3xindex>, xla_shape = "f32[10,3,6]{2,0,1}"} : (tensor<3x10x6xf32>) -> tensor<10x3x6xf32>
    %134 = stablehlo.slice %133 [0:10, 2:3, 0:6] : (tensor<10x3x6xf32>) -> tensor<10x1x6xf32>
    %135 = stablehlo.reshape %134 : (tensor<10x1x6xf32>) -> tensor<10x6xf32>
    %136 = stablehlo.transpose %arg2, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[6,3]{0,1}"} : (tensor<3x6xf32>) -> tensor<6x3xf32>
    %137 = stablehlo.dot_general %135, %136, contracting_dims = [1] x [0] : (tensor<10x6xf32>, tensor<6x3xf32>) -> tensor<10x3xf32>
    %138 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<10x3xf32>
    %139 = stablehlo.add %137, %138 : tensor<10x3xf32>
    %140 = stablehlo.reduce(%139 init: %cst_9) applies stablehlo.maximum across dimensions = [1] : (tensor<10x3xf32>, tensor<f32>) -> tensor<10xf32>
    %141 = stablehlo.broadcast_in_dim %140, dims = [0] : (tensor<10xf32>) -> tensor<10x3xf32>
    %142 = stablehlo.subtract %139, %141 : tensor<10x3xf32>
    %143 = stablehlo.exponential %142 : tensor<10x3xf32>
    %144 = stablehlo.reduce(%143 init: %cst_11) applies stablehlo.add across dimensions = [1] : (tensor<10x3xf32>, tensor<f32>) -> tensor<10xf32>
    %145 = stablehlo.log %144 : tensor<10xf32>
    %146 = stablehlo.broadcast_in_dim %145, dims = [0] : (tensor<10xf32>) -> tensor<10x3xf32>
    %147 = stablehlo.subtract %142, %146 : tensor<10x3xf32>
    %148 = stablehlo.multiply %6, %147 : tensor<10x3xf32>
    %149 = stablehlo.select %5, %cst_6, %148 : tensor<10x3xi1>, tensor<10x3xf32>
    %150 = stablehlo.compare NE, %arg0, %c : (tensor<10xi64>, tensor<10xi64>) -> tensor<10xi1>
    %151 = stablehlo.broadcast_in_dim %150, dims = [0] : (tensor<10xi1>) -> tensor<10x3xi1>
    %152 = stablehlo.select %151, %cst_7, %cst_6 : tensor<10x3xi1>, tensor<10x3xf32>
    %153 = stablehlo.multiply %152, %4 : tensor<10x3xf32>
    %154 = stablehlo.multiply %149, %153 : tensor<10x3xf32>
    %155 = stablehlo.reduce(%154 init: %cst_11) applies stablehlo.add across dimensions = [0, 1] : (tensor<10x3xf32>, tensor<f32>) -> tensor<f32>
    %156 = stablehlo.reduce(%153 init: %cst_11) applies stablehlo.add across dimensions = [0, 1] : (tensor<10x3xf32>, tensor<f32>) -> tensor<f32>
    %157 = stablehlo.divide %155, %156 : tensor<f32>
    %158 = stablehlo.transpose %135, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[6,10]{0,1}"} : (tensor<10x6xf32>) -> tensor<6x10xf32>
    %159 = stablehlo.multiply %6, %153 : tensor<10x3xf32>
    %160 = stablehlo.compare NE, %156, %cst_11 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %161 = stablehlo.select %160, %156, %cst_12 : tensor<i1>, tensor<f32>
    %162 = stablehlo.broadcast_in_dim %161, dims = [] : (tensor<f32>) -> tensor<10x3xf32>
    %163 = stablehlo.divide %159, %162 : tensor<10x3xf32>
    %164 = stablehlo.exponential %147 : tensor<10x3xf32>
    %165 = stablehlo.reduce(%163 init: %cst_11) applies stablehlo.add across dimensions = [1] : (tensor<10x3xf32>, tensor<f32>) -> tensor<10xf32>
    %166 = stablehlo.broadcast_in_dim %165, dims = [0] : (tensor<10xf32>) -> tensor<10x3xf32>
    %167 = stablehlo.multiply %164, %166 : tensor<10x3xf32>
    %168 = stablehlo.subtract %163, %167 : tensor<10x3xf32>
    %169 = stablehlo.dot_general %158, %168, contracting_dims = [1] x [0] : (tensor<6x10xf32>, tensor<10x3xf32>) -> tensor<6x3xf32>
    %170 = stablehlo.reduce(%168 init: %cst_11) applies stablehlo.add across dimensions = [0] : (tensor<10x3xf32>, tensor<f32>) -> tensor<3xf32>
    %171 = stablehlo.reshape %170 : (tensor<3xf32>) -> tensor<1x3xf32>
    %172 = stablehlo.transpose %169, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[3,6]{0,1}"} : (tensor<6x3xf32>) -> tensor<3x6xf32>
    %173 = stablehlo.dot_general %168, %arg2, contracting_dims = [1] x [0] : (tensor<10x3xf32>, tensor<3x6xf32>) -> tensor<10x6xf32>
    %174 = stablehlo.reshape %173 : (tensor<10x6xf32>) -> tensor<10x1x6xf32>
    %175 = stablehlo.dynamic_update_slice %cst_2, %174, %c_10, %c_8, %c_10 : (tensor<10x3x6xf32>, tensor<10x1x6xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<10x3x6xf32>
    %176 = stablehlo.transpose %175, dims = [1, 0, 2] {result_layout = dense<[2, 0, 1]> : tensor<3xindex>, xla_shape = "f32[3,10,6]{2,0,1}"} : (tensor<10x3x6xf32>) -> tensor<3x10x6xf32>
    %177 = stablehlo.slice %176 [2:3, 0:10, 0:6] : (tensor<3x10x6xf32>) -> tensor<1x10x6xf32>
    %178 = stablehlo.reshape %177 : (tensor<1x10x6xf32>) -> tensor<10x6xf32>
    %179 = stablehlo.multiply %178, %107 : tensor<10x6xf32>
    %180 = stablehlo.power %129, %cst_0 : tensor<10x6xf32>
    %181 = stablehlo.subtract %cst_1, %180 : tensor<10x6xf32>
    %182 = stablehlo.multiply %179, %181 : tensor<10x6xf32>
    %183 = stablehlo.multiply %182, %126 : tensor<10x6xf32>
    %184 = stablehlo.subtract %cst_1, %118 : tensor<10x6xf32>
    %185 = stablehlo.multiply %183, %184 : tensor<10x6xf32>
    %186 = stablehlo.multiply %185, %118 : tensor<10x6xf32>
    %187 = stablehlo.multiply %182, %88 : tensor<10x6xf32>
    %188 = stablehlo.subtract %cst_1, %115 : tensor<10x6xf32>
    %189 = stablehlo.multiply %187, %188 : tensor<10x6xf32>
    %190 = stablehlo.multiply %189, %115 : tensor<10x6xf32>
    %191 = stablehlo.multiply %182, %118 : tensor<10x6xf32>
    %192 = stablehlo.power %126, %cst_0 : tensor<10x6xf32>
    %193 = stablehlo.subtract %cst_1, %192 : tensor<10x6xf32>
    %194 = stablehlo.multiply %191, %193 : tensor<10x6xf32>
    %195 = stablehlo.multiply %178, %129 : tensor<10x6xf32>
    %196 = stablehlo.subtract %cst_1, %107 : tensor<10x6xf32>
    %197 = stablehlo.multiply %195, %196 : tensor<10x6xf32>
    %198 = stablehlo.multiply %197, %107 : tensor<10x6xf32>
    %199 = stablehlo.concatenate %186, %190, %194, %198, dim = 1 : (tensor<10x6xf32>, tensor<10x6xf32>, tensor<10x6xf32>, tensor<10x6xf32>) -> tensor<10x24xf32>
    %200 = stablehlo.reduce(%199 init: %cst_11) applies stablehlo.add across dimensions = [0] : (tensor<10x24xf32>, tensor<f32>) -> tensor<24xf32>
    %201 = stablehlo.multiply %182, %115 : tensor<10x6xf32>
    %202 = stablehlo.slice %176 [1:2, 0:10, 0:6] : (tensor<3x10x6xf32>) -> tensor<1x10x6xf32>
    %203 = stablehlo.reshape %202 : (tensor<1x10x6xf32>) -> tensor<10x6xf32>
    %204 = stablehlo.dot_general %199, %arg8, contracting_dims = [1] x [0] : (tensor<10x24xf32>, tensor<24x6xf32>) -> tensor<10x6xf32>
    %205 = stablehlo.add %203, %204 : tensor<10x6xf32>
    %206 = stablehlo.multiply %205, %67 : tensor<10x6xf32>
    %207 = stablehlo.power %89, %cst_0 : tensor<10x6xf32>
    %208 = stablehlo.subtract %cst_1, %207 : tensor<10x6xf32>
    %209 = stablehlo.multiply %206, %208 : tensor<10x6xf32>
    %210 = stablehlo.add %201, %209 : tensor<10x6xf32>
    %211 = stablehlo.multiply %210, %86 : tensor<10x6xf32>
    %212 = stablehlo.subtract %cst_1, %78 : tensor<10x6xf32>
    %213 = stablehlo.multiply %211, %212 : tensor<10x6xf32>
    %214 = stablehlo.multiply %213, %78 : tensor<10x6xf32>
    %215 = stablehlo.multiply %210, %48 : tensor<10x6xf32>
    %216 = stablehlo.subtract %cst_1, %75 : tensor<10x6xf32>
    %217 = stablehlo.multiply %215, %216 : tensor<10x6xf32>
    %218 = stablehlo.multiply %217, %75 : tensor<10x6xf32>
    %219 = stablehlo.multiply %210, %78 : tensor<10x6xf32>
    %220 = stablehlo.power %86, %cst_0 : tensor<10x6xf32>
    %221 = stablehlo.subtract %cst_1, %220 : tensor<10x6xf32>
    %222 = stablehlo.multiply %219, %221 : tensor<10x6xf32>
    %223 = stablehlo.multiply %205, %89 : tensor<10x6xf32>
    %224 = stablehlo.subtract %cst_1, %67 : tensor<10x6xf32>
    %225 = stablehlo.multiply %223, %224 : tensor<10x6xf32>
    %226 = stablehlo.multiply %225, %67 : tensor<10x6xf32>
    %227 = stablehlo.concatenate %214, %218, %222, %226, dim = 1 : (tensor<10x6xf32>, tensor<10x6xf32>, tensor<10x6xf32>, tensor<10x6xf32>) -> tensor<10x24xf32>
    %228 = stablehlo.reduce(%227 init: %cst_11) applies stablehlo.add across dimensions = [0] : (tensor<10x24xf32>, tensor<f32>) -> tensor<24xf32>
    %229 = stablehlo.add %200, %228 : tensor<24xf32>
    %230 = stablehlo.multiply %210, %75 : tensor<10x6xf32>
    %231 = stablehlo.slice %176 [0:1, 0:10, 0:6] : (tensor<3x10x6xf32>) -> tensor<1x10x6xf32>
    %232 = stablehlo.reshape %231 : (tensor<1x10x6xf32>) -> tensor<10x6xf32>
    %233 = stablehlo.dot_general %227, %arg8, contracting_dims = [1] x [0] : (tensor<10x24xf32>, tensor<24x6xf32>) -> tensor<10x6xf32>
    %234 = stablehlo.add %232, %233 : tensor<10x6xf32>
    %235 = stablehlo.multiply %234, %27 : tensor<10x6xf32>
    %236 = stablehlo.power %49, %cst_0 : tensor<10x6xf32>
    %237 = stablehlo.subtract %cst_1, %236 : tensor<10x6xf32>
    %238 = stablehlo.multiply %235, %237 : tensor<10x6xf32>
    %239 = stablehlo.add %230, %238 : tensor<10x6xf32>
    %240 = stablehlo.multiply %239, %46 : tensor<10x6xf32>
    %241 = stablehlo.subtract %cst_1, %38 : tensor<10x6xf32>
    %242 = stablehlo.multiply %240, %241 : tensor<10x6xf32>
    %243 = stablehlo.multiply %242, %38 : tensor<10x6xf32>
    %244 = stablehlo.multiply %239, %cst_5 : tensor<10x6xf32>
    %245 = stablehlo.subtract %cst_1, %35 : tensor<10x6xf32>
    %246 = stablehlo.multiply %244, %245 : tensor<10x6xf32>
    %247 = stablehlo.multiply %246, %35 : tensor<10x6xf32>
    %248 = stablehlo.multiply %239, %38 : tensor<10x6xf32>
    %249 = stablehlo.power %46, %cst_0 : tensor<10x6xf32>
    %250 = stablehlo.subtract %cst_1, %249 : tensor<10x6xf32>
    %251 = stablehlo.multiply %248, %250 : tensor<10x6xf32>
    %252 = stablehlo.multiply %234, %49 : tensor<10x6xf32>
    %253 = stablehlo.subtract %cst_1, %27 : tensor<10x6xf32>
    %254 = stablehlo.multiply %252, %253 : tensor<10x6xf32>
    %255 = stablehlo.multiply %254, %27 : tensor<10x6xf32>
    %256 = stablehlo.concatenate %243, %247, %251, %255, dim = 1 : (tensor<10x6xf32>, tensor<10x6xf32>, tensor<10x6xf32>, tensor<10x6xf32>) -> tensor<10x24xf32>
    %257 = stablehlo.reduce(%256 init: %cst_11) applies stablehlo.add across dimensions = [0] : (tensor<10x24xf32>, tensor<f32>) -> tensor<24xf32>
    %258 = stablehlo.add %229, %257 : tensor<24xf32>
    %259 = stablehlo.transpose %95, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[4,10]{0,1}"} : (tensor<10x4xf32>) -> tensor<4x10xf32>
    %260 = stablehlo.dot_general %259, %199, contracting_dims = [1] x [0] : (tensor<4x10xf32>, tensor<10x24xf32>) -> tensor<4x24xf32>
    %261 = stablehlo.transpose %260, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[24,4]{0,1}"} : (tensor<4x24xf32>) -> tensor<24x4xf32>
    %262 = stablehlo.transpose %55, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[4,10]{0,1}"} : (tensor<10x4xf32>) -> tensor<4x10xf32>
    %263 = stablehlo.dot_general %262, %227, contracting_dims = [1] x [0] : (tensor<4x10xf32>, tensor<10x24xf32>) -> tensor<4x24xf32>
    %264 = stablehlo.transpose %263, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[24,4]{0,1}"} : (tensor<4x24xf32>) -> tensor<24x4xf32>
    %265 = stablehlo.add %261, %264 {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[24,4]{0,1}"} : tensor<24x4xf32>
    %266 = stablehlo.transpose %13, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[4,10]{0,1}"} : (tensor<10x4xf32>) -> tensor<4x10xf32>
    %267 = stablehlo.dot_general %266, %256, contracting_dims = [1] x [0] : (tensor<4x10xf32>, tensor<10x24xf32>) -> tensor<4x24xf32>
    %268 = stablehlo.transpose %267, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[24,4]{0,1}"} : (tensor<4x24xf32>) -> tensor<24x4xf32>
    %269 = stablehlo.add %265, %268 {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[24,4]{0,1}"} : tensor<24x4xf32>
    %270 = stablehlo.transpose %90, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[6,10]{0,1}"} : (tensor<10x6xf32>) -> tensor<6x10xf32>
    %271 = stablehlo.dot_general %270, %199, contracting_dims = [1] x [0] : (tensor<6x10xf32>, tensor<10x24xf32>) -> tensor<6x24xf32>
    %272 = stablehlo.transpose %271, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[24,6]{0,1}"} : (tensor<6x24xf32>) -> tensor<24x6xf32>
    %273 = stablehlo.transpose %50, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[6,10]{0,1}"} : (tensor<10x6xf32>) -> tensor<6x10xf32>
    %274 = stablehlo.dot_general %273, %227, contracting_dims = [1] x [0] : (tensor<6x10xf32>, tensor<10x24xf32>) -> tensor<6x24xf32>
    %275 = stablehlo.transpose %274, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[24,6]{0,1}"} : (tensor<6x24xf32>) -> tensor<24x6xf32>
    %276 = stablehlo.add %272, %275 {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[24,6]{0,1}"} : tensor<24x6xf32>
    %277 = stablehlo.dot_general %cst, %256, contracting_dims = [1] x [0] : (tensor<6x10xf32>, tensor<10x24xf32>) -> tensor<6x24xf32>
    %278 = stablehlo.transpose %277, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[24,6]{0,1}"} : (tensor<6x24xf32>) -> tensor<24x6xf32>
    %279 = stablehlo.add %276, %278 {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[24,6]{0,1}"} : tensor<24x6xf32>
    %280 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<24x4xf32>
    %281 = stablehlo.multiply %269, %280 : tensor<24x4xf32>
    %282 = stablehlo.add %arg5, %281 : tensor<24x4xf32>
    %283 = stablehlo.custom_call @Sharding(%282) {mhlo.sharding = "{devices=[4,1,2]0,4,1,5,2,6,3,7 last_tile_dim_replicate}"} : (tensor<24x4xf32>) -> tensor<24x4xf32>
    %284 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<24x6xf32>
    %285 = stablehlo.multiply %279, %284 : tensor<24x6xf32>
    %286 = stablehlo.add %arg8, %285 : tensor<24x6xf32>
    %287 = stablehlo.custom_call @Sharding(%286) {mhlo.sharding = "{devices=[4,1,2]0,4,1,5,2,6,3,7 last_tile_dim_replicate}"} : (tensor<24x6xf32>) -> tensor<24x6xf32>
    %288 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %289 = stablehlo.multiply %258, %288 : tensor<24xf32>
    %290 = stablehlo.add %arg4, %289 : tensor<24xf32>
    %291 = stablehlo.add %arg7, %289 : tensor<24xf32>
    %292 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<3x6xf32>
    %293 = stablehlo.multiply %172, %292 : tensor<3x6xf32>
    %294 = stablehlo.add %arg2, %293 : tensor<3x6xf32>
    %295 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %296 = stablehlo.multiply %170, %295 : tensor<3xf32>
    %297 = stablehlo.add %arg1, %296 : tensor<3xf32>
    return %157, %169, %171, %170, %172, %258, %269, %258, %279, %283, %287, %290, %291, %294, %297 : tensor<f32>, tensor<6x3xf32>, tensor<1x3xf32>, tensor<3xf32>, tensor<3x6xf32>, tensor<24xf32>, tensor<24x4xf32>, tensor<24xf32>, tensor<24x6xf32>, tensor<24x4xf32>, tensor<24x6xf32>, tensor<24xf32>, tensor<24xf32>, tensor<3x6xf32>, tensor<3xf32>
  }
}
