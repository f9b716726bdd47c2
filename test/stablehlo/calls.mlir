// Each op in the text that JAX prints, with a discardable attribute where one fits.
// RUN: shardwright-opt %s | FileCheck %s
// RUN: shardwright-opt %s --mlir-print-op-generic | shardwright-opt | FileCheck %s

// CHECK-LABEL: func.func @custom_call(
// CHECK-NEXT: %0 = stablehlo.custom_call @foo(%arg0) {backend_config = "abc", foo} : (tensor<4xf32>) -> tensor<4xf32>
func.func @custom_call(%a: tensor<4xf32>) {
  %0 = stablehlo.custom_call @foo(%a) {foo, backend_config = "abc", api_version = 1 : i32, has_side_effect = false, called_computations = []} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @custom_call_1(
// CHECK-NEXT: %0 = stablehlo.custom_call @foo(%arg0) {api_version = 4 : i32, backend_config = {a = 1 : i64}, called_computations = [@foo], foo, has_side_effect = true, operand_layouts = [dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<4xf32>) -> tensor<4xf32>
func.func @custom_call_1(%a: tensor<4xf32>) {
  %0 = stablehlo.custom_call @foo(%a) {foo, backend_config = {a = 1}, api_version = 4 : i32, has_side_effect = true, called_computations = [@foo], operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>], output_operand_aliases=[#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @custom_call_2(
// CHECK-NEXT: stablehlo.custom_call @"foo-bar"() : () -> ()
func.func @custom_call_2() {
  stablehlo.custom_call @"foo-bar"() : () -> ()
  return
}

// CHECK-LABEL: func.func @custom_call_3(
// CHECK-NEXT: %0:2 = stablehlo.custom_call @foo() {a = 1 : i64} : () -> (tensor<4xf32>, tensor<4xf32>)
func.func @custom_call_3() {
  %0:2 = stablehlo.custom_call @foo() {a=1} : () -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// CHECK-LABEL: func.func @custom_call_4(
// CHECK-NEXT: %0 = stablehlo.custom_call @foo() : () -> tensor<4xf32>
func.func @custom_call_4() {
  %0 = stablehlo.custom_call @foo() {} : () -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @composites(
// CHECK-NEXT: %0 = stablehlo.composite "a.b" %arg0 {composite_attributes = {k = 1 : i64}, decomposition = @composites, foo, version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %1 = stablehlo.composite "a.b" %arg0 ({
// CHECK-NEXT: stablehlo.return %arg0 : tensor<4xf32>
// CHECK-NEXT: }) {decomposition = @composites} : (tensor<4xf32>) -> tensor<4xf32>
func.func @composites(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.composite "a.b" %a {foo, composite_attributes = {k = 1 : i64}, decomposition = @composites, version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.composite "a.b" %a ({ stablehlo.return %a : tensor<4xf32> }) {decomposition = @composites} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func private @double(
func.func private @double(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @composite_of_double(
// CHECK-NEXT: %0 = stablehlo.composite "my.double" %arg0 {composite_attributes = {n = 2 : i64}, decomposition = @double, version = 3 : i32} : (tensor<4xf32>) -> tensor<4xf32>
func.func @composite_of_double(%a: tensor<4xf32>) {
  %0 = stablehlo.composite "my.double" %a {composite_attributes = {n = 2 : i64}, decomposition = @double, version = 3 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
