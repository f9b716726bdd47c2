// Gathers, scatters and calls compute on shards that do not divide.
// RUN: shardwright-opt %s --sw-partition | FileCheck %s

sdy.mesh @mesh = <["x"=4]>

// 9 rows in shards of 3, of which the last device has none: no row is gathered.
// CHECK-LABEL: @gather
// CHECK: "stablehlo.gather"
// CHECK-SAME: (tensor<3x8xf32>, tensor<3x2x1xi32>) -> tensor<3x2xf32>
func.func @gather(%arg0: tensor<9x8xf32>, %arg1: tensor<9x2x1xi32>) -> tensor<9x2xf32> {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<9x8xf32>
  %1 = stablehlo.abs %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}, {}]>]>} : tensor<9x2x1xi32>
  %2 = "stablehlo.gather"(%0, %1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<9x8xf32>, tensor<9x2x1xi32>) -> tensor<9x2xf32>
  return %2 : tensor<9x2xf32>
}

// Updates that are none lead nowhere.
// CHECK-LABEL: @scatter
// CHECK: %[[NOWHERE:.*]] = stablehlo.constant dense<-1> : tensor<3x1xi64>
// CHECK: %[[AT:.*]] = stablehlo.select %{{.*}}, %{{.*}}, %[[NOWHERE]]
// CHECK: "stablehlo.scatter"(%{{.*}}, %[[AT]], %{{.*}})
// CHECK: "stablehlo.all_reduce"
func.func @scatter(%arg0: tensor<4xf32>, %arg1: tensor<9x1xi32>, %arg2: tensor<9xf32>) -> tensor<4xf32> {
  %0 = stablehlo.abs %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<9x1xi32>
  %1 = stablehlo.negate %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<9xf32>
  %2 = "stablehlo.scatter"(%arg0, %0, %1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<4xf32>, tensor<9x1xi32>, tensor<9xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// Matrices that are none are zeros.
// CHECK-LABEL: @call
// CHECK: %[[A:.*]] = stablehlo.select
// CHECK: stablehlo.custom_call @Qr(%[[A]]) {{.*}}: (tensor<3x4x4xf32>)
func.func @call(%arg0: tensor<9x4x4xf32>) -> tensor<9x4x4xf32> {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}, {}]>]>} : tensor<9x4x4xf32>
  %1:2 = stablehlo.custom_call @Qr(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}, {}]>, <@mesh, [{"x"}, {}]>]>} : (tensor<9x4x4xf32>) -> (tensor<9x4x4xf32>, tensor<9x4xf32>)
  return %1#0 : tensor<9x4x4xf32>
}

// A map computes padding rows, which no one reads.
// CHECK-LABEL: @map
// CHECK: "stablehlo.map"
// CHECK: (tensor<3x4xf32>) -> tensor<3x4xf32>
func.func @map(%arg0: tensor<9x4xf32>) -> tensor<9x4xf32> {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<9x4xf32>
  %1 = "stablehlo.map"(%0) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<f32>):
    %2 = stablehlo.exponential %a : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<9x4xf32>) -> tensor<9x4xf32>
  return %1 : tensor<9x4xf32>
}
