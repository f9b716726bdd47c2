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

func.func @main(%x: tensor<?xcomplex<f32>, #stablehlo.bounds<8>>) -> tensor<?xcomplex<f32>, #stablehlo.bounds<8>> {
  // expected-error @+1 {{along a dimension of bounded size is not supported, since fft_length says how long it is}}
  %0 = stablehlo.fft %x, type = FFT, length = [8] : (tensor<?xcomplex<f32>, #stablehlo.bounds<8>>) -> tensor<?xcomplex<f32>, #stablehlo.bounds<8>>
  return %0 : tensor<?xcomplex<f32>, #stablehlo.bounds<8>>
}

// -----

func.func @main(%x: tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<?xf32, #stablehlo.bounds<8>> {
  // expected-error @+1 {{custom call @mine on dimensions of bounded size is not supported}}
  %0 = stablehlo.custom_call @mine(%x) : (tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<?xf32, #stablehlo.bounds<8>>
  return %0 : tensor<?xf32, #stablehlo.bounds<8>>
}

// -----

func.func @main(%x: tensor<4x?xf32, #stablehlo.bounds<?, 8>>) -> (tensor<4x?xf32, #stablehlo.bounds<?, 8>>, tensor<?xi32, #stablehlo.bounds<8>>) {
  // expected-error @+1 {{custom call @lapack_sgetrf_ffi on dimensions of bounded size is not supported, except for batch dimensions}}
  %0:2 = stablehlo.custom_call @lapack_sgetrf_ffi(%x) : (tensor<4x?xf32, #stablehlo.bounds<?, 8>>) -> (tensor<4x?xf32, #stablehlo.bounds<?, 8>>, tensor<?xi32, #stablehlo.bounds<8>>)
  return %0#0, %0#1 : tensor<4x?xf32, #stablehlo.bounds<?, 8>>, tensor<?xi32, #stablehlo.bounds<8>>
}

// -----

func.func @main(%x: tensor<4x?xf32, #stablehlo.bounds<?, 8>>) -> tensor<8x?xf32, #stablehlo.bounds<?, 4>> {
  // expected-error @+1 {{along a dimension of bounded size is not supported: the parts would not be equal}}
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x?xf32, #stablehlo.bounds<?, 8>>) -> tensor<8x?xf32, #stablehlo.bounds<?, 4>>
  return %0 : tensor<8x?xf32, #stablehlo.bounds<?, 4>>
}
