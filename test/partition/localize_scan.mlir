// Prefix operations along a sharded dimension gather one row a shard.
// RUN: shardwright-opt %s --sw-partition | FileCheck %s

sdy.mesh @mesh = <["x"=4]>

// CHECK-LABEL: @cumsum
// CHECK: %[[SCAN:.*]] = "stablehlo.reduce_window"(%arg0, %{{.*}}) <{padding = dense<{{\[\[}}3, 0], [0, 0]]>{{.*}}window_dimensions = array<i64: 4, 1>
// CHECK: %[[TOTAL:.*]] = stablehlo.slice %[[SCAN]] [3:4, 0:3]
// CHECK: "stablehlo.all_gather"(%[[TOTAL]]) {{.*}} : (tensor<1x3xf32>) -> tensor<4x3xf32>
// CHECK: %[[BEFORE:.*]] = stablehlo.compare LT
// CHECK: stablehlo.select %[[BEFORE]]
// CHECK: %[[CARRY:.*]] = stablehlo.reduce
// CHECK: %[[ALL:.*]] = stablehlo.broadcast_in_dim %[[CARRY]]
// CHECK: stablehlo.add %[[ALL]], %[[SCAN]]
// CHECK-NOT: collective_permute
func.func @cumsum(%a: tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%a, %z) <{padding = dense<[[15, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 16, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<16x3xf32>, tensor<f32>) -> tensor<16x3xf32>
  return %0 : tensor<16x3xf32>
}

// Backwards, of 14 rows in 4 shards: those beyond the end are masked.
// CHECK-LABEL: @cummax
// CHECK: stablehlo.constant dense<-2147483648> : tensor<4xi32>
// CHECK: stablehlo.select
// CHECK: "stablehlo.reduce_window"
// CHECK: stablehlo.slice %{{.*}} [0:1]
// CHECK: "stablehlo.all_gather"
// CHECK: stablehlo.compare GT
// CHECK: stablehlo.maximum
func.func @cummax(%a: tensor<16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<i32> {
  %0 = stablehlo.slice %a [1:15] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<16xi32>) -> tensor<14xi32>
  %z = stablehlo.constant dense<-2147483648> : tensor<i32>
  %1 = "stablehlo.reduce_window"(%0, %z) <{padding = dense<[[0, 13]]> : tensor<1x2xi64>, window_dimensions = array<i64: 14>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %c = stablehlo.maximum %p, %q : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<14xi32>, tensor<i32>) -> tensor<14xi32>
  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.maximum across dimensions = [0] : (tensor<14xi32>, tensor<i32>) -> tensor<i32>
  return %2 : tensor<i32>
}

// Each padded row counts, so this is no prefix operation.
// CHECK-LABEL: @starts_at_one
// CHECK: collective_permute
func.func @starts_at_one(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %z = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%a, %z) <{padding = dense<[[15, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 16>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<16xf32>, tensor<f32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
