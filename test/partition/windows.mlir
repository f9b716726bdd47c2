// Ops that read rows of their neighbours, on even and uneven shards.
// RUN: shardwright-opt %s --sw-partition | FileCheck %s

sdy.mesh @mesh = <["x"=4]>

// The first row from the next device, the last one from the one before; what is
// beyond both ends is zero.
// CHECK-LABEL: @convolution
// CHECK-SAME: (%[[A:.*]]: tensor<1x4x2xf32>,
// CHECK: %[[FIRST:.*]] = stablehlo.slice %[[A]] [0:1, 0:1, 0:2]
// CHECK: %[[NEXT:.*]] = "stablehlo.collective_permute"(%[[FIRST]]) {{.*}} dense<{{\[\[}}1, 0], [2, 1], [3, 2]]>
// CHECK: %[[LAST:.*]] = stablehlo.slice %[[A]] [0:1, 3:4, 0:2]
// CHECK: %[[BEFORE:.*]] = "stablehlo.collective_permute"(%[[LAST]]) {{.*}} dense<{{\[\[}}0, 1], [1, 2], [2, 3]]>
// CHECK: %[[ROWS:.*]] = stablehlo.concatenate %[[BEFORE]], %[[A]], %[[NEXT]], dim = 1
// CHECK: %[[INSIDE:.*]] = stablehlo.select %{{.*}}, %[[ROWS]], %{{.*}} : tensor<1x6x2xi1>, tensor<1x6x2xf32>
// CHECK: stablehlo.convolution(%[[INSIDE]], %{{.*}}) {{.*}}pad = {{\[\[}}0, 0]]{{.*}} -> tensor<1x4x2xf32>
func.func @convolution(%a: tensor<1x16x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %w: tensor<3x2x2xf32>)
    -> (tensor<1x16x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) {
  %0 = stablehlo.convolution(%a, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} : (tensor<1x16x2xf32>, tensor<3x2x2xf32>) -> tensor<1x16x2xf32>
  return %0 : tensor<1x16x2xf32>
}

// 15 rows in 4 shards: the last shard's last row is masked before the maximum.
// CHECK-LABEL: @difference
// CHECK-SAME: (%[[A:.*]]: tensor<4xf32>)
// CHECK: %[[ROW:.*]] = stablehlo.slice %[[A]] [0:1]
// CHECK: "stablehlo.collective_permute"(%[[ROW]]) {{.*}} dense<{{\[\[}}1, 0], [2, 1], [3, 2]]>
// CHECK: %[[D:.*]] = stablehlo.subtract {{.*}} : tensor<4xf32>
// CHECK: %[[END:.*]] = stablehlo.subtract %{{.*}}, %{{.*}} : tensor<i64>
// CHECK: stablehlo.broadcast_in_dim %[[END]]
// CHECK: %[[VALID:.*]] = stablehlo.compare LT
// CHECK: %[[LEAST:.*]] = stablehlo.constant dense<0xFF800000> : tensor<4xf32>
// CHECK: stablehlo.select %[[VALID]], %[[D]], %[[LEAST]]
// CHECK: stablehlo.reduce
// CHECK: "stablehlo.all_reduce"
func.func @difference(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<f32> {
  %0 = stablehlo.slice %a [1:16] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<16xf32>) -> tensor<15xf32>
  %1 = stablehlo.slice %a [0:15] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<16xf32>) -> tensor<15xf32>
  %2 = stablehlo.subtract %0, %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<15xf32>
  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %3 = stablehlo.reduce(%2 init: %z) applies stablehlo.maximum across dimensions = [0] : (tensor<15xf32>, tensor<f32>) -> tensor<f32>
  return %3 : tensor<f32>
}

// CHECK-LABEL: @reversed
// CHECK: %[[P:.*]] = "stablehlo.collective_permute"(%arg0) {{.*}} dense<{{\[\[}}3, 0], [2, 1], [1, 2], [0, 3]]>
// CHECK: stablehlo.reverse %[[P]], dims = [0] : tensor<4xf32>
func.func @reversed(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.reverse %a, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// Its owner gives it; -0 changes no other zero.
// CHECK-LABEL: @last_row
// CHECK: %[[OWNER:.*]] = stablehlo.compare EQ
// CHECK: %[[ROW:.*]] = stablehlo.slice %arg0 [3:4, 0:3]
// CHECK: %[[NOTHING:.*]] = stablehlo.constant dense<-0.000000e+00> : tensor<1x3xf32>
// CHECK: %[[MINE:.*]] = stablehlo.select %[[OWNER]], %[[ROW]], %[[NOTHING]]
// CHECK: "stablehlo.all_reduce"(%[[MINE]])
func.func @last_row(%a: tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<1x3xf32> {
  %0 = stablehlo.slice %a [15:16, 0:3] : (tensor<16x3xf32>) -> tensor<1x3xf32>
  return %0 : tensor<1x3xf32>
}

// Shards of 4 rows become shards of 5: each receives at most 3 rows, at a place
// of its own.
// CHECK-LABEL: @padded
// CHECK: %[[ROWS:.*]] = stablehlo.slice %arg0 [1:4]
// CHECK: %[[SENT:.*]] = "stablehlo.collective_permute"(%[[ROWS]]) {{.*}} dense<{{\[\[}}0, 1], [1, 2], [2, 3]]>
// CHECK: stablehlo.constant dense<[8, 7, 6, 5]> : tensor<4xi64>
// CHECK: %[[OWN:.*]] = stablehlo.dynamic_update_slice %{{.*}}, %arg0, %{{.*}} : (tensor<13xf32>, tensor<4xf32>, tensor<i64>)
// CHECK: stablehlo.dynamic_update_slice %[[OWN]], %[[SENT]]
// CHECK: stablehlo.select {{.*}} : tensor<5xi1>, tensor<5xf32>
func.func @padded(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %v: tensor<f32>) -> (tensor<20xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.pad %a, %v, low = [4], high = [0], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<16xf32>, tensor<f32>) -> tensor<20xf32>
  return %0 : tensor<20xf32>
}

// Whoever has some of the rows gives them.
// CHECK-LABEL: @dynamic_rows
// CHECK: %[[ROOM:.*]] = stablehlo.pad %arg0, %{{.*}}, low = [2, 0], high = [2, 0], interior = [0, 0]
// CHECK: %[[MINE:.*]] = stablehlo.dynamic_slice %[[ROOM]], {{.*}} sizes = [2, 3]
// CHECK: "stablehlo.all_reduce"(%[[MINE]])
func.func @dynamic_rows(%a: tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<i32>) -> tensor<2x3xf32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %a, %i, %z, sizes = [2, 3] : (tensor<16x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// Windows that tile a dimension lie in one shard each.
// CHECK-LABEL: @pool_gradient
// CHECK-NOT: all_gather
// CHECK: "stablehlo.select_and_scatter"{{.*}}
// CHECK: (tensor<4x4xf32>, tensor<2x4xf32>, tensor<f32>) -> tensor<4x4xf32>
func.func @pool_gradient(%arg0: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %zero) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<8x4xf32>, tensor<f32>) -> tensor<16x4xf32>
  return %0 : tensor<16x4xf32>
}

// A kernel that is reversed is not split along that dimension: its first shard
// would need the rows at the end.
// CHECK-LABEL: @reversed_kernel
// CHECK-SAME: (%{{.*}}: tensor<1x12x2xf32>, %[[W:.*]]: tensor<2x2x2xf32>)
// CHECK: %[[ALL:.*]] = "stablehlo.all_gather"(%[[W]])
// CHECK: stablehlo.convolution(%{{.*}}, %[[ALL]])
// CHECK-NOT: stablehlo.all_reduce
// CHECK: return
func.func @reversed_kernel(%a: tensor<1x12x2xf32>, %w: tensor<8x2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> tensor<1x5x2xf32> {
  %0 = stablehlo.convolution(%a, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x12x2xf32>, tensor<8x2x2xf32>) -> tensor<1x5x2xf32>
  return %0 : tensor<1x5x2xf32>
}
