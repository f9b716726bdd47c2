module @SyncTensorsGraph.68 attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32, mhlo.use_auto_spmd_partitioning = false} {
  func.func @main(%arg0: tensor<9x6xf32> {mhlo.sharding = "{devices=[2,1,4]0,1,2,3,4,5,6,7 last_tile_dim_replicate}"}, %arg1: tensor<3xi64> {mhlo.sharding = "{replicated}"}, %arg2: tensor<i64> {mhlo.sharding = "{replicated}"}) -> (tensor<4x6xf32>, tensor<4x6xi64>, tensor<f32>, tensor<3x6xf32>, tensor<9x6xf32>) {
    %c = stablehlo.constant dense<0> : tensor<3xi64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %15 = stablehlo.compare LT, %arg3, %arg4, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %15 : tensor<i1>
    }) : (tensor<9x6xf32>) -> tensor<9x6xf32>
    %1 = stablehlo.iota dim = 0 : tensor<9xi32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<9xi32>) -> tensor<9x6xi32>
    %3:2 = "stablehlo.sort"(%arg0, %2) <{dimension = 0 : i64}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>, %arg5: tensor<i32>, %arg6: tensor<i32>):
      %15 = stablehlo.compare GT, %arg3, %arg4, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %15 : tensor<i1>
    }) : (tensor<9x6xf32>, tensor<9x6xi32>) -> (tensor<9x6xf32>, tensor<9x6xi32>)
    %4 = stablehlo.slice %3#0 [0:4, 0:6] : (tensor<9x6xf32>) -> tensor<4x6xf32>
    %5 = stablehlo.slice %3#1 [0:4, 0:6] : (tensor<9x6xi32>) -> tensor<4x6xi32>
    %6 = stablehlo.convert %5 : (tensor<4x6xi32>) -> tensor<4x6xi64>
    %7 = stablehlo.reduce(%4 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    %8 = "stablehlo.reduce_window"(%arg0, %cst) <{padding = dense<[[8, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 9, 1>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %15 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %15 : tensor<f32>
    }) : (tensor<9x6xf32>, tensor<f32>) -> tensor<9x6xf32>
    %9 = stablehlo.compare LT, %arg1, %c : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %10 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %11 = stablehlo.add %arg1, %10 : tensor<3xi64>
    %12 = stablehlo.select %9, %11, %arg1 : tensor<3xi1>, tensor<3xi64>
    %13 = stablehlo.reshape %12 : (tensor<3xi64>) -> tensor<3x1xi64>
    %14 = "stablehlo.gather"(%8, %13) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<9x6xf32>, tensor<3x1xi64>) -> tensor<3x6xf32>
    return %4, %6, %7, %14, %0 : tensor<4x6xf32>, tensor<4x6xi64>, tensor<f32>, tensor<3x6xf32>, tensor<9x6xf32>
  }
}
