// Spoiled operations that jaxlib and ours refuse in the same words, written by
// test/oracle/verifier_agreement.py --save.
// RUN: shardwright-opt %s --split-input-file --verify-diagnostics=only-expected -o /dev/null

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo._asin_acos_kernel' op requires one result}}
  "chlo._asin_acos_kernel"() {} : () -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo._asin_acos_kernel' op requires a single operand}}
  %r:1 = "chlo._asin_acos_kernel"() {} : () -> (tensor<4xf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (f32) -> (), sym_name = "main"}> ({
^bb0(%operand0: f32):
  // expected-error @+1 {{'chlo._asin_acos_kernel' op operand #0 must be tensor of complex type with 32/64-bit float elements values, but got 'f32'}}
  %r:1 = "chlo._asin_acos_kernel"(%operand0) {} : (f32) -> (f32)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.acos' op requires a single operand}}
  %r:1 = "chlo.acos"() {} : () -> (tensor<4xbf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (none) -> (), sym_name = "main"}> ({
^bb0(%operand0: none):
  // expected-error @+1 {{'chlo.acos' op operand #0 must be tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements values, but got 'none'}}
  %r:1 = "chlo.acos"(%operand0) {} : (none) -> (tensor<4xbf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<5xbf16>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<5xbf16>):
  // expected-error @+1 {{'chlo.acos' op requires one result}}
  "chlo.acos"(%operand0) {} : (tensor<5xbf16>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.acosh' op requires a single operand}}
  %r:1 = "chlo.acosh"() {} : () -> (tensor<4xbf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<?x4xbf16>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<?x4xbf16>):
  // expected-error @+1 {{'chlo.acosh' op requires one result}}
  "chlo.acosh"(%operand0) {} : (tensor<?x4xbf16>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f32>):
  // expected-error @+1 {{'chlo.acosh' op requires compatible types for all operands and results}}
  %r:1 = "chlo.acosh"(%operand0) {} : (tensor<f32>) -> (tensor<3xbf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.asin' op requires a single operand}}
  %r:1 = "chlo.asin"() {} : () -> (tensor<4xbf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.asin' op requires one result}}
  %r:2 = "chlo.asin"() {} : () -> (tensor<4xbf16>, tensor<4xbf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xbf16>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xbf16>):
  // expected-error @+1 {{'chlo.asin' op result #0 must be tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements values, but got 'i32'}}
  %r:1 = "chlo.asin"(%operand0) {} : (tensor<4xbf16>) -> (i32)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.asinh' op requires a single operand}}
  %r:1 = "chlo.asinh"() {} : () -> (tensor<4xbf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<bf16>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<bf16>):
  // expected-error @+1 {{'chlo.asinh' op requires one result}}
  "chlo.asinh"(%operand0) {} : (tensor<bf16>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f32>):
  // expected-error @+1 {{'chlo.asinh' op requires compatible types for all operands and results}}
  %r:1 = "chlo.asinh"(%operand0) {} : (tensor<f32>) -> (tensor<4xbf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.atan' op requires one result}}
  "chlo.atan"() {} : () -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.atan' op requires a single operand}}
  %r:1 = "chlo.atan"() {} : () -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (i32) -> (), sym_name = "main"}> ({
^bb0(%operand0: i32):
  // expected-error @+1 {{'chlo.atan' op operand #0 must be tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements values, but got 'i32'}}
  %r:1 = "chlo.atan"(%operand0) {} : (i32) -> (tensor<5xbf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.atanh' op requires a single operand}}
  %r:1 = "chlo.atanh"() {} : () -> (tensor<4xi4>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (none) -> (), sym_name = "main"}> ({
^bb0(%operand0: none):
  // expected-error @+1 {{'chlo.atanh' op operand #0 must be tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements values, but got 'none'}}
  %r:1 = "chlo.atanh"(%operand0) {} : (none) -> (tensor<4xbf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<8xbf16>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<8xbf16>):
  // expected-error @+1 {{'chlo.atanh' op requires one result}}
  "chlo.atanh"(%operand0) {} : (tensor<8xbf16>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.bessel_i1e' op requires a single operand}}
  %r:1 = "chlo.bessel_i1e"() {} : () -> (tensor<bf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (i32) -> (), sym_name = "main"}> ({
^bb0(%operand0: i32):
  // expected-error @+1 {{'chlo.bessel_i1e' op requires one result}}
  %r:2 = "chlo.bessel_i1e"(%operand0) {} : (i32) -> (i32, i32)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (none) -> (), sym_name = "main"}> ({
^bb0(%operand0: none):
  // expected-error @+1 {{'chlo.bessel_i1e' op operand #0 must be tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements values, but got 'none'}}
  %r:1 = "chlo.bessel_i1e"(%operand0) {} : (none) -> (tensor<4xbf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<2x4x4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<2x4x4xf32>):
  // expected-error @+1 {{'chlo.broadcast_add' op expected 2 operands, but found 1}}
  %r:1 = "chlo.broadcast_add"(%operand0) {} : (tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4x4xf32>, tensor<2x4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4x4xf32>, %operand1: tensor<2x4xf32>):
  // expected-error @+1 {{'chlo.broadcast_add' op requires one result}}
  "chlo.broadcast_add"(%operand0, %operand1) {} : (tensor<4x4xf32>, tensor<2x4xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>, tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>, %operand1: tensor<f32>):
  // expected-error @+1 {{'chlo.broadcast_add' op inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<8xf32>'}}
  %r:1 = "chlo.broadcast_add"(%operand0, %operand1) {foo} : (tensor<4xf32>, tensor<f32>) -> (tensor<8xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3xi32>):
  // expected-error @+1 {{'chlo.broadcast_and' op expected 2 operands, but found 1}}
  %r:1 = "chlo.broadcast_and"(%operand0) {broadcast_dimensions = array<i64: 0>} : (tensor<3xi32>) -> (tensor<3x4xi32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xi1>, tensor<3xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xi1>, %operand1: tensor<3xi32>):
  // expected-error @+1 {{mismatched operand types}}
  %r:1 = "chlo.broadcast_and"(%operand0, %operand1) {} : (tensor<4xi1>, tensor<3xi32>) -> (tensor<3x4xi32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3x4xi32>, memref<2xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3x4xi32>, %operand1: memref<2xf32>):
  // expected-error @+1 {{'chlo.broadcast_and' op operand #1 must be tensor of bool or 2/4/8/16/32/64-bit integer values, but got 'memref<2xf32>'}}
  %r:1 = "chlo.broadcast_and"(%operand0, %operand1) {} : (tensor<3x4xi32>, memref<2xf32>) -> (tensor<3x4xi32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'chlo.broadcast_atan2' op requires one result}}
  "chlo.broadcast_atan2"(%operand0) {} : (tensor<4xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'chlo.broadcast_atan2' op expected 2 operands, but found 1}}
  %r:1 = "chlo.broadcast_atan2"(%operand0) {} : (tensor<4xf32>) -> (tensor<3x4xf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (none, tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: none, %operand1: tensor<4xf32>):
  // expected-error @+1 {{'chlo.broadcast_atan2' op operand #0 must be tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized or per-axis integer quantized values, but got 'none'}}
  %r:1 = "chlo.broadcast_atan2"(%operand0, %operand1) {} : (none, tensor<4xf32>) -> (none)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<ui8>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<ui8>):
  // expected-error @+1 {{'chlo.broadcast_compare' op expected 2 operands, but found 1}}
  %r:1 = "chlo.broadcast_compare"(%operand0) {compare_type = #chlo<comparison_type FLOAT>, comparison_direction = #chlo<comparison_direction LT>, foo} : (tensor<ui8>) -> (tensor<4xi1>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f32>):
  // expected-error @+1 {{'chlo.broadcast_compare' op attribute 'comparison_direction' failed to satisfy constraint: Which comparison operation to perform.}}
  %r:1 = "chlo.broadcast_compare"(%operand0) {compare_type = #chlo<comparison_type FLOAT>, comparison_direction = dense<0> : tensor<1xi64>, foo = "text"} : (tensor<f32>) -> (tensor<4xi1>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>, tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>, %operand1: tensor<f32>):
  // expected-error @+1 {{'chlo.broadcast_compare' op requires attribute 'comparison_direction'}}
  %r:1 = "chlo.broadcast_compare"(%operand0, %operand1) {compare_type = #chlo<comparison_type FLOAT>, foo} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xi1>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4x2xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4x2xf32>):
  // expected-error @+1 {{'chlo.broadcast_complex' op expected 2 operands, but found 1}}
  %r:1 = "chlo.broadcast_complex"(%operand0) {foo} : (tensor<4x2xf32>) -> (tensor<4xcomplex<f32>>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>, tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f32>, %operand1: tensor<f32>):
  // expected-error @+1 {{'chlo.broadcast_complex' op requires one result}}
  "chlo.broadcast_complex"(%operand0, %operand1) {foo} : (tensor<f32>, tensor<f32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (f32, tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: f32, %operand1: tensor<4xf32>):
  // expected-error @+1 {{'chlo.broadcast_complex' op operand #0 must be tensor of 4/6/8/16/32/64-bit float values, but got 'f32'}}
  %r:1 = "chlo.broadcast_complex"(%operand0, %operand1) {foo} : (f32, tensor<4xf32>) -> (tensor<4xcomplex<f32>>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'chlo.broadcast_divide' op expected 2 operands, but found 1}}
  %r:1 = "chlo.broadcast_divide"(%operand0) {} : (tensor<4xf32>) -> (tensor<3x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3x4xf32>, tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3x4xf32>, %operand1: tensor<4xf32>):
  // expected-error @+1 {{'chlo.broadcast_divide' op requires one result}}
  "chlo.broadcast_divide"(%operand0, %operand1) {} : (tensor<3x4xf32>, tensor<4xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>, tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>, %operand1: tensor<4xf32>):
  // expected-error @+1 {{'chlo.broadcast_divide' op inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<3x4xf32>'}}
  %r:1 = "chlo.broadcast_divide"(%operand0, %operand1) {} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3x4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3x4xf32>):
  // expected-error @+1 {{'chlo.broadcast_maximum' op requires one result}}
  "chlo.broadcast_maximum"(%operand0) {} : (tensor<3x4xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'chlo.broadcast_maximum' op expected 2 operands, but found 1}}
  %r:1 = "chlo.broadcast_maximum"(%operand0) {} : (tensor<4xf32>) -> (tensor<3x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (f32, tensor<4xui8>) -> (), sym_name = "main"}> ({
^bb0(%operand0: f32, %operand1: tensor<4xui8>):
  // expected-error @+1 {{'chlo.broadcast_maximum' op operand #0 must be tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized or per-axis integer quantized values, but got 'f32'}}
  %r:1 = "chlo.broadcast_maximum"(%operand0, %operand1) {} : (f32, tensor<4xui8>) -> (tensor<3x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'chlo.broadcast_minimum' op expected 2 operands, but found 1}}
  %r:1 = "chlo.broadcast_minimum"(%operand0) {} : (tensor<4xf32>) -> (tensor<3x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3x4xf32>, none) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3x4xf32>, %operand1: none):
  // expected-error @+1 {{'chlo.broadcast_minimum' op operand #1 must be tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized or per-axis integer quantized values, but got 'none'}}
  %r:1 = "chlo.broadcast_minimum"(%operand0, %operand1) {} : (tensor<3x4xf32>, none) -> (tensor<3x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<5x3xf32>, tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<5x3xf32>, %operand1: tensor<4xf32>):
  // expected-error @+1 {{'chlo.broadcast_minimum' op requires one result}}
  "chlo.broadcast_minimum"(%operand0, %operand1) {} : (tensor<5x3xf32>, tensor<4xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3x4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3x4xf32>):
  // expected-error @+1 {{'chlo.broadcast_multiply' op expected 2 operands, but found 1}}
  %r:1 = "chlo.broadcast_multiply"(%operand0) {} : (tensor<3x4xf32>) -> (tensor<3x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3x4xf32>, tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3x4xf32>, %operand1: tensor<4xf32>):
  // expected-error @+1 {{'chlo.broadcast_multiply' op requires one result}}
  "chlo.broadcast_multiply"(%operand0, %operand1) {} : (tensor<3x4xf32>, tensor<4xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>, tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>, %operand1: tensor<4xf32>):
  // expected-error @+1 {{'chlo.broadcast_multiply' op inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<3x4xf32>'}}
  %r:1 = "chlo.broadcast_multiply"(%operand0, %operand1) {} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xi16>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xi16>):
  // expected-error @+1 {{'chlo.broadcast_next_after' op expected 2 operands, but found 1}}
  %r:1 = "chlo.broadcast_next_after"(%operand0) {} : (tensor<4xi16>) -> (tensor<3x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (i32, tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: i32, %operand1: tensor<f32>):
  // expected-error @+1 {{'chlo.broadcast_next_after' op operand #0 must be tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized or per-axis integer quantized values, but got 'i32'}}
  %r:1 = "chlo.broadcast_next_after"(%operand0, %operand1) {} : (i32, tensor<f32>) -> (tensor<3x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>, tensor<?xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>, %operand1: tensor<?xf32>):
  // expected-error @+1 {{'chlo.broadcast_next_after' op requires one result}}
  "chlo.broadcast_next_after"(%operand0, %operand1) {} : (tensor<4xf32>, tensor<?xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3xi32>):
  // expected-error @+1 {{'chlo.broadcast_or' op requires one result}}
  "chlo.broadcast_or"(%operand0) {broadcast_dimensions = array<i64: 0>} : (tensor<3xi32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3xi32>):
  // expected-error @+1 {{'chlo.broadcast_or' op expected 2 operands, but found 1}}
  %r:1 = "chlo.broadcast_or"(%operand0) {broadcast_dimensions = array<i64: 0>} : (tensor<3xi32>) -> (tensor<3x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3x4xi32>, tensor<3xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3x4xi32>, %operand1: tensor<3xi32>):
  // expected-error @+1 {{'chlo.broadcast_or' op result #0 must be tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized or per-axis integer quantized values, but got 'f32'}}
  %r:1 = "chlo.broadcast_or"(%operand0, %operand1) {broadcast_dimensions = array<i64: 0>} : (tensor<3x4xi32>, tensor<3xi32>) -> (f32)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'chlo.broadcast_polygamma' op requires one result}}
  "chlo.broadcast_polygamma"(%operand0) {} : (tensor<4xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'chlo.broadcast_polygamma' op expected 2 operands, but found 1}}
  %r:1 = "chlo.broadcast_polygamma"(%operand0) {} : (tensor<4xf32>) -> (tensor<3x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3x4xf32>, i32) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3x4xf32>, %operand1: i32):
  // expected-error @+1 {{'chlo.broadcast_polygamma' op operand #1 must be tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized or per-axis integer quantized values, but got 'i32'}}
  %r:1 = "chlo.broadcast_polygamma"(%operand0, %operand1) {} : (tensor<3x4xf32>, i32) -> (tensor<3x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'chlo.broadcast_power' op expected 2 operands, but found 1}}
  %r:1 = "chlo.broadcast_power"(%operand0) {} : (tensor<4xf32>) -> (tensor<3x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (i32, tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: i32, %operand1: tensor<4xf32>):
  // expected-error @+1 {{'chlo.broadcast_power' op operand #0 must be tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized or per-axis integer quantized values, but got 'i32'}}
  %r:1 = "chlo.broadcast_power"(%operand0, %operand1) {} : (i32, tensor<4xf32>) -> (vector<2xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3x4xf32>, tensor<4xi64>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3x4xf32>, %operand1: tensor<4xi64>):
  // expected-error @+1 {{'chlo.broadcast_power' op requires one result}}
  "chlo.broadcast_power"(%operand0, %operand1) {} : (tensor<3x4xf32>, tensor<4xi64>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'chlo.broadcast_remainder' op expected 2 operands, but found 1}}
  %r:1 = "chlo.broadcast_remainder"(%operand0) {} : (tensor<4xf32>) -> (tensor<4x3xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'chlo.broadcast_remainder' op requires one result}}
  %r:2 = "chlo.broadcast_remainder"(%operand0) {} : (tensor<4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<?x5xf32>, i32) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<?x5xf32>, %operand1: i32):
  // expected-error @+1 {{'chlo.broadcast_remainder' op operand #1 must be tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized or per-axis integer quantized values, but got 'i32'}}
  %r:1 = "chlo.broadcast_remainder"(%operand0, %operand1) {} : (tensor<?x5xf32>, i32) -> (tensor<?x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xi1>, tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xi1>, %operand1: tensor<f32>):
  // expected-error @+1 {{'chlo.broadcast_select' op expected 3 operands, but found 2}}
  %r:1 = "chlo.broadcast_select"(%operand0, %operand1) {} : (tensor<4xi1>, tensor<f32>) -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xi1>, tensor<4xf32>, tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xi1>, %operand1: tensor<4xf32>, %operand2: tensor<f32>):
  // expected-error @+1 {{'chlo.broadcast_select' op requires one result}}
  "chlo.broadcast_select"(%operand0, %operand1, %operand2) {foo} : (tensor<4xi1>, tensor<4xf32>, tensor<f32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xi1>, tensor<4xf32>, tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xi1>, %operand1: tensor<4xf32>, %operand2: tensor<f32>):
  // expected-error @+1 {{'chlo.broadcast_select' op result #0 must be tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized or per-axis integer quantized values, but got 'f32'}}
  %r:1 = "chlo.broadcast_select"(%operand0, %operand1, %operand2) {foo} : (tensor<4xi1>, tensor<4xf32>, tensor<f32>) -> (f32)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3xi32>):
  // expected-error @+1 {{'chlo.broadcast_shift_left' op expected 2 operands, but found 1}}
  %r:1 = "chlo.broadcast_shift_left"(%operand0) {broadcast_dimensions = array<i64: 0>} : (tensor<3xi32>) -> (tensor<3x4xi32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3x4xi1>, tensor<3xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3x4xi1>, %operand1: tensor<3xi32>):
  // expected-error @+1 {{'chlo.broadcast_shift_left' op requires the same element type for all operands and results}}
  %r:1 = "chlo.broadcast_shift_left"(%operand0, %operand1) {} : (tensor<3x4xi1>, tensor<3xi32>) -> (tensor<3x0xi32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3x4xi32>, f32) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3x4xi32>, %operand1: f32):
  // expected-error @+1 {{'chlo.broadcast_shift_left' op operand #1 must be tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized or per-axis integer quantized values, but got 'f32'}}
  %r:1 = "chlo.broadcast_shift_left"(%operand0, %operand1) {broadcast_dimensions = array<i64: 0>} : (tensor<3x4xi32>, f32) -> (tensor<3x4xi32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3xi32>):
  // expected-error @+1 {{'chlo.broadcast_shift_right_arithmetic' op expected 2 operands, but found 1}}
  %r:1 = "chlo.broadcast_shift_right_arithmetic"(%operand0) {} : (tensor<3xi32>) -> (tensor<3x4xi32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3x4xf32>, tensor<3xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3x4xf32>, %operand1: tensor<3xi32>):
  // expected-error @+1 {{'chlo.broadcast_shift_right_arithmetic' op requires the same element type for all operands and results}}
  %r:1 = "chlo.broadcast_shift_right_arithmetic"(%operand0, %operand1) {} : (tensor<3x4xf32>, tensor<3xi32>) -> (tensor<3x4xi32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3x4xi32>, tensor<3xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3x4xi32>, %operand1: tensor<3xi32>):
  // expected-error @+1 {{'chlo.broadcast_shift_right_arithmetic' op requires one result}}
  "chlo.broadcast_shift_right_arithmetic"(%operand0, %operand1) {broadcast_dimensions = array<i64: 0>} : (tensor<3x4xi32>, tensor<3xi32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<1xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<1xi32>):
  // expected-error @+1 {{'chlo.broadcast_shift_right_logical' op expected 2 operands, but found 1}}
  %r:1 = "chlo.broadcast_shift_right_logical"(%operand0) {broadcast_dimensions = array<i64: 0>} : (tensor<1xi32>) -> (tensor<3x4xi32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3x4xi1>, tensor<3xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3x4xi1>, %operand1: tensor<3xi32>):
  // expected-error @+1 {{'chlo.broadcast_shift_right_logical' op requires the same element type for all operands and results}}
  %r:1 = "chlo.broadcast_shift_right_logical"(%operand0, %operand1) {} : (tensor<3x4xi1>, tensor<3xi32>) -> (tensor<3x0xi32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3x4xi32>, tensor<3xtf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3x4xi32>, %operand1: tensor<3xtf32>):
  // expected-error @+1 {{'chlo.broadcast_shift_right_logical' op operand #1 must be tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized or per-axis integer quantized values, but got 'tensor<3xtf32>'}}
  %r:1 = "chlo.broadcast_shift_right_logical"(%operand0, %operand1) {} : (tensor<3x4xi32>, tensor<3xtf32>) -> (tensor<3x4xi32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<8xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<8xf32>):
  // expected-error @+1 {{'chlo.broadcast_subtract' op expected 2 operands, but found 1}}
  %r:1 = "chlo.broadcast_subtract"(%operand0) {} : (tensor<8xf32>) -> (tensor<3x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (i32, tensor<5xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: i32, %operand1: tensor<5xf32>):
  // expected-error @+1 {{'chlo.broadcast_subtract' op operand #0 must be tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized or per-axis integer quantized values, but got 'i32'}}
  %r:1 = "chlo.broadcast_subtract"(%operand0, %operand1) {} : (i32, tensor<5xf32>) -> (tensor<3x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3x4xf32>, tensor<i1>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3x4xf32>, %operand1: tensor<i1>):
  // expected-error @+1 {{'chlo.broadcast_subtract' op requires one result}}
  "chlo.broadcast_subtract"(%operand0, %operand1) {} : (tensor<3x4xf32>, tensor<i1>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<0xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<0xi32>):
  // expected-error @+1 {{'chlo.broadcast_xor' op expected 2 operands, but found 1}}
  %r:1 = "chlo.broadcast_xor"(%operand0) {broadcast_dimensions = array<i64: 0>} : (tensor<0xi32>) -> (tensor<3x4xi32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3x4xi32>, tensor<3xi16>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3x4xi32>, %operand1: tensor<3xi16>):
  // expected-error @+1 {{mismatched operand types}}
  %r:1 = "chlo.broadcast_xor"(%operand0, %operand1) {} : (tensor<3x4xi32>, tensor<3xi16>) -> (tensor<3x4xi32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3x4xi32>, tensor<1xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3x4xi32>, %operand1: tensor<1xi32>):
  // expected-error @+1 {{'chlo.broadcast_xor' op inferred type(s) 'tensor<3x4xi32>' are incompatible with return type(s) of operation 'tensor<3x4xbf16>'}}
  %r:1 = "chlo.broadcast_xor"(%operand0, %operand1) {} : (tensor<3x4xi32>, tensor<1xi32>) -> (tensor<3x4xbf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xi4>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xi4>):
  // expected-error @+1 {{'chlo.broadcast_zeta' op expected 2 operands, but found 1}}
  %r:1 = "chlo.broadcast_zeta"(%operand0) {foo} : (tensor<4xi4>) -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>, f32) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>, %operand1: f32):
  // expected-error @+1 {{'chlo.broadcast_zeta' op operand #1 must be tensor of 4/6/8/16/32/64-bit float values, but got 'f32'}}
  %r:1 = "chlo.broadcast_zeta"(%operand0, %operand1) {foo} : (tensor<4xf32>, f32) -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>, tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>, %operand1: tensor<4xf32>):
  // expected-error @+1 {{'chlo.broadcast_zeta' op requires one result}}
  "chlo.broadcast_zeta"(%operand0, %operand1) {foo} : (tensor<4xf32>, tensor<4xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (i32) -> (), sym_name = "main"}> ({
^bb0(%operand0: i32):
  // expected-error @+1 {{'chlo.conj' op operand #0 must be tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements values, but got 'i32'}}
  %r:1 = "chlo.conj"(%operand0) {} : (i32) -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f32>):
  // expected-error @+1 {{'chlo.conj' op requires one result}}
  "chlo.conj"(%operand0) {foo} : (tensor<f32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'chlo.conj' op result #0 must be tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements values, but got 'i32'}}
  %r:1 = "chlo.conj"(%operand0) {foo} : (tensor<4xf32>) -> (i32)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.constant' op requires attribute 'value'}}
  %r:1 = "chlo.constant"() {foo} : () -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.constant' op requires one result}}
  "chlo.constant"() {value = dense<1.000000e+0> : tensor<4xf32>, foo} : () -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.constant' op attribute 'value' failed to satisfy constraint: constant vector/tensor attribute}}
  %r:1 = "chlo.constant"() {value = array<i64: 0, 1>, foo} : () -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.constant_like' op requires a single operand}}
  %r:1 = "chlo.constant_like"() {} : () -> (tensor<?xi32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<1xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<1xf32>):
  // expected-error @+1 {{'chlo.constant_like' op requires one result}}
  "chlo.constant_like"(%operand0) {} : (tensor<1xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<?xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<?xf32>):
  // expected-error @+1 {{'chlo.constant_like' op requires attribute 'value'}}
  %r:1 = "chlo.constant_like"(%operand0) {} : (tensor<?xf32>) -> (tensor<?xi32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.cosh' op requires one result}}
  %r:2 = "chlo.cosh"() {} : () -> (tensor<4xbf16>, tensor<4xbf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (f32) -> (), sym_name = "main"}> ({
^bb0(%operand0: f32):
  // expected-error @+1 {{'chlo.cosh' op operand #0 must be tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements values, but got 'f32'}}
  %r:1 = "chlo.cosh"(%operand0) {} : (f32) -> (tensor<4xbf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<bf16>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<bf16>):
  // expected-error @+1 {{'chlo.cosh' op requires compatible types for all operands and results}}
  %r:1 = "chlo.cosh"(%operand0) {} : (tensor<bf16>) -> (tensor<4xbf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.digamma' op requires a single operand}}
  %r:1 = "chlo.digamma"() {} : () -> (tensor<f32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<5xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<5xf32>):
  // expected-error @+1 {{'chlo.digamma' op requires one result}}
  "chlo.digamma"(%operand0) {} : (tensor<5xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<5xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<5xf32>):
  // expected-error @+1 {{'chlo.digamma' op requires compatible types for all operands and results}}
  %r:1 = "chlo.digamma"(%operand0) {} : (tensor<5xf32>) -> (tensor<f32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.erf' op requires a single operand}}
  %r:1 = "chlo.erf"() {} : () -> (tensor<i1>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.erf' op requires one result}}
  %r:2 = "chlo.erf"() {} : () -> (tensor<3x5x1xf32>, tensor<3x5x1xi64>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (i32) -> (), sym_name = "main"}> ({
^bb0(%operand0: i32):
  // expected-error @+1 {{'chlo.erf' op operand #0 must be tensor of 4/6/8/16/32/64-bit float values, but got 'i32'}}
  %r:1 = "chlo.erf"(%operand0) {} : (i32) -> (i32)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.erf_inv' op requires one result}}
  "chlo.erf_inv"() {} : () -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.erf_inv' op requires a single operand}}
  %r:1 = "chlo.erf_inv"() {} : () -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f32>):
  // expected-error @+1 {{'chlo.erf_inv' op result #0 must be tensor of 4/6/8/16/32/64-bit float values, but got 'tensor<4xi1>'}}
  %r:1 = "chlo.erf_inv"(%operand0) {} : (tensor<f32>) -> (tensor<4xi1>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.erfc' op requires one result}}
  "chlo.erfc"() {} : () -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.erfc' op requires a single operand}}
  %r:1 = "chlo.erfc"() {} : () -> (tensor<4xf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (f32) -> (), sym_name = "main"}> ({
^bb0(%operand0: f32):
  // expected-error @+1 {{'chlo.erfc' op operand #0 must be tensor of 4/6/8/16/32/64-bit float values, but got 'f32'}}
  %r:1 = "chlo.erfc"(%operand0) {} : (f32) -> (tensor<4xbf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.is_inf' op requires a single operand}}
  %r:1 = "chlo.is_inf"() {} : () -> (tensor<4xi1>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.is_inf' op requires one result}}
  %r:2 = "chlo.is_inf"() {foo = array<i64: 0>} : () -> (tensor<4xi1>, tensor<4xi1>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f32>):
  // expected-error @+1 {{'chlo.is_inf' op all non-scalar operands/results must have the same shape and base type}}
  %r:1 = "chlo.is_inf"(%operand0) {foo} : (tensor<f32>) -> (tensor<4xi1>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.is_neg_inf' op requires a single operand}}
  %r:1 = "chlo.is_neg_inf"() {} : () -> (tensor<4xi1>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.is_neg_inf' op requires one result}}
  %r:2 = "chlo.is_neg_inf"() {} : () -> (tensor<4xi1>, tensor<4xi1>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (i32) -> (), sym_name = "main"}> ({
^bb0(%operand0: i32):
  // expected-error @+1 {{'chlo.is_neg_inf' op operand #0 must be tensor of 4/6/8/16/32/64-bit float values, but got 'i32'}}
  %r:1 = "chlo.is_neg_inf"(%operand0) {} : (i32) -> (tensor<4xi1>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.is_pos_inf' op requires a single operand}}
  %r:1 = "chlo.is_pos_inf"() {} : () -> (tensor<i1>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf16>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf16>):
  // expected-error @+1 {{'chlo.is_pos_inf' op requires one result}}
  "chlo.is_pos_inf"(%operand0) {} : (tensor<4xf16>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f32>):
  // expected-error @+1 {{'chlo.is_pos_inf' op all non-scalar operands/results must have the same shape and base type}}
  %r:1 = "chlo.is_pos_inf"(%operand0) {} : (tensor<f32>) -> (tensor<4xi1>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.lgamma' op requires a single operand}}
  %r:1 = "chlo.lgamma"() {} : () -> (i32)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (i32) -> (), sym_name = "main"}> ({
^bb0(%operand0: i32):
  // expected-error @+1 {{'chlo.lgamma' op operand #0 must be tensor of 4/6/8/16/32/64-bit float values, but got 'i32'}}
  %r:1 = "chlo.lgamma"(%operand0) {} : (i32) -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'chlo.lgamma' op requires one result}}
  "chlo.lgamma"(%operand0) {} : (tensor<4xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xbf16>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xbf16>):
  // expected-error @+1 {{'chlo.mulhi' op requires one result}}
  "chlo.mulhi"(%operand0) {} : (tensor<4xbf16>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xi32>):
  // expected-error @+1 {{'chlo.mulhi' op expected 2 operands, but found 1}}
  %r:1 = "chlo.mulhi"(%operand0) {foo} : (tensor<4xi32>) -> (tensor<4xi32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xui32>, tensor<4xi1>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xui32>, %operand1: tensor<4xi1>):
  // expected-error @+1 {{'chlo.mulhi' op operand #1 must be ranked tensor of 2/4/8/16/32/64-bit integer values, but got 'tensor<4xi1>'}}
  %r:1 = "chlo.mulhi"(%operand0, %operand1) {} : (tensor<4xui32>, tensor<4xi1>) -> (none)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'chlo.next_after' op expected 2 operands, but found 1}}
  %r:1 = "chlo.next_after"(%operand0) {foo = {}} : (tensor<4xf32>) -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>, tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>, %operand1: tensor<4xf32>):
  // expected-error @+1 {{'chlo.next_after' op requires one result}}
  "chlo.next_after"(%operand0, %operand1) {} : (tensor<4xf32>, tensor<4xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (none, tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: none, %operand1: tensor<4xf32>):
  // expected-error @+1 {{'chlo.next_after' op operand #0 must be tensor of 4/6/8/16/32/64-bit float values, but got 'none'}}
  %r:1 = "chlo.next_after"(%operand0, %operand1) {foo = 1.0 : f32} : (none, tensor<4xf32>) -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'chlo.polygamma' op requires one result}}
  "chlo.polygamma"(%operand0) {foo} : (tensor<4xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'chlo.polygamma' op expected 2 operands, but found 1}}
  %r:1 = "chlo.polygamma"(%operand0) {foo} : (tensor<4xf32>) -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>, f32) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>, %operand1: f32):
  // expected-error @+1 {{'chlo.polygamma' op operand #1 must be tensor of 4/6/8/16/32/64-bit float values, but got 'f32'}}
  %r:1 = "chlo.polygamma"(%operand0, %operand1) {} : (tensor<4xf32>, f32) -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4x4xf32>, tensor<2x4x4xf32>, tensor<2xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4x4xf32>, %operand1: tensor<2x4x4xf32>, %operand2: tensor<2xi32>):
  // expected-error @+1 {{'chlo.ragged_dot' op requires attribute 'ragged_dot_dimension_numbers'}}
  %r:1 = "chlo.ragged_dot"(%operand0, %operand1, %operand2) {foo} : (tensor<4x4xf32>, tensor<2x4x4xf32>, tensor<2xi32>) -> (tensor<4x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4x4xf32>, tensor<2x4x4xf32>, tensor<2xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4x4xf32>, %operand1: tensor<2x4x4xf32>, %operand2: tensor<2xi32>):
  // expected-error @+1 {{'chlo.ragged_dot' op attribute 'precision_config' failed to satisfy constraint: Precision Config attribute}}
  %r:1 = "chlo.ragged_dot"(%operand0, %operand1, %operand2) {precision_config = [@f], foo = 1.0 : f32} : (tensor<4x4xf32>, tensor<2x4x4xf32>, tensor<2xi32>) -> (tensor<4x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4x4xf32>, tensor<2xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4x4xf32>, %operand1: tensor<2xi32>):
  // expected-error @+1 {{'chlo.ragged_dot' op expected 3 operands, but found 2}}
  %r:1 = "chlo.ragged_dot"(%operand0, %operand1) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>, foo} : (tensor<4x4xf32>, tensor<2xi32>) -> (tensor<4x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.scan' op operand count (0) does not match with the total size (1) specified in attribute 'operandSegmentSizes'}}
  %r:1 = "chlo.scan"() ({
  "stablehlo.return"() : () -> ()
}) {dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>} : () -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'chlo.scan' op result count (1) does not match with the total size (0) specified in attribute 'resultSegmentSizes'}}
  %r:1 = "chlo.scan"(%operand0) ({
^bb0(%arg0: tensor<ui32>):
  "stablehlo.return"(%arg0) : (tensor<ui32>) -> ()
}) {dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 0>} : (tensor<4xf32>) -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.sinh' op requires a single operand}}
  %r:1 = "chlo.sinh"() {} : () -> (tensor<0xbf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (f32) -> (), sym_name = "main"}> ({
^bb0(%operand0: f32):
  // expected-error @+1 {{'chlo.sinh' op operand #0 must be tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements values, but got 'f32'}}
  %r:1 = "chlo.sinh"(%operand0) {} : (f32) -> (tensor<4xi32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'chlo.sinh' op requires one result}}
  "chlo.sinh"(%operand0) {} : (tensor<4xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.square' op requires one result}}
  "chlo.square"() {} : () -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.square' op requires a single operand}}
  %r:1 = "chlo.square"() {} : () -> (tensor<i1>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<i64>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<i64>):
  // expected-error @+1 {{'chlo.square' op operand #0 must be tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements values, but got 'tensor<i64>'}}
  %r:1 = "chlo.square"(%operand0) {} : (tensor<i64>) -> (tensor<i64>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.tan' op requires a single operand}}
  %r:1 = "chlo.tan"() {} : () -> (tensor<4xbf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (f32) -> (), sym_name = "main"}> ({
^bb0(%operand0: f32):
  // expected-error @+1 {{'chlo.tan' op operand #0 must be tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements values, but got 'f32'}}
  %r:1 = "chlo.tan"(%operand0) {} : (f32) -> (f32)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<5xui32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<5xui32>):
  // expected-error @+1 {{'chlo.tan' op requires one result}}
  "chlo.tan"(%operand0) {} : (tensor<5xui32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'chlo.top_k' op requires a single operand}}
  %r:2 = "chlo.top_k"() {k = 1 : i64} : () -> (tensor<1xi1>, tensor<1xi32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (f32) -> (), sym_name = "main"}> ({
^bb0(%operand0: f32):
  // expected-error @+1 {{'chlo.top_k' op operand #0 must be tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized or per-axis integer quantized values, but got 'f32'}}
  %r:2 = "chlo.top_k"(%operand0) {k = 0 : i64} : (f32) -> (tensor<1xi1>, tensor<1xi32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<5xi1>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<5xi1>):
  // expected-error @+1 {{'chlo.top_k' op expected 2 results}}
  %r:1 = "chlo.top_k"(%operand0) {k = 3 : i64} : (tensor<5xi1>) -> (tensor<1xi32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'chlo.zeta' op requires one result}}
  "chlo.zeta"(%operand0) {foo = true} : (tensor<4xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'chlo.zeta' op expected 2 operands, but found 1}}
  %r:1 = "chlo.zeta"(%operand0) {foo = -1 : i64} : (tensor<4xf32>) -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (none, none) -> (), sym_name = "main"}> ({
^bb0(%operand0: none, %operand1: none):
  // expected-error @+1 {{'chlo.zeta' op operand #0 must be tensor of 4/6/8/16/32/64-bit float values, but got 'none'}}
  %r:1 = "chlo.zeta"(%operand0, %operand1) {foo = 1 : i32} : (none, none) -> (tensor<4xi32>)
  "func.return"() : () -> ()
}) : () -> ()
