// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(sdy-remove-propagation-debug-info)' | FileCheck %s

// 
sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8, "e"=3]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding_origins = {a = "self"}}) -> (tensor<8x8xf32>) {
  %0 = stablehlo.negate %x {sdy.sharding_origins = [{a = "input: 0"}], sdy.sharding_origin_name = "c"} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
// CHECK-NEXT: %0 = stablehlo.negate %arg0 {sdy.sharding_origin_name = "c"} : tensor<8x8xf32>
// CHECK-NEXT: return %0 : tensor<8x8xf32>
// CHECK-NEXT: }
