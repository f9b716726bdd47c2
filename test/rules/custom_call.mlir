// Custom calls that are known by name.
// RUN: shardwright-opt %s --pass-pipeline='builtin.module(func.func(sdy-populate-op-sharding-rules))' --mlir-print-op-generic | FileCheck %s

// Nothing checks that operands have the shape of the result.
// CHECK-LABEL: sym_name = "move"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i])->([i, j]) {i=8, j=4}>
func.func @move(%a0: tensor<8x4xf32>, %a1: tensor<8xf32>) {
  %r = "stablehlo.custom_call"(%a0, %a1) <{call_target_name = "MoveToHost"}> : (tensor<8x4xf32>, tensor<8xf32>) -> (tensor<8x4xf32>)
  return
}

// CHECK-LABEL: sym_name = "eigh"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k], [i, k]) {i=2, j=4, k=4}>
func.func @eigh(%a0: tensor<2x4x4xf32>) {
  %r:2 = "stablehlo.custom_call"(%a0) <{call_target_name = "Eigh"}> : (tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2x4xf32>)
  return
}

// CHECK-LABEL: sym_name = "qr"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k], [i, l]) {i=2, j=4, k=3, l=3} need_replication={j, k, l}>
func.func @qr(%a0: tensor<2x4x3xf32>) {
  %r:2 = "stablehlo.custom_call"(%a0) <{call_target_name = "Qr"}> : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x3xf32>)
  return
}

// CHECK-LABEL: sym_name = "householder"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l])->([i, j, k]) {i=2, j=4, k=3, l=3} need_replication={j, k, l}>
func.func @householder(%a0: tensor<2x4x3xf32>, %a1: tensor<2x3xf32>) {
  %r = "stablehlo.custom_call"(%a0, %a1) <{call_target_name = "ProductOfElementaryHouseholderReflectors"}> : (tensor<2x4x3xf32>, tensor<2x3xf32>) -> (tensor<2x4x3xf32>)
  return
}

// CHECK-LABEL: sym_name = "top_k"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j], [i, j]) {i=8, j=16} need_replication={j} blocked_propagation={j}>
func.func @top_k(%a0: tensor<8x16xf32>) {
  %r:2 = "stablehlo.custom_call"(%a0) <{call_target_name = "mhlo.topk"}> : (tensor<8x16xf32>) -> (tensor<8x4xf32>, tensor<8x4xi32>)
  return
}

// CHECK-LABEL: sym_name = "approx_top_k"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j], [], [])->([i, k], [i, k]) {i=16, j=4, k=2} need_replication={k} blocked_propagation={k}>
func.func @approx_top_k(%a0: tensor<16x4xf32>, %a1: tensor<16x4xi32>, %a2: tensor<f32>, %a3: tensor<i32>) {
  %r:2 = "stablehlo.custom_call"(%a0, %a1, %a2, %a3) <{call_target_name = "ApproxTopK"}> : (tensor<16x4xf32>, tensor<16x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<16x2xf32>, tensor<16x2xi32>)
  return
}

// CHECK-LABEL: sym_name = "combine_state"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([i]) {i=2} need_replication={i} blocked_propagation={i}>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i], [j]) {i=2, j=4} need_replication={i} blocked_propagation={i}>
func.func @combine_state(%a: tensor<2xui32>) {
  %0 = stablehlo.custom_call @X64Combine(%a, %a) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui64>
  %1:2 = stablehlo.rng_bit_generator %0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  return
}

// CHECK-LABEL: sym_name = "combine"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([i]) {i=2}>
func.func @combine(%a0: tensor<2xui32>, %a1: tensor<2xui32>) {
  %r = "stablehlo.custom_call"(%a0, %a1) <{call_target_name = "X64Combine"}> : (tensor<2xui32>, tensor<2xui32>) -> (tensor<2xui64>)
  return
}

// CHECK-LABEL: sym_name = "unknown"
// CHECK-NOT: sdy.sharding_rule
func.func @unknown(%a0: tensor<2xf32>) {
  %r = "stablehlo.custom_call"(%a0) <{call_target_name = "some_library_call"}> : (tensor<2xf32>) -> (tensor<2xf32>)
  return
}
