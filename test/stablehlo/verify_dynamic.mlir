// What the verifiers and parsers refuse.
// RUN: shardwright-opt %s --split-input-file --verify-diagnostics

func.func @dynamic_reshape(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{'stablehlo.dynamic_reshape' op operand #1 must be statically shaped 1-dimensional tensor of index or 2/4/8/16/32/64-bit integer values, but got 'tensor<f32>'}}
  %0 = "stablehlo.dynamic_reshape"(%a, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @dynamic_broadcast_in_dim(%a: tensor<4xf32>, %l2: tensor<2xi32>) {
  // expected-error @+1 {{broadcast_dimensions size (2) does not match operand rank (1)}}
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %l2, dims = [0, 1] : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @dynamic_broadcast_in_dim(%a: tensor<4xf32>, %l2: tensor<2xi32>) {
  // expected-error @+1 {{broadcast_dimensions contains invalid value 2 for result with rank 2}}
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %l2, dims = [2] : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @dynamic_broadcast_in_dim(%a: tensor<4xf32>, %l2: tensor<2xi32>) {
  // expected-error @+1 {{size of operand dimension 0 (4) is not compatible with size of result dimension 0 (3)}}
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %l2, dims = [0] : (tensor<4xf32>, tensor<2xi32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @dynamic_broadcast_in_dim(%a: tensor<4xf32>, %l2: tensor<2xi32>) {
  // expected-error @+1 {{result rank (3) is not equal to number of output dimensions (2)}}
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %l2, dims = [0] : (tensor<4xf32>, tensor<2xi32>) -> tensor<4x4x4xf32>
  return
}

// -----

func.func @dynamic_iota(%l2: tensor<2xi32>) {
  // expected-error @+1 {{iota dimension cannot go beyond the output rank.}}
  %0 = stablehlo.dynamic_iota %l2, dim = 2 : (tensor<2xi32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @dynamic_reshape(%a: tensor<4xf32>, %l2: tensor<2xi32>) {
  // expected-error @+1 {{result should have a rank equal to the number of elements in output_shape}}
  %0 = stablehlo.dynamic_reshape %a, %l2 : (tensor<4xf32>, tensor<2xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @dynamic_reshape(%a: tensor<4xf32>, %l2: tensor<2xi32>) {
  // expected-error @+1 {{number of output elements (25) doesn't match expected number of elements (4)}}
  %0 = stablehlo.dynamic_reshape %a, %l2 : (tensor<4xf32>, tensor<2xi32>) -> tensor<5x5xf32>
  return
}

// -----

func.func @dynamic_reshape(%a: tensor<4xf32>, %l2: tensor<2xi32>) {
  // expected-error @+1 {{expects operand and result to have compatible element type. Got: 'tensor<4xf32>' and 'tensor<2x2xi32>'}}
  %0 = stablehlo.dynamic_reshape %a, %l2 : (tensor<4xf32>, tensor<2xi32>) -> tensor<2x2xi32>
  return
}

// -----

func.func @dynamic_pad(%a: tensor<4xf32>, %s: tensor<f32>, %l2: tensor<2xi32>) {
  // expected-error @+1 {{padding operands size (2) must match operand rank (1)}}
  %0 = stablehlo.dynamic_pad %a, %s, %l2, %l2, %l2 : (tensor<4xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?xf32>
  return
}

// -----

func.func @real_dynamic_slice(%a: tensor<4xf32>, %l2: tensor<2xi32>) {
  // expected-error @+1 {{has mismatched number of operand rank (1) and start_indices size (2)}}
  %0 = stablehlo.real_dynamic_slice %a, %l2, %l2, %l2 : (tensor<4xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?xf32>
  return
}
