// Ops that work element by element.
// RUN: shardwright-opt %s --pass-pipeline='builtin.module(func.func(sdy-populate-op-sharding-rules))' --mlir-print-op-generic | FileCheck %s

// CHECK-LABEL: sym_name = "add"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
func.func @add(%a: tensor<4x8xf32>) {
  %0 = stablehlo.add %a, %a : tensor<4x8xf32>
  return
}

// CHECK-LABEL: sym_name = "scalar"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([])->([])>
func.func @scalar(%a: tensor<f32>) {
  %0 = stablehlo.negate %a : tensor<f32>
  return
}

// A dimension of size 0 is a factor of size 0.
// CHECK-LABEL: sym_name = "empty_dim"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=2, j=0, k=4}>
func.func @empty_dim(%a: tensor<2x0x4xf32>) {
  %0 = stablehlo.tanh %a : tensor<2x0x4xf32>
  return
}

// CHECK-LABEL: sym_name = "select_scalar"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([], [i, j], [i, j])->([i, j]) {i=4, j=8}>
func.func @select_scalar(%a0: tensor<i1>, %a1: tensor<4x8xf32>, %a2: tensor<4x8xf32>) {
  %r = "stablehlo.select"(%a0, %a1, %a2) : (tensor<i1>, tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>)
  return
}

// CHECK-LABEL: sym_name = "select"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i], [i])->([i]) {i=4}>
func.func @select(%a0: tensor<4xi1>, %a1: tensor<4xf32>, %a2: tensor<4xf32>) {
  %r = "stablehlo.select"(%a0, %a1, %a2) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  return
}

// Each bound is a scalar or not on its own.
// CHECK-LABEL: sym_name = "clamp_one_scalar"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([], [i, j], [i, j])->([i, j]) {i=4, j=8}>
func.func @clamp_one_scalar(%a0: tensor<f32>, %a1: tensor<4x8xf32>, %a2: tensor<4x8xf32>) {
  %r = "stablehlo.clamp"(%a0, %a1, %a2) : (tensor<f32>, tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>)
  return
}

// CHECK-LABEL: sym_name = "compare"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([i]) {i=4}>
func.func @compare(%a: tensor<4xf32>) {
  %0 = stablehlo.compare LT, %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}
