// Rewrites that the stages of the partitioner run inside of them, each as a pass.
// RUN: shardwright-opt %s --sw-inline-calls | FileCheck %s --check-prefix=INLINE
// RUN: shardwright-opt %s --sw-compose-slices | FileCheck %s --check-prefix=SLICES
// RUN: shardwright-opt %s --sw-reduce-unmerged | FileCheck %s --check-prefix=UNMERGED
// RUN: shardwright-opt %s --sw-scatter-as-update | FileCheck %s --check-prefix=UPDATE
// RUN: shardwright-opt %s --sw-delay-reductions | FileCheck %s --check-prefix=DELAY
// RUN: shardwright-opt %s --sw-hoist-collectives | FileCheck %s --check-prefix=HOIST
// RUN: shardwright-opt %s --sw-share-equal-ops | FileCheck %s --check-prefix=SHARE
// RUN: shardwright-opt %s --sw-combine-collectives | FileCheck %s --check-prefix=COMBINE

sdy.mesh @mesh = <["x"=4]>
func.func private @cosine(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.cosine %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// INLINE-NOT: @cosine
// INLINE-LABEL: @calls
// INLINE-NEXT: %[[C:.*]] = stablehlo.cosine %arg0
// INLINE-NEXT: return %[[C]]
func.func @calls(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @cosine(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// SLICES-LABEL: @slices
// SLICES-NEXT: return %arg1
func.func @slices(%x: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %y: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x2xf32> {
  %0 = stablehlo.concatenate %x, %y, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<16x2xf32>
  %1 = stablehlo.slice %0 [8:16, 0:2] : (tensor<16x2xf32>) -> tensor<8x2xf32>
  return %1 : tensor<8x2xf32>
}
// UNMERGED-LABEL: @merged
// UNMERGED-NOT: reshape
// UNMERGED: stablehlo.reduce(%arg0 {{.*}} applies stablehlo.maximum across dimensions = [0, 1]
func.func @merged(%x: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<f32> {
  %c = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reshape %x : (tensor<4x8xf32>) -> tensor<32xf32>
  %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.maximum across dimensions = [0] : (tensor<32xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
// UPDATE-LABEL: @scatter
// UPDATE-NOT: stablehlo.scatter
// UPDATE: stablehlo.dynamic_update_slice %arg0, %arg1,
func.func @scatter(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %w: tensor<2xf32>) -> tensor<8xf32> {
  %i = stablehlo.constant dense<1> : tensor<1xi32>
  %0 = "stablehlo.scatter"(%x, %i, %w) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], scatter_dims_to_operand_dims = [0]>, indices_are_sorted = true, unique_indices = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<8xf32>, tensor<1xi32>, tensor<2xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// DELAY-LABEL: @sums
// DELAY-NEXT: %[[S:.*]] = stablehlo.add %arg0, %arg1
// DELAY-NEXT: %[[R:.*]] = sdy.all_reduce {"x"} %[[S]]
// DELAY-NEXT: return %[[R]]
func.func @sums(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> tensor<8xf32> {
  %0 = sdy.all_reduce {"x"} %x out_sharding=<@mesh, [{}]> : tensor<8xf32>
  %1 = sdy.all_reduce {"x"} %y out_sharding=<@mesh, [{}]> : tensor<8xf32>
  %2 = stablehlo.add %0, %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}
// SHARE-LABEL: @equal
// SHARE-NEXT: %[[C:.*]] = stablehlo.cosine %arg0
// SHARE-NEXT: stablehlo.add %[[C]], %[[C]]
func.func @equal(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.cosine %x : tensor<8xf32>
  %1 = stablehlo.cosine %x : tensor<8xf32>
  %2 = stablehlo.add %0, %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// HOIST-LABEL: @loop
// HOIST: "stablehlo.all_gather"(%arg0)
// HOIST: stablehlo.while
// HOIST-NOT: all_gather
// HOIST: return
func.func @loop(%w: tensor<4xf32>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<5> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<8xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %g = "stablehlo.all_gather"(%w) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>
    %b = stablehlo.add %a, %g : tensor<8xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %b : tensor<i32>, tensor<8xf32>
  }
  return %0#1 : tensor<8xf32>
}

// COMBINE-LABEL: @two
// COMBINE: %[[R:.*]]:2 = "stablehlo.all_reduce"(%arg0, %arg1)
// COMBINE-NOT: all_reduce
// COMBINE: return %[[R]]#0, %[[R]]#1
func.func @two(%x: tensor<8xf32>, %y: tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  %0 = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "stablehlo.all_reduce"(%y) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<8xf32>, tensor<4xf32>
}
