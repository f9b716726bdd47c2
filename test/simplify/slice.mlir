// RUN: shardwright-opt %s --sw-simplify | FileCheck %s

// CHECK-LABEL: func @slices
func.func @slices(%x: tensor<10x4xf32>) -> (tensor<10x4xf32>, tensor<2x4xf32>) {
  // CHECK: %[[S:.*]] = stablehlo.slice %arg0 [3:8:4, 0:4]
  // CHECK: return %arg0, %[[S]]
  %0 = stablehlo.slice %x [0:10, 0:4] : (tensor<10x4xf32>) -> tensor<10x4xf32>
  %1 = stablehlo.slice %x [1:10:2, 0:4] : (tensor<10x4xf32>) -> tensor<5x4xf32>
  %2 = stablehlo.slice %1 [1:4:2, 0:4] : (tensor<5x4xf32>) -> tensor<2x4xf32>
  return %0, %2 : tensor<10x4xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: func @slices_of_concatenations
func.func @slices_of_concatenations(%a: tensor<2xf32>, %b: tensor<3xf32>, %c: tensor<4xf32>) -> (tensor<2xf32>, tensor<5xf32>) {
  // CHECK-DAG: %[[IN:.*]] = stablehlo.slice %arg1 [1:3]
  // CHECK-DAG: %[[BC:.*]] = stablehlo.concatenate %arg1, %arg2, dim = 0
  // CHECK-DAG: %[[CUT:.*]] = stablehlo.slice %[[BC]] [2:7]
  // CHECK: return %[[IN]], %[[CUT]]
  %0 = stablehlo.concatenate %a, %b, %c, dim = 0 : (tensor<2xf32>, tensor<3xf32>, tensor<4xf32>) -> tensor<9xf32>
  %1 = stablehlo.slice %0 [3:5] : (tensor<9xf32>) -> tensor<2xf32>
  %2 = stablehlo.concatenate %a, %b, %c, dim = 0 : (tensor<2xf32>, tensor<3xf32>, tensor<4xf32>) -> tensor<9xf32>
  %3 = stablehlo.slice %2 [4:9] : (tensor<9xf32>) -> tensor<5xf32>
  return %1, %3 : tensor<2xf32>, tensor<5xf32>
}

// CHECK-LABEL: func @slices_of_others
func.func @slices_of_others(%x: tensor<6xf32>, %s: tensor<f32>, %u: tensor<2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<2xf32>) {
  // CHECK-DAG: %[[PART:.*]] = stablehlo.slice %arg0 [1:3]
  // CHECK-DAG: %[[B:.*]] = stablehlo.broadcast_in_dim %[[PART]], dims = [1] : (tensor<2xf32>) -> tensor<3x2xf32>
  // CHECK-DAG: %[[FRONT:.*]] = stablehlo.slice %arg0 [0:2]
  // CHECK-DAG: %[[PADDING:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<3xf32>
  // CHECK-DAG: %[[OLD:.*]] = stablehlo.slice %arg0 [4:6]
  // CHECK: return %[[B]], %[[FRONT]], %[[PADDING]], %arg2, %[[OLD]]
  %two = stablehlo.constant dense<2> : tensor<i32>
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<6xf32>) -> tensor<5x6xf32>
  %1 = stablehlo.slice %0 [2:5, 1:3] : (tensor<5x6xf32>) -> tensor<3x2xf32>
  %2 = stablehlo.pad %x, %s, low = [3], high = [4], interior = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<13xf32>
  %3 = stablehlo.slice %2 [3:5] : (tensor<13xf32>) -> tensor<2xf32>
  %4 = stablehlo.slice %2 [0:3] : (tensor<13xf32>) -> tensor<3xf32>
  %5 = stablehlo.dynamic_update_slice %x, %u, %two : (tensor<6xf32>, tensor<2xf32>, tensor<i32>) -> tensor<6xf32>
  %6 = stablehlo.slice %5 [2:4] : (tensor<6xf32>) -> tensor<2xf32>
  %7 = stablehlo.slice %5 [4:6] : (tensor<6xf32>) -> tensor<2xf32>
  return %1, %3, %4, %6, %7 : tensor<3x2xf32>, tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func @pads
func.func @pads(%x: tensor<6xf32>, %s: tensor<f32>, %e: tensor<0xf32>) -> (tensor<6xf32>, tensor<3xf32>, tensor<10xf32>, tensor<5xf32>) {
  // CHECK-DAG: %[[CROP:.*]] = stablehlo.slice %arg0 [1:4]
  // CHECK-DAG: %[[PAD:.*]] = stablehlo.pad %arg0, %arg1, low = [3], high = [1], interior = [0]
  // CHECK-DAG: %[[ALL:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<5xf32>
  // CHECK: return %arg0, %[[CROP]], %[[PAD]], %[[ALL]]
  %0 = stablehlo.pad %x, %s, low = [0], high = [0], interior = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
  %1 = stablehlo.pad %x, %s, low = [-1], high = [-2], interior = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<3xf32>
  %2 = stablehlo.pad %x, %s, low = [1], high = [1], interior = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<8xf32>
  %3 = stablehlo.pad %2, %s, low = [2], high = [0], interior = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<10xf32>
  %4 = stablehlo.pad %e, %s, low = [2], high = [3], interior = [0] : (tensor<0xf32>, tensor<f32>) -> tensor<5xf32>
  return %0, %1, %3, %4 : tensor<6xf32>, tensor<3xf32>, tensor<10xf32>, tensor<5xf32>
}
