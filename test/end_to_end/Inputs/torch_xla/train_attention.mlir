module @SyncTensorsGraph.375 attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32, mhlo.use_auto_spmd_partitioning = false} {
  func.func @main(%arg0: tensor<24xi64> {mhlo.sharding = "{devices=[2,4]0,1,2,3,4,5,6,7 last_tile_dim_replicate}"}, %arg1: tensor<20xf32> {mhlo.sharding = "{replicated}"}, %arg2: tensor<20x8xf32> {mhlo.sharding = "{devices=[1,4,2]0,4,1,5,2,6,3,7 last_tile_dim_replicate}"}, %arg3: tensor<24xf32> {mhlo.sharding = "{replicated}"}, %arg4: tensor<24x8xf32> {mhlo.sharding = "{devices=[4,1,2]0,4,1,5,2,6,3,7 last_tile_dim_replicate}"}, %arg5: tensor<4x6xi64> {mhlo.sharding = "{devices=[2,1,4]0,1,2,3,4,5,6,7 last_tile_dim_replicate}"}, %arg6: tensor<20x8xf32> {mhlo.sharding = "{devices=[4,1,2]0,4,1,5,2,6,3,7 last_tile_dim_replicate}"}, %arg7: tensor<f32> {mhlo.sharding = "{replicated}"}, %arg8: tensor<f32> {mhlo.sharding = "{replicated}"}, %arg9: tensor<i64> {mhlo.sharding = "{replicated}"}, %arg10: tensor<f32> {mhlo.sharding = "{replicated}"}) -> (tensor<f32>, tensor<1x1x20xf32>, tensor<20xf32>, tensor<8x20xf32>, tensor<20x8xf32>, tensor<1x1x24xf32>, tensor<24xf32>, tensor<8x24xf32>, tensor<24x8xf32>, tensor<20x8xf32>, tensor<20x8xf32>, tensor<24x8xf32>, tensor<24xf32>, tensor<20x8xf32>, tensor<20xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<24x8xf32>
    %c = stablehlo.constant dense<-1> : tensor<24xi64>
    %c_0 = stablehlo.constant dense<0> : tensor<24xi64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<20x8xf32>
    %c_2 = stablehlo.constant dense<-100> : tensor<24xi64>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<4x2x6x6xf32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<4x2x6x6xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<6x6xf32>
    %c_6 = stablehlo.constant dense<false> : tensor<6x6xi1>
    %c_7 = stablehlo.constant dense<true> : tensor<6x6xi1>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<24x20xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<24x20xf32>
    %cst_10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c_11 = stablehlo.constant dense<false> : tensor<i1>
    %c_12 = stablehlo.constant dense<true> : tensor<i1>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<24xi64>) -> tensor<24x20xi64>
    %1 = stablehlo.iota dim = 0 : tensor<20xi64>
    %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<20xi64>) -> tensor<24x20xi64>
    %3 = stablehlo.compare EQ, %0, %2 : (tensor<24x20xi64>, tensor<24x20xi64>) -> tensor<24x20xi1>
    %4 = stablehlo.select %3, %cst_9, %cst_8 : tensor<24x20xi1>, tensor<24x20xf32>
    %5 = stablehlo.compare NE, %4, %cst_9 : (tensor<24x20xf32>, tensor<24x20xf32>) -> tensor<24x20xi1>
    %6 = stablehlo.negate %4 : tensor<24x20xf32>
    %7 = stablehlo.reshape %arg5 : (tensor<4x6xi64>) -> tensor<24xi64>
    %8 = stablehlo.convert %7 : (tensor<24xi64>) -> tensor<24xui32>
    %9 = "stablehlo.gather"(%arg6, %8) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<20x8xf32>, tensor<24xui32>) -> tensor<24x8xf32>
    %10 = stablehlo.transpose %arg4, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[8,24]{0,1}"} : (tensor<24x8xf32>) -> tensor<8x24xf32>
    %11 = stablehlo.dot_general %9, %10, contracting_dims = [1] x [0] : (tensor<24x8xf32>, tensor<8x24xf32>) -> tensor<24x24xf32>
    %12 = stablehlo.reshape %11 : (tensor<24x24xf32>) -> tensor<4x6x24xf32>
    %13 = stablehlo.broadcast_in_dim %arg3, dims = [2] : (tensor<24xf32>) -> tensor<4x6x24xf32>
    %14 = stablehlo.add %12, %13 : tensor<4x6x24xf32>
    %15 = stablehlo.reshape %14 : (tensor<4x6x24xf32>) -> tensor<4x6x3x2x4xf32>
    %16 = stablehlo.transpose %15, dims = [2, 0, 3, 1, 4] {result_layout = dense<[4, 2, 0, 3, 1]> : tensor<5xindex>, xla_shape = "f32[3,4,2,6,4]{4,2,0,3,1}"} : (tensor<4x6x3x2x4xf32>) -> tensor<3x4x2x6x4xf32>
    %17 = stablehlo.slice %16 [0:1, 0:4, 0:2, 0:6, 0:4] : (tensor<3x4x2x6x4xf32>) -> tensor<1x4x2x6x4xf32>
    %18 = stablehlo.reshape %17 : (tensor<1x4x2x6x4xf32>) -> tensor<4x2x6x4xf32>
    %19 = stablehlo.broadcast_in_dim %arg8, dims = [] : (tensor<f32>) -> tensor<4x2x6x4xf32>
    %20 = stablehlo.multiply %18, %19 : tensor<4x2x6x4xf32>
    %21 = stablehlo.reshape %20 : (tensor<4x2x6x4xf32>) -> tensor<8x6x4xf32>
    %22 = stablehlo.slice %16 [1:2, 0:4, 0:2, 0:6, 0:4] : (tensor<3x4x2x6x4xf32>) -> tensor<1x4x2x6x4xf32>
    %23 = stablehlo.reshape %22 : (tensor<1x4x2x6x4xf32>) -> tensor<4x2x6x4xf32>
    %24 = stablehlo.transpose %23, dims = [0, 1, 3, 2] {result_layout = dense<[2, 3, 1, 0]> : tensor<4xindex>, xla_shape = "f32[4,2,4,6]{2,3,1,0}"} : (tensor<4x2x6x4xf32>) -> tensor<4x2x4x6xf32>
    %25 = stablehlo.broadcast_in_dim %arg8, dims = [] : (tensor<f32>) -> tensor<4x2x4x6xf32>
    %26 = stablehlo.multiply %24, %25 : tensor<4x2x4x6xf32>
    %27 = stablehlo.reshape %26 : (tensor<4x2x4x6xf32>) -> tensor<8x4x6xf32>
    %28 = stablehlo.dot_general %21, %27, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x6x4xf32>, tensor<8x4x6xf32>) -> tensor<8x6x6xf32>
    %29 = stablehlo.reshape %28 : (tensor<8x6x6xf32>) -> tensor<4x2x6x6xf32>
    %30 = stablehlo.iota dim = 0 : tensor<6xi32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0] : (tensor<6xi32>) -> tensor<6x6xi32>
    %32 = stablehlo.broadcast_in_dim %30, dims = [1] : (tensor<6xi32>) -> tensor<6x6xi32>
    %33 = stablehlo.compare GE, %31, %32 : (tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6xi1>
    %34 = stablehlo.select %33, %c_7, %c_6 : tensor<6x6xi1>, tensor<6x6xi1>
    %35 = stablehlo.broadcast_in_dim %arg7, dims = [] : (tensor<f32>) -> tensor<6x6xf32>
    %36 = stablehlo.select %34, %cst_5, %35 : tensor<6x6xi1>, tensor<6x6xf32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [2, 3] : (tensor<6x6xf32>) -> tensor<4x2x6x6xf32>
    %38 = stablehlo.add %29, %37 : tensor<4x2x6x6xf32>
    %39 = stablehlo.compare EQ, %38, %cst_4 : (tensor<4x2x6x6xf32>, tensor<4x2x6x6xf32>) -> tensor<4x2x6x6xi1>
    %40 = stablehlo.reduce(%39 init: %c_12) across dimensions = [3] : (tensor<4x2x6x6xi1>, tensor<i1>) -> tensor<4x2x6xi1>
     reducer(%arg11: tensor<i1>, %arg12: tensor<i1>)  {
      %160 = stablehlo.and %arg11, %arg12 : tensor<i1>
      %161 = stablehlo.select %160, %c_12, %c_11 : tensor<i1>, tensor<i1>
      stablehlo.return %161 : tensor<i1>
    }
    %41 = stablehlo.broadcast_in_dim %40, dims = [0, 1, 2] : (tensor<4x2x6xi1>) -> tensor<4x2x6x6xi1>
    %42 = stablehlo.reduce(%38 init: %cst_10) applies stablehlo.maximum across dimensions = [3] : (tensor<4x2x6x6xf32>, tensor<f32>) -> tensor<4x2x6xf32>
    %43 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2] : (tensor<4x2x6xf32>) -> tensor<4x2x6x6xf32>
    %44 = stablehlo.subtract %38, %43 : tensor<4x2x6x6xf32>
    %45 = stablehlo.exponential %44 : tensor<4x2x6x6xf32>
    %46 = stablehlo.reduce(%45 init: %cst_13) applies stablehlo.add across dimensions = [3] : (tensor<4x2x6x6xf32>, tensor<f32>) -> tensor<4x2x6xf32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [0, 1, 2] : (tensor<4x2x6xf32>) -> tensor<4x2x6x6xf32>
    %48 = stablehlo.divide %45, %47 : tensor<4x2x6x6xf32>
    %49 = stablehlo.select %41, %cst_3, %48 : tensor<4x2x6x6xi1>, tensor<4x2x6x6xf32>
    %50 = stablehlo.reshape %49 : (tensor<4x2x6x6xf32>) -> tensor<8x6x6xf32>
    %51 = stablehlo.slice %16 [2:3, 0:4, 0:2, 0:6, 0:4] : (tensor<3x4x2x6x4xf32>) -> tensor<1x4x2x6x4xf32>
    %52 = stablehlo.reshape %51 : (tensor<1x4x2x6x4xf32>) -> tensor<8x6x4xf32>
    %53 = stablehlo.dot_general %50, %52, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x6x6xf32>, tensor<8x6x4xf32>) -> tensor<8x6x4xf32>
    %54 = stablehlo.reshape %53 : (tensor<8x6x4xf32>) -> tensor<4x2x6x4xf32>
    %55 = stablehlo.transpose %54, dims = [0, 2, 1, 3] {result_layout = dense<[3, 1, 2, 0]> : tensor<4xindex>, xla_shape = "f32[4,6,2,4]{3,1,2,0}"} : (tensor<4x2x6x4xf32>) -> tensor<4x6x2x4xf32>
    %56 = stablehlo.reshape %55 : (tensor<4x6x2x4xf32>) -> tensor<24x8xf32>
    %57 = stablehlo.transpose %arg2, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[8,20]{0,1}"} : (tensor<20x8xf32>) -> tensor<8x20xf32>
    %58 = stablehlo.dot_general %56, %57, contracting_dims = [1] x [0] : (tensor<24x8xf32>, tensor<8x20xf32>) -> tensor<24x20xf32>
    %59 = stablehlo.reshape %58 : (tensor<24x20xf32>) -> tensor<4x6x20xf32>
    %60 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<20xf32>) -> tensor<4x6x20xf32>
    %61 = stablehlo.add %59, %60 : tensor<4x6x20xf32>
    %62 = stablehlo.reshape %61 : (tensor<4x6x20xf32>) -> tensor<24x20xf32>
    %63 = stablehlo.reduce(%62 init: %cst_10) applies stablehlo.maximum across dimensions = [1] : (tensor<24x20xf32>, tensor<f32>) -> tensor<24xf32>
    %64 = stablehlo.broadcast_in_dim %63, dims = [0] : (tensor<24xf32>) -> tensor<24x20xf32>
    %65 = stablehlo.subtract %62, %64 : tensor<24x20xf32>
    %66 = stablehlo.exponential %65 : tensor<24x20xf32>
    %67 = stablehlo.reduce(%66 init: %cst_13) applies stablehlo.add across dimensions = [1] : (tensor<24x20xf32>, tensor<f32>) -> tensor<24xf32>
    %68 = stablehlo.log %67 : tensor<24xf32>
    %69 = stablehlo.broadcast_in_dim %68, dims = [0] : (tensor<24xf32>) -> tensor<24x20xf32>
    %70 = stablehlo.subtract %65, %69 : tensor<24x20xf32>
    %71 = stablehlo.multiply %6, %70 : tensor<24x20xf32>
    %72 = stablehlo.select %5, %cst_8, %71 : tensor<24x20xi1>, tensor<24x20xf32>
    %73 = stablehlo.compare NE, %arg0, %c_2 : (tensor<24xi64>, tensor<24xi64>) -> tensor<24xi1>
    %74 = stablehlo.broadcast_in_dim %73, dims = [0] : (tensor<24xi1>) -> tensor<24x20xi1>
    %75 = stablehlo.select %74, %cst_9, %cst_8 : tensor<24x20xi1>, tensor<24x20xf32>
    %76 = stablehlo.multiply %75, %4 : tensor<24x20xf32>
    %77 = stablehlo.multiply %72, %76 : tensor<24x20xf32>
    %78 = stablehlo.reduce(%77 init: %cst_13) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x20xf32>, tensor<f32>) -> tensor<f32>
    %79 = stablehlo.reduce(%76 init: %cst_13) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x20xf32>, tensor<f32>) -> tensor<f32>
    %80 = stablehlo.divide %78, %79 : tensor<f32>
    %81 = stablehlo.multiply %6, %76 : tensor<24x20xf32>
    %82 = stablehlo.compare NE, %79, %cst_13 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %83 = stablehlo.select %82, %79, %cst_14 : tensor<i1>, tensor<f32>
    %84 = stablehlo.broadcast_in_dim %83, dims = [] : (tensor<f32>) -> tensor<24x20xf32>
    %85 = stablehlo.divide %81, %84 : tensor<24x20xf32>
    %86 = stablehlo.exponential %70 : tensor<24x20xf32>
    %87 = stablehlo.reduce(%85 init: %cst_13) applies stablehlo.add across dimensions = [1] : (tensor<24x20xf32>, tensor<f32>) -> tensor<24xf32>
    %88 = stablehlo.broadcast_in_dim %87, dims = [0] : (tensor<24xf32>) -> tensor<24x20xf32>
    %89 = stablehlo.multiply %86, %88 : tensor<24x20xf32>
    %90 = stablehlo.subtract %85, %89 : tensor<24x20xf32>
    %91 = stablehlo.reshape %90 : (tensor<24x20xf32>) -> tensor<4x6x20xf32>
    %92 = stablehlo.reduce(%91 init: %cst_13) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6x20xf32>, tensor<f32>) -> tensor<20xf32>
    %93 = stablehlo.reshape %92 : (tensor<20xf32>) -> tensor<1x1x20xf32>
    %94 = stablehlo.transpose %56, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[8,24]{0,1}"} : (tensor<24x8xf32>) -> tensor<8x24xf32>
    %95 = stablehlo.dot_general %94, %90, contracting_dims = [1] x [0] : (tensor<8x24xf32>, tensor<24x20xf32>) -> tensor<8x20xf32>
    %96 = stablehlo.transpose %95, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[20,8]{0,1}"} : (tensor<8x20xf32>) -> tensor<20x8xf32>
    %97 = stablehlo.dot_general %90, %arg2, contracting_dims = [1] x [0] : (tensor<24x20xf32>, tensor<20x8xf32>) -> tensor<24x8xf32>
    %98 = stablehlo.reshape %97 : (tensor<24x8xf32>) -> tensor<4x6x2x4xf32>
    %99 = stablehlo.transpose %98, dims = [0, 2, 1, 3] {result_layout = dense<[3, 1, 2, 0]> : tensor<4xindex>, xla_shape = "f32[4,2,6,4]{3,1,2,0}"} : (tensor<4x6x2x4xf32>) -> tensor<4x2x6x4xf32>
    %100 = stablehlo.reshape %99 : (tensor<4x2x6x4xf32>) -> tensor<8x6x4xf32>
    %101 = stablehlo.transpose %52, dims = [0, 2, 1] {result_layout = dense<[1, 2, 0]> : tensor<3xindex>, xla_shape = "f32[8,4,6]{1,2,0}"} : (tensor<8x6x4xf32>) -> tensor<8x4x6xf32>
    %102 = stablehlo.dot_general %100, %101, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x6x4xf32>, tensor<8x4x6xf32>) -> tensor<8x6x6xf32>
    %103 = stablehlo.reshape %102 : (tensor<8x6x6xf32>) -> tensor<4x2x6x6xf32>
    %104 = stablehlo.multiply %103, %49 : tensor<4x2x6x6xf32>
    %105 = stablehlo.reduce(%104 init: %cst_13) applies stablehlo.add across dimensions = [3] : (tensor<4x2x6x6xf32>, tensor<f32>) -> tensor<4x2x6xf32>
    %106 = stablehlo.broadcast_in_dim %105, dims = [0, 1, 2] : (tensor<4x2x6xf32>) -> tensor<4x2x6x6xf32>
    %107 = stablehlo.subtract %103, %106 : tensor<4x2x6x6xf32>
    %108 = stablehlo.multiply %49, %107 : tensor<4x2x6x6xf32>
    %109 = stablehlo.reshape %108 : (tensor<4x2x6x6xf32>) -> tensor<8x6x6xf32>
    %110 = stablehlo.transpose %27, dims = [0, 2, 1] {result_layout = dense<[1, 2, 0]> : tensor<3xindex>, xla_shape = "f32[8,6,4]{1,2,0}"} : (tensor<8x4x6xf32>) -> tensor<8x6x4xf32>
    %111 = stablehlo.dot_general %109, %110, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x6x6xf32>, tensor<8x6x4xf32>) -> tensor<8x6x4xf32>
    %112 = stablehlo.reshape %111 : (tensor<8x6x4xf32>) -> tensor<4x2x6x4xf32>
    %113 = stablehlo.multiply %112, %19 : tensor<4x2x6x4xf32>
    %114 = stablehlo.reshape %113 : (tensor<4x2x6x4xf32>) -> tensor<1x4x2x6x4xf32>
    %115 = stablehlo.transpose %21, dims = [0, 2, 1] {result_layout = dense<[1, 2, 0]> : tensor<3xindex>, xla_shape = "f32[8,4,6]{1,2,0}"} : (tensor<8x6x4xf32>) -> tensor<8x4x6xf32>
    %116 = stablehlo.dot_general %115, %109, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x4x6xf32>, tensor<8x6x6xf32>) -> tensor<8x4x6xf32>
    %117 = stablehlo.reshape %116 : (tensor<8x4x6xf32>) -> tensor<4x2x4x6xf32>
    %118 = stablehlo.multiply %117, %25 : tensor<4x2x4x6xf32>
    %119 = stablehlo.transpose %118, dims = [0, 1, 3, 2] {result_layout = dense<[2, 3, 1, 0]> : tensor<4xindex>, xla_shape = "f32[4,2,6,4]{2,3,1,0}"} : (tensor<4x2x4x6xf32>) -> tensor<4x2x6x4xf32>
    %120 = stablehlo.reshape %119 : (tensor<4x2x6x4xf32>) -> tensor<1x4x2x6x4xf32>
    %121 = stablehlo.transpose %50, dims = [0, 2, 1] {result_layout = dense<[1, 2, 0]> : tensor<3xindex>, xla_shape = "f32[8,6,6]{1,2,0}"} : (tensor<8x6x6xf32>) -> tensor<8x6x6xf32>
    %122 = stablehlo.dot_general %121, %100, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x6x6xf32>, tensor<8x6x4xf32>) -> tensor<8x6x4xf32>
    %123 = stablehlo.reshape %122 : (tensor<8x6x4xf32>) -> tensor<1x4x2x6x4xf32>
    %124 = stablehlo.concatenate %114, %120, %123, dim = 0 : (tensor<1x4x2x6x4xf32>, tensor<1x4x2x6x4xf32>, tensor<1x4x2x6x4xf32>) -> tensor<3x4x2x6x4xf32>
    %125 = stablehlo.transpose %124, dims = [1, 3, 0, 2, 4] {result_layout = dense<[4, 1, 3, 0, 2]> : tensor<5xindex>, xla_shape = "f32[4,6,3,2,4]{4,1,3,0,2}"} : (tensor<3x4x2x6x4xf32>) -> tensor<4x6x3x2x4xf32>
    %126 = stablehlo.reshape %125 : (tensor<4x6x3x2x4xf32>) -> tensor<4x6x24xf32>
    %127 = stablehlo.reduce(%126 init: %cst_13) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6x24xf32>, tensor<f32>) -> tensor<24xf32>
    %128 = stablehlo.reshape %127 : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %129 = stablehlo.transpose %9, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[8,24]{0,1}"} : (tensor<24x8xf32>) -> tensor<8x24xf32>
    %130 = stablehlo.reshape %125 : (tensor<4x6x3x2x4xf32>) -> tensor<24x24xf32>
    %131 = stablehlo.dot_general %129, %130, contracting_dims = [1] x [0] : (tensor<8x24xf32>, tensor<24x24xf32>) -> tensor<8x24xf32>
    %132 = stablehlo.transpose %131, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[24,8]{0,1}"} : (tensor<8x24xf32>) -> tensor<24x8xf32>
    %133 = stablehlo.compare LT, %7, %c_0 : (tensor<24xi64>, tensor<24xi64>) -> tensor<24xi1>
    %134 = stablehlo.broadcast_in_dim %arg9, dims = [] : (tensor<i64>) -> tensor<24xi64>
    %135 = stablehlo.add %7, %134 : tensor<24xi64>
    %136 = stablehlo.select %133, %135, %7 : tensor<24xi1>, tensor<24xi64>
    %137 = stablehlo.reshape %136 : (tensor<24xi64>) -> tensor<24x1xi64>
    %138 = stablehlo.compare NE, %7, %c : (tensor<24xi64>, tensor<24xi64>) -> tensor<24xi1>
    %139 = stablehlo.broadcast_in_dim %138, dims = [0] : (tensor<24xi1>) -> tensor<24x8xi1>
    %140 = stablehlo.dot_general %130, %arg4, contracting_dims = [1] x [0] : (tensor<24x24xf32>, tensor<24x8xf32>) -> tensor<24x8xf32>
    %141 = stablehlo.select %139, %140, %cst : tensor<24x8xi1>, tensor<24x8xf32>
    %142 = "stablehlo.scatter"(%cst_1, %137, %141) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg11: tensor<f32>, %arg12: tensor<f32>):
      %160 = stablehlo.add %arg11, %arg12 : tensor<f32>
      stablehlo.return %160 : tensor<f32>
    }) : (tensor<20x8xf32>, tensor<24x1xi64>, tensor<24x8xf32>) -> tensor<20x8xf32>
    %143 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<20x8xf32>
    %144 = stablehlo.multiply %142, %143 : tensor<20x8xf32>
    %145 = stablehlo.add %arg6, %144 : tensor<20x8xf32>
    %146 = stablehlo.custom_call @Sharding(%145) {mhlo.sharding = "{devices=[4,1,2]0,4,1,5,2,6,3,7 last_tile_dim_replicate}"} : (tensor<20x8xf32>) -> tensor<20x8xf32>
    %147 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<24x8xf32>
    %148 = stablehlo.multiply %132, %147 : tensor<24x8xf32>
    %149 = stablehlo.add %arg4, %148 : tensor<24x8xf32>
    %150 = stablehlo.custom_call @Sharding(%149) {mhlo.sharding = "{devices=[4,1,2]0,4,1,5,2,6,3,7 last_tile_dim_replicate}"} : (tensor<24x8xf32>) -> tensor<24x8xf32>
    %151 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %152 = stablehlo.multiply %127, %151 : tensor<24xf32>
    %153 = stablehlo.add %arg3, %152 : tensor<24xf32>
    %154 = stablehlo.multiply %96, %143 : tensor<20x8xf32>
    %155 = stablehlo.add %arg2, %154 : tensor<20x8xf32>
    %156 = stablehlo.custom_call @Sharding(%155) {mhlo.sharding = "{devices=[1,4,2]0,4,1,5,2,6,3,7 last_tile_dim_replicate}"} : (tensor<20x8xf32>) -> tensor<20x8xf32>
    %157 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<20xf32>
    %158 = stablehlo.multiply %92, %157 : tensor<20xf32>
    %159 = stablehlo.add %arg1, %158 : tensor<20xf32>
    return %80, %93, %92, %95, %96, %128, %127, %131, %132, %142, %146, %150, %153, %156, %159 : tensor<f32>, tensor<1x1x20xf32>, tensor<20xf32>, tensor<8x20xf32>, tensor<20x8xf32>, tensor<1x1x24xf32>, tensor<24xf32>, tensor<8x24xf32>, tensor<24x8xf32>, tensor<20x8xf32>, tensor<20x8xf32>, tensor<24x8xf32>, tensor<24xf32>, tensor<20x8xf32>, tensor<20xf32>
  }
}
