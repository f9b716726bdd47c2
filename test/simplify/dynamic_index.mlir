// RUN: shardwright-opt %s --sw-simplify | FileCheck %s

// CHECK-LABEL: func @dynamic_slices
func.func @dynamic_slices(%x: tensor<4x6xf32>, %i: tensor<i32>, %b: tensor<ui8>) -> (tensor<2x3xf32>, tensor<4x6xf32>, tensor<4x3xf32>, tensor<2x3xf32>) {
  // Starts are clamped: 100 to 3, -1 to 0.
  // CHECK-DAG: %[[S:.*]] = stablehlo.slice %arg0 [0:2, 3:6]
  // CHECK-DAG: %[[ZERO:.*]] = stablehlo.constant dense<0> : tensor<i32>
  // CHECK-DAG: %[[D:.*]] = stablehlo.dynamic_slice %arg0, %[[ZERO]], %arg1, sizes = [4, 3]
  // CHECK-DAG: %[[U:.*]] = stablehlo.slice %arg0 [2:4, 3:6]
  // CHECK: return %[[S]], %arg0, %[[D]], %[[U]]
  %far = stablehlo.constant dense<100> : tensor<i32>
  %before = stablehlo.constant dense<-1> : tensor<i32>
  %large = stablehlo.constant dense<255> : tensor<ui8>
  %0 = stablehlo.dynamic_slice %x, %before, %far, sizes = [2, 3] : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  %1 = stablehlo.dynamic_slice %x, %i, %i, sizes = [4, 6] : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
  %2 = stablehlo.dynamic_slice %x, %i, %i, sizes = [4, 3] : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
  %3 = stablehlo.dynamic_slice %x, %large, %large, sizes = [2, 3] : (tensor<4x6xf32>, tensor<ui8>, tensor<ui8>) -> tensor<2x3xf32>
  return %0, %1, %2, %3 : tensor<2x3xf32>, tensor<4x6xf32>, tensor<4x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func @updates
func.func @updates(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>, %u: tensor<1x2xf32>, %v: tensor<1x2xf32>, %e: tensor<0x2xf32>, %i: tensor<i32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  // CHECK: %[[LAST:.*]] = stablehlo.dynamic_update_slice %arg0, %arg3, %arg5, %arg5
  // CHECK: return %arg1, %arg0, %arg0, %[[LAST]]
  %0 = stablehlo.dynamic_update_slice %x, %y, %i, %i : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
  %1 = stablehlo.dynamic_update_slice %x, %e, %i, %i : (tensor<4x6xf32>, tensor<0x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
  %2 = stablehlo.dynamic_slice %x, %i, %i, sizes = [1, 2] : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
  %3 = stablehlo.dynamic_update_slice %x, %2, %i, %i : (tensor<4x6xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
  %4 = stablehlo.dynamic_update_slice %x, %u, %i, %i : (tensor<4x6xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
  %5 = stablehlo.dynamic_update_slice %4, %v, %i, %i : (tensor<4x6xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
  return %0, %1, %3, %5 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}

// CHECK-LABEL: func @gather_of_one
func.func @gather_of_one(%x: tensor<4x6xf32>) -> tensor<3xf32> {
  // CHECK: %[[S:.*]] = stablehlo.slice %arg0 [2:3, 3:6]
  // CHECK: %[[R:.*]] = stablehlo.reshape %[[S]] : (tensor<1x3xf32>) -> tensor<3xf32>
  // CHECK: return %[[R]]
  %at = stablehlo.constant dense<[9, 2]> : tensor<2xi32>
  %0 = "stablehlo.gather"(%x, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [1, 0]>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x6xf32>, tensor<2xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
