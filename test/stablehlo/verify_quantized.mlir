// What does not fit together among quantized types.
// RUN: shardwright-opt %s --split-input-file --verify-diagnostics

func.func @dimension(%x: tensor<3xf32>) {
  // expected-error @+1 {{quantized dimension 1 is not a dimension of}}
  %0 = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32:1, {0.1,0.2,0.3}>>
  return
}

// -----

func.func @scales(%x: tensor<3xf32>) {
  // expected-error @+1 {{expects as many scales as the quantized dimension has indices, got 2 for 3}}
  %0 = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32:0, {0.1,0.2}>>
  return
}

// -----

func.func @zero_point(%x: tensor<3xf32>) {
  // expected-error @+1 {{zero point 300 of '!quant.uniform<i8:f32, 1.000000e-01:300>' is outside of its storage range [-128, 127]}}
  %0 = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32, 0.1:300>>
  return
}

// -----

func.func @expressed(%x: tensor<3xf32>) {
  // expected-error @+1 {{expects a result that expresses 'f32', got '!quant.uniform<i8:f16, 1.000000e-01>'}}
  %0 = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f16, 0.1>>
  return
}

// -----

func.func @uniform_dequantize(%x: tensor<3x!quant.uniform<i8:f32, 0.1>>) {
  // expected-error @+2 {{'stablehlo.uniform_dequantize' op failed to infer returned types}}
  // expected-error @+1 {{'stablehlo.uniform_dequantize' op inferred type(s) 'tensor<3xf32>' are incompatible}}
  %0 = stablehlo.uniform_dequantize %x : (tensor<3x!quant.uniform<i8:f32, 0.1>>) -> tensor<3xf16>
  return
}

// -----

func.func @uniform_dequantize(%x: tensor<3xf32>) {
  // expected-error @+1 {{'stablehlo.uniform_dequantize' op operand #0 must be ranked tensor of per-tensor integer quantized or per-axis integer quantized values}}
  %0 = stablehlo.uniform_dequantize %x : tensor<3xf32>
  return
}

// -----

func.func @add(%x: tensor<3x!quant.uniform<i8:f32, 0.1>>, %y: tensor<3x!quant.uniform<i16:f32, 0.1>>) {
  // expected-error @+1 {{requires the same element type for all operands and results}}
  %0 = stablehlo.add %x, %y : (tensor<3x!quant.uniform<i8:f32, 0.1>>, tensor<3x!quant.uniform<i16:f32, 0.1>>) -> tensor<3x!quant.uniform<i8:f32, 0.1>>
  return
}

// -----

func.func @multiply(%x: tensor<2x!quant.uniform<i8:f32:0, {0.1,0.2}>>) {
  // expected-error @+1 {{'stablehlo.multiply' op operand #0 must be}}
  %0 = stablehlo.multiply %x, %x : tensor<2x!quant.uniform<i8:f32:0, {0.1,0.2}>>
  return
}

// -----

func.func @transpose(%x: tensor<3x2x!quant.uniform<i8:f32:1, {0.1,0.2}>>) {
  // expected-error @+1 {{'stablehlo.transpose' op requires compatible element types for all operands and results}}
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x2x!quant.uniform<i8:f32:1, {0.1,0.2}>>) -> tensor<2x3xf32>
  return
}

// -----

func.func @transpose(%x: tensor<2x2x!quant.uniform<i8:f32:1, {0.1,0.2}>>) {
  // expected-error @+1 {{'stablehlo.transpose' op expects quantized dimension 0 in the result, as the operand's one maps to it, got 1}}
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x2x!quant.uniform<i8:f32:1, {0.1,0.2}>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.1,0.2}>>
  return
}

// -----

func.func @broadcast_in_dim(%x: tensor<2x2x!quant.uniform<i8:f32:1, {0.1,0.2}>>) {
  // expected-error @+1 {{'stablehlo.broadcast_in_dim' op expects quantized dimension 0 in the result, as the operand's one maps to it, got 1}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [1, 0] : (tensor<2x2x!quant.uniform<i8:f32:1, {0.1,0.2}>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.1,0.2}>>
  return
}

// -----

func.func @reshape(%x: tensor<2x3x!quant.uniform<i8:f32:0, {0.1,0.2}>>) {
  // expected-error @+1 {{'stablehlo.reshape' op expects the same number of elements before the quantized dimension, got 1 and 3}}
  %0 = stablehlo.reshape %x : (tensor<2x3x!quant.uniform<i8:f32:0, {0.1,0.2}>>) -> tensor<3x2x!quant.uniform<i8:f32:1, {0.1,0.2}>>
  return
}

// -----

func.func @contracted(%x: tensor<4x2x!quant.uniform<i8:f32, 0.1>>, %w: tensor<2x3x!quant.uniform<i8:f32:0, {0.1,0.2}>>) {
  // expected-error @+1 {{'stablehlo.dot_general' op expects the quantized dimension of rhs not to be contracted, got 0}}
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x2x!quant.uniform<i8:f32, 0.1>>, tensor<2x3x!quant.uniform<i8:f32:0, {0.1,0.2}>>) -> tensor<4x3x!quant.uniform<i32:f32, 0.1>>
  return
}

// -----

func.func @zero_of_rhs(%x: tensor<4x2x!quant.uniform<i8:f32, 0.1>>, %w: tensor<2x3x!quant.uniform<i8:f32, 0.1:4>>) {
  // expected-error @+1 {{'stablehlo.dot_general' op expects rhs to have zero points of 0, got '!quant.uniform<i8:f32, 1.000000e-01:4>'}}
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x2x!quant.uniform<i8:f32, 0.1>>, tensor<2x3x!quant.uniform<i8:f32, 0.1:4>>) -> tensor<4x3x!quant.uniform<i32:f32, 0.1>>
  return
}

// -----

func.func @only_lhs(%x: tensor<4x2x!quant.uniform<i8:f32, 0.1>>, %w: tensor<2x3xf32>) {
  // expected-error @+1 {{'stablehlo.dot_general' op expects a quantized rhs when lhs or result are quantized, got 'tensor<2x3xf32>'}}
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x2x!quant.uniform<i8:f32, 0.1>>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @hybrid(%x: tensor<4x2xf16>, %w: tensor<2x3x!quant.uniform<i8:f32, 0.1>>) {
  // expected-error @+1 {{'stablehlo.dot_general' op expects lhs and result of type 'f32', which rhs expresses, got 'tensor<4x2xf16>' and 'tensor<4x3xf32>'}}
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x2xf16>, tensor<2x3x!quant.uniform<i8:f32, 0.1>>) -> tensor<4x3xf32>
  return
}

// -----

func.func @kernel(%x: tensor<1x4x2x!quant.uniform<i8:f32, 0.1>>, %w: tensor<3x2x2x!quant.uniform<i8:f32:1, {0.1,0.2}>>) {
  // expected-error @+1 {{'stablehlo.convolution' op expects rhs to be quantized along its output feature dimension 2, got 1}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2x!quant.uniform<i8:f32, 0.1>>, tensor<3x2x2x!quant.uniform<i8:f32:1, {0.1,0.2}>>) -> tensor<1x2x2x!quant.uniform<i32:f32, 0.1>>
  return
}
