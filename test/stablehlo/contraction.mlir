// Each op in the text that JAX prints, with a discardable attribute where one fits.
// RUN: shardwright-opt %s | FileCheck %s
// RUN: shardwright-opt %s --mlir-print-op-generic | shardwright-opt | FileCheck %s

// CHECK-LABEL: func.func @dot_general(
// CHECK-NEXT: %0 = stablehlo.dot_general %arg0, %arg0, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [HIGH, DEFAULT] {foo} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
func.func @dot_general(%m: tensor<4x4xf32>) {
  %0 = "stablehlo.dot_general"(%m, %m) {foo, dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions=[0], rhs_batching_dimensions=[0], lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[1]>, precision_config=[#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @dot_general_1(
// CHECK-NEXT: %0 = stablehlo.dot_general %arg0, %arg0, contracting_dims = [1] x [1], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> {foo} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
func.func @dot_general_1(%m: tensor<4x4xf32>) {
  %0 = "stablehlo.dot_general"(%m, %m) {foo, dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[1]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// CHECK-LABEL: func.func @dot_general_2(
// CHECK-NEXT: %0 = stablehlo.dot_general %arg0, %arg0, contracting_dims = [1] x [1], precision = [] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
func.func @dot_general_2(%m: tensor<4x4xf32>) {
  %0 = "stablehlo.dot_general"(%m, %m) {precision_config=[], dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[1]>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// CHECK-LABEL: func.func @dot_general_3(
// CHECK-NEXT: %0 = stablehlo.dot_general %arg0, %arg0, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
func.func @dot_general_3(%m: tensor<4x4xf32>) {
  %0 = "stablehlo.dot_general"(%m, %m) {precision_config=[#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[1]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// CHECK-LABEL: func.func @dot(
// CHECK-NEXT: %0 = stablehlo.dot %arg0, %arg0, precision = [HIGH, DEFAULT] {foo} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
func.func @dot(%m: tensor<4x4xf32>) {
  %0 = "stablehlo.dot"(%m, %m) {foo, precision_config=[#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// CHECK-LABEL: func.func @dot_1(
// CHECK-NEXT: %0 = stablehlo.dot %arg0, %arg0 {foo} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
func.func @dot_1(%m: tensor<4x4xf32>) {
  %0 = "stablehlo.dot"(%m, %m) {foo} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// CHECK-LABEL: func.func @convolution(
// CHECK-NEXT: %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = {{\[\[}}1, 1], [0, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, foo, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]} : (tensor<1x4x4x2xf32>, tensor<3x3x2x5xf32>) -> tensor<1x2x2x5xf32>
func.func @convolution(%x: tensor<1x4x4x2xf32>, %w: tensor<3x3x2x5xf32>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [0, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, foo, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]} : (tensor<1x4x4x2xf32>, tensor<3x3x2x5xf32>) -> tensor<1x2x2x5xf32>
  return
}

// CHECK-LABEL: func.func @convolution_1(
// CHECK-NEXT: %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x5xf32>) -> tensor<1x2x2x5xf32>
func.func @convolution_1(%x: tensor<1x4x4x2xf32>, %w: tensor<3x3x2x5xf32>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x5xf32>) -> tensor<1x2x2x5xf32>
  return
}

// CHECK-LABEL: func.func @fft(
// CHECK-NEXT: %0 = stablehlo.fft %arg0, type = FFT, length = [4] {foo} : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
func.func @fft(%c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.fft %c, type = FFT, length = [4] {foo} : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// CHECK-LABEL: func.func @cholesky(
// CHECK-NEXT: %0 = stablehlo.cholesky %arg0, lower = true {foo} : tensor<4x4xf32>
func.func @cholesky(%m: tensor<4x4xf32>) {
  %0 = stablehlo.cholesky %m, lower = true {foo} : tensor<4x4xf32>
  return
}

// CHECK-LABEL: func.func @cholesky_1(
// CHECK-NEXT: %0 = stablehlo.cholesky %arg0 {foo} : tensor<4x4xf32>
func.func @cholesky_1(%m: tensor<4x4xf32>) {
  %0 = stablehlo.cholesky %m {foo} : tensor<4x4xf32>
  return
}

// CHECK-LABEL: func.func @cholesky_2(
// CHECK-NEXT: %0 = stablehlo.cholesky %arg0 {foo} : tensor<4x4xf32>
func.func @cholesky_2(%m: tensor<4x4xf32>) {
  %0 = "stablehlo.cholesky"(%m) {foo, lower=false} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// CHECK-LABEL: func.func @einsum(
// CHECK-NEXT: %0 = stablehlo.einsum %arg0, %arg0, config = "ij,jk->ik" {foo} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
func.func @einsum(%m: tensor<4x4xf32>) {
  %0 = stablehlo.einsum %m, %m, config = "ij,jk->ik" {foo} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// CHECK-LABEL: func.func @unary_einsum(
// CHECK-NEXT: %0 = stablehlo.unary_einsum %arg0, config = "ij->i" {foo} : (tensor<4x4xf32>) -> tensor<4xf32>
func.func @unary_einsum(%m: tensor<4x4xf32>) {
  %0 = stablehlo.unary_einsum %m, config = "ij->i" {foo} : (tensor<4x4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @rng_bit_generator(
// CHECK-NEXT: %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY {foo} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
func.func @rng_bit_generator(%st: tensor<2xui64>) {
  %0:2 = stablehlo.rng_bit_generator %st, algorithm = THREE_FRY {foo} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  return
}

// CHECK-LABEL: func.func @rng(
// CHECK-NEXT: %0 = stablehlo.rng %arg0, %arg0, %arg1, distribution = UNIFORM {foo} : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
func.func @rng(%s: tensor<f32>, %l: tensor<1xi64>) {
  %0 = stablehlo.rng %s, %s, %l, distribution = UNIFORM {foo} : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @convolution_2(
// CHECK-NEXT: %0 = stablehlo.convolution(%arg0, %arg0) dim_numbers = [b, f]x[i, o]->[b, f], window = {pad = []} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
func.func @convolution_2(%m: tensor<4x4xf32>) {
  %0 = "stablehlo.convolution"(%m, %m) {padding = dense<> : tensor<0x2xi64>, dimension_numbers = #stablehlo.conv<[b, f]x[i, o]->[b, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// CHECK-LABEL: func.func @convolution_3(
// CHECK-NEXT: %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = {{\[\[}}1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x5xf32>) -> tensor<1x4x4x5xf32>
func.func @convolution_3(%x: tensor<1x4x4x2xf32>, %w: tensor<3x3x2x5xf32>) {
  %0 = "stablehlo.convolution"(%x, %w) {padding = dense<1> : tensor<2x2xi64>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x5xf32>) -> tensor<1x4x4x5xf32>
  return
}

// CHECK-LABEL: func.func @dot_general_4(
// CHECK-NEXT: %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT] : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
func.func @dot_general_4(%m: tensor<4x6xf32>, %n: tensor<6x3xf32>) {
  %0 = stablehlo.dot_general %m, %n, contracting_dims = [1] x [0], precision = [DEFAULT] : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
  return
}

// CHECK-LABEL: func.func @dot_general_5(
// CHECK-NEXT: %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f8E5M2, rhs_precision_type = f8E4M3FN, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = true> : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
func.func @dot_general_5(%m: tensor<4x6xf32>, %n: tensor<6x3xf32>) {
  %0 = stablehlo.dot_general %m, %n, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f8E5M2, rhs_precision_type = f8E4M3FN, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = true> : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
  return
}

// CHECK-LABEL: func.func @rng_bit_generator_1(
// CHECK-NEXT: %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<4xi32>) -> (tensor<4xi32>, tensor<4xui32>)
func.func @rng_bit_generator_1(%i: tensor<4xi32>) {
  %0:2 = stablehlo.rng_bit_generator %i, algorithm = THREE_FRY : (tensor<4xi32>) -> (tensor<4xi32>, tensor<4xui32>)
  return
}

// CHECK-LABEL: func.func @batch_norm_training(
// CHECK-NEXT: %output, %batch_mean, %batch_var = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg2) <{epsilon = 1.000000e-03 : f32, feature_index = 2 : i64}> : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>)
func.func @batch_norm_training(%x: tensor<2x3x4xf32>, %s: tensor<4xf32>, %o: tensor<4xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 1.000000e-03 : f32, feature_index = 2 : i64}> : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// CHECK-LABEL: func.func @batch_norm_inference(
// CHECK-NEXT: %0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg1, %arg1, %arg1) <{epsilon = 1.000000e-03 : f32, feature_index = 2 : i64}> : (tensor<2x3x4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>) -> tensor<2x3x4xbf16>
func.func @batch_norm_inference(%x: tensor<2x3x4xbf16>, %s: tensor<4xbf16>) {
  %0 = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %s) <{epsilon = 1.000000e-03 : f32, feature_index = 2 : i64}> : (tensor<2x3x4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>) -> tensor<2x3x4xbf16>
  return
}

// CHECK-LABEL: func.func @batch_norm_grad(
// CHECK-NEXT: %grad_operand, %grad_scale, %grad_offset = "stablehlo.batch_norm_grad"(%arg0, %arg1, %arg1, %arg1, %arg0) <{epsilon = 0.000000e+00 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
func.func @batch_norm_grad(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>) {
  %0:3 = "stablehlo.batch_norm_grad"(%x, %s, %s, %s, %x) <{epsilon = 0.000000e+00 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// CHECK-LABEL: func.func @triangular_solve(
// CHECK-NEXT: %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x3x3xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
func.func @triangular_solve(%a: tensor<2x3x3xf32>, %b: tensor<2x3x5xf32>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x3x3xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return
}

// CHECK-LABEL: func.func @triangular_solve_right(
// CHECK-NEXT: %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = false, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true}> : (tensor<3x3xcomplex<f32>>, tensor<5x3xcomplex<f32>>) -> tensor<5x3xcomplex<f32>>
func.func @triangular_solve_right(%a: tensor<3x3xcomplex<f32>>, %b: tensor<5x3xcomplex<f32>>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true}> : (tensor<3x3xcomplex<f32>>, tensor<5x3xcomplex<f32>>) -> tensor<5x3xcomplex<f32>>
  return
}
