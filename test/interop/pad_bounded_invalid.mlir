// RUN: shardwright-opt %s -split-input-file -verify-diagnostics -sw-pad-bounded

// expected-error @+1 {{the sizes of 'tensor<?x4xf32>' are known only when the program runs, and nothing bounds them}}
func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  return %x : tensor<?x4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>, %n: tensor<1xi32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  // expected-error @+1 {{the sizes of 'tensor<?xf32>' are known only when the program runs}}
  %0 = stablehlo.dynamic_broadcast_in_dim %z, %n, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

func.func @main(%x: tensor<?x4x4xf32, #stablehlo.bounds<8, ?, ?>>) -> tensor<?x4x4xf32, #stablehlo.bounds<8, ?, ?>> {
  // expected-error @+1 {{op 'stablehlo.cholesky' on dimensions of bounded size is not supported}}
  %0 = stablehlo.cholesky %x : tensor<?x4x4xf32, #stablehlo.bounds<8, ?, ?>>
  return %0 : tensor<?x4x4xf32, #stablehlo.bounds<8, ?, ?>>
}
