// Bounded dimensions: their text, and what follows from them.
// RUN: shardwright-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @text(
// CHECK-SAME: tensor<?x4xf32, #stablehlo.bounds<3, ?>>
// CHECK-SAME: tensor<?x4xf32, #stablehlo.bounds<5, ?>>
func.func @text(%a: tensor<?x4xf32, #stablehlo.bounds<3, ?>>, %b: tensor<?x4xf32, #stablehlo.type_extensions<bounds = [5, ?]>>) {
  return
}

// -----

// The tightest bound, a static size before any bound.
// CHECK-LABEL: func.func @merge(
// CHECK: stablehlo.add {{.*}} -> tensor<?xf32, #stablehlo.bounds<3>>
// CHECK: stablehlo.add {{.*}} -> tensor<2xf32>
func.func @merge(%a: tensor<?xf32, #stablehlo.bounds<3>>, %b: tensor<?xf32, #stablehlo.bounds<5>>, %c: tensor<2xf32>) {
  %0 = stablehlo.add %a, %b : (tensor<?xf32, #stablehlo.bounds<3>>, tensor<?xf32, #stablehlo.bounds<5>>) -> tensor<?xf32, #stablehlo.bounds<3>>
  %1 = stablehlo.add %a, %c : (tensor<?xf32, #stablehlo.bounds<3>>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @too_large(%a: tensor<?xf32, #stablehlo.bounds<3>>, %c: tensor<4xf32>) {
  // expected-error @+2 {{Mismatched dimension size 4 and bound 3 in dimension 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.add %a, %c : (tensor<?xf32, #stablehlo.bounds<3>>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// expected-error @+2 {{expected non-function type}}
// expected-error @+1 {{bounds need an element type}}
func.func @no_element_type(%a: tensor<, #stablehlo.bounds<4>>) {
  return
}
