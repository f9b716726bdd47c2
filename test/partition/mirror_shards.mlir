// A reversal of several sharded dimensions sends every shard once, to where it
// belongs.
// RUN: shardwright-opt %s --split-input-file --sw-partition | FileCheck %s

sdy.mesh @mesh = <["x"=4, "y"=2]>

// CHECK-LABEL: @two
// CHECK: %[[P:.*]] = "stablehlo.collective_permute"(%arg0)
// CHECK-SAME{LITERAL}: source_target_pairs = dense<[[7, 0], [6, 1], [5, 2], [4, 3], [3, 4], [2, 5], [1, 6], [0, 7]]>
// CHECK-NOT: collective_permute
// CHECK: stablehlo.reverse %[[P]], dims = [0, 1] : tensor<2x8xf32>
func.func @two(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %0 = stablehlo.reverse %arg0, dims = [0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// Along an uneven dimension rows of two shards make one: that dimension is by
// itself. Of one that is not reversed, nothing moves.
// CHECK-LABEL: @uneven
// CHECK: %[[P:.*]] = "stablehlo.collective_permute"
// CHECK-SAME{LITERAL}: [[1, 0], [0, 1], [3, 2], [2, 3], [5, 4], [4, 5], [7, 6], [6, 7]]
// CHECK: stablehlo.slice %[[P]] [2:3, 0:8]
// CHECK: "stablehlo.collective_permute"
// CHECK: stablehlo.slice %[[P]] [0:2, 0:8]
// CHECK: "stablehlo.collective_permute"
// CHECK-NOT: "stablehlo.collective_permute"
// CHECK: stablehlo.reverse
func.func @uneven(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
  %low = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %arg0, %low, low = [0, 0], high = [3, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8x16xf32>, tensor<f32>) -> tensor<11x16xf32>
  %1 = stablehlo.reverse %0, dims = [0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : tensor<11x16xf32>
  %2 = stablehlo.slice %1 [0:8, 0:16] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<11x16xf32>) -> tensor<8x16xf32>
  %3 = sdy.reshard %2 <@mesh, [{}, {"y"}]> : tensor<8x16xf32>
  return %3 : tensor<8x16xf32>
}

// -----

sdy.mesh @odd = <["x"=3, "y"=2], device_ids=[5, 0, 3, 1, 2, 4]>

// The device in the middle keeps its shard where another axis does not move it.
// CHECK-LABEL: @odd_mesh
// CHECK: "stablehlo.collective_permute"(%arg0)
// CHECK-SAME{LITERAL}: source_target_pairs = dense<[[4, 5], [2, 0], [1, 3], [3, 1], [0, 2], [5, 4]]>
// CHECK-NOT: collective_permute
// CHECK: return
func.func @odd_mesh(%arg0: tensor<9x16xf32> {sdy.sharding = #sdy.sharding<@odd, [{"x"}, {"y"}]>}) -> (tensor<9x16xf32> {sdy.sharding = #sdy.sharding<@odd, [{"x"}, {"y"}]>}) {
  %0 = stablehlo.reverse %arg0, dims = [0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@odd, [{"x"}, {"y"}]>]>} : tensor<9x16xf32>
  return %0 : tensor<9x16xf32>
}
