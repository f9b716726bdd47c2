// RUN: shardwright-opt %s --sw-simplify | FileCheck %s

// CHECK-LABEL: func @flatten
func.func @flatten(%a: tensor<2xf32>, %b: tensor<3xf32>, %e: tensor<0xf32>) -> (tensor<2xf32>, tensor<7xf32>) {
  // CHECK: %[[ALL:.*]] = stablehlo.concatenate %arg0, %arg1, %arg0, dim = 0
  // CHECK: return %arg0, %[[ALL]]
  %0 = stablehlo.concatenate %a, dim = 0 : (tensor<2xf32>) -> tensor<2xf32>
  %1 = stablehlo.concatenate %e, %a, dim = 0 : (tensor<0xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = stablehlo.concatenate %b, %1, dim = 0 : (tensor<3xf32>, tensor<2xf32>) -> tensor<5xf32>
  %3 = stablehlo.concatenate %0, %e, %2, dim = 0 : (tensor<2xf32>, tensor<0xf32>, tensor<5xf32>) -> tensor<7xf32>
  return %0, %3 : tensor<2xf32>, tensor<7xf32>
}

// CHECK-LABEL: func @adjacent_slices
func.func @adjacent_slices(%x: tensor<8x4xf32>, %y: tensor<1x4xf32>) -> (tensor<8x4xf32>, tensor<5x4xf32>) {
  // CHECK: %[[S:.*]] = stablehlo.slice %arg0 [1:5, 0:4]
  // CHECK: %[[C:.*]] = stablehlo.concatenate %[[S]], %arg1, dim = 0
  // CHECK: return %arg0, %[[C]]
  %0 = stablehlo.slice %x [0:3, 0:4] : (tensor<8x4xf32>) -> tensor<3x4xf32>
  %1 = stablehlo.slice %x [3:8, 0:4] : (tensor<8x4xf32>) -> tensor<5x4xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<8x4xf32>
  %3 = stablehlo.slice %x [1:3, 0:4] : (tensor<8x4xf32>) -> tensor<2x4xf32>
  %4 = stablehlo.slice %x [3:5, 0:4] : (tensor<8x4xf32>) -> tensor<2x4xf32>
  %5 = stablehlo.concatenate %3, %4, %y, dim = 0 : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<1x4xf32>) -> tensor<5x4xf32>
  return %2, %5 : tensor<8x4xf32>, tensor<5x4xf32>
}
