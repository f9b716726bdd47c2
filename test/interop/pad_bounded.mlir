// RUN: shardwright-opt %s -split-input-file -sw-pad-bounded | FileCheck %s

// Sizes of arguments and results come last; a reduction sees what changes nothing in the padding,
// whatever its initial value.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:[^:]+]]: tensor<8x4xf32>, %[[I:[^:]+]]: tensor<f32>,
// CHECK-SAME: %[[N:[^:]+]]: tensor<i32> {shardwright.size_of = array<i64: 0, 0>})
// CHECK-SAME: -> (tensor<8x4xf32>, tensor<4xf32>, tensor<i32> {shardwright.size_of = array<i64: 0, 0>})
// CHECK: %[[S:.*]] = stablehlo.sine %[[X]] : tensor<8x4xf32>
// CHECK: %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK: %[[IOTA:.*]] = stablehlo.iota dim = 0 : tensor<8x4xi32>
// CHECK: %[[B:.*]] = stablehlo.broadcast_in_dim %[[N]], dims = []
// CHECK: %[[P:.*]] = stablehlo.compare LT, %[[IOTA]], %[[B]]
// CHECK: %[[F:.*]] = stablehlo.broadcast_in_dim %[[ZERO]], dims = []
// CHECK: %[[M:.*]] = stablehlo.select %[[P]], %[[S]], %[[F]]
// CHECK: %[[R:.*]] = stablehlo.reduce(%[[M]] init: %[[I]])
// CHECK: return %[[S]], %[[R]], %[[N]]
func.func @main(%x: tensor<?x4xf32, #stablehlo.bounds<8, ?>>, %i: tensor<f32>) -> (tensor<?x4xf32, #stablehlo.bounds<8, ?>>, tensor<4xf32>) {
  %0 = stablehlo.sine %x : tensor<?x4xf32, #stablehlo.bounds<8, ?>>
  %1 = stablehlo.reduce(%0 init: %i) applies stablehlo.add across dimensions = [0] : (tensor<?x4xf32, #stablehlo.bounds<8, ?>>, tensor<f32>) -> tensor<4xf32>
  return %0, %1 : tensor<?x4xf32, #stablehlo.bounds<8, ?>>, tensor<4xf32>
}

// -----

// A reshape that keeps what is used in front moves nothing; one that does not gathers.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.reshape %{{.*}} : (tensor<8x4xf32>) -> tensor<32xf32>
// CHECK: "stablehlo.gather"
// CHECK-NOT: ?
func.func @main(%x: tensor<?x4xf32, #stablehlo.bounds<8, ?>>, %y: tensor<4x?xf32, #stablehlo.bounds<?, 8>>) -> (tensor<?xf32, #stablehlo.bounds<32>>, tensor<?xf32, #stablehlo.bounds<32>>) {
  %0 = stablehlo.reshape %x : (tensor<?x4xf32, #stablehlo.bounds<8, ?>>) -> tensor<?xf32, #stablehlo.bounds<32>>
  %1 = stablehlo.reshape %y : (tensor<4x?xf32, #stablehlo.bounds<?, 8>>) -> tensor<?xf32, #stablehlo.bounds<32>>
  return %0, %1 : tensor<?xf32, #stablehlo.bounds<32>>, tensor<?xf32, #stablehlo.bounds<32>>
}

// -----

// A program without bounds stays as it is.
// CHECK-LABEL: func.func @main(%{{.*}}: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: call @f
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
