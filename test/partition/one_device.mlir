// What others see is done on the one device that its sharding names; the others get the results.
// RUN: shardwright-opt %s --sw-partition | FileCheck %s

sdy.mesh @mesh = <["x"=4]>
sdy.mesh @one = <[], device_ids=[2]>

// CHECK-LABEL: @call
// CHECK-DAG: %[[ID:.*]] = stablehlo.partition_id
// CHECK-DAG: %[[WHOLE:.*]] = "stablehlo.all_gather"(%arg0)
// CHECK: %[[HERE:.*]] = stablehlo.compare EQ
// CHECK: %[[IF:.*]] = "stablehlo.if"(%[[HERE]])
// CHECK: stablehlo.custom_call @f(%[[WHOLE]])
// CHECK: }, {
// CHECK: stablehlo.constant dense<0.000000e+00>
// CHECK: "stablehlo.collective_broadcast"(%[[IF]])
// CHECK-SAME: dense<{{\[\[}}2, 0, 1, 3]]>
func.func @call(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @f(%arg0) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Without effects every device does it: nothing is sent.
// CHECK-LABEL: @pure
// CHECK-NOT: stablehlo.if
// CHECK-NOT: collective
// CHECK: return
func.func @pure(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @tokens
// CHECK: "stablehlo.if"
// CHECK: "stablehlo.outfeed"
// CHECK: stablehlo.create_token
// CHECK-NOT: collective
// CHECK: return
func.func @tokens(%arg0: tensor<8xf32>, %arg1: !stablehlo.token) -> !stablehlo.token {
  %0 = "stablehlo.outfeed"(%arg0, %arg1) <{outfeed_config = ""}> {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : (tensor<8xf32>, !stablehlo.token) -> !stablehlo.token
  return %0 : !stablehlo.token
}

// A sharding of one device has no dimensions, where a reshape looks for them.
// CHECK-LABEL: @merged
// CHECK: stablehlo.reduce
func.func @merged(%arg0: tensor<4x8xf32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %0 = sdy.reshard %arg0 <@one, []> : tensor<4x8xf32>
  %1 = stablehlo.abs %0 {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = stablehlo.reshape %1 : (tensor<4x8xf32>) -> tensor<32xf32>
  %3 = stablehlo.reduce(%2 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<32xf32>, tensor<f32>) -> tensor<f32>
  return %3 : tensor<f32>
}

// A call without results has a sharding too.
// CHECK-LABEL: @no_results
// CHECK: "stablehlo.all_gather"
// CHECK: "stablehlo.if"
// CHECK: stablehlo.custom_call @f(
// CHECK-NOT: sdy.sharding
// CHECK: }, {
// CHECK-NOT: custom_call
// CHECK: return
func.func @no_results(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  stablehlo.custom_call @f(%arg0) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : (tensor<8xf32>) -> ()
  return
}
