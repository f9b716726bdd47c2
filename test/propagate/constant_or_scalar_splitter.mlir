// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(sdy-constant-or-scalar-splitter)' | FileCheck %s

// One copy for each use, a repeated operand included; scalars are shared.
func.func @main(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %c = stablehlo.constant dense<1.0> : tensor<8x8xf32>
  %s = stablehlo.constant dense<2.0> : tensor<f32>
  %b = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
  %0 = stablehlo.add %c, %c : tensor<8x8xf32>
  %1 = stablehlo.add %x, %0 : tensor<8x8xf32>
  %2 = stablehlo.multiply %1, %b : tensor<8x8xf32>
  %3 = stablehlo.multiply %2, %b : tensor<8x8xf32>
  return %3, %c : tensor<8x8xf32>, tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
// CHECK-NEXT: %0 = sdy.constant dense<1.000000e+00> : tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.constant dense<1.000000e+00> : tensor<8x8xf32>
// CHECK-NEXT: %2 = sdy.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT: %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
// CHECK-NEXT: %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
// CHECK-NEXT: %5 = stablehlo.add %0, %0 : tensor<8x8xf32>
// CHECK-NEXT: %6 = stablehlo.add %arg0, %5 : tensor<8x8xf32>
// CHECK-NEXT: %7 = stablehlo.multiply %6, %3 : tensor<8x8xf32>
// CHECK-NEXT: %8 = stablehlo.multiply %7, %4 : tensor<8x8xf32>
// CHECK-NEXT: return %8, %1 : tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }

// -----

// A broadcast of a scalar that is no constant is copied too; a transpose of a constant is a user.
func.func @main(%x: tensor<8x8xf32>, %s: tensor<f32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %b = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
  %i = stablehlo.iota dim = 0 : tensor<8x8xf32>
  %t = stablehlo.transpose %i, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = stablehlo.add %x, %b : tensor<8x8xf32>
  %1 = stablehlo.add %0, %b : tensor<8x8xf32>
  %2 = stablehlo.add %1, %i : tensor<8x8xf32>
  return %2, %t : tensor<8x8xf32>, tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<f32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
// CHECK-NEXT: %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
// CHECK-NEXT: %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
// CHECK-NEXT: %2 = stablehlo.iota dim = 0 : tensor<8x8xf32>
// CHECK-NEXT: %3 = stablehlo.iota dim = 0 : tensor<8x8xf32>
// CHECK-NEXT: %4 = stablehlo.transpose %2, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %5 = stablehlo.add %arg0, %0 : tensor<8x8xf32>
// CHECK-NEXT: %6 = stablehlo.add %5, %1 : tensor<8x8xf32>
// CHECK-NEXT: %7 = stablehlo.add %6, %3 : tensor<8x8xf32>
// CHECK-NEXT: return %7, %4 : tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }

// -----

// Groups are copied with their constant.
func.func @main(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %c = stablehlo.constant dense<1.0> : tensor<8x8xf32>
  sdy.sharding_group %c group_id=0 : tensor<8x8xf32>
  %0 = stablehlo.add %c, %x : tensor<8x8xf32>
  %1 = stablehlo.add %0, %c : tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
// CHECK-NEXT: %0 = sdy.constant dense<1.000000e+00> : tensor<8x8xf32>
// CHECK-NEXT: sdy.sharding_group %0 group_id=0 : tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.constant dense<1.000000e+00> : tensor<8x8xf32>
// CHECK-NEXT: sdy.sharding_group %1 group_id=0 : tensor<8x8xf32>
// CHECK-NEXT: %2 = stablehlo.add %0, %arg0 : tensor<8x8xf32>
// CHECK-NEXT: %3 = stablehlo.add %2, %1 : tensor<8x8xf32>
// CHECK-NEXT: return %2, %3 : tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }

// -----

// A call of a function that only computes constants is a constant, and its function is copied.
func.func @main(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %c = call @zeros() : () -> tensor<8x8xf32>
  %0 = stablehlo.add %c, %x : tensor<8x8xf32>
  %1 = stablehlo.add %0, %c : tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}
func.func private @zeros() -> tensor<8x8xf32> {
  %s = stablehlo.constant dense<0.0> : tensor<f32>
  %b = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
  return %b : tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
// CHECK-NEXT: %0 = call @zeros_0() : () -> tensor<8x8xf32>
// CHECK-NEXT: %1 = call @zeros_1() : () -> tensor<8x8xf32>
// CHECK-NEXT: %2 = stablehlo.add %0, %arg0 : tensor<8x8xf32>
// CHECK-NEXT: %3 = stablehlo.add %2, %1 : tensor<8x8xf32>
// CHECK-NEXT: return %2, %3 : tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @zeros() -> tensor<8x8xf32> {
// CHECK-NEXT: %0 = sdy.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
// CHECK-NEXT: return %1 : tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @zeros_0() -> tensor<8x8xf32> attributes {sdy.original_func_name = "zeros"} {
// CHECK-NEXT: %0 = sdy.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
// CHECK-NEXT: return %1 : tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @zeros_1() -> tensor<8x8xf32> attributes {sdy.original_func_name = "zeros"} {
// CHECK-NEXT: %0 = sdy.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
// CHECK-NEXT: return %1 : tensor<8x8xf32>
// CHECK-NEXT: }
