// Where no data flow edge was added, a constraint shards the op itself.
// RUN: shardwright-opt %s -sdy-apply-sharding-constraints | FileCheck %s

sdy.mesh @m = <["a"=2, "b"=2]>
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  // CHECK: stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>, <@m, [{?}, {?}]>]>}
  %0:2 = stablehlo.optimization_barrier %x, %x : tensor<8x8xf32>, tensor<8x8xf32>
  %1 = sdy.sharding_constraint %0#0 <@m, [{"a"}, {}]> : tensor<8x8xf32>
  // CHECK: stablehlo.add %0#0, %0#1
  %2 = stablehlo.add %0#0, %0#1 : tensor<8x8xf32>
  return %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
}
