// What the verifiers and parsers refuse.
// RUN: shardwright-opt %s --split-input-file --verify-diagnostics

func.func @_asin_acos_kernel(%a: tensor<4xf32>) {
  // expected-error @+1 {{'chlo._asin_acos_kernel' op operand #0 must be tensor of complex type with 32/64-bit float elements values, but got 'tensor<4xf32>'}}
  %0 = chlo._asin_acos_kernel %a {foo} : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @_asin_acos_kernel(%a: tensor<4xf32>) {
  // expected-error @+1 {{'chlo._asin_acos_kernel' op operand #0 must be tensor of complex type with 32/64-bit float elements values, but got 'tensor<4xf32>'}}
  %0 = "chlo._asin_acos_kernel"(%a) {foo} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @scan(%s: tensor<f32>) {
  // expected-error @+1 {{'chlo.scan' op at least one of inputs or outputs must be present}}
  %0 = "chlo.scan"(%s) <{dimension = 0 : i64, scan_dim_size = 4 : i64, operandSegmentSizes = array<i32: 0, 1>, resultSegmentSizes = array<i32: 0, 1>}> ({^bb0(%ca: tensor<f32>): %z = stablehlo.add %ca, %ca : tensor<f32>
  stablehlo.return %z : tensor<f32>}) {foo} : (tensor<f32>) -> (tensor<f32>)
  return
}

// -----

func.func @scan(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{'chlo.scan' op scan dimension sizes differ: 4 and 5}}
  %0:2 = "chlo.scan"(%a, %s) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({^bb0(%in: tensor<f32>, %ca: tensor<f32>): %z1 = stablehlo.add %in, %ca : tensor<f32>
  stablehlo.return %z1, %z1 : tensor<f32>, tensor<f32>}) : (tensor<4xf32>, tensor<f32>) -> (tensor<5xf32>, tensor<f32>)
  return
}

// -----

func.func @erf(%c: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'chlo.erf' op operand #0 must be tensor of 4/6/8/16/32/64-bit float values, but got 'tensor<4xcomplex<f32>>'}}
  %0 = "chlo.erf"(%c) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @erf(%b: tensor<4xi32>) {
  // expected-error @+1 {{'chlo.erf' op operand #0 must be tensor of 4/6/8/16/32/64-bit float values, but got 'tensor<4xi32>'}}
  %0 = "chlo.erf"(%b) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @erf(%a: tensor<4xf32>) {
  // expected-error @+1 {{'chlo.erf' op requires compatible types for all operands and results}}
  %0 = "chlo.erf"(%a) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @asin(%b: tensor<4xi32>) {
  // expected-error @+1 {{'chlo.asin' op operand #0 must be tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements values, but got 'tensor<4xi32>'}}
  %0 = "chlo.asin"(%b) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @tan(%b: tensor<4xi32>) {
  // expected-error @+1 {{'chlo.tan' op operand #0 must be tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements values, but got 'tensor<4xi32>'}}
  %0 = "chlo.tan"(%b) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @square(%p: tensor<4xi1>) {
  // expected-error @+1 {{'chlo.square' op operand #0 must be tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements values, but got 'tensor<4xi1>'}}
  %0 = "chlo.square"(%p) : (tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @square(%b: tensor<4xi32>) {
  // expected-error @+1 {{'chlo.square' op operand #0 must be tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements values, but got 'tensor<4xi32>'}}
  %0 = "chlo.square"(%b) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @conj(%b: tensor<4xi32>) {
  // expected-error @+1 {{'chlo.conj' op operand #0 must be tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements values, but got 'tensor<4xi32>'}}
  %0 = "chlo.conj"(%b) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @is_inf(%c: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'chlo.is_inf' op operand #0 must be tensor of 4/6/8/16/32/64-bit float values, but got 'tensor<4xcomplex<f32>>'}}
  %0 = "chlo.is_inf"(%c) : (tensor<4xcomplex<f32>>) -> tensor<4xi1>
  return
}

// -----

func.func @is_inf(%b: tensor<4xi32>) {
  // expected-error @+1 {{'chlo.is_inf' op operand #0 must be tensor of 4/6/8/16/32/64-bit float values, but got 'tensor<4xi32>'}}
  %0 = "chlo.is_inf"(%b) : (tensor<4xi32>) -> tensor<4xi1>
  return
}

// -----

func.func @is_inf(%a: tensor<4xf32>) {
  // expected-error @+1 {{'chlo.is_inf' op result #0 must be tensor of bool values, but got 'tensor<4xf32>'}}
  %0 = "chlo.is_inf"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @lgamma(%c: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'chlo.lgamma' op operand #0 must be tensor of 4/6/8/16/32/64-bit float values, but got 'tensor<4xcomplex<f32>>'}}
  %0 = "chlo.lgamma"(%c) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @bessel_i1e(%b: tensor<4xi32>) {
  // expected-error @+1 {{'chlo.bessel_i1e' op operand #0 must be tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements values, but got 'tensor<4xi32>'}}
  %0 = "chlo.bessel_i1e"(%b) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @mulhi(%a: tensor<4xf32>) {
  // expected-error @+1 {{'chlo.mulhi' op operand #0 must be ranked tensor of 2/4/8/16/32/64-bit integer values, but got 'tensor<4xf32>'}}
  %0 = "chlo.mulhi"(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @next_after(%b: tensor<4xi32>) {
  // expected-error @+1 {{'chlo.next_after' op operand #0 must be tensor of 4/6/8/16/32/64-bit float values, but got 'tensor<4xi32>'}}
  %0 = "chlo.next_after"(%b, %b) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @next_after(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{'chlo.next_after' op requires compatible types for all operands and results}}
  %0 = "chlo.next_after"(%a, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @zeta(%b: tensor<4xi32>) {
  // expected-error @+1 {{'chlo.zeta' op operand #0 must be tensor of 4/6/8/16/32/64-bit float values, but got 'tensor<4xi32>'}}
  %0 = "chlo.zeta"(%b, %b) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @constant_like(%a: tensor<4xf32>) {
  // expected-error @+1 {{'chlo.constant_like' op value's type doesn't match element return type}}
  %0 = "chlo.constant_like"(%a) {value = 1.0 : f32} : (tensor<4xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @constant_like(%a: tensor<4xf32>) {
  // expected-error @+1 {{'chlo.constant_like' op value's type doesn't match element return type}}
  %0 = "chlo.constant_like"(%a) {value = "a"} : (tensor<4xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @top_k(%s: tensor<f32>) {
  // expected-error @+2 {{operand's rank must be at least 1}}
  // expected-error @+1 {{'chlo.top_k' op failed to infer returned types}}
  %0:2 = chlo.top_k(%s, k = 2) : tensor<f32> -> (tensor<2xf32>, tensor<2xi32>)
  return
}

// -----

func.func @top_k(%a: tensor<4xf32>) {
  // expected-error @+2 {{operand's last dimension must be at least 5}}
  // expected-error @+1 {{'chlo.top_k' op failed to infer returned types}}
  %0:2 = chlo.top_k(%a, k = 5) : tensor<4xf32> -> (tensor<5xf32>, tensor<5xi32>)
  return
}

// -----

func.func @top_k(%a: tensor<4xf32>) {
  // expected-error @+2 {{k must not be negative, got -1}}
  // expected-error @+1 {{'chlo.top_k' op failed to infer returned types}}
  %0:2 = "chlo.top_k"(%a) {k = -1 : i64} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  return
}

// -----

func.func @broadcast_add(%a: tensor<4xf32>, %b: tensor<4xi32>) {
  // expected-error @+1 {{'chlo.broadcast_add' op requires compatible element types for all operands and results}}
  %0 = chlo.broadcast_add %a, %b : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @broadcast_add(%a: tensor<4xf32>, %g: tensor<2xi32>) {
  // expected-error @+1 {{'chlo.broadcast_add' op requires compatible element types for all operands and results}}
  %0 = chlo.broadcast_add %a, %g : (tensor<4xf32>, tensor<2xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @broadcast_add(%m: tensor<4x4xf32>, %r: tensor<2x4x4xf32>) {
  // expected-error @+2 {{shapes cannot be broadcast: sizes 2 and 4 in dimension 0}}
  // expected-error @+1 {{'chlo.broadcast_add' op failed to infer returned types}}
  %0 = chlo.broadcast_add %m, %r {broadcast_dimensions = array<i64: 0, 1>} : (tensor<4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  return
}

// -----

func.func @broadcast_add(%m: tensor<4x4xf32>, %r: tensor<2x4x4xf32>) {
  // expected-error @+2 {{broadcast_dimensions implies invalid ranks: expected 2 entries, got 1}}
  // expected-error @+1 {{'chlo.broadcast_add' op failed to infer returned types}}
  %0 = chlo.broadcast_add %m, %r {broadcast_dimensions = array<i64: 0>} : (tensor<4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  return
}

// -----

func.func @broadcast_add(%a: tensor<4xf32>, %z: tensor<0xf32>) {
  // expected-error @+2 {{shapes cannot be broadcast: sizes 0 and 4 in dimension 0}}
  // expected-error @+1 {{'chlo.broadcast_add' op failed to infer returned types}}
  %0 = chlo.broadcast_add %a, %z : (tensor<4xf32>, tensor<0xf32>) -> tensor<0xf32>
  return
}

// -----

func.func @constant() {
  // expected-error @+2 {{'chlo.constant' op inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<5xf32>'}}
  // expected-error @+1 {{'chlo.constant' op failed to infer returned types}}
  %0 = "chlo.constant"() {value = dense<1.0> : tensor<4xf32>} : () -> tensor<5xf32>
  return
}
