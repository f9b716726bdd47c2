// Indices into sharded dimensions are shifted into the shard; a dimension that no
// index names is read or written at its first row, which the first shard has.
// RUN: shardwright-opt %s -sdy-convert-global-to-local=enable-rgv3=false | FileCheck %s

sdy.mesh @m = <["x"=2, "y"=2]>

// Index vectors that are scalars, for another dimension than the sharded one.
// CHECK-LABEL: func.func @scalar_indices
// CHECK: %[[T:.*]] = stablehlo.constant dense<[0, 0, 2, 2]>
// CHECK: %[[S:.*]] = stablehlo.dynamic_slice %[[T]]
// CHECK: %[[O:.*]] = stablehlo.reshape %[[S]]
// CHECK: %[[IS:.*]] = stablehlo.compare EQ, %[[O]], %{{.*}} -> tensor<i1>
// CHECK: %[[IN:.*]] = stablehlo.broadcast_in_dim %[[IS]], dims = [] : (tensor<i1>) -> tensor<3xi1>
// CHECK: %[[G:.*]] = "stablehlo.gather"(%arg0, %arg1){{.*}} : (tensor<4x2xf32>, tensor<3xi32>) -> tensor<3xf32>
// CHECK: stablehlo.select %[[IN]], %[[G]], %{{.*}} : tensor<3xi1>, tensor<3xf32>
// CHECK: "stablehlo.all_reduce"
func.func @scalar_indices(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %i: tensor<3xi32>) -> tensor<3xf32> {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>]>} : (tensor<4x4xf32>, tensor<3xi32>) -> tensor<3xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@m, [{}]> : tensor<3xf32>
  return %1 : tensor<3xf32>
}

// One dimension that an index names and one that none does.
// CHECK-LABEL: func.func @indexed_and_fixed
// CHECK: %[[FIRST:.*]] = stablehlo.broadcast_in_dim %{{.*}}, dims = [] : (tensor<i1>) -> tensor<3xi1>
// CHECK: stablehlo.clamp
// CHECK: %[[MINE:.*]] = stablehlo.broadcast_in_dim %{{.*}}, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
// CHECK: %[[BOTH:.*]] = stablehlo.and %[[FIRST]], %[[MINE]]
// CHECK: stablehlo.select %[[BOTH]]
func.func @indexed_and_fixed(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, %i: tensor<3xi32>) -> tensor<3xf32> {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>]>} : (tensor<4x4xf32>, tensor<3xi32>) -> tensor<3xf32>
  %1 = sdy.all_reduce {"x", "y"} %0 out_sharding=<@m, [{}]> : tensor<3xf32>
  return %1 : tensor<3xf32>
}

// No index at all.
// CHECK-LABEL: func.func @no_index
// CHECK: "stablehlo.gather"(%arg0, %arg1){{.*}} : (tensor<2x4xf32>, tensor<3x0xi32>) -> tensor<3x4xf32>
// CHECK: stablehlo.select
func.func @no_index(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %i: tensor<3x0xi32>) -> tensor<3x4xf32> {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}]>]>} : (tensor<4x4xf32>, tensor<3x0xi32>) -> tensor<3x4xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@m, [{}, {}]> : tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}

// A dimension that an index names and that stays in the window.
// CHECK-LABEL: func.func @one_row_window
// CHECK: %[[I:.*]] = stablehlo.subtract
// CHECK: "stablehlo.scatter"(%arg0, %[[I]], %arg2)
// CHECK: (tensor<2x4xf32>, tensor<3x1xi64>, tensor<3x1x4xf32>) -> tensor<2x4xf32>
func.func @one_row_window(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %i: tensor<3x1xi32>, %u: tensor<3x1x4xf32>) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<3x1x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// The same that no index names: the first shard alone is updated.
// CHECK-LABEL: func.func @fixed_window
// CHECK: %[[IS:.*]] = stablehlo.compare EQ
// CHECK: %[[S:.*]] = "stablehlo.scatter"(%arg0, %arg1, %arg2)
// CHECK: %[[R:.*]] = stablehlo.select %[[IS]], %[[S]], %arg0 : tensor<i1>, tensor<2x4xf32>
// CHECK: return %[[R]]
func.func @fixed_window(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %i: tensor<3x1xi32>, %u: tensor<3x1x4xf32>) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<3x1x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// A window as long as its dimension is in it at one place only: no index moves.
// CHECK-LABEL: func.func @whole_window
// CHECK: "stablehlo.scatter"(%arg0, %arg1, %arg2)
// CHECK: (tensor<2x4xf32>, tensor<3x1xi32>, tensor<3x2x4xf32>) -> tensor<2x4xf32>
func.func @whole_window(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %i: tensor<3x1xi32>, %u: tensor<3x4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<3x4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// Some rows of it: the shard gets room for what of a window is beside it.
// CHECK-LABEL: func.func @part_of_window
// CHECK: %[[P:.*]] = stablehlo.pad %arg0, %{{.*}}, low = [1, 0], high = [1, 0]
// CHECK: "stablehlo.scatter"(%[[P]],
// CHECK: stablehlo.slice %{{.*}} [1:3, 0:4]
func.func @part_of_window(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %i: tensor<3x1xi32>, %u: tensor<3x2x4xf32>) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    stablehlo.return %q : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<3x2x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// Shards that start between rows, each with all the rows of its part.
// CHECK-LABEL: func.func @interior_pad
// CHECK: %[[T:.*]] = stablehlo.constant dense<[0, 0, 1, 1]>
// CHECK: %[[S:.*]] = stablehlo.dynamic_slice %[[T]]
// CHECK: %[[O:.*]] = stablehlo.reshape %[[S]]
// CHECK: %[[P:.*]] = stablehlo.pad %arg0, %arg1, low = [2], high = [2], interior = [2] {{.*}} : (tensor<8xf32>, tensor<f32>) -> tensor<26xf32>
// CHECK: stablehlo.dynamic_slice %[[P]], %[[O]], sizes = [25]
func.func @interior_pad(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %z: tensor<f32>) -> (tensor<50xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = stablehlo.pad %a, %z, low = [2], high = [2], interior = [2] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<16xf32>, tensor<f32>) -> tensor<50xf32>
  return %0 : tensor<50xf32>
}
