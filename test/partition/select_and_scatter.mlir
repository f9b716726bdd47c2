// Gradients of poolings whose windows overlap or reach over the ends, and of
// kernels: rows of the neighbours instead of whole operands.
// RUN: shardwright-opt %s --sw-partition | FileCheck %s

sdy.mesh @mesh = <["x"=4]>

// Windows of 3 rows, 2 apart, one row of padding. The shard of 4 rows is touched
// by three windows, which reach over it by a row on each side.
// CHECK-LABEL: @pool
// CHECK-SAME: (%[[A:.*]]: tensor<4xf32>, %[[S:.*]]: tensor<2xf32>)
// CHECK-DAG: "stablehlo.collective_permute"({{.*}}1, 0], [2, 1], [3, 2]]{{.*}} : (tensor<1xf32>)
// CHECK-DAG: stablehlo.constant dense<0xFF800000>
// CHECK: "stablehlo.select_and_scatter"({{.*}}padding = dense<0> : tensor<1x2xi64>
// CHECK: stablehlo.slice %{{.*}} [{{.*}}] : ({{.*}}) -> tensor<4xf32>
// CHECK-NOT: all_gather
func.func @pool(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %s: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%a, %s, %z) <{padding = dense<[[0, 1]]> : tensor<1x2xi64>, window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.compare GE, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<16xf32>, tensor<8xf32>, tensor<f32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// As the gradient of a kernel of 3 rows: each device has a part of every sum.
// CHECK-LABEL: @kernel_gradient
// CHECK: "stablehlo.collective_permute"({{.*}} : (tensor<2x1x3xf32>)
// CHECK: "stablehlo.collective_permute"({{.*}} : (tensor<2x1x3xf32>)
// CHECK: stablehlo.convolution({{.*}}pad = {{\[\[}}0, 0]]{{.*}} : (tensor<2x6x3xf32>, tensor<4x3x2xf32>) -> tensor<2x3x2xf32>
// CHECK: "stablehlo.all_reduce"
// CHECK-NOT: all_gather
func.func @kernel_gradient(%a: tensor<2x16x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %w: tensor<16x3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> tensor<2x3x2xf32> {
  %0 = stablehlo.convolution(%a, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x3xf32>, tensor<16x3x2xf32>) -> tensor<2x3x2xf32>
  return %0 : tensor<2x3x2xf32>
}
