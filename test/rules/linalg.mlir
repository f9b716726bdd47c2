// Linear algebra, fft, random bits.
// RUN: shardwright-opt %s --pass-pipeline='builtin.module(func.func(sdy-populate-op-sharding-rules))' --mlir-print-op-generic | FileCheck %s

// CHECK-LABEL: sym_name = "cholesky"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=8, j=4, k=4} need_replication={j, k}>
func.func @cholesky(%a0: tensor<8x4x4xf32>) {
  %r = "stablehlo.cholesky"(%a0) <{lower = true}> : (tensor<8x4x4xf32>) -> (tensor<8x4x4xf32>)
  return
}

// CHECK-LABEL: sym_name = "solve_left"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, l], [i, j, k])->([i, l, k]) {i=2, j=4, k=3, l=4} need_replication={j, k, l}>
func.func @solve_left(%a0: tensor<2x4x4xf32>, %a1: tensor<2x4x3xf32>) {
  %r = "stablehlo.triangular_solve"(%a0, %a1) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x4x4xf32>, tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>)
  return
}

// CHECK-LABEL: sym_name = "solve_right_transposed"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([j, k], [i, j])->([i, k]) {i=3, j=4, k=4} need_replication={i, j, k}>
func.func @solve_right_transposed(%a0: tensor<4x4xf32>, %a1: tensor<3x4xf32>) {
  %r = "stablehlo.triangular_solve"(%a0, %a1) <{left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<4x4xf32>, tensor<3x4xf32>) -> (tensor<3x4xf32>)
  return
}

// CHECK-LABEL: sym_name = "fft"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=2, j=8} need_replication={j}>
func.func @fft(%a0: tensor<2x8xcomplex<f32>>) {
  %r = "stablehlo.fft"(%a0) <{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 8>}> : (tensor<2x8xcomplex<f32>>) -> (tensor<2x8xcomplex<f32>>)
  return
}

// CHECK-LABEL: sym_name = "rfft"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=2, j=4, k=8} need_replication={j, k} blocked_propagation={k}>
func.func @rfft(%a0: tensor<2x4x8xf32>) {
  %r = "stablehlo.fft"(%a0) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 4, 8>}> : (tensor<2x4x8xf32>) -> (tensor<2x4x5xcomplex<f32>>)
  return
}

// CHECK-LABEL: sym_name = "rng"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i], [j, k]) {i=2, j=4, k=8} need_replication={i} blocked_propagation={i}>
func.func @rng(%a0: tensor<2xui64>) {
  %r:2 = "stablehlo.rng_bit_generator"(%a0) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x8xui32>)
  return
}

// CHECK-LABEL: sym_name = "batch_norm"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [j], [j], [j], [j])->([i, j, k]) {i=2, j=4, k=3}>
func.func @batch_norm(%a0: tensor<2x4x3xf32>, %a1: tensor<4xf32>, %a2: tensor<4xf32>, %a3: tensor<4xf32>, %a4: tensor<4xf32>) {
  %r = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<2x4x3xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x4x3xf32>)
  return
}
