module @SyncTensorsGraph.18 attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32, mhlo.use_auto_spmd_partitioning = false} {
  func.func @main(%arg0: tensor<10x12xf32> {mhlo.sharding = "{devices=[1,4,2]0,4,1,5,2,6,3,7 last_tile_dim_replicate}"}, %arg1: tensor<6x10xf32> {mhlo.sharding = "{devices=[2,1,4]0,1,2,3,4,5,6,7 last_tile_dim_replicate}"}) -> tensor<6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<6x12xbf16>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.convert %arg1 {mhlo.sharding = "{devices=[2,1,4]0,1,2,3,4,5,6,7 last_tile_dim_replicate}"} : (tensor<6x10xf32>) -> tensor<6x10xbf16>
    %1 = stablehlo.convert %arg0 {mhlo.sharding = "{devices=[1,4,2]0,4,1,5,2,6,3,7 last_tile_dim_replicate}"} : (tensor<10x12xf32>) -> tensor<10x12xbf16>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<6x10xbf16>, tensor<10x12xbf16>) -> tensor<6x12xbf16>
    %3 = stablehlo.maximum %2, %cst : tensor<6x12xbf16>
    %4 = stablehlo.convert %3 : (tensor<6x12xbf16>) -> tensor<6x12xf32>
    %5 = stablehlo.reduce(%4 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<6x12xf32>, tensor<f32>) -> tensor<6xf32>
    return %5 : tensor<6xf32>
  }
}
