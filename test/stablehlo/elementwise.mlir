// Each op in the text that JAX prints, with a discardable attribute where one fits.
// RUN: shardwright-opt %s | FileCheck %s
// RUN: shardwright-opt %s --mlir-print-op-generic | shardwright-opt | FileCheck %s

// CHECK-LABEL: func.func @add(
// CHECK-NEXT: %0 = stablehlo.add %arg0, %arg0 {foo} : tensor<4xf32>
func.func @add(%a: tensor<4xf32>) {
  %6 = stablehlo.add %a, %a {foo} : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @cosine(
// CHECK-NEXT: %0 = stablehlo.cosine %arg0 {foo, result_accuracy = #stablehlo.result_accuracy<ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
func.func @cosine(%a: tensor<4xf32>) {
  %7 = stablehlo.cosine %a {foo, result_accuracy = #stablehlo.result_accuracy<ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @cosine_1(
// CHECK-NEXT: %0 = stablehlo.cosine %arg0 : tensor<4xf32>
func.func @cosine_1(%a: tensor<4xf32>) {
  %77 = stablehlo.cosine %a {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @select(
// CHECK-NEXT: %0 = stablehlo.select %arg1, %arg0, %arg0 {foo} : tensor<4xi1>, tensor<4xf32>
func.func @select(%a: tensor<4xf32>, %q: tensor<4xi1>) {
  %15 = stablehlo.select %q, %a, %a {foo} : tensor<4xi1>, tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @select_1(
// CHECK-NEXT: %0 = stablehlo.select %arg1, %arg0, %arg0 : tensor<i1>, tensor<4xf32>
func.func @select_1(%a: tensor<4xf32>, %p: tensor<i1>) {
  %16 = stablehlo.select %p, %a, %a : tensor<i1>, tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @select_2(
// CHECK-NEXT: %0 = stablehlo.select %arg1, %arg0, %arg0 : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<?xf32>
func.func @select_2(%a: tensor<4xf32>, %p: tensor<i1>) {
  %17 = "stablehlo.select"(%p, %a, %a) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<?xf32>
  return
}

// CHECK-LABEL: func.func @complex(
// CHECK-NEXT: %0 = stablehlo.complex %arg0, %arg0 {foo} : tensor<4xcomplex<f32>>
func.func @complex(%a: tensor<4xf32>) {
  %18 = stablehlo.complex %a, %a {foo} : tensor<4xcomplex<f32>>
  return
}

// CHECK-LABEL: func.func @complex_1(
// CHECK-NEXT: %0 = stablehlo.complex %arg0, %arg0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<?xcomplex<f32>>
func.func @complex_1(%a: tensor<4xf32>) {
  %19 = "stablehlo.complex"(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<?xcomplex<f32>>
  return
}

// CHECK-LABEL: func.func @compare(
// CHECK-NEXT: %0 = stablehlo.compare LT, %arg0, %arg0, NOTYPE {foo} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
func.func @compare(%a: tensor<4xf32>) {
  %20 = "stablehlo.compare"(%a, %a) {compare_type = #stablehlo<comparison_type NOTYPE>, comparison_direction = #stablehlo<comparison_direction LT>, foo} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @is_finite(
// CHECK-NEXT: %0 = stablehlo.is_finite %arg0 {foo} : (tensor<4xf32>) -> tensor<4xi1>
func.func @is_finite(%a: tensor<4xf32>) {
  %24 = stablehlo.is_finite %a {foo} : (tensor<4xf32>) -> tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @reduce_precision(
// CHECK-NEXT: %0 = stablehlo.reduce_precision %arg0, format = e5m10 {foo} : tensor<4xf32>
func.func @reduce_precision(%a: tensor<4xf32>) {
  %25 = stablehlo.reduce_precision %a, format = e5m10 {foo} : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @convert(
// CHECK-NEXT: %0 = stablehlo.convert %arg0 {foo} : (tensor<4xf32>) -> tensor<4xi1>
func.func @convert(%a: tensor<4xf32>) {
  %26 = stablehlo.convert %a {foo} : (tensor<4xf32>) -> tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @convert_1(
// CHECK-NEXT: %0 = stablehlo.convert %arg0 {foo} : tensor<4xf32>
func.func @convert_1(%a: tensor<4xf32>) {
  %27 = stablehlo.convert %a {foo} : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @clamp(
// CHECK-NEXT: %0 = stablehlo.clamp %arg1, %arg0, %arg1 {foo} : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
func.func @clamp(%a: tensor<4xf32>, %s: tensor<f32>) {
  %0 = stablehlo.clamp %s, %a, %s {foo} : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @clamp_1(
// CHECK-NEXT: %0 = stablehlo.clamp %arg0, %arg0, %arg0 {foo} : tensor<4xf32>
func.func @clamp_1(%a: tensor<4xf32>) {
  %0 = stablehlo.clamp %a, %a, %a {foo} : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @add_1(
// CHECK-NEXT: %0 = stablehlo.add %arg0, %arg0 {foo} : (tensor<4xf32>, tensor<4xf32>) -> tensor<?xf32>
func.func @add_1(%a: tensor<4xf32>) {
  %0 = "stablehlo.add"(%a, %a) {foo} : (tensor<4xf32>, tensor<4xf32>) -> tensor<?xf32>
  return
}

// CHECK-LABEL: func.func @abs(
// CHECK-NEXT: %0 = stablehlo.abs %arg0 {foo} : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
func.func @abs(%c: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.abs"(%c) {foo} : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @cosine_2(
// CHECK-NEXT: %0 = stablehlo.cosine %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
func.func @cosine_2(%a: tensor<4xf32>) {
  %0 = stablehlo.cosine %a {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @cosine_3(
// CHECK-NEXT: %0 = stablehlo.cosine %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 1.000000e+00, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
func.func @cosine_3(%a: tensor<4xf32>) {
  %0 = stablehlo.cosine %a {result_accuracy = #stablehlo.result_accuracy<atol = 1.0e-5, rtol = 1.0, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @add_2(
// CHECK-NEXT: %0 = stablehlo.add %arg0, %arg0 : tensor<?xf32, #stablehlo.bounds<4>>
func.func @add_2(%bd: tensor<?xf32, #stablehlo.bounds<4>>) {
  %0 = stablehlo.add %bd, %bd : tensor<?xf32, #stablehlo.bounds<4>>
  return
}

// CHECK-LABEL: func.func @add_3(
// CHECK-NEXT: %0 = stablehlo.add %arg1, %arg0 : (tensor<?xf32, #stablehlo.bounds<4>>, tensor<4xf32>) -> tensor<4xf32>
func.func @add_3(%a: tensor<4xf32>, %bd: tensor<?xf32, #stablehlo.bounds<4>>) {
  %0 = "stablehlo.add"(%bd, %a) : (tensor<?xf32, #stablehlo.bounds<4>>, tensor<4xf32>) -> tensor<4xf32>
  return
}
