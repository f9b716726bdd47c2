// Contractions. With the rules of Shardy in jaxlib 0.10.2; shardy_versions.mlir has newer ones.
// RUN: shardwright-opt %s --pass-pipeline='builtin.module(func.func(sdy-populate-op-sharding-rules{sw-shardy=0.10.2}))' --mlir-print-op-generic | FileCheck %s
// RUN: shardwright-opt %s --pass-pipeline='builtin.module(func.func(sdy-populate-op-sharding-rules{conservative-propagation=true sw-shardy=0.10.2}))' --mlir-print-op-generic \
// RUN:   | FileCheck %s --check-prefix=CONS

// CHECK-LABEL: sym_name = "dot_general"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, l], [i, l, k])->([i, j, k]) {i=2, j=4, k=16, l=8} reduction={l}>
// CONS-LABEL: sym_name = "dot_general"
func.func @dot_general(%a0: tensor<2x4x8xf32>, %a1: tensor<2x8x16xf32>) {
  %r = "stablehlo.dot_general"(%a0, %a1) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (tensor<2x4x8xf32>, tensor<2x8x16xf32>) -> (tensor<2x4x16xf32>)
  return
}

// CHECK-LABEL: sym_name = "dot_vector"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([j], [j, i])->([i]) {i=4, j=8} reduction={j}>
// CONS-LABEL: sym_name = "dot_vector"
func.func @dot_vector(%a0: tensor<8xf32>, %a1: tensor<8x4xf32>) {
  %r = "stablehlo.dot"(%a0, %a1) : (tensor<8xf32>, tensor<8x4xf32>) -> (tensor<4xf32>)
  return
}

// Only 2 of the 3 rows of the kernel: 112 windows leave 2 of the 224 rows.
// CHECK-LABEL: sym_name = "convolution"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, jk, lm, n], [k, m, n, o])->([i, j, l, o]) {i=2, j=112, k=2, l=112, m=2, n=192, o=64} reduction={k, m, n} permutation={j, l}>
// CONS-LABEL: sym_name = "convolution"
// CONS: sdy.sharding_rule = #sdy.op_sharding_rule<([i, l, m, j], [n, o, j, k])->([i, p, q, k]) {i=2, j=192, k=64, l=1, m=1, n=1, o=1, p=1, q=1} reduction={j}>
func.func @convolution(%a0: tensor<2x224x224x192xf32>, %a1: tensor<3x3x192x64xf32>) {
  %r = "stablehlo.convolution"(%a0, %a1) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 2, 2>, padding = dense<[[0, 1], [0, 1]]> : tensor<2x2xi64>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<2x224x224x192xf32>, tensor<3x3x192x64xf32>) -> (tensor<2x112x112x64xf32>)
  return
}

// CHECK-LABEL: sym_name = "batch_groups"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([ij, k, l], [n, l, im])->([j, k, im]) {i=4, j=2, k=3, l=3, m=5, n=1} reduction={l} permutation={k}>
// CONS-LABEL: sym_name = "batch_groups"
// CONS: sdy.sharding_rule = #sdy.op_sharding_rule<([ij, m, k], [n, k, il])->([j, o, il]) {i=4, j=2, k=3, l=5, m=1, n=1, o=1} reduction={k}>
func.func @batch_groups(%a0: tensor<8x4x3xf32>, %a1: tensor<2x3x20xf32>) {
  %r = "stablehlo.convolution"(%a0, %a1) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 4 : i64}> : (tensor<8x4x3xf32>, tensor<2x3x20xf32>) -> (tensor<2x3x20xf32>)
  return
}

// CHECK-LABEL: sym_name = "feature_groups"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, kl], [n, l, km])->([i, j, km]) {i=8, j=3, k=2, l=3, m=10, n=1} reduction={l} permutation={j}>
// CONS-LABEL: sym_name = "feature_groups"
// CONS: sdy.sharding_rule = #sdy.op_sharding_rule<([i, m, jk], [n, k, jl])->([i, o, jl]) {i=8, j=2, k=3, l=10, m=1, n=1, o=1} reduction={k}>
func.func @feature_groups(%a0: tensor<8x4x6xf32>, %a1: tensor<2x3x20xf32>) {
  %r = "stablehlo.convolution"(%a0, %a1) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 2 : i64, batch_group_count = 1 : i64}> : (tensor<8x4x6xf32>, tensor<2x3x20xf32>) -> (tensor<8x3x20xf32>)
  return
}
