// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(sdy-add-func-data-flow-edges)' | FileCheck %s

// Arguments of all functions but main, results of all calls.
sdy.mesh @m = <["a"=2, "b"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>},
                %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"b"}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = call @f(%x) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = call @f(%y) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = call @g(%1) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = call @g(%2) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"b"}]>]>, foo} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %3 : tensor<8x8xf32>, tensor<8x8xf32> }
func.func private @g(%x: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) {
  %0 = stablehlo.negate %x : tensor<8x8xf32>
  return %0 : tensor<8x8xf32> }
func.func @f(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = call @g(%x) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = call @g(%0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32> }
// CHECK: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"b"}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
// CHECK-NEXT: %0 = call @f(%arg0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.func_data_flow_edge %0 : tensor<8x8xf32>
// CHECK-NEXT: %2 = call @f(%arg1) : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %3 = sdy.func_data_flow_edge %2 : tensor<8x8xf32>
// CHECK-NEXT: %4 = call @g(%3) : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %5 = sdy.func_data_flow_edge %4 : tensor<8x8xf32>
// CHECK-NEXT: %6 = call @g(%5) {foo, sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"b"}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %7 = sdy.func_data_flow_edge %6 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"b"}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: return %1, %7 : tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @g(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) {
// CHECK-NEXT: %0 = sdy.func_data_flow_edge %arg0 : tensor<8x8xf32>
// CHECK-NEXT: %1 = stablehlo.negate %0 : tensor<8x8xf32>
// CHECK-NEXT: return %1 : tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func @f(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
// CHECK-NEXT: %0 = sdy.func_data_flow_edge %arg0 : tensor<8x8xf32>
// CHECK-NEXT: %1 = call @g(%0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %2 = sdy.func_data_flow_edge %1 : tensor<8x8xf32>
// CHECK-NEXT: %3 = call @g(%2) : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %4 = sdy.func_data_flow_edge %3 : tensor<8x8xf32>
// CHECK-NEXT: return %4 : tensor<8x8xf32>
// CHECK-NEXT: }
