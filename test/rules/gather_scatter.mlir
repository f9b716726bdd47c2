// Gather and scatter.
// RUN: shardwright-opt %s --pass-pipeline='builtin.module(func.func(sdy-populate-op-sharding-rules))' --mlir-print-op-generic | FileCheck %s

// CHECK-LABEL: sym_name = "gather"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([o, k, l, m], [i, j, p])->([i, j, k, l, n]) {i=2, j=3, k=4, l=2, m=5, n=1, o=3, p=3} reduction={m, o} need_replication={k, n, p} blocked_propagation={k}>
func.func @gather(%a0: tensor<3x4x2x5xf32>, %a1: tensor<2x3x3xi32>) {
  %r = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3, 4], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0, 1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 2, 2, 1>}> : (tensor<3x4x2x5xf32>, tensor<2x3x3xi32>) -> (tensor<2x3x2x2x1xf32>)
  return
}

// CHECK-LABEL: sym_name = "scatter_add"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([n, k, m], [i, j, o], [i, j, l, m])->([n, k, m]) {i=2, j=3, k=4, l=2, m=2, n=3, o=2} reduction={i, j} need_replication={k, l, o}>
func.func @scatter_add(%a0: tensor<3x4x2xf32>, %a1: tensor<2x3x2xi32>, %a2: tensor<2x3x2x2xf32>) {
  %r = "stablehlo.scatter"(%a0, %a1, %a2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %c0 = stablehlo.add %x0, %x1 : tensor<f32>
    stablehlo.return %c0 : tensor<f32>
  }) : (tensor<3x4x2xf32>, tensor<2x3x2xi32>, tensor<2x3x2x2xf32>) -> (tensor<3x4x2xf32>)
  return
}

// Not a common reduction: updates must all be there.
// CHECK-LABEL: sym_name = "scatter_subtract"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([n, k, m], [i, j, o], [i, j, l, m])->([n, k, m]) {i=2, j=3, k=4, l=2, m=2, n=3, o=2} need_replication={i, j, k, l, o}>
func.func @scatter_subtract(%a0: tensor<3x4x2xf32>, %a1: tensor<2x3x2xi32>, %a2: tensor<2x3x2x2xf32>) {
  %r = "stablehlo.scatter"(%a0, %a1, %a2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %c0 = stablehlo.subtract %x0, %x1 : tensor<f32>
    stablehlo.return %c0 : tensor<f32>
  }) : (tensor<3x4x2xf32>, tensor<2x3x2xi32>, tensor<2x3x2x2xf32>) -> (tensor<3x4x2xf32>)
  return
}

// `and` counts on i1 only.
// CHECK-LABEL: sym_name = "scatter_and_bool"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([n, k, m], [i, j, o], [i, j, l, m])->([n, k, m]) {i=2, j=3, k=4, l=2, m=2, n=3, o=2} reduction={i, j} need_replication={k, l, o}>
func.func @scatter_and_bool(%a0: tensor<3x4x2xi1>, %a1: tensor<2x3x2xi32>, %a2: tensor<2x3x2x2xi1>) {
  %r = "stablehlo.scatter"(%a0, %a1, %a2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>}> ({
  ^bb0(%x0: tensor<i1>, %x1: tensor<i1>):
    %c0 = stablehlo.and %x0, %x1 : tensor<i1>
    stablehlo.return %c0 : tensor<i1>
  }) : (tensor<3x4x2xi1>, tensor<2x3x2xi32>, tensor<2x3x2x2xi1>) -> (tensor<3x4x2xi1>)
  return
}

// CHECK-LABEL: sym_name = "scatter_and_int"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([n, k, m], [i, j, o], [i, j, l, m])->([n, k, m]) {i=2, j=3, k=4, l=2, m=2, n=3, o=2} need_replication={i, j, k, l, o}>
func.func @scatter_and_int(%a0: tensor<3x4x2xi32>, %a1: tensor<2x3x2xi32>, %a2: tensor<2x3x2x2xi32>) {
  %r = "stablehlo.scatter"(%a0, %a1, %a2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>}> ({
  ^bb0(%x0: tensor<i32>, %x1: tensor<i32>):
    %c0 = stablehlo.and %x0, %x1 : tensor<i32>
    stablehlo.return %c0 : tensor<i32>
  }) : (tensor<3x4x2xi32>, tensor<2x3x2xi32>, tensor<2x3x2x2xi32>) -> (tensor<3x4x2xi32>)
  return
}

// CHECK-LABEL: sym_name = "scatter_batching"
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([j, m, i, l], [i, j, k, n], [i, j, k, l])->([j, m, i, l]) {i=7, j=5, k=3, l=4, m=3, n=2} reduction={k} need_replication={n}>
func.func @scatter_batching(%a0: tensor<5x3x7x4xf32>, %a1: tensor<7x5x3x2xi32>, %a2: tensor<7x5x3x4xf32>) {
  %r = "stablehlo.scatter"(%a0, %a1, %a2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3], inserted_window_dims = [1], input_batching_dims = [0, 2], scatter_indices_batching_dims = [1, 0], scatter_dims_to_operand_dims = [1, 3], index_vector_dim = 3>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %c0 = stablehlo.add %x0, %x1 : tensor<f32>
    stablehlo.return %c0 : tensor<f32>
  }) : (tensor<5x3x7x4xf32>, tensor<7x5x3x2xi32>, tensor<7x5x3x4xf32>) -> (tensor<5x3x7x4xf32>)
  return
}
