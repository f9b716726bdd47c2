// RUN: shardwright-opt %s -vhlo-legalize-to-stablehlo --split-input-file --verify-diagnostics

// expected-error @+1 {{failed to legalize operation 'vhlo.func_v1' that was explicitly marked illegal: invalid type '!vhlo.witness_v1'}}
vhlo.func_v1 @f(%arg0: !vhlo.witness_v1) -> () {
  "vhlo.return_v1"() : () -> ()
} {arg_attrs = #vhlo.array_v1<[]>, res_attrs = #vhlo.array_v1<[]>, sym_visibility = #vhlo.string_v1<"">}

// -----

// expected-error @+1 {{attribute 'function_type' cannot be #vhlo.type_v1<!vhlo.f32_v1>}}
"vhlo.func_v1"() <{arg_attrs = #vhlo.array_v1<[]>, function_type = #vhlo.type_v1<!vhlo.f32_v1>, res_attrs = #vhlo.array_v1<[]>, sym_name = #vhlo.string_v1<"f">, sym_visibility = #vhlo.string_v1<"">}> ({}) : () -> ()

// -----

vhlo.func_v1 @f(%arg0: !vhlo.tensor_v1<2x!vhlo.f32_v1>) -> () {
  // expected-error @+1 {{attribute 'dimensions' cannot be #vhlo.tensor_v1<dense<0> : tensor<1xi32>>}}
  %0 = "vhlo.reverse_v1"(%arg0) <{dimensions = #vhlo.tensor_v1<dense<0> : tensor<1xi32>>}> : (!vhlo.tensor_v1<2x!vhlo.f32_v1>) -> !vhlo.tensor_v1<2x!vhlo.f32_v1>
  "vhlo.return_v1"() : () -> ()
} {arg_attrs = #vhlo.array_v1<[]>, res_attrs = #vhlo.array_v1<[]>, sym_visibility = #vhlo.string_v1<"">}

// -----

// expected-error @+1 {{invalid attribute #vhlo.dict_v1<{#vhlo.string_v1<"a"> = #vhlo.bool_v1<true>, #vhlo.string_v1<"a"> = #vhlo.bool_v1<true>}>}}
vhlo.func_v1 @f() -> () {
  "vhlo.return_v1"() : () -> ()
} {a.b = #vhlo.dict_v1<{#vhlo.string_v1<"a"> = #vhlo.bool_v1<true>, #vhlo.string_v1<"a"> = #vhlo.bool_v1<true>}>, arg_attrs = #vhlo.array_v1<[]>, res_attrs = #vhlo.array_v1<[]>, sym_visibility = #vhlo.string_v1<"">}
