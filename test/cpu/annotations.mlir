// Custom calls that compute nothing.
// RUN: shardwright-opt %s --sw-print-program --split-input-file --verify-diagnostics -o /dev/null | FileCheck %s

// CHECK-NOT: library
// CHECK: kernel
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %yes = stablehlo.constant dense<true> : tensor<i1>
  %n = stablehlo.constant dense<4> : tensor<i32>
  stablehlo.custom_call @shape_assertion(%yes, %n) {api_version = 2 : i32, error_message = "n is {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %0 = stablehlo.custom_call @annotate_device_placement(%a) {has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @MoveToHost(%0, %t) : (tensor<4xf32>, !stablehlo.token) -> tensor<4xf32>
  %2 = stablehlo.custom_call @LayoutConstraint(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = stablehlo.add %2, %2 : tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %no = stablehlo.constant dense<false> : tensor<i1>
  // expected-error @+1 {{a shape assertion of the program does not hold: n is 4}}
  stablehlo.custom_call @shape_assertion(%no) {api_version = 2 : i32, error_message = "n is 4", has_side_effect = true} : (tensor<i1>) -> ()
  return %a : tensor<4xf32>
}

// -----

func.func @main(%a: tensor<i1>) -> tensor<i1> {
  // expected-error @+1 {{custom call 'shape_assertion' requires a condition that is known when the program is compiled}}
  stablehlo.custom_call @shape_assertion(%a) {api_version = 2 : i32, has_side_effect = true} : (tensor<i1>) -> ()
  return %a : tensor<i1>
}

// -----

func.func @main(%a: tensor<4xf32>) -> tensor<4xf64> {
  // expected-error @+1 {{custom call 'MoveToDevice' requires one result, of its first operand's type}}
  %0 = stablehlo.custom_call @MoveToDevice(%a) : (tensor<4xf32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
