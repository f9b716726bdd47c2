// RUN: shardwright-opt %s --sw-simplify | FileCheck %s

// CHECK-LABEL: func @never_runs
func.func @never_runs(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: return %arg0
  %0 = stablehlo.while(%a = %x) : tensor<4xf32>
   cond {
    %p = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.negate %a : tensor<4xf32>
    stablehlo.return %n : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// The counter starts at its limit.
// CHECK-LABEL: func @never_runs_with_these_values
func.func @never_runs_with_these_values(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: return %arg0
  %three = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%i = %three, %a = %x) : tensor<i32>, tensor<4xf32>
   cond {
    %limit = stablehlo.constant dense<3> : tensor<i32>
    %p = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %n = stablehlo.negate %a : tensor<4xf32>
    stablehlo.return %next, %n : tensor<i32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}

// Carried: a counter, a limit that never changes, a sum, a copy of that sum, and a
// product that only itself depends on.
// CHECK-LABEL: func @carried_values
func.func @carried_values(%n: tensor<i32>, %x: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<i32>) {
  // CHECK: %[[W:.*]]:2 = stablehlo.while(%[[I:.*]] = %c{{.*}}, %[[S:.*]] = %arg1) : tensor<i32>, tensor<f32>
  // CHECK-NEXT: cond {
  // CHECK-NEXT: stablehlo.compare LT, %[[I]], %arg0
  // CHECK: } do {
  // CHECK-NOT: multiply
  // CHECK: stablehlo.add %[[S]], %[[S]]
  // CHECK: return %[[W]]#1, %[[W]]#1, %arg0
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:5 = stablehlo.while(%i = %zero, %limit = %n, %s = %x, %copy = %x, %dead = %x) : tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>
   cond {
    %p = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %sum = stablehlo.add %s, %s : tensor<f32>
    %product = stablehlo.multiply %dead, %s : tensor<f32>
    stablehlo.return %next, %limit, %sum, %sum, %product : tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>
  }
  return %0#2, %0#3, %0#1 : tensor<f32>, tensor<f32>, tensor<i32>
}

// CHECK-LABEL: func @dead_loop
func.func @dead_loop(%x: tensor<f32>) -> tensor<f32> {
  // CHECK-NEXT: return %arg0
  %0 = stablehlo.while(%a = %x) : tensor<f32>
   cond {
    %p = stablehlo.compare LT, %a, %x : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.negate %a : tensor<f32>
    stablehlo.return %n : tensor<f32>
  }
  return %x : tensor<f32>
}
