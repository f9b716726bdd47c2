// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(sdy-close-shardings)' | FileCheck %s

// Arguments, results, ops, constraints, regions: all closed; priorities and unreduced axes stay.
sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8, "e"=3]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", ?}p1, {?}], replicated={"b"}>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {}]>}) {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a", ?}, {"c":(1)2, ?}], unreduced={"d"}>]>} : tensor<8x8xf32>
  %1 = sdy.sharding_constraint %0 <@m, [{?}, {"b"}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}p1, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
// CHECK-NEXT: %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {"c":(1)2}], unreduced={"d"}>]>} : tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.sharding_constraint %0 <@m, [{}, {"b"}]> : tensor<8x8xf32>
// CHECK-NEXT: return %1 : tensor<8x8xf32>
// CHECK-NEXT: }
