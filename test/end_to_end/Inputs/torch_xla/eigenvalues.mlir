module @SyncTensorsGraph.17 attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32, mhlo.use_auto_spmd_partitioning = false} {
  func.func @main(%arg0: tensor<4x5x5xf32> {mhlo.sharding = "{devices=[4,1,1,2]0,4,1,5,2,6,3,7 last_tile_dim_replicate}"}) -> tensor<5xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 1] {result_layout = dense<[1, 2, 0]> : tensor<3xindex>, xla_shape = "f32[4,5,5]{1,2,0}"} : (tensor<4x5x5xf32>) -> tensor<4x5x5xf32>
    %1 = stablehlo.dot_general %arg0, %0, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x5x5xf32>, tensor<4x5x5xf32>) -> tensor<4x5x5xf32>
    %2 = stablehlo.custom_call @Eigh(%1) {backend_config = "1,1,100,0.000001", xla_shape = "(f32[4,5,5]{2,1,0}, f32[4,5]{1,0})"} : (tensor<4x5x5xf32>) -> tuple<tensor<4x5x5xf32>, tensor<4x5xf32>>
    %3 = stablehlo.get_tuple_element %2[1] : (tuple<tensor<4x5x5xf32>, tensor<4x5xf32>>) -> tensor<4x5xf32>
    %4 = stablehlo.reduce(%3 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4x5xf32>, tensor<f32>) -> tensor<5xf32>
    return %4 : tensor<5xf32>
  }
}
