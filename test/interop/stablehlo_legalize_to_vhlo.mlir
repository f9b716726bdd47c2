// RUN: shardwright-opt %s -stablehlo-legalize-to-vhlo=allow-other-dialects | FileCheck %s
// RUN: shardwright-opt %s -stablehlo-legalize-to-vhlo=allow-other-dialects -vhlo-legalize-to-stablehlo=allow-other-dialects | FileCheck %s --check-prefix=BACK

// Other dialects keep their ops, attributes and types; casts are between.
// CHECK: sdy.mesh @mesh = <["x"=2]> {foo.a = 1 : i64}
// BACK: sdy.mesh @mesh = <["x"=2]> {foo.a = 1 : i64}
sdy.mesh @mesh = <["x"=2]> {foo.a = 1 : i64}

// CHECK-LABEL: vhlo.func_v1 @mixed(%arg0: !vhlo.tensor_v1<4x!vhlo.f32_v1>)
// BACK-LABEL: func.func @mixed(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
func.func @mixed(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  // CHECK: %[[ADD:.*]] = "vhlo.add_v1"(%arg0, %arg0) {foo.unit, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
  // BACK: stablehlo.add %arg0, %arg0 {foo.unit, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
  %0 = stablehlo.add %x, %x {foo.unit, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
  // CHECK: %[[CAST:.*]] = builtin.unrealized_conversion_cast %[[ADD]] : !vhlo.tensor_v1<4x!vhlo.f32_v1> to tensor<4xf32>
  // CHECK: %[[C:.*]] = sdy.sharding_constraint %[[CAST]] <@mesh, [{}]> : tensor<4xf32>
  // BACK-NOT: unrealized
  // BACK: %[[C:.*]] = sdy.sharding_constraint
  %1 = sdy.sharding_constraint %0 <@mesh, [{}]> : tensor<4xf32>
  // Between ops of other dialects there is no cast.
  // CHECK: sdy.manual_computation(%[[C]])
  // BACK: sdy.manual_computation(%[[C]])
  %2 = sdy.manual_computation(%1) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%a: tensor<2xf32>) {
    // CHECK: builtin.unrealized_conversion_cast %{{.*}} : tensor<2xf32> to !vhlo.tensor_v1<2x!vhlo.f32_v1>
    // CHECK: "vhlo.add_v1"
    // BACK: stablehlo.add %{{.*}} : tensor<2xf32>
    %q = stablehlo.add %a, %a : tensor<2xf32>
    // CHECK: chlo.erf
    %w = chlo.erf %q : tensor<2xf32> -> tensor<2xf32>
    sdy.return %w : tensor<2xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: "vhlo.return_v1"(%{{.*}}) : (!vhlo.tensor_v1<4x!vhlo.f32_v1>) -> ()
  // BACK: return %{{.*}} : tensor<4xf32>
  return %2 : tensor<4xf32>
  // CHECK: } {arg_attrs = #vhlo.array_v1<[#vhlo.dict_v1<{#vhlo.string_v1<"sdy.sharding"> = #sdy.sharding<@mesh, [{"x"}]>}>]>, res_attrs = #vhlo.array_v1<[]>, sym_visibility = #vhlo.string_v1<"">}
}

// What StableHLO leaves out is written.
// CHECK-LABEL: vhlo.func_v1 @defaults
// BACK-LABEL: func.func @defaults
func.func @defaults(%x: tensor<2x2xf32>, %t: !stablehlo.token) -> tensor<2x2xf32> {
  // CHECK: "vhlo.exponential_v2"(%arg0) <{result_accuracy = #vhlo.result_accuracy_v1<atol = 0.000000e+00, rtol = 0.000000e+00, ulps = 0, mode = #vhlo<result_accuracy_mode_v1 DEFAULT>>}>
  // BACK: stablehlo.exponential %arg0 : tensor<2x2xf32>
  %0 = stablehlo.exponential %x : tensor<2x2xf32>
  // CHECK: "vhlo.dot_general_v2"(%{{.*}}) <{accumulation_type = #vhlo.type_v1<!vhlo.none_v1>, allow_imprecise_accumulation = #vhlo.type_v1<!vhlo.none_v1>, lhs_batching_dimensions = #vhlo.tensor_v1<dense<> : tensor<0xi64>>, lhs_component_count = #vhlo.type_v1<!vhlo.none_v1>, lhs_contracting_dimensions = #vhlo.tensor_v1<dense<1> : tensor<1xi64>>, lhs_precision_type = #vhlo.type_v1<!vhlo.none_v1>, num_primitive_operations = #vhlo.type_v1<!vhlo.none_v1>, precision_config = #vhlo.array_v1<[#vhlo<precision_v1 DEFAULT>, #vhlo<precision_v1 DEFAULT>]>
  // BACK: stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [1] x [0] : (
  %1 = stablehlo.dot_general %0, %x, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  // CHECK: "vhlo.custom_call_v2"(%{{.*}}) <{api_version = #vhlo<api_version_v1 API_VERSION_ORIGINAL>, backend_config = #vhlo.string_v1<"">, call_target_name = #vhlo.string_v1<"f">, called_computations = #vhlo.array_v1<[]>, has_side_effect = #vhlo.bool_v1<false>, operand_layouts = #vhlo.array_v1<[]>, output_operand_aliases = #vhlo.array_v1<[]>, result_layouts = #vhlo.array_v1<[]>, result_tilings = #vhlo.array_v1<[]>}> {mhlo.backend_config = #vhlo.dict_v1<{#vhlo.string_v1<"a"> = #vhlo.integer_v1<3 : ui8>}>}
  // BACK: stablehlo.custom_call @f(%{{.*}}) {mhlo.backend_config = {a = 3 : ui8}} : (
  %2 = stablehlo.custom_call @f(%1) {mhlo.backend_config = {a = 3 : ui8}} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  // BACK: stablehlo.custom_call @no_results(%{{.*}}) {has_side_effect = true, operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = []} : (
  stablehlo.custom_call @no_results(%1) {has_side_effect = true, operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = []} : (tensor<2x2xf32>) -> ()
  // CHECK: "vhlo.send_v2"(%{{.*}}) <{channel_id = #vhlo.integer_v1<5 : i64>, channel_type = #vhlo.integer_v1<2 : i64>, is_host_transfer = #vhlo.bool_v1<true>, source_target_pairs = #vhlo.tensor_v1<dense<> : tensor<0xi64>>}>
  // BACK: "stablehlo.send"(%{{.*}}) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}>
  %3 = "stablehlo.send"(%2, %t) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true} : (tensor<2x2xf32>, !stablehlo.token) -> !stablehlo.token
  return %2 : tensor<2x2xf32>
}
