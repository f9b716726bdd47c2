// Reductions over the same groups that do not wait for each other are one.
// RUN: shardwright-opt %s --sw-partition | FileCheck %s

sdy.mesh @mesh = <["x"=4, "y"=2]>

// CHECK-LABEL: @reductions
// CHECK: %[[A:.*]] = stablehlo.reduce(%arg0
// CHECK: %[[B:.*]] = stablehlo.reduce(%arg1
// CHECK: %[[AB:.*]]:2 = "stablehlo.all_reduce"(%[[A]], %[[B]]) {{.*}}{{\[\[}}0, 2, 4, 6], [1, 3, 5, 7]]
// CHECK: stablehlo.exponential %[[AB]]#0
// CHECK: %[[C:.*]] = stablehlo.reduce(%arg2
// CHECK: "stablehlo.all_reduce"(%[[C]]) {{.*}}{{\[\[}}0, 1], [2, 3], [4, 5], [6, 7]]
// CHECK: %[[D:.*]] = stablehlo.reduce
// CHECK: "stablehlo.all_reduce"(%[[D]])
func.func @reductions(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg2: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> (tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  %early = stablehlo.exponential %0 : tensor<4xf32>
  %1 = stablehlo.reduce(%arg1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
  // other groups
  %2 = stablehlo.reduce(%arg2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
  // waits for another
  %b = stablehlo.broadcast_in_dim %1, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<f32>) -> tensor<16xf32>
  %m = stablehlo.multiply %b, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<16xf32>
  %3 = stablehlo.reduce(%m init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
  return %early, %1, %2, %3 : tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>
}
