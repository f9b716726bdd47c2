// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(sdy-remove-sub-axes-in-input-output-shardings)' | FileCheck %s

// Open dimensions of main are cut, closed ones stay.
sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8, "e"=3]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "c":(1)2, "b", ?}, {"d":(2)2}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"c":(1)2, ?}, {}]>}) {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"c":(1)2, ?}, {}]>]>} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func private @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"c":(1)2, ?}, {}]>}) -> tensor<8x8xf32> {
  return %x : tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", ?}, {"d":(2)2}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {}]>}) {
// CHECK-NEXT: %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"c":(1)2, ?}, {}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: return %0 : tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @f(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"c":(1)2, ?}, {}]>}) -> tensor<8x8xf32> {
// CHECK-NEXT: return %arg0 : tensor<8x8xf32>
// CHECK-NEXT: }
