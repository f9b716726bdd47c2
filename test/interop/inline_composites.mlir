// A composite means what its decomposition computes; CHLO's own become CHLO ops again.
// RUN: shardwright-opt %s --sw-inline-composites --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK-NEXT: %0 = call @relu(%arg0) {mhlo.note} : (tensor<4xf32>) -> tensor<4xf32> loc("composed")
// CHECK-NEXT: return %0
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.composite "my.relu" %a {composite_attributes = {n = 1 : i64}, decomposition = @relu, mhlo.note, version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32> loc("composed")
  return %0 : tensor<4xf32>
}

func.func private @relu(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.abs %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @chlo(
// CHECK-NEXT: chlo.asin %arg0 {mhlo.note} : tensor<2x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: chlo.top_k(%arg0, k = 2)
// CHECK-NEXT: "chlo.ragged_dot"(%arg1, %arg2, %arg3) <{precision_config = [#chlo<precision HIGH>, #chlo<precision DEFAULT>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}>
// A version or an attribute that nobody knows: the decomposition.
// CHECK-NEXT: call @chlo.asin.impl(%arg0)
// CHECK-NEXT: call @chlo.erf.impl(%arg0)
func.func @chlo(%a: tensor<2x4xf32>, %l: tensor<11x5xf32>, %r: tensor<3x5x7xf32>, %g: tensor<3xi32>) -> (tensor<2x4xf32>, tensor<2x2xf32>, tensor<11x7xf32>) {
  %0 = stablehlo.composite "chlo.asin" %a {decomposition = @chlo.asin.impl, mhlo.note, version = 1 : i32} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %1:2 = stablehlo.composite "chlo.top_k" %a {composite_attributes = {k = 2 : i64}, decomposition = @chlo.top_k.impl, version = 1 : i32} : (tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  %2 = stablehlo.composite "chlo.ragged_dot" %l, %r, %g {composite_attributes = {precision_config = ["HIGH", "DEFAULT"], ragged_dot_dimension_numbers = [dense<> : tensor<0xi64>, dense<> : tensor<0xi64>, dense<1> : tensor<1xi64>, dense<1> : tensor<1xi64>, dense<0> : tensor<1xi64>, dense<0> : tensor<1xi64>]}, decomposition = @chlo.ragged_dot.impl, version = 1 : i32} : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
  %3 = stablehlo.composite "chlo.asin" %a {decomposition = @chlo.asin.impl, version = 2 : i32} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %4 = stablehlo.composite "chlo.erf" %a {composite_attributes = {fast = true}, decomposition = @chlo.erf.impl, version = 1 : i32} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %4, %1#0, %2 : tensor<2x4xf32>, tensor<2x2xf32>, tensor<11x7xf32>
}

// Decompositions without a use go.
// CHECK-NOT: @chlo.top_k.impl
// CHECK: func.func private @chlo.asin.impl
// CHECK: func.func private @chlo.erf.impl
// CHECK-NOT: @chlo.ragged_dot.impl
func.func private @chlo.top_k.impl(%a: tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
func.func private @chlo.asin.impl(%a: tensor<2x4xf32>) -> tensor<2x4xf32> {
  return %a : tensor<2x4xf32>
}
func.func private @chlo.erf.impl(%a: tensor<2x4xf32>) -> tensor<2x4xf32> {
  return %a : tensor<2x4xf32>
}
func.func private @chlo.ragged_dot.impl(%l: tensor<11x5xf32>, %r: tensor<3x5x7xf32>, %g: tensor<3xi32>) -> tensor<11x7xf32>
