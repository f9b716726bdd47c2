// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(sdy-unflatten-call-graph)' | FileCheck %s

// Copies with equal shardings become one.
sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8, "e"=3]>
func.func @main(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = call @f(%x) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = call @f_0(%y) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = call @f_1(%1) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = call @f_1(%2) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = call @g(%3) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}
func.func private @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> tensor<8x8xf32> {
  return %x : tensor<8x8xf32>
}
func.func private @f_0(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> tensor<8x8xf32> attributes {sdy.original_func_name = "f"} {
  return %x : tensor<8x8xf32>
}
func.func private @f_1(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {}]>}) -> tensor<8x8xf32> attributes {sdy.original_func_name = "f"} {
  return %x : tensor<8x8xf32>
}
func.func private @g(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> tensor<8x8xf32> attributes {sdy.original_func_name = "h"} {
  return %x : tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>) -> tensor<8x8xf32> {
// CHECK-NEXT: %0 = call @f(%arg0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %1 = call @f(%arg1) : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %2 = call @f_1(%1) : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %3 = call @f_1(%2) : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %4 = call @g(%3) : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: return %4 : tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @f(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> tensor<8x8xf32> {
// CHECK-NEXT: return %arg0 : tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @f_0(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> tensor<8x8xf32> {
// CHECK-NEXT: return %arg0 : tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @f_1(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {}]>}) -> tensor<8x8xf32> {
// CHECK-NEXT: return %arg0 : tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @g(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> tensor<8x8xf32> {
// CHECK-NEXT: return %arg0 : tensor<8x8xf32>
// CHECK-NEXT: }
