// Ops that move data without computing. With the rules of Shardy in jaxlib 0.10.2; shardy_versions.mlir has newer ones.
// RUN: shardwright-opt %s --pass-pipeline='builtin.module(func.func(sdy-populate-op-sharding-rules{sw-shardy=0.10.2}))' --mlir-print-op-generic | FileCheck %s
// RUN: shardwright-opt %s --pass-pipeline='builtin.module(func.func(sdy-populate-op-sharding-rules{conservative-propagation=true sw-shardy=0.10.2}))' --mlir-print-op-generic \
// RUN:   | FileCheck %s --check-prefix=CONS

// CHECK-LABEL: sym_name = "broadcast"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, k, j, l, n])->([i, j, k, m, n, o]) {i=2, j=5, k=3, l=1, m=11, n=7, o=13}>
// CONS-LABEL: sym_name = "broadcast"
func.func @broadcast(%a0: tensor<2x3x5x1x7xf32>) {
  %r = "stablehlo.broadcast_in_dim"(%a0) <{broadcast_dimensions = array<i64: 0, 2, 1, 3, 4>}> : (tensor<2x3x5x1x7xf32>) -> (tensor<2x5x3x11x7x13xf32>)
  return
}

// CHECK-LABEL: sym_name = "transpose"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([j, k, i])->([i, j, k]) {i=4, j=2, k=3}>
// CONS-LABEL: sym_name = "transpose"
func.func @transpose(%a0: tensor<2x3x4xf32>) {
  %r = "stablehlo.transpose"(%a0) <{permutation = array<i64: 2, 0, 1>}> : (tensor<2x3x4xf32>) -> (tensor<4x2x3xf32>)
  return
}

// CHECK-LABEL: sym_name = "bitcast_narrow"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j, k]) {i=4, j=2, k=2} need_replication={k}>
// CONS-LABEL: sym_name = "bitcast_narrow"
func.func @bitcast_narrow(%a0: tensor<4x2xui64>) {
  %r = "stablehlo.bitcast_convert"(%a0) : (tensor<4x2xui64>) -> (tensor<4x2x2xui32>)
  return
}

// CHECK-LABEL: sym_name = "bitcast_wide"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i]) {i=4, j=2} need_replication={j}>
// CONS-LABEL: sym_name = "bitcast_wide"
func.func @bitcast_wide(%a0: tensor<4x2xui32>) {
  %r = "stablehlo.bitcast_convert"(%a0) : (tensor<4x2xui32>) -> (tensor<4xui64>)
  return
}

// CHECK-LABEL: sym_name = "concatenate"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, j, k])->([i, j, k]) {i=4, j=8, k=256} need_replication={j}>
// CONS-LABEL: sym_name = "concatenate"
// CONS: sdy.sharding_rule = #sdy.op_sharding_rule<([i, k, j], [i, l, j])->([i, m, j]) {i=4, j=256, k=1, l=1, m=1}>
func.func @concatenate(%a0: tensor<4x3x256xf32>, %a1: tensor<4x5x256xf32>) {
  %r = "stablehlo.concatenate"(%a0, %a1) <{dimension = 1 : i64}> : (tensor<4x3x256xf32>, tensor<4x5x256xf32>) -> (tensor<4x8x256xf32>)
  return
}

// Pieces of one array: only neighbours exchange data.
// CHECK-LABEL: sym_name = "concatenate_slices"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8} permutation={i}>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([i]) {i=10} permutation={i}>
// CONS-LABEL: sym_name = "concatenate_slices"
// CONS: sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8} permutation={i} blocked_propagation={i}>
// CONS: sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j])->([k]) {i=1, j=1, k=1}>
func.func @concatenate_slices(%a: tensor<8xf32>) {
  %0 = stablehlo.slice %a [0:2] : (tensor<8xf32>) -> tensor<2xf32>
  %1 = stablehlo.concatenate %a, %0, dim = 0 : (tensor<8xf32>, tensor<2xf32>) -> tensor<10xf32>
  return
}

// CHECK-LABEL: sym_name = "concatenate_itself"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([i]) {i=16} need_replication={i}>
// CONS-LABEL: sym_name = "concatenate_itself"
// CONS: sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j])->([k]) {i=1, j=1, k=1}>
func.func @concatenate_itself(%a: tensor<8xf32>) {
  %1 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
  return
}

// CHECK-LABEL: sym_name = "pad"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=4, j=8} permutation={j}>
// CONS-LABEL: sym_name = "pad"
// CONS: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=4, j=8} permutation={j} blocked_propagation={j}>
func.func @pad(%a0: tensor<4x8xf32>, %a1: tensor<f32>) {
  %r = "stablehlo.pad"(%a0, %a1) <{edge_padding_low = array<i64: 0, 1>, edge_padding_high = array<i64: 0, 2>, interior_padding = array<i64: 0, 0>}> : (tensor<4x8xf32>, tensor<f32>) -> (tensor<4x11xf32>)
  return
}

// CHECK-LABEL: sym_name = "slice"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8} permutation={j}>
// CONS-LABEL: sym_name = "slice"
// CONS: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8} permutation={j} blocked_propagation={j}>
func.func @slice(%a0: tensor<4x8xf32>) {
  %r = "stablehlo.slice"(%a0) <{start_indices = array<i64: 0, 1>, limit_indices = array<i64: 4, 7>, strides = array<i64: 1, 2>}> : (tensor<4x8xf32>) -> (tensor<4x3xf32>)
  return
}

// CHECK-LABEL: sym_name = "dynamic_slice"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [], [])->([i, j]) {i=4, j=8} need_replication={j} blocked_propagation={j}>
// CONS-LABEL: sym_name = "dynamic_slice"
func.func @dynamic_slice(%a0: tensor<4x8xf32>, %a1: tensor<i32>, %a2: tensor<i32>) {
  %r = "stablehlo.dynamic_slice"(%a0, %a1, %a2) <{slice_sizes = array<i64: 4, 2>}> : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> (tensor<4x2xf32>)
  return
}

// CHECK-LABEL: sym_name = "dynamic_update_slice"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, l], [i, k, m], [], [], [])->([i, j, l]) {i=32, j=4, k=1, l=8, m=2} need_replication={k, m}>
// CONS-LABEL: sym_name = "dynamic_update_slice"
func.func @dynamic_update_slice(%a0: tensor<32x4x8xf32>, %a1: tensor<32x1x2xf32>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<i32>) {
  %r = "stablehlo.dynamic_update_slice"(%a0, %a1, %a2, %a3, %a4) : (tensor<32x4x8xf32>, tensor<32x1x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<32x4x8xf32>)
  return
}

// Where all indices are constants, the update's own factor passes through.
// CHECK-LABEL: sym_name = "dynamic_update_slice_constant"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j], [])->([i]) {i=8, j=2}>
// CONS-LABEL: sym_name = "dynamic_update_slice_constant"
func.func @dynamic_update_slice_constant(%a: tensor<8xf32>, %u: tensor<2xf32>) {
  %i = sdy.constant dense<1> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>
  return
}

// CHECK-LABEL: sym_name = "reverse"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8} permutation={j}>
// CONS-LABEL: sym_name = "reverse"
func.func @reverse(%a0: tensor<4x8xf32>) {
  %r = "stablehlo.reverse"(%a0) <{dimensions = array<i64: 1>}> : (tensor<4x8xf32>) -> (tensor<4x8xf32>)
  return
}
