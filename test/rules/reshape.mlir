// Reshapes: both sides as products of common and own factors. With the rules of Shardy in jaxlib 0.10.2; shardy_versions.mlir has newer ones.
// RUN: shardwright-opt %s --pass-pipeline='builtin.module(func.func(sdy-populate-op-sharding-rules{sw-shardy=0.10.2}))' --mlir-print-op-generic | FileCheck %s

// CHECK-LABEL: sym_name = "merge_and_split"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([ij, k, l])->([i, jk, l]) {i=2, j=4, k=4, l=5}>
func.func @merge_and_split(%a: tensor<8x4x5xf32>) {
  %0 = stablehlo.reshape %a : (tensor<8x4x5xf32>) -> tensor<2x16x5xf32>
  return
}

// CHECK-LABEL: sym_name = "nothing_in_common"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, l])->([j, k]) {i=3, j=2, k=3, l=2}>
func.func @nothing_in_common(%a: tensor<3x2xf32>) {
  %0 = stablehlo.reshape %a : (tensor<3x2xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: sym_name = "partly"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([ij, mn])->([ik, ln]) {i=2, j=3, k=2, l=3, m=2, n=2}>
func.func @partly(%a: tensor<6x4xf32>) {
  %0 = stablehlo.reshape %a : (tensor<6x4xf32>) -> tensor<4x6xf32>
  return
}

// CHECK-LABEL: sym_name = "keeps_a_later_common_factor"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, k, mn])->([j, lm, n]) {i=2, j=3, k=3, l=2, m=2, n=4}>
func.func @keeps_a_later_common_factor(%a: tensor<2x3x8xf32>) {
  %0 = stablehlo.reshape %a : (tensor<2x3x8xf32>) -> tensor<3x4x4xf32>
  return
}

// CHECK-LABEL: sym_name = "long"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([ij, l, n, o])->([ik, mn, o]) {i=2, j=2, k=7, l=7, m=2, n=5, o=8}>
func.func @long(%a: tensor<4x7x5x8xf32>) {
  %0 = stablehlo.reshape %a : (tensor<4x7x5x8xf32>) -> tensor<14x10x8xf32>
  return
}

// CHECK-LABEL: sym_name = "one_between"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([ik])->([i, j, k]) {i=8, j=1, k=4}>
func.func @one_between(%a: tensor<32xf32>) {
  %0 = stablehlo.reshape %a : (tensor<32xf32>) -> tensor<8x1x4xf32>
  return
}

// CHECK-LABEL: sym_name = "ones_to_scalar"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([]) {i=1, j=1}>
func.func @ones_to_scalar(%a: tensor<1x1xf32>) {
  %0 = stablehlo.reshape %a : (tensor<1x1xf32>) -> tensor<f32>
  return
}

// CHECK-LABEL: sym_name = "scalars"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([])->([])>
func.func @scalars(%a: tensor<f32>) {
  %0 = stablehlo.reshape %a : (tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: sym_name = "no_elements"
// CHECK-NOT: sdy.sharding_rule
func.func @no_elements(%a: tensor<0x4xf32>) {
  %0 = stablehlo.reshape %a : (tensor<0x4xf32>) -> tensor<2x0xf32>
  return
}
