// RUN: shardwright partition --pad-shards %s | FileCheck %s
// RUN: shardwright partition %s | FileCheck %s --check-prefix=WHOLE
// RUN: shardwright partition --pad-shards --report=json %s | FileCheck %s --check-prefix=REPORT

// Four devices have 2 of 5 rows each, and 1 of 3; the last ones have padding. The ops compute on such shards, but not where
// there are more devices than rows (6 over 8). A donated argument and its result have equal shards.

// CHECK: func.func @main(%arg0: tensor<2x3xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<1xf32>, %arg2: tensor<1xi32>)
// CHECK-SAME: -> (tensor<2x3xf32>, tensor<1xf32>, tensor<1xi32>)
// CHECK: stablehlo.add %arg0, %arg0 : tensor<2x3xf32>

// WHOLE: func.func @main(%arg0: tensor<5x3xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<3xf32>, %arg2: tensor<3xi32>)
// WHOLE-SAME: -> (tensor<5x3xf32>, tensor<3xf32>, tensor<3xi32>)

// REPORT: "local": "2x3xf32",
// REPORT: "sharding": "[{\"_axis_0\"}, {}]",
// REPORT-NEXT: "type": "5x3xf32"
module attributes {mhlo.num_partitions = 8 : i32} {
  func.func @main(%arg0: tensor<5x3xf32> {mhlo.sharding = "{devices=[4,1,2]<=[8] last_tile_dim_replicate}", tf.aliasing_output = 0 : i32},
                  %arg1: tensor<3xf32> {mhlo.sharding = "{devices=[4,2]<=[8] last_tile_dim_replicate}"},
                  %arg2: tensor<6xi32> {mhlo.sharding = "{devices=[8]<=[8]}"})
      -> (tensor<5x3xf32> {mhlo.sharding = "{devices=[4,1,2]<=[8] last_tile_dim_replicate}"}, tensor<3xf32>,
          tensor<6xi32> {mhlo.sharding = "{devices=[8]<=[8]}"}) {
    %0 = stablehlo.add %arg0, %arg0 : tensor<5x3xf32>
    %1 = stablehlo.add %arg1, %arg1 : tensor<3xf32>
    %2 = stablehlo.add %arg2, %arg2 : tensor<6xi32>
    return %0, %1, %2 : tensor<5x3xf32>, tensor<3xf32>, tensor<6xi32>
  }
}
