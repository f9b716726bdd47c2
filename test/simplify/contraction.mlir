// RUN: shardwright-opt %s --sw-simplify | FileCheck %s

// CHECK-LABEL: func @legacy_dot
func.func @legacy_dot(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2xf32> {
  // CHECK: stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGH, DEFAULT]
  %0 = stablehlo.dot %a, %b, precision = [HIGH, DEFAULT] : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func @operand_transposes
func.func @operand_transposes(%a: tensor<3x2xf32>, %b: tensor<4x3xf32>, %c: tensor<3x5x4xf32>) -> (tensor<2x4xf32>, tensor<5x4x2xf32>) {
  // The second would exchange the free dimensions of its left side.
  // CHECK-DAG: %[[D:.*]] = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [1]
  // CHECK-DAG: %[[T:.*]] = stablehlo.transpose %arg2, dims = [2, 1, 0]
  // CHECK-DAG: stablehlo.dot_general %[[T]], %arg0, contracting_dims = [2] x [0]
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.transpose %b, dims = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %3 = stablehlo.transpose %c, dims = [2, 1, 0] : (tensor<3x5x4xf32>) -> tensor<4x5x3xf32>
  %4 = stablehlo.dot_general %3, %a, contracting_dims = [2] x [0] : (tensor<4x5x3xf32>, tensor<3x2xf32>) -> tensor<4x5x2xf32>
  %5 = stablehlo.transpose %4, dims = [1, 0, 2] : (tensor<4x5x2xf32>) -> tensor<5x4x2xf32>
  return %2, %5 : tensor<2x4xf32>, tensor<5x4x2xf32>
}

// CHECK-LABEL: func @result_transpose
func.func @result_transpose(%a: tensor<7x2x3xf32>, %b: tensor<7x3x4xf32>) -> tensor<7x4x2xf32> {
  // CHECK: %[[D:.*]] = stablehlo.dot_general %arg1, %arg0, batching_dims = [0] x [0], contracting_dims = [1] x [2], precision = [DEFAULT, HIGHEST]
  // CHECK-NEXT: return %[[D]]
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, DEFAULT] : (tensor<7x2x3xf32>, tensor<7x3x4xf32>) -> tensor<7x2x4xf32>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1] : (tensor<7x2x4xf32>) -> tensor<7x4x2xf32>
  return %1 : tensor<7x4x2xf32>
}

// CHECK-LABEL: func @unit_dims
func.func @unit_dims(%a: tensor<1x2x1x3xf32>, %b: tensor<1x1x3x4xf32>, %u: tensor<2x1xf32>, %v: tensor<1x4xf32>) -> (tensor<1x2x4xf32>, tensor<2x4xf32>) {
  // CHECK-DAG: %[[A:.*]] = stablehlo.reshape %arg0 : (tensor<1x2x1x3xf32>) -> tensor<2x3xf32>
  // CHECK-DAG: %[[B:.*]] = stablehlo.reshape %arg1 : (tensor<1x1x3x4xf32>) -> tensor<3x4xf32>
  // CHECK-DAG: %[[D:.*]] = stablehlo.dot_general %[[A]], %[[B]], contracting_dims = [1] x [0]
  // CHECK-DAG: %[[R:.*]] = stablehlo.reshape %[[D]] : (tensor<2x4xf32>) -> tensor<1x2x4xf32>
  // CHECK-DAG: %[[O:.*]] = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0]
  // CHECK: return %[[R]], %[[O]]
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [1], contracting_dims = [2, 3] x [0, 2] : (tensor<1x2x1x3xf32>, tensor<1x1x3x4xf32>) -> tensor<1x2x4xf32>
  %1 = stablehlo.dot_general %u, %v, contracting_dims = [1] x [0] : (tensor<2x1xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
  return %0, %1 : tensor<1x2x4xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: func @contracting_order
func.func @contracting_order(%a: tensor<2x3x4xf32>, %b: tensor<3x4x5xf32>) -> tensor<2x5xf32> {
  // CHECK: contracting_dims = [1, 2] x [0, 1]
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [2, 1] x [1, 0] : (tensor<2x3x4xf32>, tensor<3x4x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}
