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

// CHECK-LABEL: func.func @atan2(
// CHECK-NEXT: %0 = stablehlo.atan2 %arg0, %arg1 : tensor<4xf32>
func.func @atan2(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  %0 = stablehlo.atan2 %a, %b : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @cbrt(
// CHECK-NEXT: %0 = stablehlo.cbrt %arg0 {foo} : tensor<4x?xf32>
func.func @cbrt(%a: tensor<4x?xf32>) {
  %0 = stablehlo.cbrt %a {foo} : tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @ceil(
// CHECK-NEXT: %0 = stablehlo.ceil %arg0 {foo} : tensor<4x?xf32>
func.func @ceil(%a: tensor<4x?xf32>) {
  %0 = stablehlo.ceil %a {foo} : tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @logistic(
// CHECK-NEXT: %0 = stablehlo.logistic %arg0 {foo} : tensor<4x?xf32>
func.func @logistic(%a: tensor<4x?xf32>) {
  %0 = stablehlo.logistic %a {foo} : tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @round_nearest_afz(
// CHECK-NEXT: %0 = stablehlo.round_nearest_afz %arg0 {foo} : tensor<4x?xf32>
func.func @round_nearest_afz(%a: tensor<4x?xf32>) {
  %0 = stablehlo.round_nearest_afz %a {foo} : tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @round_nearest_even(
// CHECK-NEXT: %0 = stablehlo.round_nearest_even %arg0 {foo} : tensor<4x?xf32>
func.func @round_nearest_even(%a: tensor<4x?xf32>) {
  %0 = stablehlo.round_nearest_even %a {foo} : tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @rsqrt(
// CHECK-NEXT: %0 = stablehlo.rsqrt %arg0 {foo} : tensor<4x?xf32>
func.func @rsqrt(%a: tensor<4x?xf32>) {
  %0 = stablehlo.rsqrt %a {foo} : tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @count_leading_zeros(
// CHECK-NEXT: %0 = stablehlo.count_leading_zeros %arg0 : tensor<4xui8>
func.func @count_leading_zeros(%a: tensor<4xui8>) {
  %0 = stablehlo.count_leading_zeros %a : tensor<4xui8>
  return
}

// CHECK-LABEL: func.func @popcnt(
// CHECK-NEXT: %0 = stablehlo.popcnt %arg0 : tensor<4xui8>
func.func @popcnt(%a: tensor<4xui8>) {
  %0 = stablehlo.popcnt %a : tensor<4xui8>
  return
}

// CHECK-LABEL: func.func @exponential(
// CHECK-NEXT: %0 = stablehlo.exponential %arg0 {foo} : tensor<4x?xf32>
func.func @exponential(%a: tensor<4x?xf32>) {
  %0 = stablehlo.exponential %a {foo} : tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @exponential_minus_one(
// CHECK-NEXT: %0 = stablehlo.exponential_minus_one %arg0 {foo} : tensor<4x?xf32>
func.func @exponential_minus_one(%a: tensor<4x?xf32>) {
  %0 = stablehlo.exponential_minus_one %a {foo} : tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @floor(
// CHECK-NEXT: %0 = stablehlo.floor %arg0 {foo} : tensor<4x?xf32>
func.func @floor(%a: tensor<4x?xf32>) {
  %0 = stablehlo.floor %a {foo} : tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @log(
// CHECK-NEXT: %0 = stablehlo.log %arg0 {foo} : tensor<4x?xf32>
func.func @log(%a: tensor<4x?xf32>) {
  %0 = stablehlo.log %a {foo} : tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @log_plus_one(
// CHECK-NEXT: %0 = stablehlo.log_plus_one %arg0 {foo} : tensor<4x?xf32>
func.func @log_plus_one(%a: tensor<4x?xf32>) {
  %0 = stablehlo.log_plus_one %a {foo} : tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @negate(
// CHECK-NEXT: %0 = stablehlo.negate %arg0 {foo} : tensor<4x?xf32>
func.func @negate(%a: tensor<4x?xf32>) {
  %0 = stablehlo.negate %a {foo} : tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @sign(
// CHECK-NEXT: %0 = stablehlo.sign %arg0 {foo} : tensor<4x?xf32>
func.func @sign(%a: tensor<4x?xf32>) {
  %0 = stablehlo.sign %a {foo} : tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @sqrt(
// CHECK-NEXT: %0 = stablehlo.sqrt %arg0 {foo} : tensor<4x?xf32>
func.func @sqrt(%a: tensor<4x?xf32>) {
  %0 = stablehlo.sqrt %a {foo} : tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @tan(
// CHECK-NEXT: %0 = stablehlo.tan %arg0 {foo} : tensor<4x?xf32>
func.func @tan(%a: tensor<4x?xf32>) {
  %0 = stablehlo.tan %a {foo} : tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @tanh(
// CHECK-NEXT: %0 = stablehlo.tanh %arg0 {foo} : tensor<4x?xf32>
func.func @tanh(%a: tensor<4x?xf32>) {
  %0 = stablehlo.tanh %a {foo} : tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @real(
// CHECK-NEXT: %0 = stablehlo.real %arg0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
func.func @real(%a: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.real %a : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @imag(
// CHECK-NEXT: %0 = stablehlo.imag %arg0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
func.func @imag(%a: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.imag %a : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @not(
// CHECK-NEXT: %0 = stablehlo.not %arg0 : tensor<4xi1>
func.func @not(%a: tensor<4xi1>) {
  %0 = stablehlo.not %a : tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @divide(
// CHECK-NEXT: %0 = stablehlo.divide %arg0, %arg1 : (tensor<4x?xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
// CHECK-NEXT: %1 = stablehlo.divide %arg1, %arg1 {foo} : tensor<4x8xbf16>
func.func @divide(%a: tensor<4x?xbf16>, %b: tensor<4x8xbf16>) {
  %0 = stablehlo.divide %a, %b : (tensor<4x?xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  %1 = stablehlo.divide %b, %b {foo} : tensor<4x8xbf16>
  return
}

// CHECK-LABEL: func.func @maximum(
// CHECK-NEXT: %0 = stablehlo.maximum %arg0, %arg1 : (tensor<4x?xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
// CHECK-NEXT: %1 = stablehlo.maximum %arg1, %arg1 {foo} : tensor<4x8xbf16>
func.func @maximum(%a: tensor<4x?xbf16>, %b: tensor<4x8xbf16>) {
  %0 = stablehlo.maximum %a, %b : (tensor<4x?xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  %1 = stablehlo.maximum %b, %b {foo} : tensor<4x8xbf16>
  return
}

// CHECK-LABEL: func.func @minimum(
// CHECK-NEXT: %0 = stablehlo.minimum %arg0, %arg1 : (tensor<4x?xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
// CHECK-NEXT: %1 = stablehlo.minimum %arg1, %arg1 {foo} : tensor<4x8xbf16>
func.func @minimum(%a: tensor<4x?xbf16>, %b: tensor<4x8xbf16>) {
  %0 = stablehlo.minimum %a, %b : (tensor<4x?xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  %1 = stablehlo.minimum %b, %b {foo} : tensor<4x8xbf16>
  return
}

// CHECK-LABEL: func.func @multiply(
// CHECK-NEXT: %0 = stablehlo.multiply %arg0, %arg1 : (tensor<4x?xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
// CHECK-NEXT: %1 = stablehlo.multiply %arg1, %arg1 {foo} : tensor<4x8xbf16>
func.func @multiply(%a: tensor<4x?xbf16>, %b: tensor<4x8xbf16>) {
  %0 = stablehlo.multiply %a, %b : (tensor<4x?xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  %1 = stablehlo.multiply %b, %b {foo} : tensor<4x8xbf16>
  return
}

// CHECK-LABEL: func.func @power(
// CHECK-NEXT: %0 = stablehlo.power %arg0, %arg1 : (tensor<4x?xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
// CHECK-NEXT: %1 = stablehlo.power %arg1, %arg1 {foo} : tensor<4x8xbf16>
func.func @power(%a: tensor<4x?xbf16>, %b: tensor<4x8xbf16>) {
  %0 = stablehlo.power %a, %b : (tensor<4x?xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  %1 = stablehlo.power %b, %b {foo} : tensor<4x8xbf16>
  return
}

// CHECK-LABEL: func.func @remainder(
// CHECK-NEXT: %0 = stablehlo.remainder %arg0, %arg1 : (tensor<4x?xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
// CHECK-NEXT: %1 = stablehlo.remainder %arg1, %arg1 {foo} : tensor<4x8xbf16>
func.func @remainder(%a: tensor<4x?xbf16>, %b: tensor<4x8xbf16>) {
  %0 = stablehlo.remainder %a, %b : (tensor<4x?xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  %1 = stablehlo.remainder %b, %b {foo} : tensor<4x8xbf16>
  return
}

// CHECK-LABEL: func.func @subtract(
// CHECK-NEXT: %0 = stablehlo.subtract %arg0, %arg1 : (tensor<4x?xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
// CHECK-NEXT: %1 = stablehlo.subtract %arg1, %arg1 {foo} : tensor<4x8xbf16>
func.func @subtract(%a: tensor<4x?xbf16>, %b: tensor<4x8xbf16>) {
  %0 = stablehlo.subtract %a, %b : (tensor<4x?xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  %1 = stablehlo.subtract %b, %b {foo} : tensor<4x8xbf16>
  return
}

// CHECK-LABEL: func.func @and(
// CHECK-NEXT: %0 = stablehlo.and %arg0, %arg1 : tensor<4xui8>
func.func @and(%a: tensor<4xui8>, %b: tensor<4xui8>) {
  %0 = stablehlo.and %a, %b : tensor<4xui8>
  return
}

// CHECK-LABEL: func.func @or(
// CHECK-NEXT: %0 = stablehlo.or %arg0, %arg1 : tensor<4xui8>
func.func @or(%a: tensor<4xui8>, %b: tensor<4xui8>) {
  %0 = stablehlo.or %a, %b : tensor<4xui8>
  return
}

// CHECK-LABEL: func.func @xor(
// CHECK-NEXT: %0 = stablehlo.xor %arg0, %arg1 : tensor<4xui8>
func.func @xor(%a: tensor<4xui8>, %b: tensor<4xui8>) {
  %0 = stablehlo.xor %a, %b : tensor<4xui8>
  return
}

// CHECK-LABEL: func.func @shift_left(
// CHECK-NEXT: %0 = stablehlo.shift_left %arg0, %arg1 : tensor<4xui8>
func.func @shift_left(%a: tensor<4xui8>, %b: tensor<4xui8>) {
  %0 = stablehlo.shift_left %a, %b : tensor<4xui8>
  return
}

// CHECK-LABEL: func.func @shift_right_arithmetic(
// CHECK-NEXT: %0 = stablehlo.shift_right_arithmetic %arg0, %arg1 : tensor<4xui8>
func.func @shift_right_arithmetic(%a: tensor<4xui8>, %b: tensor<4xui8>) {
  %0 = stablehlo.shift_right_arithmetic %a, %b : tensor<4xui8>
  return
}

// CHECK-LABEL: func.func @shift_right_logical(
// CHECK-NEXT: %0 = stablehlo.shift_right_logical %arg0, %arg1 : tensor<4xui8>
func.func @shift_right_logical(%a: tensor<4xui8>, %b: tensor<4xui8>) {
  %0 = stablehlo.shift_right_logical %a, %b : tensor<4xui8>
  return
}

// CHECK-LABEL: func.func @sine(
// CHECK-NEXT: %0 = stablehlo.sine %arg0 : tensor<4x?xf32>
func.func @sine(%a: tensor<4x?xf32>) {
  %0 = stablehlo.sine %a : tensor<4x?xf32>
  return
}
