// RUN: shardwright-opt %s -sdy-resolve-permutation-factors | FileCheck %s
// RUN: shardwright-opt %s -sdy-resolve-permutation-factors=enable-halo-exchange=false | FileCheck %s --check-prefix=WHOLE
// RUN: shardwright-opt %s -sdy-resolve-permutation-factors=sw-shardy=0.10.2 | FileCheck %s --check-prefix=OLD

// CHECK: sdy.mesh @m_reversed = <["x"=2, "y"=2], device_ids=[2, 3, 0, 1]>
sdy.mesh @m = <["x"=2, "y"=2]>

// Only one row of each neighbour travels.

// CHECK-LABEL: func.func @pad
// CHECK: sdy.manual_computation(%arg0, %cst) {{.*}} manual_axes={"x"}
// CHECK-SAME: tensor<4x8xf32>
// CHECK: "stablehlo.collective_permute"{{.*}}source_target_pairs = dense<{{\[\[}}0, 2], [1, 3]]>{{.*}}-> tensor<1x8xf32>
// CHECK-NOT: collective_permute
// CHECK: sdy.return {{.*}} : tensor<5x8xf32>
// OLD-LABEL: func.func @pad
// OLD: sdy.reshard %arg0 <@m, [{}, {}]>
// WHOLE-LABEL: func.func @pad
// WHOLE: sdy.reshard %arg0 <@m, [{}, {}]>
// WHOLE: stablehlo.pad
// WHOLE: sdy.reshard {{.*}} <@m, [{"x"}, {}]>
func.func @pad(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<10x8xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.pad %a, %c, low = [2, 0], high = [0, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<10x8xf32>
  return %0 : tensor<10x8xf32>
}

// CHECK-LABEL: func.func @local_slice
// CHECK-NEXT: stablehlo.slice
// CHECK-NEXT: return
// WHOLE-LABEL: func.func @local_slice
// WHOLE-NEXT: stablehlo.slice
func.func @local_slice(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<7xf32> {
  %0 = stablehlo.slice %a [0:7] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// CHECK-LABEL: func.func @reverse
// CHECK: %[[R:.*]] = stablehlo.reverse %arg0, dims = [0] {{.*}}@m_reversed
// CHECK: sdy.reshard %[[R]] <@m, [{"x"}, {"y"}]>
// OLD-LABEL: func.func @reverse
// OLD: %[[R:.*]] = sdy.reshard %arg0 <@m_reversed, [{"x"}, {"y"}]>
// OLD-NEXT: stablehlo.reverse %[[R]], dims = [0] {{.*}}@m,
// WHOLE-LABEL: func.func @reverse
// WHOLE: sdy.reshard %arg0 <@m, [{}, {"y"}]>
// WHOLE: stablehlo.reverse
func.func @reverse(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.reverse %a, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @window
// CHECK: sdy.reshard %arg0 <@m, [{}, {"y"}]>
// CHECK: stablehlo.reduce_window
// CHECK: sdy.reshard {{.*}} <@m, [{"x"}, {"y"}]>
func.func @window(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> tensor<4x8xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%a, %c) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// 5 rows in shards of 3, of which the first shard lacks half a row.

// CHECK-LABEL: func.func @uneven_split
// CHECK: sdy.manual_computation
// CHECK: stablehlo.reshape {{.*}} : (tensor<6xf32>) -> tensor<3x2xf32>
// CHECK: stablehlo.slice {{.*}} [0:5, 0:2]
// WHOLE-LABEL: func.func @uneven_split
// WHOLE: sdy.reshard %arg0 <@m, [{}]>
func.func @uneven_split(%a: tensor<10xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<5x2xf32> {
  %0 = stablehlo.reshape %a {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<10xf32>) -> tensor<5x2xf32>
  return %0 : tensor<5x2xf32>
}

// The parts of a convolution whose rows are made whole are added up first.
// CHECK-LABEL: func.func @parts_before_rows
// CHECK: %[[C:.*]] = stablehlo.convolution{{.*}}sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}, {}]>]>
// CHECK-NEXT: %[[R:.*]] = sdy.all_reduce {"x"} %[[C]] out_sharding=<@m, [{}, {}, {}]>
// CHECK-NEXT: sdy.reshard %[[R]] <@m, [{}, {"y"}, {}]>
func.func @parts_before_rows(%a: tensor<2x8x2xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}, {"x"}]>}, %k: tensor<4x2x1xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>}) -> (tensor<2x4x1xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}, {}]>}) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"y"}, {}]>]>} : (tensor<2x8x2xf32>, tensor<4x2x1xf32>) -> tensor<2x4x1xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@m, [{}, {"y"}, {}]> : tensor<2x4x1xf32>
  return %1 : tensor<2x4x1xf32>
}

// Parts that nobody adds up are made of whole operands.
// CHECK-LABEL: func.func @parts_of_nobody
// CHECK: %[[I:.*]] = sdy.reshard %arg1 <@m, [{}, {}]>
// CHECK-NEXT: %[[U:.*]] = sdy.reshard %arg2 <@m, [{}, {}]>
// CHECK-NEXT: "stablehlo.scatter"(%arg0, %[[I]], %[[U]])
func.func @parts_of_nobody(%a: tensor<8x4xf32>, %i: tensor<4x1xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %u: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x4xf32> {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x4xf32>, tensor<4x1xi32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// A dimension that is written at its first row alone is whole.
// CHECK-LABEL: func.func @inserted_but_not_indexed
// CHECK: %[[A:.*]] = sdy.reshard %arg0 <@m, [{}, {"y"}]>
// CHECK-NEXT: %[[S:.*]] = "stablehlo.scatter"(%[[A]], %arg1, %arg2)
// CHECK: sdy.reshard %[[S]] <@m, [{"x"}, {"y"}]>
func.func @inserted_but_not_indexed(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, %i: tensor<4x1xi32>, %u: tensor<4xf32>) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : (tensor<8x4xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// A reshape of no elements has no rule.
// CHECK-LABEL: func.func @empty_reshape
// CHECK: %[[A:.*]] = sdy.reshard %arg0 <@m, [{}, {}]>
// CHECK-NEXT: %[[R:.*]] = stablehlo.reshape %[[A]]
// CHECK-NEXT: sdy.reshard %[[R]] <@m, [{}, {"y"}]>
func.func @empty_reshape(%a: tensor<4x0xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<0x2xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}) {
  %0 = stablehlo.reshape %a {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"y"}]>]>} : (tensor<4x0xf32>) -> tensor<0x2xf32>
  return %0 : tensor<0x2xf32>
}

// A result that says of whole operands that they are parts gets zeros beside it;
// what the op makes parts of are those.
// CHECK-LABEL: func.func @parts_of_whole
// CHECK: %[[S:.*]] = stablehlo.reduce(%arg0{{.*}}unreduced={"x"}>]>}
// CHECK-NEXT: %[[R:.*]] = sdy.replicated_to_unreduced {"y"} %[[S]] out_sharding=<@m, [{}], unreduced={"x", "y"}>
// CHECK-NEXT: sdy.all_reduce {"x", "y"} %[[R]]
func.func @parts_of_whole(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"x", "y"}>]>} : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = sdy.all_reduce {"x", "y"} %0 out_sharding=<@m, [{}]> : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// A call that reduces a dimension reads it whole.

// CHECK-LABEL: func.func @top_of_shards
// CHECK: %[[VALUES:.*]] = sdy.reshard %arg0 <@m, [{}]>
// CHECK: %[[POSITIONS:.*]] = sdy.reshard %arg1 <@m, [{}]>
// CHECK: custom_call @ApproxTopK(%[[VALUES]], %[[POSITIONS]],
func.func @top_of_shards(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %i: tensor<16xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %f: tensor<f32>, %z: tensor<i32>) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) {
  %0:2 = stablehlo.custom_call @ApproxTopK(%a, %i, %f, %z) {called_computations = [@better], mhlo.backend_config = {aggregate_to_topk = true, recall_target = 9.5e-01 : f32, reduction_dim = 0 : i64, reduction_input_size_override = -1 : i64, top_k = 4 : i64}, sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>, <@m, [{}]>]>} : (tensor<16xf32>, tensor<16xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
  return %0#0 : tensor<4xf32>
}
func.func private @better(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
