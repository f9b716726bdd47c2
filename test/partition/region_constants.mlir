// RUN: shardwright-opt %s -sw-partition | FileCheck %s

// Propagation turns constants into sdy.constant in regions of single elements too.
sdy.mesh @mesh = <["x"=2]>

// CHECK-LABEL: func.func @main
// CHECK-SAME: tensor<4x8xf32>
// CHECK: "stablehlo.sort"
// CHECK: stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NOT: sdy.
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %zero = sdy.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.add %a, %zero : tensor<f32>
    %2 = stablehlo.compare LT, %1, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
