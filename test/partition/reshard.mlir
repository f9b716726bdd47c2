// Explicit reshards become the cheapest collectives.
// RUN: shardwright-opt %s --sw-insert-collectives | FileCheck %s
// RUN: shardwright-opt %s --sw-partition | FileCheck %s --check-prefix=LOCAL

sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @reversed = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
sdy.mesh @six = <["a"=2, "b"=2]>

// CHECK-LABEL: @to_other_dimension
// LOCAL-LABEL: @to_other_dimension
// CHECK: sdy.all_to_all [{"x"}: 0->1] %arg0 out_sharding=<@mesh, [{}, {"x"}]>
// LOCAL: "stablehlo.all_to_all"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<{{\[\[}}0, 2], [1, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<4x8xf32>) -> tensor<8x4xf32>
func.func @to_other_dimension(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  return %arg0 : tensor<8x8xf32>
}

// CHECK-LABEL: @to_other_axis
// LOCAL-LABEL: @to_other_axis
// CHECK: sdy.collective_permute %arg0 out_sharding=<@mesh, [{"y"}, {}]>
// LOCAL: "stablehlo.collective_permute"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<{{\[\[}}0, 0], [1, 2], [2, 1], [3, 3]]>
func.func @to_other_axis(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
  return %arg0 : tensor<8x8xf32>
}

// The order of the axes that move is no communication of its own.
// CHECK-LABEL: @reordered
// LOCAL-LABEL: @reordered
// CHECK: %[[P:.*]] = sdy.collective_permute %arg0 out_sharding=<@mesh, [{"x", "y"}, {}]>
// CHECK: sdy.all_to_all [{"x", "y"}: 0->1] %[[P]]
// LOCAL-NOT: collective_permute
// LOCAL: %[[A:.*]] = "stablehlo.all_to_all"(%arg0) {{.*}}replica_groups = dense<{{\[\[}}0, 1, 2, 3]]>
// LOCAL: stablehlo.reshape %[[A]] : (tensor<8x2xf32>) -> tensor<2x2x2x2xf32>
// LOCAL: stablehlo.transpose {{.*}} dims = [1, 0, 2, 3]
func.func @reordered(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}) {
  return %arg0 : tensor<8x8xf32>
}

// CHECK-LABEL: @gather_two
// LOCAL-LABEL: @gather_two
// CHECK: sdy.all_gather [{"x"}, {"y"}] %arg0 out_sharding=<@mesh, [{}, {}]>
// LOCAL: %[[R:.*]] = stablehlo.reshape %arg0 : (tensor<4x4xf32>) -> tensor<1x4x4xf32>
// LOCAL: %[[G:.*]] = "stablehlo.all_gather"(%[[R]]) <{all_gather_dim = 0 : i64, {{.*}}replica_groups = dense<{{\[\[}}0, 1, 2, 3]]>
// LOCAL: %[[P:.*]] = stablehlo.reshape %[[G]] : (tensor<4x4x4xf32>) -> tensor<2x2x4x4xf32>
// LOCAL: stablehlo.transpose %[[P]], dims = [0, 2, 1, 3]
func.func @gather_two(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<8x8xf32> {
  return %arg0 : tensor<8x8xf32>
}

// One gather for two users.
// CHECK-LABEL: @shared
// CHECK: %[[G:.*]] = sdy.all_gather
// CHECK-NOT: sdy.all_gather
// CHECK: return %[[G]], %[[G]]
func.func @shared(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = sdy.reshard %arg0 <@mesh, [{}, {}]> : tensor<8x8xf32>
  return %0, %0 : tensor<8x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: @other_device_order
// LOCAL-LABEL: @other_device_order
// CHECK: sdy.collective_permute %arg0 out_sharding=<@reversed, [{"x"}, {}]>
// LOCAL: source_target_pairs = dense<{{\[\[}}0, 2], [1, 3], [2, 0], [3, 1]]>
func.func @other_device_order(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@reversed, [{"x"}, {}]>}) {
  return %arg0 : tensor<8x8xf32>
}

// CHECK-LABEL: @other_axes
// LOCAL-LABEL: @other_axes
// CHECK: sdy.reshard %arg0 <@six, [{}, {"b"}]> {sw.exchange}
// LOCAL-NOT: all_gather
// LOCAL: source_target_pairs
func.func @other_axes(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@six, [{}, {"b"}]>}) {
  return %arg0 : tensor<8x8xf32>
}
