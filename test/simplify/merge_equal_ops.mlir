// RUN: shardwright-opt %s --sw-simplify | FileCheck %s

// CHECK-LABEL: func @regions
func.func @regions(%x: tensor<4xf32>, %z: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  // Equal regions; the third takes the maximum.
  // CHECK: %[[S:.*]] = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add
  // CHECK: %[[M:.*]] = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.maximum
  // CHECK: return %[[S]], %[[S]], %[[M]]
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>
}

// CHECK-LABEL: func @enables_rewrites
func.func @enables_rewrites(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK-NEXT: %[[ZERO:.*]] = stablehlo.constant dense<0>
  // CHECK-NEXT: return %[[ZERO]]
  %0 = stablehlo.popcnt %x : tensor<4xi32>
  %1 = stablehlo.popcnt %x : tensor<4xi32>
  %2 = stablehlo.subtract %0, %1 : tensor<4xi32>
  return %2 : tensor<4xi32>
}

// CHECK-LABEL: func @effects_stay
func.func @effects_stay(%a: tensor<f32>, %t: !stablehlo.token) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-COUNT-2: stablehlo.rng
  // CHECK-COUNT-2: "stablehlo.outfeed"
  %shape = stablehlo.constant dense<4> : tensor<1xi64>
  %0 = stablehlo.rng %a, %a, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
  %1 = stablehlo.rng %a, %a, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
  %2 = "stablehlo.outfeed"(%0, %t) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %3 = "stablehlo.outfeed"(%0, %t) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Loops see the values around them, but make their own constants; comparators make
// everything themselves.
// CHECK-LABEL: func @scopes
func.func @scopes(%x: tensor<4xf32>, %n: tensor<i32>) -> (tensor<4xf32>, tensor<i32>, tensor<4xf32>, tensor<i32>) {
  // CHECK: %[[SINE:.*]] = stablehlo.sine %arg0
  // CHECK: stablehlo.while
  // CHECK: do {
  // CHECK: stablehlo.constant dense<1> : tensor<i32>
  // CHECK: stablehlo.add %{{.*}}, %[[SINE]]
  // CHECK: "stablehlo.sort"
  // CHECK: stablehlo.constant dense<1> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %sine = stablehlo.sine %x : tensor<4xf32>
  %0:2 = stablehlo.while(%i = %n, %s = %x) : tensor<i32>, tensor<4xf32>
   cond {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %p = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = stablehlo.constant dense<1> : tensor<i32>
    %2 = stablehlo.add %i, %1 : tensor<i32>
    %3 = stablehlo.sine %x : tensor<4xf32>
    %4 = stablehlo.add %s, %3 : tensor<4xf32>
    %keys = stablehlo.bitcast_convert %4 : (tensor<4xf32>) -> tensor<4xi32>
    %sorted = "stablehlo.sort"(%keys) <{dimension = 0 : i64}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %5 = stablehlo.constant dense<1> : tensor<i32>
      %6 = stablehlo.shift_right_logical %a, %5 : tensor<i32>
      %7 = stablehlo.shift_right_logical %b, %5 : tensor<i32>
      %lt = stablehlo.compare LT, %6, %7 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %lt : tensor<i1>
    }) : (tensor<4xi32>) -> tensor<4xi32>
    %back = stablehlo.bitcast_convert %sorted : (tensor<4xi32>) -> tensor<4xf32>
    stablehlo.return %2, %back : tensor<i32>, tensor<4xf32>
  }
  return %sine, %one, %0#1, %0#0 : tensor<4xf32>, tensor<i32>, tensor<4xf32>, tensor<i32>
}

// The subtraction can be rewritten because a producer of its changes.
// CHECK-LABEL: func.func @sum_of_merged
func.func @sum_of_merged(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %0 = stablehlo.not %y : tensor<4xi32>
  %1 = stablehlo.not %y : tensor<4xi32>
  %2 = stablehlo.add %x, %1 : tensor<4xi32>
  // CHECK-NEXT: return %arg0
  %3 = stablehlo.subtract %2, %0 : tensor<4xi32>
  return %3 : tensor<4xi32>
}

// Of two equal transpositions one is left, and a product takes on the
// transposition that is its only user.
// CHECK-LABEL: func.func @last_use_after_merge
func.func @last_use_after_merge(%x: tensor<4x4xf32>, %y: tensor<4x8xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  // CHECK-NEXT: %[[DOT:.*]] = stablehlo.dot_general %arg1, %arg0
  // CHECK-NEXT: return %[[DOT]], %[[DOT]]
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %2 = stablehlo.transpose %0, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return %1, %2 : tensor<8x4xf32>, tensor<8x4xf32>
}

// The first update is overwritten once the updates are at the same position, and
// is dropped then.
// CHECK-LABEL: func.func @overwritten_after_merge
func.func @overwritten_after_merge(%x: tensor<8xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>, %i: tensor<i32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[AT:.*]] = stablehlo.popcnt
  // CHECK-NEXT: %[[R:.*]] = stablehlo.dynamic_update_slice %arg0, %arg2, %[[AT]]
  // CHECK-NEXT: return %[[R]]
  %0 = stablehlo.popcnt %i : tensor<i32>
  %1 = stablehlo.popcnt %i : tensor<i32>
  %2 = stablehlo.dynamic_update_slice %x, %a, %0 : (tensor<8xf32>, tensor<4xf32>, tensor<i32>) -> tensor<8xf32>
  %3 = stablehlo.dynamic_update_slice %2, %b, %1 : (tensor<8xf32>, tensor<4xf32>, tensor<i32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}
