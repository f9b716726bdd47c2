// Gather and scatter whose indexed dimension is sharded.
// RUN: shardwright-opt %s --sw-partition | FileCheck %s

sdy.mesh @mesh = <["x"=4, "y"=2]>

// CHECK-LABEL: @embedding
// CHECK-SAME: (%arg0: tensor<256x512xf32>, %arg1: tensor<4x1xi32>) -> tensor<4x512xf32>
// CHECK: stablehlo.clamp
// CHECK: %[[G:.*]] = "stablehlo.gather"(%arg0
// CHECK: %[[M:.*]] = stablehlo.select {{.*}}, %[[G]]
// CHECK: "stablehlo.all_reduce"(%[[M]])
func.func @embedding(%arg0: tensor<1024x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<8x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 512>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<1024x512xf32>, tensor<8x1xi32>) -> tensor<8x512xf32>
  return %0 : tensor<8x512xf32>
}

// CHECK-LABEL: @embedding_gradient
// CHECK: stablehlo.subtract
// CHECK: "stablehlo.scatter"
// CHECK: -> tensor<16x16xf32>
func.func @embedding_gradient(%arg0: tensor<64x16xf32>, %arg1: tensor<8x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %arg2: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<64x16xf32>, tensor<8x1xi32>, tensor<8x16xf32>) -> tensor<64x16xf32>
  return %0 : tensor<64x16xf32>
}
