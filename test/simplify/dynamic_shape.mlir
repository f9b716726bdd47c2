// RUN: shardwright-opt %s --sw-simplify | FileCheck %s

// CHECK-LABEL: func @static_after_all
func.func @static_after_all(%x: tensor<2x6xf32>, %s: tensor<f32>) -> (tensor<3x4xf32>, tensor<5x2x6xf32>, tensor<4xi32>, tensor<4x7xf32>, tensor<1x3xf32>, tensor<i32>) {
  // CHECK-DAG: %[[SIX:.*]] = stablehlo.constant dense<6> : tensor<i32>
  // CHECK-DAG: %[[R:.*]] = stablehlo.reshape %arg0 : (tensor<2x6xf32>) -> tensor<3x4xf32>
  // CHECK-DAG: %[[B:.*]] = stablehlo.broadcast_in_dim %arg0, dims = [1, 2]
  // CHECK-DAG: %[[I:.*]] = stablehlo.iota dim = 0 : tensor<4xi32>
  // CHECK-DAG: %[[P:.*]] = stablehlo.pad %arg0, %arg1, low = [1, 0], high = [1, 1], interior = [0, 0]
  // CHECK-DAG: %[[S:.*]] = stablehlo.slice %arg0 [1:2, 0:6:2]
  // CHECK: return %[[R]], %[[B]], %[[I]], %[[P]], %[[S]], %[[SIX]]
  %shape = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %sizes = stablehlo.constant dense<[5, 2, 6]> : tensor<3xi32>
  %four = stablehlo.constant dense<4> : tensor<1xi32>
  %low = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
  %high = stablehlo.constant dense<1> : tensor<2xi32>
  %none = stablehlo.constant dense<0> : tensor<2xi32>
  %limit = stablehlo.constant dense<[2, 6]> : tensor<2xi32>
  %stride = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %x, %shape : (tensor<2x6xf32>, tensor<2xi32>) -> tensor<3x4xf32>
  %1 = stablehlo.dynamic_broadcast_in_dim %x, %sizes, dims = [1, 2] : (tensor<2x6xf32>, tensor<3xi32>) -> tensor<5x2x6xf32>
  %2 = stablehlo.dynamic_iota %four, dim = 0 : (tensor<1xi32>) -> tensor<4xi32>
  %3 = stablehlo.dynamic_pad %x, %s, %low, %high, %none : (tensor<2x6xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<4x7xf32>
  %4 = stablehlo.real_dynamic_slice %x, %low, %limit, %stride : (tensor<2x6xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<1x3xf32>
  %5 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x6xf32>) -> tensor<i32>
  return %0, %1, %2, %3, %4, %5 : tensor<3x4xf32>, tensor<5x2x6xf32>, tensor<4xi32>, tensor<4x7xf32>, tensor<1x3xf32>, tensor<i32>
}

// CHECK-LABEL: func @dynamic_gather_and_conv
func.func @dynamic_gather_and_conv(%x: tensor<4x6xf32>, %i: tensor<2x1xi32>, %l: tensor<1x8x1xf32>, %k: tensor<3x1x1xf32>) -> (tensor<2x6xf32>, tensor<1x8x1xf32>) {
  // CHECK: "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>{{.*}}slice_sizes = array<i64: 1, 6>
  // CHECK: stablehlo.convolution(%arg2, %arg3) {{.*}}pad = {{\[\[}}1, 1]]
  %sizes = stablehlo.constant dense<[1, 6]> : tensor<2xi32>
  %pad = stablehlo.constant dense<1> : tensor<1x2xi32>
  %0 = "stablehlo.dynamic_gather"(%x, %i, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<4x6xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x6xf32>
  %1 = "stablehlo.dynamic_conv"(%l, %k, %pad) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x8x1xf32>, tensor<3x1x1xf32>, tensor<1x2xi32>) -> tensor<1x8x1xf32>
  return %0, %1 : tensor<2x6xf32>, tensor<1x8x1xf32>
}

// A shape that only running tells stays.
// CHECK-LABEL: func @stays
func.func @stays(%x: tensor<?xf32>, %s: tensor<2xi32>) -> tensor<?x?xf32> {
  // CHECK: stablehlo.dynamic_reshape
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
