// RUN: shardwright-opt %s -split-input-file -sw-import-gspmd -verify-diagnostics | FileCheck %s

// Lists and iotas of one mesh; a constraint, and one that leaves a dimension open.
// CHECK-LABEL: module @shardings
// CHECK: sdy.mesh @mesh = <["_axis_0"=2, "_axis_1"=4]>
// CHECK: func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_1"}, {}]>},
// CHECK-SAME: %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_0"}, {"_axis_1"}]>})
// CHECK-SAME: -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
module @shardings {
  func.func @main(%arg0: tensor<8x16xf32> {mhlo.sharding = "{devices=[4,1,2]0,4,1,5,2,6,3,7 last_tile_dim_replicate}"},
                  %arg1: tensor<8x16xf32> {mhlo.sharding = "{devices=[2,4]<=[8]}"})
      -> (tensor<8x16xf32> {mhlo.sharding = "{replicated}"}) {
    // CHECK: %[[ADD:.*]] = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"_axis_1"}, {"_axis_0"}]>]>}
    %0 = stablehlo.add %arg0, %arg1 {mhlo.sharding = "{devices=[4,2]<=[2,4]T(1,0)}"} : tensor<8x16xf32>
    // CHECK: %[[C:.*]] = sdy.sharding_constraint %[[ADD]] <@mesh, [{"_axis_0"}, {?}]>
    %1 = stablehlo.custom_call @Sharding(%0) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    // CHECK: sdy.sharding_group %[[C]] group_id=7
    // CHECK: return %[[C]]
    %2 = stablehlo.custom_call @Sharding(%1) {has_side_effect = true, mhlo.sharding = "{unknown shard_as 7}"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    return %2 : tensor<8x16xf32>
  }
}

// -----

// A list that no iota says gives the mesh its order.
// CHECK-LABEL: module @order
// CHECK: sdy.mesh @mesh = <["_axis_0"=2, "_axis_1"=2], device_ids=[0, 3, 1, 2]>
// CHECK: sdy.mesh @maximal_mesh_1 = <[], device_ids=[1]>
// CHECK: %arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_0"}, {"_axis_1"}]>}
// CHECK: #sdy.sharding<@maximal_mesh_1, []>
module @order {
  func.func @main(%arg0: tensor<4x4xf32> {mhlo.sharding = "{devices=[2,2]0,3,1,2}"}, %arg1: tensor<4xf32> {mhlo.sharding = "{maximal device=1}"}) -> tensor<4x4xf32> {
    return %arg0 : tensor<4x4xf32>
  }
}

// -----

// Manual ops without a call; a constant comes in, another value comes whole.
// CHECK-LABEL: module @manual
// CHECK: %[[M:.*]] = sdy.manual_computation(%arg0, %arg1)
// CHECK-SAME: in_shardings=[<@mesh, [{"_axis_0"}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{"_axis_0"}]>] manual_axes={"_axis_0"}
// CHECK-SAME: (%[[A:.*]]: tensor<2xf32>, %[[B:.*]]: tensor<2xf32>)
// CHECK-NEXT: %[[ONE:.*]] = stablehlo.constant
// CHECK-NEXT: %[[S:.*]] = stablehlo.add %[[A]], %[[ONE]]
// CHECK-NEXT: %[[T:.*]] = stablehlo.add %[[S]], %[[B]]
// CHECK-NEXT: sdy.return %[[T]]
// CHECK: return %[[M]]
module @manual {
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<2xf32>) -> tensor<8xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<2xf32>
    %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{devices=[4]<=[4]}"} : (tensor<8xf32>) -> tensor<8xf32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<2xf32>
    %2 = stablehlo.add %1, %one : tensor<2xf32>
    %3 = stablehlo.add %2, %arg1 : tensor<2xf32>
    %4 = stablehlo.custom_call @Sharding(%3) {mhlo.sharding = "{manual}"} : (tensor<2xf32>) -> tensor<2xf32>
    %5 = stablehlo.custom_call @SPMDShardToFullShape(%4) {mhlo.sharding = "{devices=[4]<=[4]}"} : (tensor<2xf32>) -> tensor<8xf32>
    return %5 : tensor<8xf32>
  }
}

// -----

module @text {
  // expected-error@+1 {{mhlo.sharding: column 2: 'replicate' is not part of a sharding, did you mean "replicated"?, in '{replicate}'}}
  func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{replicate}"}) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
}

// -----

module @both {
  func.func @main(%arg0: tensor<6xf32> {mhlo.sharding = "{devices=[2,3]<=[6] last_tile_dim_replicate}"},
  // expected-error@+1 {{no mesh has axes for both {devices=[2,3]<=[6] last_tile_dim_replicate} and {devices=[3,2]<=[6] last_tile_dim_replicate}; give one with --mesh, or reshard one of them}}
                  %arg1: tensor<6xf32> {mhlo.sharding = "{devices=[3,2]<=[6] last_tile_dim_replicate}"}) -> tensor<6xf32> {
    return %arg0 : tensor<6xf32>
  }
}

// -----

module @rank {
  // expected-error@+1 {{sharding {devices=[2]<=[2]}: it has 1 dimensions, the value 2}}
  func.func @main(%arg0: tensor<8x8xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) -> tensor<8x8xf32> {
    return %arg0 : tensor<8x8xf32>
  }
}

// -----

module @config {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error@+1 {{backend_config of a sharding custom call is 'foo', expected unspecified_dims=[...] or nothing}}
    %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "foo", mhlo.sharding = "{devices=[4]<=[4]}"} : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

module @entry_only {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<2xf32> {
    %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{devices=[4]<=[4]}"} : (tensor<8xf32>) -> tensor<8xf32>
    // expected-error@+1 {{values enter a manual region, but no value leaves it}}
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
  }
}
