// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(sdy-remove-sharding-groups)' | FileCheck %s

// 
func.func @main(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  sdy.sharding_group %x group_id=7 : tensor<8x8xf32>
  return %x : tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
// CHECK-NEXT: return %arg0 : tensor<8x8xf32>
// CHECK-NEXT: }
