// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(sdy-inline-meshes)' | FileCheck %s

// 
sdy.mesh @m = <["a"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> (tensor<8x8xf32>) {
  %0 = sdy.sharding_constraint %x <@m, [{"a"}, {?}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<["a"=2]>, [{"a"}, {}]>}) -> tensor<8x8xf32> {
// CHECK-NEXT: %0 = sdy.sharding_constraint %arg0 <mesh<["a"=2]>, [{"a"}, {?}]> : tensor<8x8xf32>
// CHECK-NEXT: return %0 : tensor<8x8xf32>
// CHECK-NEXT: }
