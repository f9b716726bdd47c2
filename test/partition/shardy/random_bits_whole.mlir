// With rng-bit-generator-unsafe=false, the op draws the whole result everywhere.
// RUN: shardwright-opt %s -sdy-resolve-permutation-factors=rng-bit-generator-unsafe=false | FileCheck %s
// RUN: shardwright-opt %s -sdy-resolve-permutation-factors | FileCheck %s --check-prefix=KEPT
// RUN: shardwright-opt %s -sdy-per-instruction-partitioning=rng-bit-generator-unsafe=false | FileCheck %s --check-prefix=EACH

sdy.mesh @m = <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[STATE:.*]], %[[BITS:.*]] = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>, <@m, [{}, {}]>]>}
// CHECK-NEXT: %[[MINE:.*]] = sdy.reshard %[[BITS]] <@m, [{"x"}, {"y"}]> : tensor<8x8xui32>
// CHECK-NEXT: return %[[STATE]], %[[MINE]]
// KEPT-LABEL: func.func @main
// KEPT-NEXT: stablehlo.rng_bit_generator{{.*}}[<@m, [{}]>, <@m, [{"x"}, {"y"}]>]
// KEPT-NEXT: return
// EACH-LABEL: func.func @main
// EACH-NEXT: sdy.manual_computation
// EACH: stablehlo.rng_bit_generator {{.*}} -> (tensor<2xui64>, tensor<8x8xui32>)
// EACH: stablehlo.dynamic_slice {{.*}}, sizes = [4, 4]
func.func @main(%a: tensor<2xui64>) -> (tensor<2xui64>, tensor<8x8xui32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) {
  %0, %1 = stablehlo.rng_bit_generator %a, algorithm = THREE_FRY {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>, <@m, [{"x"}, {"y"}]>]>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8x8xui32>)
  return %0, %1 : tensor<2xui64>, tensor<8x8xui32>
}
