// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(sdy-sharding-constraint-to-reshard))' | FileCheck %s

// 
sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8, "e"=3]>
func.func @main(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  %0 = sdy.sharding_constraint %x <@m, [{"a"}, {?}]> {tag} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
// CHECK-NEXT: %0 = sdy.reshard %arg0 <@m, [{"a"}, {?}]> {tag} : tensor<8x8xf32>
// CHECK-NEXT: return %0 : tensor<8x8xf32>
// CHECK-NEXT: }
