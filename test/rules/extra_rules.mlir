// Rules that Shardy lacks, or has wrong, are given when asked for, and only then.
// RUN: shardwright-opt %s --pass-pipeline='builtin.module(func.func(sdy-populate-op-sharding-rules{sw-shardy=0.10.2}))' | FileCheck %s --check-prefix=PLAIN
// RUN: shardwright-opt %s --pass-pipeline='builtin.module(func.func(sdy-populate-op-sharding-rules{extra-rules=true}))' | FileCheck %s

// PLAIN-LABEL: func.func @no_rule
// PLAIN-NOT: op_sharding_rule<([i
// PLAIN-LABEL: func.func @end_of_no_rule
// CHECK-LABEL: func.func @no_rule
func.func @no_rule(%a: tensor<4x8xf32>, %c: tensor<8xf32>, %s: tensor<f32>) {
  // CHECK: stablehlo.map
  // CHECK: }) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>}
  %0 = "stablehlo.map"(%a, %a) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %m = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.broadcast {{.*}} #sdy.op_sharding_rule<([j, k])->([i, j, k]) {i=2, j=4, k=8}>
  %1 = stablehlo.broadcast %a, sizes = [2] : (tensor<4x8xf32>) -> tensor<2x4x8xf32>
  // CHECK: stablehlo.batch_norm_training{{.*}} #sdy.op_sharding_rule<([i, j], [j], [j])->([i, j], [j], [j]) {i=4, j=8} need_replication={i}>
  %2:3 = "stablehlo.batch_norm_training"(%a, %c, %c) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}>
    : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  // CHECK: stablehlo.batch_norm_grad{{.*}} #sdy.op_sharding_rule<([i, j], [j], [j], [j], [i, j])->([i, j], [j], [j]) {i=4, j=8} need_replication={i}>
  %3:3 = "stablehlo.batch_norm_grad"(%a, %c, %c, %c, %a) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}>
    : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  %4 = stablehlo.constant dense<[4, 8]> : tensor<2xi64>
  // CHECK: stablehlo.rng {{.*}} #sdy.op_sharding_rule<([], [], [k])->([i, j]) {i=4, j=8, k=1}>
  %5 = stablehlo.rng %s, %s, %4, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<4x8xf32>
  return
}
func.func @end_of_no_rule() {
  return
}

// PLAIN-LABEL: func.func @better_rule
// CHECK-LABEL: func.func @better_rule
func.func @better_rule(%a: tensor<8x4x4xf32>, %v: tensor<8xf32>, %s: tensor<f32>) {
  // PLAIN: @Cholesky{{.*}} {i=8, j=4, k=4}>
  // CHECK: @Cholesky{{.*}} {i=8, j=4, k=4} need_replication={j, k}>
  %0 = stablehlo.custom_call @Cholesky(%a) : (tensor<8x4x4xf32>) -> tensor<8x4x4xf32>
  // PLAIN: stablehlo.pad {{.*}} {i=8}>
  // CHECK: stablehlo.pad {{.*}} {i=8} permutation={i}>
  %1 = stablehlo.pad %v, %s, low = [1], high = [-1], interior = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  // PLAIN: @Eigh{{.*}} {i=8, j=4, k=4}>
  // CHECK: @Eigh{{.*}} {i=8, j=4, k=4} need_replication={j, k}>
  %2:2 = stablehlo.custom_call @Eigh(%a) : (tensor<8x4x4xf32>) -> (tensor<8x4x4xf32>, tensor<8x4xf32>)
  return
}
