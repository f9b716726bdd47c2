// A complete value that is wanted as a partial sum is placed on one device along the axes. Linear ops compute on the
// complete value where there is one, and their results are placed: on the other devices they would multiply zero.
// RUN: shardwright-opt %s --sw-insert-collectives | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: @constant_factor
// CHECK: %[[B:.*]] = stablehlo.broadcast_in_dim
// CHECK-NOT: replicated_to_unreduced
// CHECK: %[[P:.*]] = stablehlo.multiply %arg0, %[[B]]
// CHECK: %[[U:.*]] = sdy.replicated_to_unreduced {"x"} %[[P]]
// CHECK: return %[[U]]
func.func @constant_factor(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}], unreduced={"x"}>}) {
  %cst = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = sdy.sharding_constraint %cst <@mesh, [], unreduced={"x"}> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"y"}], unreduced={"x"}> : tensor<8xf32>
  %3 = stablehlo.multiply %arg0, %2 : tensor<8xf32>
  %4 = sdy.sharding_constraint %3 <@mesh, [{"y"}], unreduced={"x"}> : tensor<8xf32>
  return %4 : tensor<8xf32>
}

// CHECK-LABEL: @argument_factor
// CHECK: %[[P:.*]] = stablehlo.multiply %arg0, %arg1
// CHECK: %[[R:.*]] = sdy.reshard %[[P]]
// CHECK: %[[U:.*]] = sdy.replicated_to_unreduced {"x"} %[[R]]
// CHECK: return %[[U]]
func.func @argument_factor(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  %0 = sdy.sharding_constraint %arg1 <@mesh, [{}], unreduced={"x"}> : tensor<8xf32>
  %1 = stablehlo.multiply %arg0, %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// A value that is a sum is added to one that is only placed: on the summands, without an all-reduce.
// CHECK-LABEL: @added_to_a_sum
// CHECK-NOT: all_reduce
// CHECK: %[[A:.*]] = sdy.reshard %arg1
// CHECK: %[[U:.*]] = sdy.replicated_to_unreduced {"x"} %[[A]]
// CHECK-NOT: all_reduce
// CHECK: stablehlo.add %{{.*}}, %[[U]]
// CHECK-NEXT: return
func.func @added_to_a_sum(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{}], unreduced={"x"}> : tensor<8xf32>
  %2 = sdy.sharding_constraint %arg1 <@mesh, [{}], unreduced={"x"}> : tensor<8xf32>
  %3 = stablehlo.add %1, %2 : tensor<8xf32>
  return %3 : tensor<8xf32>
}
