// RUN: shardwright-opt %s -vhlo-legalize-to-stablehlo | FileCheck %s

// Old versions of ops are read as the newest: what they lack is neutral.

// CHECK-LABEL: func.func private @old(%arg0: tensor<2xf32>) -> tensor<2xf32>
vhlo.func_v1 @old(%arg0: !vhlo.tensor_v1<2x!vhlo.f32_v1>) -> (!vhlo.tensor_v1<2x!vhlo.f32_v1>) {
  // CHECK: stablehlo.tanh %arg0 : tensor<2xf32>
  %0 = "vhlo.tanh_v1"(%arg0) : (!vhlo.tensor_v1<2x!vhlo.f32_v1>) -> !vhlo.tensor_v1<2x!vhlo.f32_v1>
  // CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [0] x [0], precision = [HIGH, HIGH] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  %1 = "vhlo.dot_general_v1"(%0, %0) <{lhs_batching_dimensions = #vhlo.tensor_v1<dense<> : tensor<0xi64>>, lhs_contracting_dimensions = #vhlo.tensor_v1<dense<0> : tensor<1xi64>>, precision_config = #vhlo.array_v1<[#vhlo<precision_v1 HIGH>, #vhlo<precision_v1 HIGH>]>, rhs_batching_dimensions = #vhlo.tensor_v1<dense<> : tensor<0xi64>>, rhs_contracting_dimensions = #vhlo.tensor_v1<dense<0> : tensor<1xi64>>}> : (!vhlo.tensor_v1<2x!vhlo.f32_v1>, !vhlo.tensor_v1<2x!vhlo.f32_v1>) -> !vhlo.tensor_v1<!vhlo.f32_v1>
  // The version may have 32 or 64 bits.
  // CHECK: stablehlo.composite "a.b" %{{.*}} {decomposition = @old, version = 3 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  %2 = "vhlo.composite_v1"(%0) <{composite_attributes = #vhlo.dict_v1<{}>, decomposition = #vhlo.string_v1<"old">, name = #vhlo.string_v1<"a.b">, version = #vhlo.integer_v1<3 : i64>}> : (!vhlo.tensor_v1<2x!vhlo.f32_v1>) -> !vhlo.tensor_v1<2x!vhlo.f32_v1>
  // CHECK: "stablehlo.if"
  // CHECK: stablehlo.return %{{.*}} : tensor<2xf32>
  %p = "vhlo.constant_v1"() <{value = #vhlo.tensor_v1<dense<true> : tensor<i1>>}> : () -> !vhlo.tensor_v1<!vhlo.bool_v1>
  %3 = "vhlo.if_v1"(%p) ({
    "vhlo.return_v1"(%0) : (!vhlo.tensor_v1<2x!vhlo.f32_v1>) -> ()
  }, {
    "vhlo.return_v1"(%2) : (!vhlo.tensor_v1<2x!vhlo.f32_v1>) -> ()
  }) : (!vhlo.tensor_v1<!vhlo.bool_v1>) -> !vhlo.tensor_v1<2x!vhlo.f32_v1>
  // CHECK: return %{{.*}} : tensor<2xf32>
  "vhlo.return_v1"(%3) : (!vhlo.tensor_v1<2x!vhlo.f32_v1>) -> ()
} {arg_attrs = #vhlo.array_v1<[]>, res_attrs = #vhlo.array_v1<[]>, sym_visibility = #vhlo.string_v1<"private">}
