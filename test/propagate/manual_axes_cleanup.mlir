// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(sdy-manual-axes-cleanup)' | FileCheck %s

// Sorted in mesh order; those that a sharding does not mention are replicated.
sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8, "e"=3]>
func.func @main(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {?}], replicated={"d"}>] manual_axes={"c", "b", "a"} (%t: tensor<4x8xf32>) {
    %1 = stablehlo.negate %t : tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
// CHECK-NEXT: %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"a"}, {}], replicated={"b", "c"}>] out_shardings=[<@m, [{"a"}, {?}], replicated={"b", "c", "d"}>] manual_axes={"a", "b", "c"} (%arg1: tensor<4x8xf32>) {
// CHECK-NEXT: %1 = stablehlo.negate %arg1 : tensor<4x8xf32>
// CHECK-NEXT: sdy.return %1 : tensor<4x8xf32>
// CHECK-NEXT: } : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: return %0 : tensor<8x8xf32>
// CHECK-NEXT: }
