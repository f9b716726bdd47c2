// RUN: shardwright-opt %s -sdy-resolve-permutation-factors | FileCheck %s
// RUN: shardwright-opt %s -sdy-resolve-permutation-factors=sw-shardy=0.10.2 | FileCheck %s --check-prefix=OLD

sdy.mesh @m = <["a"=4, "b"=2]>
sdy.mesh @n = <["a"=4, "b"=2], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>

// 10 elements in shards of 3, and then 2 rows of 5 in shards of one row and 3
// columns: they start at elements 0, 3, 5 and 8, so two devices lack one.

// CHECK-LABEL: func.func @two_dims
// CHECK: %[[P:.*]] = stablehlo.pad %arg0, %{{.*}}, low = [0], high = [2], interior = [0]
// CHECK: %[[M:.*]] = sdy.manual_computation(%[[P]]) in_shardings=[<@m, [{"a"}]>] out_shardings=[<@m, [{"a":(1)2}, {"a":(2)2}]>] manual_axes={"a"} (%{{.*}}: tensor<3xf32>)
// CHECK: "stablehlo.collective_permute"{{.*}} source_target_pairs = dense<{{\[\[}}2, 4], [4, 6], [3, 5], [5, 7]]> {{.*}} -> tensor<1xf32>
// CHECK-NOT: collective_permute
// CHECK: stablehlo.reshape {{.*}} : (tensor<3xf32>) -> tensor<1x3xf32>
// CHECK: } : (tensor<12xf32>) -> tensor<2x6xf32>
// CHECK: stablehlo.slice %[[M]] [0:2, 0:5] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a":(1)2}, {"a":(2)2}]>]>}
// OLD-LABEL: func.func @two_dims
// OLD: sdy.reshard %arg0 <@m, [{}]>
func.func @two_dims(%x: tensor<10xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>}) -> tensor<2x5xf32> {
  %0 = stablehlo.reshape %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a":(1)2}, {"a":(2)2}]>]>} : (tensor<10xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// CHECK-LABEL: func.func @merged
// CHECK: sdy.manual_computation
// CHECK: stablehlo.reshape {{.*}} : (tensor<2x2xf32>) -> tensor<4xf32>
// CHECK: } : (tensor<8x2xf32>) -> tensor<12xf32>
// CHECK: stablehlo.slice {{.*}} [0:10]
func.func @merged(%x: tensor<5x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> tensor<10xf32> {
  %0 = stablehlo.reshape %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}]>]>} : (tensor<5x2xf32>) -> tensor<10xf32>
  return %0 : tensor<10xf32>
}

// The same elements on each device: parts of an axis in two dimensions are the
// axis in one; shards of 2 elements and of one row, of which one is empty.
// CHECK-LABEL: func.func @in_place
// CHECK-NEXT: stablehlo.reshape
// CHECK-NEXT: stablehlo.reshape
// CHECK-NEXT: stablehlo.reshape
// CHECK-NEXT: return
func.func @in_place(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>}, %y: tensor<6xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>}, %z: tensor<7xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>}) -> (tensor<2x4xf32>, tensor<3x2xf32>, tensor<1x7xf32>) {
  %0 = stablehlo.reshape %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a":(1)2}, {"a":(2)2}]>]>} : (tensor<8xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.reshape %y {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>]>} : (tensor<6xf32>) -> tensor<3x2xf32>
  %2 = stablehlo.reshape %z {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"a"}]>]>} : (tensor<7xf32>) -> tensor<1x7xf32>
  return %0, %1, %2 : tensor<2x4xf32>, tensor<3x2xf32>, tensor<1x7xf32>
}

// The same axes in the same order, but the shards of the result are no runs of
// elements: Shardy leaves the op as it is. Nor are the shards of a dimension of
// size 1 those of its neighbour.
// CHECK-LABEL: func.func @other_elements
// CHECK: sdy.reshard %arg0 <@m, [{}]>
// CHECK: sdy.reshard %{{.*}} <@m, [{"a":(1)2}, {"a":(2)2}]>
// CHECK-LABEL: func.func @size_one
// CHECK: sdy.reshard %arg0 <@m, [{}]>
// CHECK: sdy.reshard %{{.*}} <@m, [{"a"}, {}]>
func.func @other_elements(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>}) -> tensor<4x2xf32> {
  %0 = stablehlo.reshape %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a":(1)2}, {"a":(2)2}]>]>} : (tensor<8xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
func.func @size_one(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>}) -> tensor<1x8xf32> {
  %0 = stablehlo.reshape %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>]>} : (tensor<8xf32>) -> tensor<1x8xf32>
  return %0 : tensor<1x8xf32>
}

// Other axes, and other devices.
// CHECK-LABEL: func.func @other_axes
// CHECK: sdy.reshard %arg0 <@m, [{}]>
// CHECK: sdy.reshard %{{.*}} <@m, [{"b"}, {}]>
// CHECK-LABEL: func.func @other_mesh
// CHECK: sdy.reshard %arg0 <@m, [{}]>
// CHECK: sdy.reshard %{{.*}} <@n, [{"a"}, {}]>
func.func @other_axes(%x: tensor<10xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>}) -> tensor<5x2xf32> {
  %0 = stablehlo.reshape %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"b"}, {}]>]>} : (tensor<10xf32>) -> tensor<5x2xf32>
  return %0 : tensor<5x2xf32>
}
func.func @other_mesh(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>}) -> tensor<4x2xf32> {
  %0 = stablehlo.reshape %x {sdy.sharding = #sdy.sharding_per_value<[<@n, [{"a"}, {}]>]>} : (tensor<8xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// A scalar has no dimension for the axes of a dimension of size 1.
// CHECK-LABEL: func.func @to_scalar
// CHECK-NEXT: %[[R:.*]] = sdy.reshard %arg0 <@m, [{}, {}]>
// CHECK-NEXT: stablehlo.reshape %[[R]] : (tensor<1x1xf32>) -> tensor<f32>
func.func @to_scalar(%x: tensor<1x1xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {}]>}) -> tensor<f32> {
  %0 = stablehlo.reshape %x : (tensor<1x1xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
