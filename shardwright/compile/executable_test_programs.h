//===- executable_test_programs.h - programs that tests save and load -----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small programs that together use every kind of step of an executable.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_COMPILE_EXECUTABLE_TEST_PROGRAMS_H
#define SHARDWRIGHT_COMPILE_EXECUTABLE_TEST_PROGRAMS_H

namespace shardwright {

/// Kernels, a dot, collectives, a library call, control flow, a constant, a
/// donated argument.
inline constexpr const char *kernelsAndControlFlow = R"(
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>, tf.aliasing_output = 0 : i32},
                %arg1: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>})
    -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<16xf32>, tensor<2xui64>) {
  %c = stablehlo.constant dense<"0x000102030405060708090A0B0C0D0E0F"> : tensor<2xui64>
  %s, %bits = stablehlo.rng_bit_generator %c, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui64>)
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %w:2 = stablehlo.while(%i = %zero, %x = %arg0) : tensor<i32>, tensor<8x16xf32>
  cond {
    %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %d = stablehlo.dot_general %x, %arg1, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    %t = stablehlo.tanh %d : tensor<8x16xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %t : tensor<i32>, tensor<8x16xf32>
  }
  %f = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%w#1 init: %f) applies stablehlo.add across dimensions = [0] : (tensor<8x16xf32>, tensor<f32>) -> tensor<16xf32>
  return %w#1, %sum, %bits : tensor<8x16xf32>, tensor<16xf32>, tensor<2xui64>
})";

/// Library functions, a sort, a branch, bounded sizes.
inline constexpr const char *libraryCalls = R"(
func.func @main(%a: tensor<4x4xf32>, %x: tensor<2x8xcomplex<f32>>, %b: tensor<?x2xf32, #stablehlo.bounds<4, ?>>, %i: tensor<i32>,
                %image: tensor<1x6x6x2xf32>, %window: tensor<3x3x2x4xf32>)
    -> (tensor<4x4xf32>, tensor<2x8xcomplex<f32>>, tensor<?x2xf32, #stablehlo.bounds<4, ?>>, tensor<4x4xf32>, tensor<1x4x4x4xf32>) {
  %0 = stablehlo.cholesky %a, lower = true : tensor<4x4xf32>
  %1 = "stablehlo.triangular_solve"(%0, %a) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = stablehlo.fft %x, type = FFT, length = [8] : (tensor<2x8xcomplex<f32>>) -> tensor<2x8xcomplex<f32>>
  %3 = stablehlo.add %b, %b : tensor<?x2xf32, #stablehlo.bounds<4, ?>>
  %4 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %5 = "stablehlo.case"(%i) ({
    stablehlo.return %4 : tensor<4x4xf32>
  }, {
    %n = stablehlo.cosine %1 : tensor<4x4xf32>
    stablehlo.return %n : tensor<4x4xf32>
  }, {
    stablehlo.return %1 : tensor<4x4xf32>
  }) : (tensor<i32>) -> tensor<4x4xf32>
  %6 = stablehlo.convolution(%image, %window) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x6x6x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x4x4x4xf32>
  return %0, %2, %3, %5, %6 : tensor<4x4xf32>, tensor<2x8xcomplex<f32>>, tensor<?x2xf32, #stablehlo.bounds<4, ?>>, tensor<4x4xf32>, tensor<1x4x4x4xf32>
})";

/// Collectives of each kind, one with a custom reduction.
inline constexpr const char *everyCollective = R"(
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<16x8xf32>) {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<4x8xf32>) {
    %1 = "stablehlo.all_reduce"(%b) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.atan2 %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %2 = "stablehlo.collective_permute"(%1) <{source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %3 = "stablehlo.all_to_all"(%2) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 4 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>}> : (tensor<4x8xf32>) -> tensor<16x2xf32>
    %4 = "stablehlo.reduce_scatter"(%3) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<16x2xf32>) -> tensor<4x2xf32>
    %5 = "stablehlo.all_gather"(%4) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, use_global_device_ids}> : (tensor<4x2xf32>) -> tensor<4x8xf32>
    sdy.return %5 : tensor<4x8xf32>
  } : (tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0, %0 : tensor<16x8xf32>, tensor<16x8xf32>
})";

} // namespace shardwright

#endif // SHARDWRIGHT_COMPILE_EXECUTABLE_TEST_PROGRAMS_H
