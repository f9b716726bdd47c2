// CHLO that is kept has rules when asked for.
// RUN: shardwright-opt %s --pass-pipeline='builtin.module(func.func(sdy-populate-op-sharding-rules))' | FileCheck %s --check-prefix=PLAIN
// RUN: shardwright-opt %s --pass-pipeline='builtin.module(func.func(sdy-populate-op-sharding-rules{extra-rules=true}))' | FileCheck %s

// PLAIN-NOT: chlo.{{.*}}sharding_rule

// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%a: tensor<4x8xf32>) {
  // CHECK: chlo.erf {{.*}} #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %0 = chlo.erf %a : tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK: chlo.is_inf {{.*}} #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %1 = chlo.is_inf %a : tensor<4x8xf32> -> tensor<4x8xi1>
  // CHECK: chlo.next_after {{.*}} #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %2 = chlo.next_after %a, %a : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @broadcasting
func.func @broadcasting(%a: tensor<4x8xf32>, %b: tensor<8xf32>, %c: tensor<1x8xf32>, %d: tensor<4xf32>) {
  // CHECK: chlo.broadcast_add {{.*}} #sdy.op_sharding_rule<([i, j], [j])->([i, j]) {i=4, j=8}>
  %0 = chlo.broadcast_add %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK: chlo.broadcast_add {{.*}} #sdy.op_sharding_rule<([i, j], [k, j])->([i, j]) {i=4, j=8, k=1}>
  %1 = chlo.broadcast_add %a, %c : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  // CHECK: chlo.broadcast_add {{.*}} #sdy.op_sharding_rule<([i, j], [i])->([i, j]) {i=4, j=8}>
  %2 = chlo.broadcast_add %a, %d {broadcast_dimensions = array<i64: 0>} : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @top_k
func.func @top_k(%a: tensor<8x16xf32>) {
  // CHECK: chlo.top_k{{.*}} #sdy.op_sharding_rule<([i, j])->([i, j], [i, j]) {i=8, j=16} need_replication={j} blocked_propagation={j}>
  %0, %1 = chlo.top_k(%a, k = 4) : tensor<8x16xf32> -> (tensor<8x4xf32>, tensor<8x4xi32>)
  // CHECK: chlo.top_k{{.*}} #sdy.op_sharding_rule<([i, j])->([i, j], [i, j]) {i=8, j=16}>
  %2, %3 = chlo.top_k(%a, k = 16) : tensor<8x16xf32> -> (tensor<8x16xf32>, tensor<8x16xi32>)
  return
}

// Each carried value has the shape of one slice.
// CHECK-LABEL: func.func @scan
func.func @scan(%a: tensor<16x8x4xf32>, %c: tensor<8x4xf32>) {
  // CHECK: chlo.scan
  // CHECK: #sdy.op_sharding_rule<([i, j, k], [j, k])->([i, j, k], [j, k]) {i=16, j=8, k=4} permutation={i}>
  %0:2 = chlo.scan(%a) inits (%c) dimension=0 attributes {is_associative = true} {
  ^bb0(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>):
    %s = stablehlo.add %x, %y : tensor<8x4xf32>
    stablehlo.return %s, %s : tensor<8x4xf32>, tensor<8x4xf32>
  } : (tensor<16x8x4xf32>, tensor<8x4xf32>) -> (tensor<16x8x4xf32>, tensor<8x4xf32>)
  // CHECK: chlo.scan{{.*}}need_replication={i}>
  %1:2 = chlo.scan(%a) inits (%c) dimension=0 {
  ^bb0(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>):
    %s = stablehlo.add %x, %y : tensor<8x4xf32>
    stablehlo.return %s, %s : tensor<8x4xf32>, tensor<8x4xf32>
  } : (tensor<16x8x4xf32>, tensor<8x4xf32>) -> (tensor<16x8x4xf32>, tensor<8x4xf32>)
  return
}

// CHECK-LABEL: func.func @ragged_dot
func.func @ragged_dot(%a: tensor<16x8xf32>, %b: tensor<4x8x3xf32>, %g: tensor<4xi32>,
                      %ba: tensor<2x16x8xf32>, %bb: tensor<4x2x8x3xf32>, %bg: tensor<2x4xi32>,
                      %kb: tensor<2x8x3xf32>) {
  // CHECK: chlo.ragged_dot{{.*}} #sdy.op_sharding_rule<([i, k], [l, k, j], [l])->([i, j]) {i=16, j=3, k=8, l=4} reduction={k} need_replication={i, l}>
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<
    lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1],
    rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}>
    : (tensor<16x8xf32>, tensor<4x8x3xf32>, tensor<4xi32>) -> tensor<16x3xf32>
  // CHECK: chlo.ragged_dot{{.*}} #sdy.op_sharding_rule<([i, j, l], [m, i, l, k], [i, m])->([i, j, k]) {i=2, j=16, k=3, l=8, m=4} reduction={l} need_replication={j, m}>
  %1 = "chlo.ragged_dot"(%ba, %bb, %bg) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<
    lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2],
    rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>}>
    : (tensor<2x16x8xf32>, tensor<4x2x8x3xf32>, tensor<2x4xi32>) -> tensor<2x16x3xf32>
  // CHECK: chlo.ragged_dot{{.*}} #sdy.op_sharding_rule<([i, j, l], [i, l, k], [i, m])->([m, i, j, k]) {i=2, j=16, k=3, l=8, m=4} need_replication={l, m}>
  %2 = "chlo.ragged_dot"(%ba, %kb, %bg) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<
    lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2],
    rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [2], rhs_group_dimensions = []>}>
    : (tensor<2x16x8xf32>, tensor<2x8x3xf32>, tensor<2x4xi32>) -> tensor<4x2x16x3xf32>
  return
}
