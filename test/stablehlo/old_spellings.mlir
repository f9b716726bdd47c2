// Text of before StableHLO 0.15, where lists of dimensions were dense elements.
// RUN: shardwright-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @shape
func.func @shape(%a: tensor<2x4xf32>, %i: tensor<3x1xi32>, %p: tensor<f32>, %n: tensor<i64>) {
  // CHECK: stablehlo.transpose %arg0, dims = [1, 0]
  %0 = "stablehlo.transpose"(%a) {permutation = dense<[1, 0]> : tensor<2xi64>} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  // CHECK: stablehlo.broadcast_in_dim %arg0, dims = [1, 2]
  %1 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = dense<[1, 2]> : tensor<2xi64>} : (tensor<2x4xf32>) -> tensor<3x2x4xf32>
  // CHECK: stablehlo.broadcast %arg0, sizes = [3]
  %2 = "stablehlo.broadcast"(%a) {broadcast_sizes = dense<3> : tensor<1xi64>} : (tensor<2x4xf32>) -> tensor<3x2x4xf32>
  // CHECK: stablehlo.reverse %arg0, dims = [0, 1]
  %3 = "stablehlo.reverse"(%a) {dimensions = dense<[0, 1]> : tensor<2xi64>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: stablehlo.slice %arg0 [0:1, 1:4:2]
  %4 = "stablehlo.slice"(%a) {limit_indices = dense<[1, 4]> : tensor<2xi64>, start_indices = dense<[0, 1]> : tensor<2xi64>, strides = dense<[1, 2]> : tensor<2xi64>} : (tensor<2x4xf32>) -> tensor<1x2xf32>
  // CHECK: stablehlo.dynamic_slice %arg0, %arg3, %arg3, sizes = [1, 1]
  %5 = "stablehlo.dynamic_slice"(%a, %n, %n) {slice_sizes = dense<1> : tensor<2xi64>} : (tensor<2x4xf32>, tensor<i64>, tensor<i64>) -> tensor<1x1xf32>
  // CHECK: stablehlo.pad %arg0, %arg2, low = [0, 1], high = [0, 1], interior = [0, 0]
  %6 = "stablehlo.pad"(%a, %p) {edge_padding_high = dense<[0, 1]> : tensor<2xi64>, edge_padding_low = dense<[0, 1]> : tensor<2xi64>, interior_padding = dense<0> : tensor<2xi64>} : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x6xf32>
  // CHECK: slice_sizes = array<i64: 1, 4>
  %7 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = dense<[1, 4]> : tensor<2xi64>} : (tensor<2x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  // In the properties too; and a list of none.
  // CHECK: stablehlo.broadcast_in_dim %arg2, dims = []
  %8 = "stablehlo.broadcast_in_dim"(%p) <{broadcast_dimensions = dense<> : tensor<0xi64>}> : (tensor<f32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @windows
func.func @windows(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x8xf32>, %z: tensor<f32>, %c: tensor<8xcomplex<f32>>) {
  // CHECK: window = {stride = [2, 2], pad = {{\[\[}}1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]}
  %0 = "stablehlo.convolution"(%x, %w) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = dense<1> : tensor<2xi64>, padding = dense<1> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = dense<1> : tensor<2xi64>, window_reversal = dense<false> : tensor<2xi1>, window_strides = dense<2> : tensor<2xi64>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x4x4x8xf32>
  // CHECK: padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>
  %1 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) {padding = dense<0> : tensor<4x2xi64>, window_dilations = dense<1> : tensor<4xi64>, window_dimensions = dense<[1, 2, 2, 1]> : tensor<4xi64>, window_strides = dense<[1, 2, 2, 1]> : tensor<4xi64>} : (tensor<1x8x8x4xf32>, tensor<f32>) -> tensor<1x4x4x4xf32>
  // CHECK: stablehlo.reduce(%arg0 init: %arg2) applies stablehlo.add across dimensions = [1, 2]
  %2 = "stablehlo.reduce"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) {dimensions = dense<[1, 2]> : tensor<2xi64>} : (tensor<1x8x8x4xf32>, tensor<f32>) -> tensor<1x4xf32>
  // CHECK: stablehlo.fft %arg3, type = FFT, length = [8]
  %3 = "stablehlo.fft"(%c) {fft_length = dense<8> : tensor<1xi64>, fft_type = #stablehlo<fft_type FFT>} : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  return
}

// -----

func.func @of_another_type(%a: tensor<2x4xf32>) {
  // expected-error @+1 {{attribute 'permutation' failed to satisfy constraint: i64 dense array attribute}}
  %0 = "stablehlo.transpose"(%a) {permutation = dense<[1, 0]> : tensor<2xi32>} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @of_another_rank(%a: tensor<2x4xf32>) {
  // expected-error @+1 {{attribute 'permutation' failed to satisfy constraint: i64 dense array attribute}}
  %0 = "stablehlo.transpose"(%a) {permutation = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return
}
