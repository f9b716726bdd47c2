// What the verifiers and parsers refuse.
// RUN: shardwright-opt %s --split-input-file --verify-diagnostics

func.func @add(%a: tensor<4xf32>, %b: tensor<5xf32>) {
  // expected-error @+1 {{'stablehlo.add' op requires the same shape for all operands and results}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @add(%a: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{op requires the same element type for all operands and results}}
  %0 = "stablehlo.add"(%a, %i) : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @add(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.add' op requires the same shape for all operands and results}}
  %0 = "stablehlo.add"(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @add(%a: tensor<4xf32>) {
  // expected-error @+1 {{op requires the same element type for all operands and results}}
  %0 = "stablehlo.add"(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @add(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{'stablehlo.add' op requires the same shape for all operands and results}}
  %0 = "stablehlo.add"(%a, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @add(%a: tensor<4xf32>, %d: tensor<?xf32>) {
  // expected-error @+1 {{'stablehlo.add' op requires the same shape for all operands and results}}
  %0 = "stablehlo.add"(%d, %a) : (tensor<?xf32>, tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @add(%u: tensor<*xf32>) {
  // expected-error @+1 {{'stablehlo.add' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit f}}
  %0 = "stablehlo.add"(%u, %u) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @add(%x: tensor<4xindex>) {
  // expected-error @+1 {{'stablehlo.add' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit f}}
  %0 = "stablehlo.add"(%x, %x) : (tensor<4xindex>, tensor<4xindex>) -> tensor<4xindex>
  return
}

// -----

func.func @subtract(%p: tensor<4xi1>) {
  // expected-error @+1 {{'stablehlo.subtract' op operand #0 must be ranked tensor of 2/4/8/16/32/64-bit integer or 4/6/8/16/32/64-bit float or complex type with 32/64-bit floa}}
  %0 = "stablehlo.subtract"(%p, %p) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @atan2(%i: tensor<4xi32>) {
  // expected-error @+1 {{'stablehlo.atan2' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements or per-tensor integer}}
  %0 = "stablehlo.atan2"(%i, %i) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @and(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.and' op operand #0 must be ranked tensor of bool or 2/4/8/16/32/64-bit integer values, but got 'tensor<4xf32>'}}
  %0 = "stablehlo.and"(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @shift_left(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.shift_left' op operand #0 must be ranked tensor of 2/4/8/16/32/64-bit integer values, but got 'tensor<4xf32>'}}
  %0 = "stablehlo.shift_left"(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @abs(%ui: tensor<4xui32>) {
  // expected-error @+1 {{'stablehlo.abs' op operand #0 must be ranked tensor of 2/4/8/16/32/64-bit signless integer or 4/6/8/16/32/64-bit float or complex type with 32/64-bit}}
  %0 = "stablehlo.abs"(%ui) : (tensor<4xui32>) -> tensor<4xui32>
  return
}

// -----

func.func @abs(%c: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'stablehlo.abs' op result #0 must be ranked tensor of 2/4/8/16/32/64-bit signless integer or 4/6/8/16/32/64-bit float or per-tensor integer quantized}}
  %0 = "stablehlo.abs"(%c) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @cosine(%i: tensor<4xi32>) {
  // expected-error @+1 {{'stablehlo.cosine' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements or per-tensor integer}}
  %0 = "stablehlo.cosine"(%i) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @ceil(%i: tensor<4xi32>) {
  // expected-error @+1 {{'stablehlo.ceil' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or per-tensor integer quantized values, but got 'tensor<4xi32>'}}
  %0 = "stablehlo.ceil"(%i) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @not(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.not' op operand #0 must be ranked tensor of bool or 2/4/8/16/32/64-bit integer values, but got 'tensor<4xf32>'}}
  %0 = "stablehlo.not"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @popcnt(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.popcnt' op operand #0 must be ranked tensor of 2/4/8/16/32/64-bit integer values, but got 'tensor<4xf32>'}}
  %0 = "stablehlo.popcnt"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sign(%p: tensor<4xi1>) {
  // expected-error @+1 {{'stablehlo.sign' op operand #0 must be ranked tensor of 2/4/8/16/32/64-bit signless integer or 4/6/8/16/32/64-bit float or complex type with 32/64-bit}}
  %0 = "stablehlo.sign"(%p) : (tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @negate(%p: tensor<4xi1>) {
  // expected-error @+1 {{'stablehlo.negate' op operand #0 must be ranked tensor of 2/4/8/16/32/64-bit integer or 4/6/8/16/32/64-bit float or complex type with 32/64-bit float}}
  %0 = "stablehlo.negate"(%p) : (tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @real(%p: tensor<4xi1>) {
  // expected-error @+1 {{'stablehlo.real' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements values, but got 'tensor<4xi1>'}}
  %0 = "stablehlo.real"(%p) : (tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @real(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.real' op result #0 must be ranked tensor of 4/6/8/16/32/64-bit float values, but got 'tensor<4xi1>'}}
  %0 = "stablehlo.real"(%a) : (tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

func.func @is_finite(%p: tensor<4xi1>) {
  // expected-error @+1 {{'stablehlo.is_finite' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or per-tensor integer quantized values, but got 'tensor<4xi1>'}}
  %0 = "stablehlo.is_finite"(%p) : (tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @is_finite(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.is_finite' op result #0 must be ranked tensor of bool values, but got 'tensor<4xf32>'}}
  %0 = "stablehlo.is_finite"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @convert(%x: tensor<4xindex>) {
  // expected-error @+1 {{'stablehlo.convert' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-b}}
  %0 = "stablehlo.convert"(%x) : (tensor<4xindex>) -> tensor<4xf32>
  return
}

// -----

func.func @convert(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.convert' op requires the same shape for all operands and results}}
  %0 = "stablehlo.convert"(%a) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @complex(%i: tensor<4xi32>) {
  // expected-error @+1 {{'stablehlo.complex' op operand #0 must be ranked tensor of 32/64-bit float values, but got 'tensor<4xi32>'}}
  %0 = "stablehlo.complex"(%i, %i) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @compare(%x: tensor<4xindex>) {
  // expected-error @+1 {{'stablehlo.compare' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-b}}
  %0 = "stablehlo.compare"(%x, %x) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<4xindex>, tensor<4xindex>) -> tensor<4xi1>
  return
}

// -----

func.func @compare(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.compare' op result #0 must be ranked tensor of bool values, but got 'tensor<4xf32>'}}
  %0 = "stablehlo.compare"(%a, %a) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @compare(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.compare' op attribute 'comparison_direction' failed to satisfy constraint: Which comparison operation to perform.}}
  %0 = "stablehlo.compare"(%a, %a) {comparison_direction = 3 : i32} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @select(%a: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'stablehlo.select' op operand #0 must be ranked tensor of bool values, but got 'tensor<4xi32>'}}
  %0 = "stablehlo.select"(%i, %a, %a) : (tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @select(%b: tensor<5xf32>, %p: tensor<4xi1>) {
  // expected-error @+2 {{requires the same shape for all operands}}
  // expected-error @+1 {{'stablehlo.select' op failed to infer returned types}}
  %0 = "stablehlo.select"(%p, %b, %b) : (tensor<4xi1>, tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @select(%a: tensor<4xf32>, %b: tensor<5xf32>, %p: tensor<4xi1>) {
  // expected-error @+2 {{requires compatible types for non-predicate operands}}
  // expected-error @+1 {{'stablehlo.select' op failed to infer returned types}}
  %0 = "stablehlo.select"(%p, %a, %b) : (tensor<4xi1>, tensor<4xf32>, tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @clamp(%a: tensor<4xf32>, %b: tensor<5xf32>) {
  // expected-error @+2 {{min shape [4] is not scalar and is not compatible to operand shape [5]}}
  // expected-error @+1 {{'stablehlo.clamp' op failed to infer returned types}}
  %0 = "stablehlo.clamp"(%a, %b, %a) : (tensor<4xf32>, tensor<5xf32>, tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @clamp(%a: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'stablehlo.clamp' op requires compatible element types for all operands and results}}
  %0 = "stablehlo.clamp"(%a, %i, %a) : (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @clamp(%a: tensor<4xf32>, %b: tensor<5xf32>) {
  // expected-error @+2 {{min shape [5] is not scalar and is not compatible to operand shape [4]}}
  // expected-error @+1 {{'stablehlo.clamp' op failed to infer returned types}}
  %0 = "stablehlo.clamp"(%b, %a, %a) : (tensor<5xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduce_precision(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.reduce_precision' op attribute 'exponent_bits' failed to satisfy constraint: 32-bit signless integer attribute whose value is positive}}
  %0 = "stablehlo.reduce_precision"(%a) {exponent_bits = 0 : i32, mantissa_bits = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduce_precision(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.reduce_precision' op attribute 'mantissa_bits' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
  %0 = "stablehlo.reduce_precision"(%a) {exponent_bits = 1 : i32, mantissa_bits = -1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduce_precision(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.reduce_precision' op attribute 'exponent_bits' failed to satisfy constraint: 32-bit signless integer attribute whose value is positive}}
  %0 = "stablehlo.reduce_precision"(%a) {exponent_bits = 1 : i64, mantissa_bits = -1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @uniform_quantize(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.uniform_quantize' op result #0 must be ranked tensor of per-tensor integer quantized or per-axis integer quantized values, but got 'tensor<4xf32>'}}
  %0 = "stablehlo.uniform_quantize"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @uniform_dequantize(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.uniform_dequantize' op operand #0 must be ranked tensor of per-tensor integer quantized or per-axis integer quantized values, but got 'tens}}
  %0 = "stablehlo.uniform_dequantize"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @cosine(%a: tensor<4xf32>) {
  // expected-error @+1 {{Invalid tolerances for ResultAccuracyAttr with mode DEFAULT, must be all zero.}}
  %0 = stablehlo.cosine %a {result_accuracy = #stablehlo.result_accuracy<ulps = 1, mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4xf32>
  return
}

// -----

func.func @cosine(%a: tensor<4xf32>) {
  // expected-error @+1 {{Negative tolerance}}
  %0 = stablehlo.cosine %a {result_accuracy = #stablehlo.result_accuracy<atol = -1.0, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  return
}

// -----

func.func @async_done(%x: tensor<4xindex>) {
  // expected-error @+1 {{'stablehlo.async_done' op operand #0 must be future, but got 'tensor<4xindex>'}}
  %0 = "stablehlo.async_done"(%x) : (tensor<4xindex>) -> tensor<4xindex>
  return
}

// -----

func.func @convert(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.convert' op result #0 must be ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bi}}
  %0 = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4x!stablehlo.token>
  return
}

// -----

func.func @add(%b: tensor<5xf32>, %bd: tensor<?xf32, #stablehlo.bounds<4>>) {
  // expected-error @+2 {{Mismatched dimension size 5 and bound 4 in dimension 0}}
  // expected-error @+1 {{'stablehlo.add' op failed to infer returned types}}
  %0 = "stablehlo.add"(%bd, %b) : (tensor<?xf32, #stablehlo.bounds<4>>, tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @convert(%a: tensor<4xf32>) {
  // expected-error @+1 {{Bounds length is 2, expected to be equal to rank(1) of the tensor 'tensor<4xf32>'}}
  %0 = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xf32, #stablehlo.bounds<4, 5>>
  return
}

// -----

func.func @sine_of_integers(%a: tensor<4xi32>) {
  // expected-error @+1 {{'stablehlo.sine' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or complex type}}
  "stablehlo.sine"(%a) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @sine_shapes(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.sine' op requires compatible types for all operands and results}}
  "stablehlo.sine"(%a) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @sine_of_two_operands(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.sine' op requires a single operand}}
  "stablehlo.sine"(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sine_accuracy(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.sine' op attribute 'result_accuracy' failed to satisfy constraint: The requested accuracy for transcendental unary ops.}}
  "stablehlo.sine"(%a) {result_accuracy = 3 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
