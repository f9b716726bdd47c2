// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(sdy-update-non-divisible-input-output-shardings)' | FileCheck %s

// Axes are taken in order while they divide; the last may be split.
sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8, "e"=3]>
func.func @main(%0: tensor<2xf32> {sdy.sharding = #sdy.sharding<@m, [{"c"}p1]>}, %1: tensor<12xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "d", "c"}]>}, %2: tensor<3xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", ?}]>}, %3: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"e", "a"}, {"c"}p1]>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@m, [{"c"}]>}) {
  %r = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"c"}]>]>} dense<0.0> : tensor<6xf32>
  return %r : tensor<6xf32>
}
// CHECK: func.func @main(%arg0: tensor<2xf32> {sdy.sharding = #sdy.sharding<@m, [{"c":(1)2}]>}, %arg1: tensor<12xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "d":(1)2}]>}, %arg2: tensor<3xf32> {sdy.sharding = #sdy.sharding<@m, [{?}]>}, %arg3: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"e", "a"}, {"c"}p1]>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@m, [{"c":(1)2}]>}) {
// CHECK-NEXT: %cst = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"c"}]>]>} dense<0.000000e+00> : tensor<6xf32>
// CHECK-NEXT: return %cst : tensor<6xf32>
// CHECK-NEXT: }

// -----

// Manual computations and calls too.
sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8, "e"=3]>
func.func @main(%x: tensor<6x8xf32>) -> (tensor<6x8xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a", "b"}, {}]>] out_shardings=[<@m, [{"a", "c"}, {}]>] manual_axes={"a"} (%t: tensor<3x8xf32>) {
    sdy.return %t : tensor<3x8xf32>
  } : (tensor<6x8xf32>) -> tensor<6x8xf32>
  %1 = call @f(%0) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"c"}, {}]>]>} : (tensor<6x8xf32>) -> tensor<6x8xf32>
  return %1 : tensor<6x8xf32>
}
func.func private @f(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  return %x : tensor<6x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<6x8xf32>) -> tensor<6x8xf32> {
// CHECK-NEXT: %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%arg1: tensor<3x8xf32>) {
// CHECK-NEXT: sdy.return %arg1 : tensor<3x8xf32>
// CHECK-NEXT: } : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK-NEXT: %1 = call @f(%0) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"c":(1)2}, {}]>]>} : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK-NEXT: return %1 : tensor<6x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @f(%arg0: tensor<6x8xf32>) -> tensor<6x8xf32> {
// CHECK-NEXT: return %arg0 : tensor<6x8xf32>
// CHECK-NEXT: }
