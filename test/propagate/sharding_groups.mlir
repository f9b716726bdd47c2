// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(sdy-user-priority-propagate)' | FileCheck %s

// Members share one sharding.
sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8, "e"=3]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {?}]>}, %y: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  sdy.sharding_group %x group_id=0 : tensor<8x8xf32>
  sdy.sharding_group %y group_id=0 : tensor<8x8xf32>
  %0 = stablehlo.negate %x : tensor<8x8xf32>
  %1 = stablehlo.negate %y : tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {?}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", ?}, {?}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", ?}, {?}]>}) {
// CHECK-NEXT: sdy.sharding_group %arg0 group_id=0 : tensor<8x8xf32>
// CHECK-NEXT: sdy.sharding_group %arg1 group_id=0 : tensor<8x8xf32>
// CHECK-NEXT: %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a", ?}, {?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %1 = stablehlo.negate %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a", ?}, {?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }

// -----

// Where they start with several, open constraints take their place.
sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8, "e"=3]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {?}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {?}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  sdy.sharding_group %x group_id=0 : tensor<8x8xf32>
  sdy.sharding_group %y group_id=0 : tensor<8x8xf32>
  %0 = stablehlo.negate %x : tensor<8x8xf32>
  %1 = stablehlo.negate %y : tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {?}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"b", ?}, {?}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"b", ?}, {?}]>}) {
// CHECK-NEXT: %0 = sdy.sharding_constraint %arg1 <@m, [{"b", ?}, {?}]> : tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.sharding_constraint %arg0 <@m, [{"b", ?}, {?}]> : tensor<8x8xf32>
// CHECK-NEXT: sdy.sharding_group %1 group_id=0 : tensor<8x8xf32>
// CHECK-NEXT: sdy.sharding_group %0 group_id=0 : tensor<8x8xf32>
// CHECK-NEXT: %2 = stablehlo.negate %1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"b", ?}, {?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %3 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"b", ?}, {?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: return %2, %3 : tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }

// -----

// The largest ids.
sdy.mesh @m = <["a"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {?}]>}, %y: tensor<8x8xf32>, %z: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  sdy.sharding_group %x group_id=9223372036854775806 : tensor<8x8xf32>
  sdy.sharding_group %y group_id=9223372036854775806 : tensor<8x8xf32>
  sdy.sharding_group %z group_id=9223372036854775807 : tensor<8x8xf32>
  return %y, %z : tensor<8x8xf32>, tensor<8x8xf32>
}
// CHECK: func.func @main({{.*}}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {?}]>}, %arg2: tensor<8x8xf32>) ->
