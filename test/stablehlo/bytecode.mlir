// RUN: shardwright-opt %s --emit-bytecode | shardwright-opt | FileCheck %s
// RUN: shardwright-opt %s --emit-bytecode | not grep -q "stablehlo\."

// Every attribute and type of the dialect has a code of its own in bytecode.

// CHECK-DAG: a01 = #stablehlo<precision HIGHEST>
// CHECK-DAG: a02 = #stablehlo<comparison_direction LT>
// CHECK-DAG: a03 = #stablehlo<comparison_type SIGNED>
// CHECK-DAG: a04 = #stablehlo<fft_type RFFT>
// CHECK-DAG: a05 = #stablehlo<transpose ADJOINT>
// CHECK-DAG: a06 = #stablehlo<rng_distribution NORMAL>
// CHECK-DAG: a07 = #stablehlo<rng_algorithm PHILOX>
// CHECK-DAG: a08 = #stablehlo.result_accuracy_mode<HIGHEST>
// CHECK-DAG: a09 = #stablehlo.result_accuracy<atol = 1.000000e-05, ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>
// CHECK-DAG: a10 = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [2], operand_batching_dims = [3], start_indices_batching_dims = [4], start_index_map = [5], index_vector_dim = 6>
// CHECK-DAG: a11 = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [2], input_batching_dims = [3], scatter_indices_batching_dims = [4], scatter_dims_to_operand_dims = [5], index_vector_dim = 6>
// CHECK-DAG: a12 = #stablehlo.dot<lhs_batching_dimensions = [1], rhs_batching_dimensions = [2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [4]>
// CHECK-DAG: a13 = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, 1, 0, f]>
// CHECK-DAG: a14 = #stablehlo.channel_handle<handle = 5, type = 1>
// CHECK-DAG: a15 = #stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 2, operand_tuple_indices = [3]>
// CHECK-DAG: a16 = #stablehlo.bounds<3, ?>
// CHECK-DAG: a17 = #stablehlo.mesh_axis<name = "x", size = 2>
// CHECK-DAG: a18 = #stablehlo.mesh<axes=[<name = "x", size = 2>], device_ids=dense<[1, 0]> : tensor<2xi64>>
// CHECK-DAG: a19 = #stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>
// CHECK-DAG: a20 = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "x">]>
// CHECK-DAG: a21 = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false>
// CHECK-DAG: a22 = !stablehlo.token
// CHECK-DAG: a23 = !stablehlo.future<tensor<2xf32>, tensor<3xf32>>
// CHECK-DAG: a24 = #chlo<comparison_direction LT>
// CHECK-DAG: a25 = #chlo<comparison_type TOTALORDER>
// CHECK-DAG: a26 = #chlo<precision HIGH>
module attributes {
  x.a01 = #stablehlo<precision HIGHEST>,
  x.a02 = #stablehlo<comparison_direction LT>,
  x.a03 = #stablehlo<comparison_type SIGNED>,
  x.a04 = #stablehlo<fft_type RFFT>,
  x.a05 = #stablehlo<transpose ADJOINT>,
  x.a06 = #stablehlo<rng_distribution NORMAL>,
  x.a07 = #stablehlo<rng_algorithm PHILOX>,
  x.a08 = #stablehlo.result_accuracy_mode<HIGHEST>,
  x.a09 = #stablehlo.result_accuracy<atol = 1.0e-5, ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>,
  x.a10 = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [2], operand_batching_dims = [3], start_indices_batching_dims = [4], start_index_map = [5], index_vector_dim = 6>,
  x.a11 = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [2], input_batching_dims = [3], scatter_indices_batching_dims = [4], scatter_dims_to_operand_dims = [5], index_vector_dim = 6>,
  x.a12 = #stablehlo.dot<lhs_batching_dimensions = [1], rhs_batching_dimensions = [2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [4]>,
  x.a13 = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, 1, 0, f]>,
  x.a14 = #stablehlo.channel_handle<handle = 5, type = 1>,
  x.a15 = #stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 2, operand_tuple_indices = [3]>,
  x.a16 = #stablehlo.bounds<3, ?>,
  x.a17 = #stablehlo.mesh_axis<name = "x", size = 2>,
  x.a18 = #stablehlo.mesh<axes=[<name = "x", size = 2>], device_ids=dense<[1, 0]> : tensor<2xi64>>,
  x.a19 = #stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>,
  x.a20 = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "x">]>,
  x.a21 = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false>,
  x.a22 = !stablehlo.token,
  x.a23 = !stablehlo.future<tensor<2xf32>, tensor<3xf32>>,
  x.a24 = #chlo<comparison_direction LT>,
  x.a25 = #chlo<comparison_type TOTALORDER>,
  x.a26 = #chlo<precision HIGH>
} {}
