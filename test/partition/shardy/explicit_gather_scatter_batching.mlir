// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(sdy-explicit-gather-scatter-batching))' | FileCheck %s

// An iota component of a concatenation: the other inputs stay.
func.func @main(%x: tensor<8x16x4xf32>, %k: tensor<8x3x1xi32>) -> tensor<8x3x4xf32> {
  %i = stablehlo.iota dim = 0 : tensor<8x3x1xi32>
  %idx = stablehlo.concatenate %i, %k, dim = 2 : (tensor<8x3x1xi32>, tensor<8x3x1xi32>) -> tensor<8x3x2xi32>
  %g = "stablehlo.gather"(%x, %idx) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 4>}> : (tensor<8x16x4xf32>, tensor<8x3x2xi32>) -> tensor<8x3x4xf32>
  return %g : tensor<8x3x4xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x16x4xf32>, %arg1: tensor<8x3x1xi32>) -> tensor<8x3x4xf32> {
// CHECK-NEXT: %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 4>}> : (tensor<8x16x4xf32>, tensor<8x3x1xi32>) -> tensor<8x3x4xf32>
// CHECK-NEXT: return %0 : tensor<8x3x4xf32>
// CHECK-NEXT: }

// -----

// Three components.
func.func @main(%x: tensor<8x16x4xf32>, %k: tensor<8x3x1xi32>, %m: tensor<8x3x1xi32>) -> tensor<8x3xf32> {
  %i = stablehlo.iota dim = 0 : tensor<8xi32>
  %j = stablehlo.broadcast_in_dim %i, dims = [0] : (tensor<8xi32>) -> tensor<8x3x1xi32>
  %idx = stablehlo.concatenate %m, %j, %k, dim = 2 : (tensor<8x3x1xi32>, tensor<8x3x1xi32>, tensor<8x3x1xi32>) -> tensor<8x3x3xi32>
  %g = "stablehlo.gather"(%x, %idx) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1, 2], start_index_map = [1, 0, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<8x16x4xf32>, tensor<8x3x3xi32>) -> tensor<8x3xf32>
  return %g : tensor<8x3xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x16x4xf32>, %arg1: tensor<8x3x1xi32>, %arg2: tensor<8x3x1xi32>) -> tensor<8x3xf32> {
// CHECK-NEXT: %0 = stablehlo.concatenate %arg2, %arg1, dim = 2 : (tensor<8x3x1xi32>, tensor<8x3x1xi32>) -> tensor<8x3x2xi32>
// CHECK-NEXT: %1 = "stablehlo.gather"(%arg0, %0) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1, 2], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<8x16x4xf32>, tensor<8x3x2xi32>) -> tensor<8x3xf32>
// CHECK-NEXT: return %1 : tensor<8x3xf32>
// CHECK-NEXT: }

// -----

// One index tensor: its other component is sliced out.
func.func @main(%x: tensor<8x16x4xf32>, %k: tensor<8x3x1xi32>) -> tensor<8x4xf32> {
  %idx = stablehlo.iota dim = 0 : tensor<8x2xi32>
  %g = "stablehlo.gather"(%x, %idx) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 4>}> : (tensor<8x16x4xf32>, tensor<8x2xi32>) -> tensor<8x4xf32>
  return %g : tensor<8x4xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x16x4xf32>, %arg1: tensor<8x3x1xi32>) -> tensor<8x4xf32> {
// CHECK-NEXT: %0 = stablehlo.iota dim = 0 : tensor<8x2xi32>
// CHECK-NEXT: %1 = stablehlo.slice %0 [0:8, 1:2] : (tensor<8x2xi32>) -> tensor<8x1xi32>
// CHECK-NEXT: %2 = "stablehlo.gather"(%arg0, %1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 4>}> : (tensor<8x16x4xf32>, tensor<8x1xi32>) -> tensor<8x4xf32>
// CHECK-NEXT: return %2 : tensor<8x4xf32>
// CHECK-NEXT: }

// -----

// `i < 0 ? i + n : i` counts as an iota; scatter.
func.func @main(%x: tensor<8x16x4xf32>, %k: tensor<8x1xi32>, %u: tensor<8x4xf32>) -> tensor<8x16x4xf32> {
  %i = stablehlo.iota dim = 0 : tensor<8x1xi32>
  %z = stablehlo.constant dense<0> : tensor<8x1xi32>
  %n = stablehlo.constant dense<8> : tensor<8x1xi32>
  %p = stablehlo.compare LT, %i, %z : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi1>
  %q = stablehlo.add %i, %n : tensor<8x1xi32>
  %s = stablehlo.select %p, %q, %i : tensor<8x1xi1>, tensor<8x1xi32>
  %idx = stablehlo.concatenate %k, %s, dim = 1 : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x2xi32>
  %g = "stablehlo.scatter"(%x, %idx, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      stablehlo.return %b : tensor<f32>
  }) : (tensor<8x16x4xf32>, tensor<8x2xi32>, tensor<8x4xf32>) -> tensor<8x16x4xf32>
  return %g : tensor<8x16x4xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x16x4xf32>, %arg1: tensor<8x1xi32>, %arg2: tensor<8x4xf32>) -> tensor<8x16x4xf32> {
// CHECK-NEXT: %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = true}> ({
// CHECK-NEXT: ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
// CHECK-NEXT: stablehlo.return %arg4 : tensor<f32>
// CHECK-NEXT: }) : (tensor<8x16x4xf32>, tensor<8x1xi32>, tensor<8x4xf32>) -> tensor<8x16x4xf32>
// CHECK-NEXT: return %0 : tensor<8x16x4xf32>
// CHECK-NEXT: }
