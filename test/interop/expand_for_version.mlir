// RUN: shardwright convert %s --to=portable --version=1.0.0 | shardwright convert - --to=text | FileCheck %s
// RUN: shardwright convert %s --to=portable --version=1.4.0 | shardwright convert - --to=text | FileCheck %s --check-prefix=KEEP

// KEEP: stablehlo.tan
// KEEP: operand_batching_dims
// KEEP: input_batching_dims

// CHECK-LABEL: func.func @tan
// CHECK: %[[SIN:.*]] = stablehlo.sine %arg0
// CHECK: %[[COS:.*]] = stablehlo.cosine %arg0
// CHECK: stablehlo.divide %[[SIN]], %[[COS]]
func.func @tan(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tan %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @gather
// CHECK: %[[ROW:.*]] = stablehlo.iota dim = 0 : tensor<3x1xi32>
// CHECK: %[[I:.*]] = stablehlo.concatenate %[[ROW]], %arg1, dim = 1 : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>
// CHECK: "stablehlo.gather"(%arg0, %[[I]]) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}>
func.func @gather(%x: tensor<3x5xf32>, %i: tensor<3x1xi32>) -> tensor<3xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<3x5xf32>, tensor<3x1xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// Positions up to 299 need more than 8 bits; the index vector is implicit.
// CHECK-LABEL: func.func @scatter
// CHECK: %[[WIDE:.*]] = stablehlo.convert %arg1 : (tensor<300xi8>) -> tensor<300xi64>
// CHECK: %[[VECTOR:.*]] = stablehlo.reshape %[[WIDE]] : (tensor<300xi64>) -> tensor<300x1xi64>
// CHECK: %[[ROW:.*]] = stablehlo.iota dim = 0 : tensor<300x1xi64>
// CHECK: %[[I:.*]] = stablehlo.concatenate %[[ROW]], %[[VECTOR]], dim = 1
// CHECK: "stablehlo.scatter"(%arg0, %[[I]], %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}>
func.func @scatter(%x: tensor<300x5xf32>, %i: tensor<300xi8>, %u: tensor<300xf32>) -> tensor<300x5xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<300x5xf32>, tensor<300xi8>, tensor<300xf32>) -> tensor<300x5xf32>
  return %0 : tensor<300x5xf32>
}
