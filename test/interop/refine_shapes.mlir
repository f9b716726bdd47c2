// RUN: shardwright-opt %s -split-input-file -sw-pad-bounded | FileCheck %s

// Every dynamic operation whose shape operands are constants has a static shape.
// CHECK-LABEL: func.func @main
// CHECK-NOT: ?
// CHECK: return
func.func @main(%x: tensor<2x6xf32>, %p: tensor<f32>, %i: tensor<3x1xi32>) -> (tensor<3x4xf32>, tensor<5x3x4xf32>, tensor<4x2xi32>, tensor<3x9xf32>, tensor<1x3xf32>, tensor<3x6xf32>) {
  %s0 = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %x, %s0 : (tensor<2x6xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %s1 = stablehlo.constant dense<[5, 3, 4]> : tensor<3xi64>
  %1 = stablehlo.dynamic_broadcast_in_dim %0, %s1, dims = [1, 2] : (tensor<?x?xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
  %s2 = stablehlo.constant dense<[4, 2]> : tensor<2xi32>
  %2 = stablehlo.dynamic_iota %s2, dim = 0 : (tensor<2xi32>) -> tensor<?x?xi32>
  %low = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
  %high = stablehlo.constant dense<[0, -2]> : tensor<2xi32>
  %hole = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
  %3 = stablehlo.dynamic_pad %x, %p, %low, %high, %hole : (tensor<2x6xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %b = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
  %e = stablehlo.constant dense<[2, 6]> : tensor<2xi32>
  %t = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %4 = stablehlo.real_dynamic_slice %x, %b, %e, %t : (tensor<2x6xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %z = stablehlo.constant dense<[1, 6]> : tensor<2xi32>
  %5 = "stablehlo.dynamic_gather"(%x, %i, %z) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<2x6xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %r0 = stablehlo.reshape %0 : (tensor<?x?xf32>) -> tensor<3x4xf32>
  %r1 = stablehlo.reshape %1 : (tensor<?x?x?xf32>) -> tensor<5x3x4xf32>
  %r2 = stablehlo.reshape %2 : (tensor<?x?xi32>) -> tensor<4x2xi32>
  %r3 = stablehlo.reshape %3 : (tensor<?x?xf32>) -> tensor<3x9xf32>
  %r4 = stablehlo.reshape %4 : (tensor<?x?xf32>) -> tensor<1x3xf32>
  %r5 = stablehlo.reshape %5 : (tensor<?x?xf32>) -> tensor<3x6xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<3x4xf32>, tensor<5x3x4xf32>, tensor<4x2xi32>, tensor<3x9xf32>, tensor<1x3xf32>, tensor<3x6xf32>
}

// -----

// Sizes that are computed, through a call, a loop and a branch; results become static too.
// CHECK-LABEL: func.func @main
// CHECK-SAME: -> tensor<8xf32>
// CHECK-NOT: ?
// CHECK: return
func.func @main(%x: tensor<2x4xf32>, %n: tensor<i32>) -> tensor<?xf32> {
  %0 = call @flat(%x) : (tensor<2x4xf32>) -> tensor<?xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %1:2 = stablehlo.while(%i = %zero, %y = %0) : tensor<i32>, tensor<?xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %z = stablehlo.sine %y : tensor<?xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %z : tensor<i32>, tensor<?xf32>
  }
  %2 = stablehlo.compare LT, %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %3 = "stablehlo.if"(%2) ({
    stablehlo.return %1#1 : tensor<?xf32>
  }, {
    %c = stablehlo.cosine %1#1 : tensor<?xf32>
    stablehlo.return %c : tensor<?xf32>
  }) : (tensor<i1>) -> tensor<?xf32>
  return %3 : tensor<?xf32>
}
func.func private @flat(%x: tensor<2x4xf32>) -> tensor<?xf32> {
  %a = stablehlo.get_dimension_size %x, dim = 0 : (tensor<2x4xf32>) -> tensor<i32>
  %b = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x4xf32>) -> tensor<i32>
  %n = stablehlo.multiply %a, %b : tensor<i32>
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.dynamic_reshape %x, %s : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
