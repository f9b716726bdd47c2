// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(sdy-drop-sharding-rules))' | FileCheck %s

// Custom rules stay.
func.func @main(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  %0 = stablehlo.negate %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}>} : tensor<8x8xf32>
  %1 = stablehlo.negate %0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}, custom>} : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
// CHECK-NEXT: %0 = stablehlo.negate %arg0 : tensor<8x8xf32>
// CHECK-NEXT: %1 = stablehlo.negate %0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}, custom>} : tensor<8x8xf32>
// CHECK-NEXT: return %1 : tensor<8x8xf32>
// CHECK-NEXT: }
