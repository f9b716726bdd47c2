// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(sdy-constant-or-scalar-merger))' | FileCheck %s

// Equal attributes, shardings included; broadcasts of one scalar.
sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8, "e"=3]>
func.func @main(%s: tensor<f32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = sdy.constant dense<1.0> : tensor<8x8xf32>
  %1 = sdy.constant dense<1.0> : tensor<8x8xf32>
  %2 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>]>} dense<1.0> : tensor<8x8xf32>
  %3 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
  %4 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
  return %0, %1, %2, %3, %4 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<f32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
// CHECK-NEXT: %0 = sdy.constant dense<1.000000e+00> : tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>]>} dense<1.000000e+00> : tensor<8x8xf32>
// CHECK-NEXT: %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
// CHECK-NEXT: return %0, %0, %1, %2, %2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }
