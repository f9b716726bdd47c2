// RUN: shardwright-opt %s -sw-print-clusters -o /dev/null 2>&1 | FileCheck %s

// What a scatter updates is a buffer of its own, also when it is only a fill: the output
// shares the buffer of that param, not of the indices.
// CHECK: kernel scatter
// CHECK: %[[OLD:[0-9]+]] = param f32[32,8]
// CHECK: = scatter f32[32,8] %[[OLD]]
// CHECK-NEXT: -> {{.*}}@[[OLD]]
func.func @main(%indices: tensor<16x1xi32>, %updates: tensor<16x8xf32>) -> tensor<32x8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %fill = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
  %0 = "stablehlo.scatter"(%fill, %indices, %updates) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<32x8xf32>, tensor<16x1xi32>, tensor<16x8xf32>) -> tensor<32x8xf32>
  return %0 : tensor<32x8xf32>
}
