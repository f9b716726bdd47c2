// Rules that differ between versions of Shardy.
// RUN: shardwright-opt %s -pass-pipeline='builtin.module(func.func(sdy-populate-op-sharding-rules{sw-shardy=0.10.2}))' | FileCheck %s --check-prefix=OLD
// RUN: shardwright-opt %s -pass-pipeline='builtin.module(func.func(sdy-populate-op-sharding-rules{sw-shardy=0.12.0}))' | FileCheck %s --check-prefix=NEW
// RUN: shardwright-opt %s -pass-pipeline='builtin.module(func.func(sdy-populate-op-sharding-rules))' | FileCheck %s --check-prefix=NEW

// OLD-LABEL: func.func @reshape(
// OLD: sdy.sharding_rule = #sdy.op_sharding_rule<([ij, mn])->([ik, ln]) {i=2, j=3, k=2, l=3, m=2, n=2}>
// NEW-LABEL: func.func @reshape(
// NEW: sdy.sharding_rule = #sdy.op_sharding_rule<([ij, lm])->([ij, km]) {i=2, j=3, k=3, l=2, m=2} need_replication={k, l} permutation={j}>
func.func @reshape(%a: tensor<6x4xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.reshape %a : (tensor<6x4xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// OLD-LABEL: func.func @reshape_of_ones(
// OLD: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([j]) {i=1, j=8}>
// NEW-LABEL: func.func @reshape_of_ones(
// NEW: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([j]) {i=1, j=8} need_replication={i}>
func.func @reshape_of_ones(%a: tensor<1x8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.reshape %a : (tensor<1x8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// OLD-LABEL: func.func @pad(
// OLD: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [])->([i, j, k]) {i=8, j=4, k=2}>
// NEW-LABEL: func.func @pad(
// NEW: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [])->([i, j, k]) {i=8, j=4, k=2} permutation={i}>
func.func @pad(%a: tensor<8x4x2xf32>, %v: tensor<f32>) -> tensor<8x4x2xf32> {
  %0 = stablehlo.pad %a, %v, low = [1, 0, 0], high = [-1, 0, 0], interior = [0, 0, 0] : (tensor<8x4x2xf32>, tensor<f32>) -> tensor<8x4x2xf32>
  return %0 : tensor<8x4x2xf32>
}

// OLD-LABEL: func.func @update(
// OLD: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k], [], [])->([i, j]) {i=32, j=8, k=2} need_replication={k}>
// NEW-LABEL: func.func @update(
// NEW: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k], [], [])->([i, j]) {i=32, j=8, k=2} permutation={j, k}>
func.func @update(%a: tensor<32x8xf32>, %u: tensor<32x2xf32>, %i: tensor<i32>) -> tensor<32x8xf32> {
  %0 = stablehlo.dynamic_update_slice %a, %u, %i, %i : (tensor<32x8xf32>, tensor<32x2xf32>, tensor<i32>, tensor<i32>) -> tensor<32x8xf32>
  return %0 : tensor<32x8xf32>
}

// OLD-LABEL: func.func @convolution(
// OLD: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [l, k, m])->([i, j, n]) {i=1, j=224, k=1, l=1, m=1, n=1} reduction={k} permutation={j}>
// NEW-LABEL: func.func @convolution(
// NEW: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, l], [k, l, m])->([i, j, n]) {i=1, j=224, k=3, l=1, m=1, n=1} reduction={l} permutation={j, k}>
func.func @convolution(%a: tensor<1x224x1xf32>, %k: tensor<3x1x1xf32>) -> tensor<1x224x1xf32> {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x224x1xf32>, tensor<3x1x1xf32>) -> tensor<1x224x1xf32>
  return %0 : tensor<1x224x1xf32>
}

// OLD-LABEL: func.func @convolution_of_one(
// OLD: sdy.sharding_rule = #sdy.op_sharding_rule<([i, k, j], [l, j, m])->([i, n, o]) {i=1, j=1, k=1, l=1, m=1, n=1, o=1} reduction={j}>
// NEW-LABEL: func.func @convolution_of_one(
// NEW: sdy.sharding_rule = #sdy.op_sharding_rule<([i, m, l], [k, l, n])->([i, j, o]) {i=1, j=4, k=3, l=1, m=1, n=1, o=1} reduction={l} permutation={j, k}>
func.func @convolution_of_one(%a: tensor<1x1x1xf32>, %k: tensor<3x1x1xf32>) -> tensor<1x4x1xf32> {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[3, 2]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x1xf32>, tensor<3x1x1xf32>) -> tensor<1x4x1xf32>
  return %0 : tensor<1x4x1xf32>
}

// OLD-LABEL: func.func @top_k(
// OLD-NOT: sdy.sharding_rule
// NEW-LABEL: func.func @top_k(
// NEW: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j], [i, j]) {i=8, j=4} need_replication={j} blocked_propagation={j}>
func.func @top_k(%a: tensor<8x4xf32>) -> (tensor<8x2xf32>, tensor<8x2xi32>) {
  %0:2 = stablehlo.custom_call @TopK(%a) : (tensor<8x4xf32>) -> (tensor<8x2xf32>, tensor<8x2xi32>)
  return %0#0, %0#1 : tensor<8x2xf32>, tensor<8x2xi32>
}
