// RUN: shardwright-opt %s -pass-pipeline='builtin.module(func.func(sdy-insert-explicit-reshards{enable-full-version=true}))' | FileCheck %s --check-prefix=RESHARD
// RUN: shardwright-opt %s -pass-pipeline='builtin.module(func.func(sdy-insert-explicit-reshards{enable-full-version=true}, sdy-reshard-to-collectives, sdy-resolve-single-device-sharding))' | FileCheck %s
// RUN: shardwright-opt %s -pass-pipeline='builtin.module(func.func(sdy-insert-explicit-reshards{enable-full-version=true}, sdy-reshard-to-collectives, sdy-resolve-single-device-sharding{replica-count=2}))' | FileCheck %s --check-prefix=REPLICA

// An op for one device: from being replicated, and back to what was asked.

sdy.mesh @m = <["x"=2, "y"=2]>
sdy.mesh @one = <[], device_ids=[3]>

// RESHARD-LABEL: func.func @op
// RESHARD-NEXT: %[[R:.*]] = sdy.reshard %arg0 <@m, [{}]> : tensor<8xf32>
// RESHARD-NEXT: %[[D:.*]] = sdy.reshard %[[R]] <@one, []> : tensor<8xf32>
// RESHARD-NEXT: %[[E:.*]] = sdy.reshard %arg1 <@one, []> : tensor<8xf32>
// RESHARD-NEXT: %[[C:.*]] = stablehlo.custom_call @f(%[[D]], %[[E]]) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>}
// RESHARD-NEXT: %[[B:.*]] = sdy.reshard %[[C]] <@m, [{}]> : tensor<8xf32>
// RESHARD-NEXT: %[[O:.*]] = sdy.reshard %[[B]] <@m, [{"y"}]> : tensor<8xf32>
// RESHARD-NEXT: return %[[O]]

// CHECK-LABEL: func.func @op
// CHECK-NEXT: %[[R:.*]] = sdy.all_gather [{"x"}] %arg0 out_sharding=<@m, [{}]> : tensor<8xf32>
// CHECK-NEXT: %[[ID:.*]] = stablehlo.partition_id : tensor<ui32>
// CHECK-NEXT: %[[I:.*]] = stablehlo.convert %[[ID]] : (tensor<ui32>) -> tensor<i64>
// CHECK-NEXT: %[[THREE:.*]] = stablehlo.constant dense<3> : tensor<i64>
// CHECK-NEXT: %[[HERE:.*]] = stablehlo.compare EQ, %[[I]], %[[THREE]]
// CHECK-NEXT: %[[IF:.*]] = "stablehlo.if"(%[[HERE]]) ({
// CHECK-NEXT:   %[[C:.*]] = stablehlo.custom_call @f(%[[R]], %arg1) {has_side_effect = true} :
// CHECK-NEXT:   stablehlo.return %[[C]]
// CHECK-NEXT: }, {
// CHECK-NEXT:   %[[ZERO:.*]] = stablehlo.constant dense<-0.000000e+00> : tensor<8xf32>
// CHECK-NEXT:   stablehlo.return %[[ZERO]]
// CHECK-NEXT: })
// CHECK-NEXT: %[[ALL:.*]] = sdy.all_reduce {"x", "y"} %[[IF]] out_sharding=<@m, [{}]> : tensor<8xf32>
// CHECK-NEXT: %[[O:.*]] = sdy.all_slice [{"y"}] %[[ALL]] out_sharding=<@m, [{"y"}]> : tensor<8xf32>
// CHECK-NEXT: return %[[O]]

// REPLICA: stablehlo.replica_id
func.func @op(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %b: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}]>}) {
  %0 = stablehlo.custom_call @f(%a, %b) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// What the program itself moves there and back goes nowhere.

// CHECK-LABEL: func.func @moved
// CHECK-NEXT: return %arg0
func.func @moved(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) {
  %0 = sdy.reshard %a <@one, []> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Tokens stay on their own side of the branch.

// CHECK-LABEL: func.func @token
// CHECK: %[[IF:.*]]:2 = "stablehlo.if"
// CHECK: stablehlo.create_token
// CHECK: %[[ALL:.*]] = sdy.all_reduce {"x", "y"} %[[IF]]#0
// CHECK: return %[[ALL]], %[[IF]]#1
func.func @token(%t: !stablehlo.token) -> (tensor<i32>, !stablehlo.token) {
  %0:2 = "stablehlo.infeed"(%t) {sdy.sharding = #sdy.sharding_per_value<[<@one, []>, <@one, []>]>} : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
  return %0#0, %0#1 : tensor<i32>, !stablehlo.token
}
