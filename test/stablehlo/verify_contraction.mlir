// What the verifiers and parsers refuse.
// RUN: shardwright-opt %s --split-input-file --verify-diagnostics

func.func @fft(%a: tensor<4xf32>) {
  // expected-error @+2 {{rank must be between 1 and 3, but got 4.}}
  // expected-error @+1 {{'stablehlo.fft' op failed to infer returned types}}
  %0 = "stablehlo.fft"(%a) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 1,2,3,4>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @fft(%i: tensor<4xi32>) {
  // expected-error @+1 {{'stablehlo.fft' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements values, but got 'tensor<4xi32>'}}
  %0 = "stablehlo.fft"(%i) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 4>} : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @triangular_solve(%i: tensor<4xi32>) {
  // expected-error @+1 {{'stablehlo.triangular_solve' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements values, but}}
  %0 = "stablehlo.triangular_solve"(%i, %i) {left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @rng(%i: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'stablehlo.rng' op operand #0 must be 0D tensor of bool or 2/4/8/16/32/64-bit integer or 4/6/8/16/32/64-bit float values, but got 'tensor<4xcomplex<f32>>'}}
  %0 = "stablehlo.rng"(%c, %c, %i) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @rng_bit_generator(%c: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'stablehlo.rng_bit_generator' op operand #0 must be ranked tensor of 2/4/8/16/32/64-bit integer or 4/6/8/16/32/64-bit float values, but got 'tensor<4x}}
  %0:2 = "stablehlo.rng_bit_generator"(%c) {rng_algorithm = #stablehlo<rng_algorithm DEFAULT>} : (tensor<4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>)
  return
}

// -----

func.func @batch_norm_training(%i: tensor<4xi32>) {
  // expected-error @+1 {{'stablehlo.batch_norm_training' op attribute 'epsilon' failed to satisfy constraint: 32-bit float attribute}}
  %0:3 = "stablehlo.batch_norm_training"(%i, %i, %i) {epsilon = 1.0 : f64, feature_index = -1 : i64} : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>,tensor<4xi32>,tensor<4xi32>)
  return
}

// -----

func.func @dot_general(%x: tensor<4xindex>) {
  // expected-error @+1 {{'stablehlo.dot_general' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/}}
  %0 = "stablehlo.dot_general"(%x, %x) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[1]>} : (tensor<4xindex>, tensor<4xindex>) -> tensor<4x4xf32>
  return
}

// -----

func.func @convolution(%x: tensor<1x4x4x2xf32>, %w: tensor<3x3x2x5xf32>) {
  // expected-error @+1 {{expects input, kernel, and output dimension-numbers to be in-range [0, 4).}}
  %0 = "stablehlo.convolution"(%x, %w) {dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 1, input_spatial_dimensions = [2], kernel_input_feature_dimension = 0, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [4], output_batch_dimension = 0, output_feature_dimension = 1, output_spatial_dimensions = [5]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x5xf32>) -> tensor<1x2x2x5xf32>
  return
}

// -----

func.func @convolution(%x: tensor<1x4x4x2xf32>, %w: tensor<3x3x2x5xf32>) {
  // expected-error @+1 {{custom op 'stablehlo.convolution' Expected dimensions o not specified}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x5xf32>) -> tensor<1x2x2x5xf32>
  return
}

// -----

func.func @convolution(%x: tensor<1x4x4x2xf32>, %w: tensor<3x3x2x5xf32>) {
  // expected-error @+1 {{custom op 'stablehlo.convolution' Unexpected dimension i, expecting o}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, i]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x5xf32>) -> tensor<1x2x2x5xf32>
  return
}

// -----

func.func @convolution(%x: tensor<1x4x4x2xf32>, %w: tensor<3x3x2x5xf32>) {
  // expected-error @+1 {{custom op 'stablehlo.convolution' Duplicate entries for spatial dimension 0}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 0, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x5xf32>) -> tensor<1x2x2x5xf32>
  return
}

// -----

func.func @convolution(%x: tensor<1x4x4x2xf32>, %w: tensor<3x3x2x5xf32>) {
  // expected-error @+1 {{custom op 'stablehlo.convolution' Expected spatial dimensions 1 not specified}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 2, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x5xf32>) -> tensor<1x2x2x5xf32>
  return
}

// -----

func.func @convolution(%x: tensor<1x4x4x2xf32>, %w: tensor<3x3x2x5xf32>) {
  // expected-error @+1 {{custom op 'stablehlo.convolution' Unexpected dimension q, expecting f}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, q, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x5xf32>) -> tensor<1x2x2x5xf32>
  return
}

// -----

func.func @convolution(%x: tensor<1x4x4x2xf32>, %w: tensor<3x3x2x5xf32>) {
  // expected-error @+1 {{expects the same size for input, kernel and output spatial-dimensions, but got 0, 2, and 2 resp.}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, ?, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x5xf32>) -> tensor<1x2x2x5xf32>
  return
}

// -----

func.func @convolution(%x: tensor<1x4x4x2xf32>, %w: tensor<3x3x2x5xf32>) {
  // expected-error @+1 {{custom op 'stablehlo.convolution' Unexpected keyword stride}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1,1], stride = [1,1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x5xf32>) -> tensor<1x2x2x5xf32>
  return
}

// -----

func.func @convolution(%x: tensor<1x4x4x2xf32>, %w: tensor<3x3x2x5xf32>) {
  // expected-error @+1 {{custom op 'stablehlo.convolution' Unexpected keyword foo}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {foo = [1,1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x5xf32>) -> tensor<1x2x2x5xf32>
  return
}

// -----

func.func @convolution(%x: tensor<1x4x4x2xf32>, %w: tensor<3x3x2x5xf32>) {
  // expected-error @+1 {{expected '['}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [1,1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x5xf32>) -> tensor<1x2x2x5xf32>
  return
}

// -----

func.func @convolution(%x: tensor<1x4x4x2xf32>, %w: tensor<3x3x2x5xf32>) {
  // expected-error @+1 {{custom op 'stablehlo.convolution' Expected array with 2 elements, got 3 elements instead}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1,1, 2]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x5xf32>) -> tensor<1x2x2x5xf32>
  return
}

// -----

func.func @convolution(%x: tensor<1x4x4x2xf32>, %w: tensor<3x3x2x5xf32>) {
  // expected-error @+1 {{expected '}'}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2]pad = [[1,1], [1,1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x5xf32>) -> tensor<1x2x2x5xf32>
  return
}

// -----

func.func @convolution(%x: tensor<1x4x4x2xf32>, %w: tensor<3x3x2x5xf32>) {
  // expected-error @+1 {{expects input feature dimension (4) / feature_group_count = kernel input feature dimension (3). Got feature_group_count = 1.}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f]x[i, o]->[b, f], window = {pad = []} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x5xf32>) -> tensor<1x2x2x5xf32>
  return
}

// -----

func.func @dot_general(%m: tensor<4x6xf32>, %n: tensor<6x3xf32>) {
  // expected-error @+1 {{contracting dimension sizes must match for lhs/rhs}}
  %0 = stablehlo.dot_general %m, %n, contracting_dims = [1] x [1] : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @dot_general(%m: tensor<4x6xf32>, %n: tensor<6x3xf32>) {
  // expected-error @+1 {{inferred shape '[4, 3]' is incompatible with return type of operation 'tensor<4x5xf32>'}}
  %0 = stablehlo.dot_general %m, %n, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @dot_general(%m: tensor<4x6xf32>, %n: tensor<6x3xf32>) {
  // expected-error @+1 {{lhs and rhs should have the same number of contracting dimensions}}
  %0 = stablehlo.dot_general %m, %n, contracting_dims = [1] x [] : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @dot_general(%m: tensor<4x6xf32>, %n: tensor<6x3xf32>) {
  // expected-error @+1 {{lhs_contracting_dimensions value: 2 is out of range: [0, 2)}}
  %0 = stablehlo.dot_general %m, %n, contracting_dims = [2] x [0] : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @dot_general(%m: tensor<4x6xf32>, %n: tensor<6x3xf32>) {
  // expected-error @+1 {{lhs_contracting_dimensions value: -1 is out of range: [0, 2)}}
  %0 = stablehlo.dot_general %m, %n, contracting_dims = [-1] x [0] : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @dot_general(%m: tensor<4x6xf32>, %n: tensor<6x3xf32>) {
  // expected-error @+1 {{rhs_contracting_dimensions value: 2 is out of range: [0, 2)}}
  %0 = stablehlo.dot_general %m, %n, contracting_dims = [1] x [2] : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @dot_general(%m: tensor<4x6xf32>, %n: tensor<6x3xf32>) {
  // expected-error @+1 {{has duplicated dimension from lhs_batching_dimensions and lhs_contracting_dimensions: 1}}
  %0 = stablehlo.dot_general %m, %n, contracting_dims = [1, 1] x [0, 0] : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @dot_general(%m: tensor<4x6xf32>) {
  // expected-error @+1 {{has duplicated dimension from rhs_batching_dimensions and rhs_contracting_dimensions: 1}}
  %0 = stablehlo.dot_general %m, %m, batching_dims = [0] x [1], contracting_dims = [1] x [1] : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @dot_general(%m: tensor<4x6xf32>, %n: tensor<6x3xf32>) {
  // expected-error @+1 {{batching dimension sizes must match for lhs/rhs}}
  %0 = stablehlo.dot_general %m, %n, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @dot_general(%m: tensor<4x6xf32>, %n: tensor<6x3xf32>) {
  // expected-error @+1 {{lhs and rhs should have the same number of batching dimensions}}
  %0 = stablehlo.dot_general %m, %n, batching_dims = [0] x [], contracting_dims = [1] x [1] : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @dot_general(%m: tensor<4x6xf32>, %n: tensor<6x3xf32>) {
  // expected-error @+1 {{expects precision config to be empty or have <= 2 elements, got 3}}
  %0 = stablehlo.dot_general %m, %n, contracting_dims = [1] x [0], precision = [DEFAULT, HIGH, HIGH] : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @dot_general(%m: tensor<4x6xf32>, %n: tensor<6x3xf32>) {
  // expected-error @+1 {{must specify DEFAULT precision config when algorithm is set.}}
  %0 = stablehlo.dot_general %m, %n, contracting_dims = [1] x [0], precision = [DEFAULT, HIGH], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @dot_general(%m: tensor<4x6xf32>, %n: tensor<6x3xf32>) {
  // expected-error @+1 {{custom op 'stablehlo.dot_general' dot algorithm not known to be supported on any hardware: {lhs:'tf32', rhs:'tf32', accum:'f32', lhs_components:1, rhs}}
  %0 = stablehlo.dot_general %m, %n, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 2, allow_imprecise_accumulation = false> : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @dot_general(%m: tensor<4x6xf32>, %n: tensor<6x3xf32>) {
  // expected-error @+1 {{custom op 'stablehlo.dot_general' lhs component count must be positive}}
  %0 = stablehlo.dot_general %m, %n, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 0, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @dot_general(%m: tensor<4x6xf32>, %n: tensor<6x3xf32>) {
  // expected-error @+1 {{custom op 'stablehlo.dot_general' dot algorithm not known to be supported on any hardware: {lhs:'i8', rhs:'tf32', accum:'f32', lhs_components:1, rhs_c}}
  %0 = stablehlo.dot_general %m, %n, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = i8, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @dot(%m: tensor<4x6xf32>) {
  // expected-error @+1 {{expected both lhs/rhs ranks to be either 1 or 2}}
  %0 = stablehlo.dot %m, %m : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @dot(%m: tensor<4x6xf32>, %n: tensor<6x3xf32>) {
  // expected-error @+1 {{inferred shape '[4, 3]' is incompatible with return type of operation 'tensor<4x6xf32>'}}
  %0 = stablehlo.dot %m, %n : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @dot(%n: tensor<6x3xf32>, %x: tensor<1x8x8x4xf32>) {
  // expected-error @+1 {{expected both lhs/rhs ranks to be either 1 or 2}}
  %0 = stablehlo.dot %x, %n : (tensor<1x8x8x4xf32>, tensor<6x3xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @convolution(%x: tensor<1x8x8x4xf32>, %wb: tensor<3x3x4x8xbf16>) {
  // expected-error @+1 {{expects lhs and rhs to have compatible element type. Got: 'f32' and 'bf16'}}
  %0 = stablehlo.convolution(%x, %wb) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xbf16>) -> tensor<1x6x6x8xf32>
  return
}

// -----

func.func @convolution(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x8xf32>) {
  // expected-error @+1 {{inferred shape '[1, 6, 6, 8]' is incompatible with return type of operation 'tensor<1x6x5x8xf32>'}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x5x8xf32>
  return
}

// -----

func.func @convolution(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x8xf32>) {
  // expected-error @+1 {{expects window-strides to have same dimension-size as size of window dimensions (2), but got: 1.}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

func.func @convolution(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x8xf32>) {
  // expected-error @+1 {{expects window to have positive stride for 0-th window dimension, but got 0.}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [0, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

func.func @convolution(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x8xf32>) {
  // expected-error @+1 {{expects window to have positive window dilation factor for 0-th window dimension, but got 0.}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {rhs_dilate = [0, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

func.func @convolution(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x8xf32>) {
  // expected-error @+1 {{expects padding-entries to have same dimension-size as size of window dimensions (2), but got: 1.}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

func.func @convolution(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x8xf32>) {
  // expected-error @+1 {{expects window-reversal to have same dimension-size as size of window dimensions (2), but got: 1.}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

func.func @convolution(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x8xf32>) {
  // expected-error @+1 {{expects input feature dimension (4) / feature_group_count = kernel input feature dimension (4). Got feature_group_count = 2.}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

func.func @convolution(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x8xf32>) {
  // expected-error @+1 {{expects input batch dimension (1) to be divisible by batch_group_count. Got batch_group_count = 2.}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

func.func @convolution(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x8xf32>) {
  // expected-error @+1 {{expects batch_group_count and feature_group_count not to be both greater than 1. Got 2 and 2 resp.}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 2 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

func.func @convolution(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x8xf32>) {
  // expected-error @+1 {{expects the same size for input, kernel and output spatial-dimensions, but got 1, 2, and 2 resp.}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

func.func @convolution(%n: tensor<6x3xf32>, %x: tensor<1x8x8x4xf32>) {
  // expected-error @+1 {{expects convolution arguments to have same number of dimensions. Got: 'tensor<1x8x8x4xf32>' and 'tensor<6x3xf32>'.}}
  %0 = stablehlo.convolution(%x, %n) dim_numbers = [b, 0, 1, f]x[i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<6x3xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

func.func @convolution(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x8xf32>) {
  // expected-error @+1 {{expects input dimension-numbers to be unique, got {0, 0, 1, 2}.}}
  %0 = "stablehlo.convolution"(%x, %w) {dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 0, input_spatial_dimensions = [1,2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0,1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1,2]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

func.func @convolution(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x8xf32>) {
  // expected-error @+1 {{expects the shape of padding-attribute to be {N, 2}, but got {4}.}}
  %0 = "stablehlo.convolution"(%x, %w) {padding = dense<1> : tensor<4xi64>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

func.func @rng_bit_generator(%st: tensor<2xui64>) {
  // expected-error @+1 {{output state shape must be compatible with initial state shape. Got: 'tensor<2xui64>' and 'tensor<3xui64>'}}
  %0:2 = stablehlo.rng_bit_generator %st, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return
}

// -----

func.func @cholesky(%a: tensor<4xf32>) {
  // expected-error @+2 {{argument 'a' must have rank >= 2, got shape 4.}}
  // expected-error @+1 {{'stablehlo.cholesky' op failed to infer returned types}}
  %0 = "stablehlo.cholesky"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @cholesky(%m: tensor<4x6xf32>) {
  // expected-error @+2 {{minor dimensions of 'a' must have equal size, got shape 4, 6.}}
  // expected-error @+1 {{'stablehlo.cholesky' op failed to infer returned types}}
  %0 = "stablehlo.cholesky"(%m) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}
