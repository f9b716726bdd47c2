// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(sdy-op-priority-propagate)' | FileCheck %s

// Elementwise before dot.
sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8, "e"=3]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {?}]>}, %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"a"}]>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"a"}]>}) -> (tensor<8x8xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.add %0, %b : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {?}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"a"}]>}, %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"a"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"a", ?}]>}) {
// CHECK-NEXT: %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {"a", ?}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %1 = stablehlo.add %0, %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {"a", ?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: return %1 : tensor<8x8xf32>
// CHECK-NEXT: }

// -----

// Backward through a broadcast before forward.
sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8, "e"=3]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %z: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"c"}]>}) -> (tensor<8x8xf32>, tensor<8xf32>) {
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.add %0, %y : tensor<8x8xf32>
  %2 = stablehlo.add %x, %z : tensor<8xf32>
  return %1, %2 : tensor<8x8xf32>, tensor<8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"c", ?}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"c"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", ?}, {"b", ?}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"c", ?}]>}) {
// CHECK-NEXT: %0 = stablehlo.broadcast_in_dim %arg0, dims = [1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a", ?}, {"b", ?}]>]>} : (tensor<8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %1 = stablehlo.add %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a", ?}, {"b", ?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %2 = stablehlo.add %arg0, %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"c", ?}]>]>} : tensor<8xf32>
// CHECK-NEXT: return %1, %2 : tensor<8x8xf32>, tensor<8xf32>
// CHECK-NEXT: }
