// Partial maxima and minima.
// RUN: shardwright-opt %s --sw-insert-collectives | FileCheck %s
// RUN: shardwright-opt %s --sw-partition | FileCheck %s --check-prefix=LOCAL

sdy.mesh @mesh = <["x"=4, "y"=2]>

// A reduction of this kind over a sharded dimension stays partial.
// CHECK-LABEL: @stays_partial
// LOCAL-LABEL: @stays_partial
// CHECK: %[[M:.*]] = stablehlo.reduce
// CHECK-SAME: unreduced=max{"x"}
// CHECK-NEXT: return %[[M]]
// LOCAL-NOT: all_reduce
func.func @stays_partial(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"x"}>}) {
  %init = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %init) applies stablehlo.maximum across dimensions = [1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// One of another kind is reduced first; that replicated value is a partial
// maximum as it is.
// CHECK-LABEL: @another_kind
// LOCAL-LABEL: @another_kind
// CHECK: %[[M:.*]] = sdy.all_reduce min {"x"}
// CHECK: sdy.replicated_to_unreduced {"x"} %[[M]] out_sharding=<@mesh, [{}], unreduced=max{"x"}>
// LOCAL: %[[M:.*]] = "stablehlo.all_reduce"
// LOCAL: stablehlo.minimum
// LOCAL-NOT: select
// LOCAL: return %[[M]]
func.func @another_kind(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"x"}>}) {
  %init = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %init) applies stablehlo.minimum across dimensions = [1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Data movement, conversions that keep the order, and maxima work on partial
// maxima; so does a minimum with a replicated value.
// CHECK-LABEL: @commutes
// CHECK-NOT: sdy.all_reduce
// CHECK: stablehlo.transpose
// CHECK-NOT: sdy.all_reduce
// CHECK: stablehlo.minimum
// CHECK: sdy.all_reduce max {"x"} {{.*}} out_sharding=<@mesh, [{}, {}]> : tensor<4x8xi64>
// CHECK-NOT: sdy.all_reduce
func.func @commutes(%arg0: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced=max{"x"}>}, %arg1: tensor<4x8xi64>) -> tensor<4x8xi64> {
  %c = stablehlo.constant dense<3> : tensor<4x8xi64>
  %0 = stablehlo.transpose %arg0, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced=max{"x"}>]>} : (tensor<8x4xi32>) -> tensor<4x8xi32>
  %1 = stablehlo.convert %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced=max{"x"}>]>} : (tensor<4x8xi32>) -> tensor<4x8xi64>
  %2 = stablehlo.maximum %1, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced=max{"x"}>]>} : tensor<4x8xi64>
  %3 = stablehlo.minimum %2, %c {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced=max{"x"}>]>} : tensor<4x8xi64>
  return %3 : tensor<4x8xi64>
}

// Sums do not: -inf + inf is NaN, and sums of integers wrap around.
// CHECK-LABEL: @sum_of_maxima
// CHECK: %[[M:.*]] = sdy.all_reduce max {"x"} %arg0
// CHECK: stablehlo.add %[[M]], %arg1
func.func @sum_of_maxima(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"x"}>}, %arg1: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"x"}>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced=max{"x"}>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A shard becomes a partial minimum among infinities.
// CHECK-LABEL: @sharded_to_minima
// LOCAL-LABEL: @sharded_to_minima
// CHECK: sdy.sharded_to_unreduced [{"x"}] %arg0 out_sharding=<@mesh, [{}], unreduced=min{"x"}>
// LOCAL: %[[INF:.*]] = stablehlo.constant dense<0x7F800000> : tensor<8xf32>
// LOCAL: stablehlo.dynamic_update_slice %[[INF]], %arg0
func.func @sharded_to_minima(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=min{"x"}>}) {
  return %arg0 : tensor<8xf32>
}

// From one kind to another: reduced in between.
// CHECK-LABEL: @from_max_to_sum
// CHECK: %[[M:.*]] = sdy.all_reduce max {"x"} %arg0
// CHECK: sdy.replicated_to_unreduced {"x"} %[[M]] out_sharding=<@mesh, [{}], unreduced={"x"}>
func.func @from_max_to_sum(%arg0: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"x"}>}) -> (tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  return %arg0 : tensor<8xi32>
}
