// StableHLO's own collectives.
// RUN: shardwright-opt %s --pass-pipeline='builtin.module(func.func(sdy-populate-op-sharding-rules))' --mlir-print-op-generic | FileCheck %s

// CHECK-LABEL: sym_name = "all_gather"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=4, j=8, k=16} need_replication={j, k}>
func.func @all_gather(%a0: tensor<4x8xf32>) {
  %r = "stablehlo.all_gather"(%a0) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> (tensor<4x16xf32>)
  return
}

// CHECK-LABEL: sym_name = "reduce_scatter"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=4, j=8, k=4} need_replication={j, k}>
func.func @reduce_scatter(%a0: tensor<4x8xf32>) {
  %r = "stablehlo.reduce_scatter"(%a0) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %c0 = stablehlo.add %x0, %x1 : tensor<f32>
    stablehlo.return %c0 : tensor<f32>
  }) : (tensor<4x8xf32>) -> (tensor<4x4xf32>)
  return
}

// CHECK-LABEL: sym_name = "all_to_all"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([l, j, i])->([m, k, i]) {i=3, j=8, k=4, l=4, m=8} need_replication={j, k, l, m}>
func.func @all_to_all(%a0: tensor<4x8x3xf32>) {
  %r = "stablehlo.all_to_all"(%a0) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x8x3xf32>) -> (tensor<8x4x3xf32>)
  return
}

// CHECK-LABEL: sym_name = "all_to_all_same"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=4, j=8, k=8} need_replication={j, k}>
func.func @all_to_all_same(%a0: tensor<4x8xf32>) {
  %r = "stablehlo.all_to_all"(%a0) <{split_dimension = 1 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> (tensor<4x8xf32>)
  return
}

// CHECK-LABEL: sym_name = "all_reduce"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
func.func @all_reduce(%a0: tensor<4x8xf32>) {
  %r = "stablehlo.all_reduce"(%a0) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %c0 = stablehlo.add %x0, %x1 : tensor<f32>
    stablehlo.return %c0 : tensor<f32>
  }) : (tensor<4x8xf32>) -> (tensor<4x8xf32>)
  return
}
