// RUN: shardwright-opt %s | FileCheck %s
// RUN: shardwright-opt %s | shardwright-opt | FileCheck %s
// RUN: shardwright-opt %s --emit-bytecode | shardwright-opt | FileCheck %s

// Attributes and types of the dialect, as text and in bytecode.

// CHECK-LABEL: vhlo.func_v1 @types
// CHECK-SAME: %{{.*}}: !vhlo.buffer_v1<2x!vhlo.f32_v1>, %{{.*}}: !vhlo.tuple_v1<!vhlo.tensor_v1<!vhlo.bool_v1>, !vhlo.tuple_v1<>>
// CHECK-SAME: %{{.*}}: !vhlo.tensor_v1<2x!vhlo.complex_v1<!vhlo.f64_v1>>
// CHECK-SAME: %{{.*}}: !vhlo.future_v1<!vhlo.tensor_v1<2x!vhlo.bf16_v1>, !vhlo.tensor_v1<!vhlo.ui8_v1>>
// CHECK-SAME: %{{.*}}: !vhlo.token_v1, %{{.*}}: !vhlo.tensor_v1<2x?x!vhlo.f32_v1, #vhlo.type_extensions_v1<bounds = [?, 3]>>
// CHECK-SAME: %{{.*}}: !vhlo.tensor_v1<2x!vhlo.quant_v1<!vhlo.i8_v1:!vhlo.f32_v1, 1.000000e-01:-3, -128:127, 1>>
// CHECK-SAME: %{{.*}}: !vhlo.tensor_v1<2x!vhlo.quant_per_axis_v1<!vhlo.i8_v1:!vhlo.f32_v1, 0, [1.000000e-01, 2.000000e-01], [0, 3], -128:127, 1>>
// CHECK-SAME: %{{.*}}: !vhlo.unranked_tensor_v1<!vhlo.f32_v1>
// CHECK-SAME: -> (!vhlo.tensor_v1<!vhlo.f8E4M3FN_v1>, !vhlo.index_v1)
vhlo.func_v1 @types(
    %a: !vhlo.buffer_v1<2x!vhlo.f32_v1>, %b: !vhlo.tuple_v1<!vhlo.tensor_v1<!vhlo.bool_v1>, !vhlo.tuple_v1<>>,
    %c: !vhlo.tensor_v1<2x!vhlo.complex_v1<!vhlo.f64_v1>>,
    %d: !vhlo.future_v1<!vhlo.tensor_v1<2x!vhlo.bf16_v1>, !vhlo.tensor_v1<!vhlo.ui8_v1>>,
    %e: !vhlo.token_v1, %f: !vhlo.tensor_v1<2x?x!vhlo.f32_v1, #vhlo.type_extensions_v1<bounds = [?, 3]>>,
    %g: !vhlo.tensor_v1<2x!vhlo.quant_v1<!vhlo.i8_v1:!vhlo.f32_v1, 1.000000e-01:-3, -128:127, 1>>,
    %h: !vhlo.tensor_v1<2x!vhlo.quant_per_axis_v1<!vhlo.i8_v1:!vhlo.f32_v1, 0, [1.000000e-01, 2.000000e-01], [0, 3], -128:127, 1>>,
    %i: !vhlo.unranked_tensor_v1<!vhlo.f32_v1>) -> (!vhlo.tensor_v1<!vhlo.f8E4M3FN_v1>, !vhlo.index_v1) {
  "vhlo.return_v1"() : () -> ()
} {arg_attrs = #vhlo.array_v1<[]>, res_attrs = #vhlo.array_v1<[]>, sym_visibility = #vhlo.string_v1<"">}

// CHECK-LABEL: vhlo.func_v1 @declaration(!vhlo.tensor_v1<!vhlo.f32_v1>, !vhlo.token_v1) -> ()
vhlo.func_v1 @declaration(!vhlo.tensor_v1<!vhlo.f32_v1>, !vhlo.token_v1) -> () {
} {arg_attrs = #vhlo.array_v1<[]>, res_attrs = #vhlo.array_v1<[]>, sym_visibility = #vhlo.string_v1<"private">}

// CHECK: "vhlo.return_v1"() {
// CHECK-SAME: a01 = #vhlo.array_v1<[#vhlo.bool_v1<true>, #vhlo.float_v1<2.000000e+00 : !vhlo.f64_v1>]>
// CHECK-SAME: a02 = #vhlo.dict_v1<{#vhlo.string_v1<"k"> = #vhlo.integer_v1<-1 : i64>}>
// CHECK-SAME: a03 = #vhlo<comparison_direction_v1 GE>
// CHECK-SAME: a04 = #vhlo<api_version_v1 API_VERSION_TYPED_FFI>
// CHECK-SAME: a05 = #vhlo.integer_v1<255 : ui8>
// CHECK-SAME: a06 = #vhlo.output_operand_alias_v1<outputTupleIndices = [1], operandIndex = 2, operandTupleIndices = []>
// CHECK-SAME: a07 = #vhlo.tensor_v1<dense<[true, false, true, true, false, false, false, false, true]> : tensor<9xi1>>
// CHECK-SAME: a08 = #vhlo.tensor_v1<dense<true> : tensor<20xi1>>
// CHECK-SAME: a09 = #vhlo.tensor_v1<dense<[1, 2, -1]> : tensor<3xi4>>
// CHECK-SAME: a10 = #vhlo.tensor_v1<dense<(1.000000e+00,2.000000e+00)> : tensor<complex<f32>>>
// CHECK-SAME: a11 = #vhlo.tensor_v1<dense<> : tensor<0xi64>>
// CHECK-SAME: a12 = #vhlo.type_v1<!vhlo.func_v1<(!vhlo.f32_v1, !vhlo.none_v1) -> !vhlo.tf31_v1>>
// CHECK-SAME: a13 = #vhlo.result_accuracy_v1<atol = 1.000000e-05, rtol = 0.000000e+00, ulps = 1, mode = #vhlo<result_accuracy_mode_v1 TOLERANCE>>
// CHECK-SAME: a14 = #vhlo.replica_group_mesh_axes_v1<mesh = #vhlo.mesh_v1<axes = #vhlo.array_v1<[#vhlo.mesh_axis_v1<name = #vhlo.string_v1<"x">, size = 2>]>, device_ids = #vhlo.tensor_v1<dense<[1, 0]> : tensor<2xi64>>>, axes = #vhlo.array_v1<[#vhlo.axis_ref_v1<name = #vhlo.string_v1<"x">, sub_axis_info = #vhlo.sub_axis_info_v1<pre_size = 1, size = 2>>]>>
// CHECK-SAME: a15 = #vhlo<rng_distribution_v1 NORMAL>
// CHECK-SAME: a16 = #vhlo.tensor_v1<dense<false> : tensor<i1>>
"vhlo.return_v1"() {
  a01 = #vhlo.array_v1<[#vhlo.bool_v1<true>, #vhlo.float_v1<2.0 : !vhlo.f64_v1>]>,
  a02 = #vhlo.dict_v1<{#vhlo.string_v1<"k"> = #vhlo.integer_v1<-1 : i64>}>,
  a03 = #vhlo<comparison_direction_v1 GE>,
  a04 = #vhlo<api_version_v1 API_VERSION_TYPED_FFI>,
  a05 = #vhlo.integer_v1<255 : ui8>,
  a06 = #vhlo.output_operand_alias_v1<outputTupleIndices = [1], operandIndex = 2, operandTupleIndices = []>,
  a07 = #vhlo.tensor_v1<dense<[true, false, true, true, false, false, false, false, true]> : tensor<9xi1>>,
  a08 = #vhlo.tensor_v1<dense<true> : tensor<20xi1>>,
  a09 = #vhlo.tensor_v1<dense<[1, 2, -1]> : tensor<3xi4>>,
  a10 = #vhlo.tensor_v1<dense<(1.0, 2.0)> : tensor<complex<f32>>>,
  a11 = #vhlo.tensor_v1<dense<> : tensor<0xi64>>,
  a12 = #vhlo.type_v1<!vhlo.func_v1<(!vhlo.f32_v1, !vhlo.none_v1) -> !vhlo.tf31_v1>>,
  a13 = #vhlo.result_accuracy_v1<atol = 1.0e-5, rtol = 0.0, ulps = 1, mode = #vhlo<result_accuracy_mode_v1 TOLERANCE>>,
  a14 = #vhlo.replica_group_mesh_axes_v1<mesh = #vhlo.mesh_v1<axes = #vhlo.array_v1<[#vhlo.mesh_axis_v1<name = #vhlo.string_v1<"x">, size = 2>]>, device_ids = #vhlo.tensor_v1<dense<[1, 0]> : tensor<2xi64>>>, axes = #vhlo.array_v1<[#vhlo.axis_ref_v1<name = #vhlo.string_v1<"x">, sub_axis_info = #vhlo.sub_axis_info_v1<pre_size = 1, size = 2>>]>>,
  a15 = #vhlo<rng_distribution_v1 NORMAL>,
  a16 = #vhlo.tensor_v1<dense<false> : tensor<i1>>
} : () -> ()
