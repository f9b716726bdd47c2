// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(sdy-sharding-group-import)' | FileCheck %s

// Groups that share a value merge; ids count from 0 in the order of the program.
func.func @main(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>, %z: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  sdy.sharding_group %x group_id=7 : tensor<8x8xf32>
  sdy.sharding_group %y group_id=7 : tensor<8x8xf32>
  sdy.sharding_group %y group_id=3 : tensor<8x8xf32>
  sdy.sharding_group %z group_id=5 : tensor<8x8xf32>
  sdy.sharding_group %z group_id=5 : tensor<8x8xf32>
  return %x : tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>, %arg2: tensor<8x8xf32>) -> tensor<8x8xf32> {
// CHECK-NEXT: sdy.sharding_group %arg0 group_id=0 : tensor<8x8xf32>
// CHECK-NEXT: sdy.sharding_group %arg1 group_id=0 : tensor<8x8xf32>
// CHECK-NEXT: sdy.sharding_group %arg2 group_id=1 : tensor<8x8xf32>
// CHECK-NEXT: return %arg0 : tensor<8x8xf32>
// CHECK-NEXT: }

// -----

// 3 takes in 5, then 2 takes in both: 4 comes first.
func.func @main(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>, %z: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  sdy.sharding_group %y group_id=3 : tensor<8x8xf32>
  sdy.sharding_group %x group_id=4 : tensor<8x8xf32>
  sdy.sharding_group %z group_id=2 : tensor<8x8xf32>
  sdy.sharding_group %y group_id=5 : tensor<8x8xf32>
  sdy.sharding_group %z group_id=5 : tensor<8x8xf32>
  return %x : tensor<8x8xf32>
}
// CHECK: func.func @main(
// CHECK-NEXT: sdy.sharding_group %arg1 group_id=1 : tensor<8x8xf32>
// CHECK-NEXT: sdy.sharding_group %arg0 group_id=0 : tensor<8x8xf32>
// CHECK-NEXT: sdy.sharding_group %arg2 group_id=1 : tensor<8x8xf32>

// -----

// The largest and the smallest ids.
func.func @main(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>, %z: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  sdy.sharding_group %x group_id=9223372036854775806 : tensor<8x8xf32>
  sdy.sharding_group %y group_id=9223372036854775807 : tensor<8x8xf32>
  sdy.sharding_group %z group_id=-9223372036854775808 : tensor<8x8xf32>
  sdy.sharding_group %x group_id=9223372036854775807 : tensor<8x8xf32>
  return %x : tensor<8x8xf32>
}
// CHECK: func.func @main(
// CHECK-NEXT: sdy.sharding_group %arg0 group_id=0 : tensor<8x8xf32>
// CHECK-NEXT: sdy.sharding_group %arg1 group_id=0 : tensor<8x8xf32>
// CHECK-NEXT: sdy.sharding_group %arg2 group_id=1 : tensor<8x8xf32>
// CHECK-NEXT: return %arg0 : tensor<8x8xf32>
