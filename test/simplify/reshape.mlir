// RUN: shardwright-opt %s --sw-simplify | FileCheck %s

// CHECK-LABEL: func @reshapes
func.func @reshapes(%x: tensor<2x3xf32>, %s: tensor<f32>) -> (tensor<2x3xf32>, tensor<6xf32>, tensor<12xf32>) {
  // CHECK-DAG: %[[FLAT:.*]] = stablehlo.reshape %arg0 : (tensor<2x3xf32>) -> tensor<6xf32>
  // CHECK-DAG: %[[ALL:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<12xf32>
  // CHECK: return %arg0, %[[FLAT]], %[[ALL]]
  %0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = stablehlo.reshape %0 : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %2 = stablehlo.reshape %0 : (tensor<3x2xf32>) -> tensor<6xf32>
  %3 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
  %4 = stablehlo.reshape %3 : (tensor<3x4xf32>) -> tensor<12xf32>
  return %1, %2, %4 : tensor<2x3xf32>, tensor<6xf32>, tensor<12xf32>
}

// CHECK-LABEL: func @transposes
func.func @transposes(%x: tensor<2x3x4xf32>, %y: tensor<2x1x4xf32>) -> (tensor<2x3x4xf32>, tensor<3x4x2xf32>, tensor<1x2x4xf32>) {
  // CHECK-DAG: %[[ONE:.*]] = stablehlo.transpose %arg0, dims = [1, 2, 0]
  // CHECK-DAG: %[[UNIT:.*]] = stablehlo.reshape %arg1 : (tensor<2x1x4xf32>) -> tensor<1x2x4xf32>
  // CHECK: return %arg0, %[[ONE]], %[[UNIT]]
  %0 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = stablehlo.transpose %0, dims = [1, 2, 0] : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
  %2 = stablehlo.transpose %0, dims = [2, 0, 1] : (tensor<4x2x3xf32>) -> tensor<3x4x2xf32>
  %3 = stablehlo.transpose %y, dims = [1, 0, 2] : (tensor<2x1x4xf32>) -> tensor<1x2x4xf32>
  return %1, %2, %3 : tensor<2x3x4xf32>, tensor<3x4x2xf32>, tensor<1x2x4xf32>
}

// CHECK-LABEL: func @broadcasts
func.func @broadcasts(%x: tensor<3xf32>, %m: tensor<3x4xf32>) -> (tensor<2x3x5xf32>, tensor<4x3x7xf32>, tensor<1x3xf32>, tensor<2x3xf32>) {
  // CHECK-DAG: %[[A:.*]] = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<3xf32>) -> tensor<2x3x5xf32>
  // CHECK-DAG: %[[B:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3x7xf32>
  // CHECK-DAG: %[[C:.*]] = stablehlo.reshape %arg0 : (tensor<3xf32>) -> tensor<1x3xf32>
  // CHECK-DAG: %[[D:.*]] = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x5xf32>
  %2 = stablehlo.transpose %m, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<4x3xf32>) -> tensor<4x3x7xf32>
  %4 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<2x3xf32>
  return %1, %3, %4, %5 : tensor<2x3x5xf32>, tensor<4x3x7xf32>, tensor<1x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func @iotas
func.func @iotas() -> (tensor<5x4xi32>, tensor<4x5xi32>, tensor<1x4xi32>, tensor<1xi32>) {
  // CHECK-DAG: %[[A:.*]] = stablehlo.iota dim = 1 : tensor<5x4xi32>
  // CHECK-DAG: %[[B:.*]] = stablehlo.iota dim = 0 : tensor<4x5xi32>
  // CHECK-DAG: %[[C:.*]] = stablehlo.iota dim = 1 : tensor<1x4xi32>
  // CHECK-DAG: %[[D:.*]] = stablehlo.constant dense<0> : tensor<1xi32>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  %0 = stablehlo.iota dim = 0 : tensor<4xi32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<4xi32>) -> tensor<5x4xi32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<5x4xi32>) -> tensor<4x5xi32>
  %3 = stablehlo.reshape %0 : (tensor<4xi32>) -> tensor<1x4xi32>
  %4 = stablehlo.iota dim = 0 : tensor<1xi32>
  return %1, %2, %3, %4 : tensor<5x4xi32>, tensor<4x5xi32>, tensor<1x4xi32>, tensor<1xi32>
}

// CHECK-LABEL: func @reverses
func.func @reverses(%x: tensor<2x3x1xf32>, %s: tensor<3xf32>) -> (tensor<2x3x1xf32>, tensor<2x3x1xf32>, tensor<2x3xf32>) {
  // CHECK-DAG: %[[ONE:.*]] = stablehlo.reverse %arg0, dims = [1]
  // CHECK-DAG: %[[B:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [1]
  // CHECK: return %arg0, %[[ONE]], %[[B]]
  %0 = stablehlo.reverse %x, dims = [0, 2] : tensor<2x3x1xf32>
  %1 = stablehlo.reverse %0, dims = [0] : tensor<2x3x1xf32>
  %2 = stablehlo.reverse %0, dims = [1, 0] : tensor<2x3x1xf32>
  %3 = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %4 = stablehlo.reverse %3, dims = [0] : tensor<2x3xf32>
  return %1, %2, %4 : tensor<2x3x1xf32>, tensor<2x3x1xf32>, tensor<2x3xf32>
}
