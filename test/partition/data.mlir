// Constants, iota, slices and updates: local forms.
// RUN: shardwright-opt %s --sw-partition | FileCheck %s

sdy.mesh @mesh = <["x"=4, "y"=2]>

// CHECK-LABEL: @constants
// CHECK-SAME: () -> (tensor<2xf32>, tensor<1xi32>, tensor<4x4xi32>)
// CHECK: stablehlo.partition_id
// CHECK: stablehlo.constant dense<1.000000e+00> : tensor<2xf32>
// CHECK: %[[C:.*]] = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
// CHECK: stablehlo.dynamic_slice %[[C]], {{.*}} sizes = [1]
// CHECK: %[[I:.*]] = stablehlo.iota dim = 0 : tensor<4x4xi32>
// CHECK: stablehlo.add %[[I]]
func.func @constants() -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
  %0 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<1.0> : tensor<8xf32>
  %1 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<[1, 2, 3, 4]> : tensor<4xi32>
  %2 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : tensor<8x4xi32>
  return %0, %1, %2 : tensor<8xf32>, tensor<4xi32>, tensor<8x4xi32>
}

// CHECK-LABEL: @full_slices
// CHECK: stablehlo.slice %arg0 [0:2, 4:8] : (tensor<2x16xf32>) -> tensor<2x4xf32>
// CHECK: stablehlo.dynamic_slice %arg0, %arg1, %arg1, sizes = [2, 1]
func.func @full_slices(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<i32>) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<8x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.slice %arg0 [0:8, 4:8] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.dynamic_slice %arg0, %arg1, %arg1, sizes = [8, 1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x16xf32>, tensor<i32>, tensor<i32>) -> tensor<8x1xf32>
  return %0, %1 : tensor<8x4xf32>, tensor<8x1xf32>
}

// A row of a sharded dimension: its owner takes it.
// CHECK-LABEL: @update_row
// CHECK-NOT: all_
// CHECK: %[[OLD:.*]] = stablehlo.dynamic_slice %arg0
// CHECK: %[[NEW:.*]] = stablehlo.select {{.*}}, %arg1, %[[OLD]]
// CHECK: stablehlo.dynamic_update_slice %arg0, %[[NEW]]
func.func @update_row(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<1x16xf32>, %arg2: tensor<i32>) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2, %zero {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x16xf32>, tensor<1x16xf32>, tensor<i32>, tensor<i32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// CHECK-LABEL: @uneven
// CHECK-SAME: (%arg0: tensor<3x16xf32>) -> tensor<6x16xf32>
func.func @uneven(%arg0: tensor<6x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<6x16xf32> {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<6x16xf32>
  return %0 : tensor<6x16xf32>
}
