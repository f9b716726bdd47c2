// Updates of a part of a sharded value: each shard writes what falls into it,
// and nothing is sent.
// RUN: shardwright-opt %s --sw-partition | FileCheck %s

sdy.mesh @mesh = <["x"=4, "y"=2]>
sdy.mesh @one = <[], device_ids=[0]>

// `x.at[1:4, 5:15].set(w)`: the place is known.
// CHECK-LABEL: @set
// CHECK-NOT: "stablehlo.{{all|collective}}
// CHECK-NOT: stablehlo.scatter
// CHECK: %[[W:.*]] = stablehlo.dynamic_slice %{{.*}}, sizes = [2, 8] : (tensor<7x26xf32>
// CHECK: %[[OLD:.*]] = stablehlo.dynamic_slice %arg0, {{.*}}, sizes = [2, 8] : (tensor<2x8xf32>
// CHECK: %[[NEW:.*]] = stablehlo.select %{{.*}}, %[[W]], %[[OLD]]
// CHECK: stablehlo.dynamic_update_slice %arg0, %[[NEW]]
// CHECK-NOT: "stablehlo.{{all|collective}}
// CHECK: return
func.func @set(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<3x10xf32>) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c5 = stablehlo.constant dense<5> : tensor<i32>
  %0 = stablehlo.broadcast_in_dim %c1, dims = [] : (tensor<i32>) -> tensor<1xi32>
  %1 = stablehlo.broadcast_in_dim %c5, dims = [] : (tensor<i32>) -> tensor<1xi32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %3 = "stablehlo.scatter"(%arg0, %2, %arg1) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1]>, unique_indices = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8x16xf32>, tensor<2xi32>, tensor<3x10xf32>) -> tensor<8x16xf32>
  return %3 : tensor<8x16xf32>
}

// Of a sharded update, the update moves.
// CHECK-LABEL: @sharded_update
// CHECK: %[[W:.*]] = "stablehlo.all_gather"(%arg1)
// CHECK-NOT: "stablehlo.{{all|collective}}
// CHECK: stablehlo.dynamic_update_slice %arg0
// CHECK-NOT: "stablehlo.{{all|collective}}
// CHECK: return
func.func @sharded_update(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg2: tensor<i32>) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2, %zero {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8x16xf32>, tensor<4x16xf32>, tensor<i32>, tensor<i32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// `x.at[i, 2:5].set(w)`: a row of the first dimension, rows of the second. It
// is not done at all where the window is not inside of the operand.
// CHECK-LABEL: @row
// CHECK-NOT: "stablehlo.{{all|collective}}
// CHECK: %[[ROOM:.*]] = stablehlo.pad %arg0, {{.*}}, low = [0, 2], high = [0, 2]
// CHECK: %[[S:.*]] = "stablehlo.scatter"(%[[ROOM]],
// CHECK: stablehlo.slice %[[S]] [0:2, 2:10]
// CHECK-NOT: "stablehlo.{{all|collective}}
// CHECK: return
func.func @row(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<2xi32>, %arg2: tensor<3xf32>) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8x16xf32>, tensor<2xi32>, tensor<3xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// Several windows that are added, and whose index vectors are split.
// CHECK-LABEL: @added
// CHECK: stablehlo.pad %{{.*}}, low = [0, 3], high = [0, 3]
// CHECK: "stablehlo.scatter"
// CHECK: "stablehlo.all_reduce"
// CHECK-NOT: "stablehlo.{{all|collective}}
// CHECK: return
func.func @added(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %arg1: tensor<64x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg2: tensor<64x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<8x16xf32>, tensor<64x2xi32>, tensor<64x4xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// A window that is as long as the dimension moves with its shards, although an
// index names the dimension; of the other one, it covers a part.
// CHECK-LABEL: @whole_rows
// CHECK-NOT: "stablehlo.{{all|collective}}
// CHECK: %[[S:.*]] = "stablehlo.scatter"(%arg0, %arg1, %arg2)
// CHECK: return %[[S]] : tensor<2x16xf32>
func.func @whole_rows(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<7x2xi32>, %arg2: tensor<8x4x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.minimum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x16xf32>, tensor<7x2xi32>, tensor<8x4x7xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// An update that is for one device, whose sharding has no dimensions.
// CHECK-LABEL: @from_one_device
// CHECK-NOT: "stablehlo.{{all|collective}}
// CHECK: stablehlo.dynamic_update_slice
// CHECK: return
func.func @from_one_device(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<3xf32>) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %at = stablehlo.constant dense<[5, 7]> : tensor<2xi32>
  %0 = stablehlo.negate %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : tensor<3xf32>
  %1 = "stablehlo.scatter"(%arg0, %at, %0) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8x16xf32>, tensor<2xi32>, tensor<3xf32>) -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}
