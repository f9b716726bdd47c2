// The pass itself: what it visits and what it leaves alone.
// RUN: shardwright-opt %s --pass-pipeline='builtin.module(func.func(sdy-populate-op-sharding-rules))' | FileCheck %s

// A rule that is there stays, even where another would be built.
// CHECK-LABEL: func.func @keeps_rules
func.func @keeps_rules(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: stablehlo.add {{.*}} {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, j])->([i, j]) {i=4, j=8, k=4}, custom>}
  %0 = stablehlo.add %a, %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, j])->([i, j]) {i=4, j=8, k=4}, custom>} : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Ops in regions have rules; the ops around those regions have edges instead.
// CHECK-LABEL: func.func @regions
func.func @regions(%a: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {
  // CHECK: stablehlo.while
  // CHECK-NOT: attributes
  // CHECK: stablehlo.negate {{.*}} {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=4}>}
  %0 = stablehlo.while(%i = %a) : tensor<4xf32>
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = stablehlo.negate %i : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// After other attributes, by name.
// CHECK-LABEL: func.func @beside_a_sharding
sdy.mesh @mesh = <["x"=2]>
func.func @beside_a_sharding(%a: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: stablehlo.tanh {{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=4}>}
  %0 = stablehlo.tanh %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @sdy_ops
func.func @sdy_ops(%a: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: sdy.sharding_constraint {{.*}} {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=4}>}
  %0 = sdy.sharding_constraint %a <@mesh, [{"x"}]> : tensor<4xf32>
  // CHECK: sdy.reshard {{.*}}]> : tensor<4xf32>
  %1 = sdy.reshard %0 <@mesh, [{}]> : tensor<4xf32>
  // CHECK: sdy.propagation_barrier {{.*}}=FORWARD : tensor<4xf32>
  %2 = sdy.propagation_barrier %1 allowed_direction=FORWARD : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// Rules are about sizes; an op with a size that is not known has none.
// CHECK-LABEL: func.func @dynamic
func.func @dynamic(%a: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK: stablehlo.add %{{.*}}, %{{.*}} : tensor<?xf32>
  %0 = stablehlo.add %a, %a : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// The attribute is for tensors: a token keeps the rule off the op.
// CHECK-LABEL: func.func @token
func.func @token(%a: tensor<4xf32>, %t: !stablehlo.token) -> tensor<4xf32> {
  // CHECK: stablehlo.custom_call @MoveToHost(%{{.*}}, %{{.*}}) :
  %0 = stablehlo.custom_call @MoveToHost(%a, %t) : (tensor<4xf32>, !stablehlo.token) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
