// Reductions, windows, sort.
// RUN: shardwright-opt %s --pass-pipeline='builtin.module(func.func(sdy-populate-op-sharding-rules))' --mlir-print-op-generic | FileCheck %s
// RUN: shardwright-opt %s --pass-pipeline='builtin.module(func.func(sdy-populate-op-sharding-rules{conservative-propagation=true}))' --mlir-print-op-generic \
// RUN:   | FileCheck %s --check-prefix=CONS

// CHECK-LABEL: sym_name = "reduce"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, j, k], [], [])->([i, k], [i, k]) {i=4, j=8, k=2} reduction={j}>
// CONS-LABEL: sym_name = "reduce"
func.func @reduce(%a0: tensor<4x8x2xf32>, %a1: tensor<4x8x2xi32>, %a2: tensor<f32>, %a3: tensor<i32>) {
  %r:2 = "stablehlo.reduce"(%a0, %a1, %a2, %a3) <{dimensions = array<i64: 1>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<i32>, %x2: tensor<f32>, %x3: tensor<i32>):
    %c0 = stablehlo.add %x0, %x2 : tensor<f32>
    %c1 = stablehlo.maximum %x1, %x3 : tensor<i32>
    stablehlo.return %c0, %c1 : tensor<f32>, tensor<i32>
  }) : (tensor<4x8x2xf32>, tensor<4x8x2xi32>, tensor<f32>, tensor<i32>) -> (tensor<4x2xf32>, tensor<4x2xi32>)
  return
}

// CHECK-LABEL: sym_name = "reduce_window"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=4, j=4} permutation={j}>
// CONS-LABEL: sym_name = "reduce_window"
// CONS: sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>
// CONS: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=4, j=4} permutation={j} blocked_propagation={j}>
func.func @reduce_window(%a0: tensor<4x8xf32>, %a1: tensor<f32>) {
  %r = "stablehlo.reduce_window"(%a0, %a1) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %c0 = stablehlo.add %x0, %x1 : tensor<f32>
    stablehlo.return %c0 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> (tensor<4x4xf32>)
  return
}

// CHECK-LABEL: sym_name = "select_and_scatter"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [i, j], [])->([i, k]) {i=4, j=4, k=8} need_replication={j} permutation={k}>
// CONS-LABEL: sym_name = "select_and_scatter"
// CONS: sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>
// CONS: sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>
// CONS: sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [i, j], [])->([i, k]) {i=4, j=4, k=8} need_replication={j} permutation={k} blocked_propagation={j, k}>
func.func @select_and_scatter(%a0: tensor<4x8xf32>, %a1: tensor<4x4xf32>, %a2: tensor<f32>) {
  %r = "stablehlo.select_and_scatter"(%a0, %a1, %a2) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %c = stablehlo.compare GE, %x0, %x1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  },{
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %c0 = stablehlo.add %x0, %x1 : tensor<f32>
    stablehlo.return %c0 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<4x4xf32>, tensor<f32>) -> (tensor<4x8xf32>)
  return
}

// CHECK-LABEL: sym_name = "sort"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8} need_replication={j}>
// CONS-LABEL: sym_name = "sort"
func.func @sort(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// There is no other dimension to which an axis could move.
// CHECK-LABEL: sym_name = "sort_vector"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=1, j=8} need_replication={j} blocked_propagation={j}>
// CONS-LABEL: sym_name = "sort_vector"
func.func @sort_vector(%a: tensor<1x8xf32>) {
  %0 = "stablehlo.sort"(%a) <{dimension = -1 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<1x8xf32>) -> tensor<1x8xf32>
  return
}
