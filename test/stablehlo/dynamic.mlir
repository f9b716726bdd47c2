// Each op in the text that JAX prints, with a discardable attribute where one fits.
// RUN: shardwright-opt %s | FileCheck %s
// RUN: shardwright-opt %s --mlir-print-op-generic | shardwright-opt | FileCheck %s

// CHECK-LABEL: func.func @dynamic_reshape(
// CHECK-NEXT: %0 = stablehlo.dynamic_reshape %arg0, %arg1 {foo} : (tensor<4xf32>, tensor<2xi32>) -> tensor<2x2xf32>
func.func @dynamic_reshape(%a: tensor<4xf32>, %l2: tensor<2xi32>) {
  %0 = stablehlo.dynamic_reshape %a, %l2 {foo} : (tensor<4xf32>, tensor<2xi32>) -> tensor<2x2xf32>
  return
}

// CHECK-LABEL: func.func @dynamic_broadcast_in_dim(
// CHECK-NEXT: %0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [1] {foo, known_expanding_dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
func.func @dynamic_broadcast_in_dim(%a: tensor<4xf32>, %l2: tensor<2xi32>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %l2, dims = [1] {foo, known_expanding_dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @dynamic_iota(
// CHECK-NEXT: %0 = stablehlo.dynamic_iota %arg0, dim = 0 {foo} : (tensor<2xi32>) -> tensor<?x4xf32>
func.func @dynamic_iota(%l2: tensor<2xi32>) {
  %0 = stablehlo.dynamic_iota %l2, dim = 0 {foo} : (tensor<2xi32>) -> tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @dynamic_pad(
// CHECK-NEXT: %0 = stablehlo.dynamic_pad %arg0, %arg1, %arg2, %arg2, %arg2 {foo} : (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
func.func @dynamic_pad(%a: tensor<4xf32>, %s: tensor<f32>, %l: tensor<1xi64>) {
  %0 = stablehlo.dynamic_pad %a, %s, %l, %l, %l {foo} : (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return
}

// CHECK-LABEL: func.func @real_dynamic_slice(
// CHECK-NEXT: %0 = stablehlo.real_dynamic_slice %arg0, %arg1, %arg1, %arg1 {foo} : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
func.func @real_dynamic_slice(%a: tensor<4xf32>, %l: tensor<1xi64>) {
  %0 = stablehlo.real_dynamic_slice %a, %l, %l, %l {foo} : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return
}

// CHECK-LABEL: func.func @dynamic_conv(
// CHECK-NEXT: %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %arg2) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_strides = array<i64: 1, 1>}> : (tensor<1x8x8x207xf32>, tensor<3x3x207x16xf32>, tensor<2x2xi32>) -> tensor<1x?x?x16xf32>
func.func @dynamic_conv(%x: tensor<1x8x8x207xf32>, %k: tensor<3x3x207x16xf32>, %p: tensor<2x2xi32>) {
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_strides = array<i64: 1, 1>}> : (tensor<1x8x8x207xf32>, tensor<3x3x207x16xf32>, tensor<2x2xi32>) -> tensor<1x?x?x16xf32>
  return
}

// CHECK-LABEL: func.func @dynamic_gather(
// CHECK-NEXT: %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = true}> : (tensor<2x4x9xf32>, tensor<1x5x2xi32>, tensor<3xi32>) -> tensor<1x5x?xf32>
func.func @dynamic_gather(%a: tensor<2x4x9xf32>, %i: tensor<1x5x2xi32>, %s: tensor<3xi32>) {
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = true}> : (tensor<2x4x9xf32>, tensor<1x5x2xi32>, tensor<3xi32>) -> tensor<1x5x?xf32>
  return
}
