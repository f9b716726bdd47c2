// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(sdy-flatten-call-graph,symbol-dce,sdy-import-func-calls)' | FileCheck %s

// 
sdy.mesh @m = <["a"=2, "b"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>},
                %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"b"}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = call @f(%x) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = call @f(%y) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = call @g(%1) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = call @g(%2) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"b"}]>]>, foo} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %3 : tensor<8x8xf32>, tensor<8x8xf32> }
func.func private @g(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.negate %x : tensor<8x8xf32>
  return %0 : tensor<8x8xf32> }
func.func @f(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = call @g(%x) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = call @g(%0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32> }
func.func private @unused(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = call @g(%x) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32> }
func.func @pub(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = call @g(%x) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32> }
// CHECK: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"b"}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
// CHECK-NEXT: %0 = sdy.named_computation<"f">(%arg0) (%arg2: tensor<8x8xf32>) {
// CHECK-NEXT: %8 = sdy.data_flow_edge %arg2 : tensor<8x8xf32>
// CHECK-NEXT: %9 = sdy.named_computation<"g">(%8) (%arg3: tensor<8x8xf32>) {
// CHECK-NEXT: %13 = sdy.data_flow_edge %arg3 : tensor<8x8xf32>
// CHECK-NEXT: %14 = stablehlo.negate %13 : tensor<8x8xf32>
// CHECK-NEXT: sdy.return %14 : tensor<8x8xf32>
// CHECK-NEXT: } : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %10 = sdy.data_flow_edge %9 : tensor<8x8xf32>
// CHECK-NEXT: %11 = sdy.named_computation<"g">(%10) (%arg3: tensor<8x8xf32>) {
// CHECK-NEXT: %13 = sdy.data_flow_edge %arg3 : tensor<8x8xf32>
// CHECK-NEXT: %14 = stablehlo.negate %13 : tensor<8x8xf32>
// CHECK-NEXT: sdy.return %14 : tensor<8x8xf32>
// CHECK-NEXT: } : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %12 = sdy.data_flow_edge %11 : tensor<8x8xf32>
// CHECK-NEXT: sdy.return %12 : tensor<8x8xf32>
// CHECK-NEXT: } : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.data_flow_edge %0 : tensor<8x8xf32>
// CHECK-NEXT: %2 = sdy.named_computation<"f">(%arg1) (%arg2: tensor<8x8xf32>) {
// CHECK-NEXT: %8 = sdy.data_flow_edge %arg2 : tensor<8x8xf32>
// CHECK-NEXT: %9 = sdy.named_computation<"g">(%8) (%arg3: tensor<8x8xf32>) {
// CHECK-NEXT: %13 = sdy.data_flow_edge %arg3 : tensor<8x8xf32>
// CHECK-NEXT: %14 = stablehlo.negate %13 : tensor<8x8xf32>
// CHECK-NEXT: sdy.return %14 : tensor<8x8xf32>
// CHECK-NEXT: } : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %10 = sdy.data_flow_edge %9 : tensor<8x8xf32>
// CHECK-NEXT: %11 = sdy.named_computation<"g">(%10) (%arg3: tensor<8x8xf32>) {
// CHECK-NEXT: %13 = sdy.data_flow_edge %arg3 : tensor<8x8xf32>
// CHECK-NEXT: %14 = stablehlo.negate %13 : tensor<8x8xf32>
// CHECK-NEXT: sdy.return %14 : tensor<8x8xf32>
// CHECK-NEXT: } : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %12 = sdy.data_flow_edge %11 : tensor<8x8xf32>
// CHECK-NEXT: sdy.return %12 : tensor<8x8xf32>
// CHECK-NEXT: } : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %3 = sdy.data_flow_edge %2 : tensor<8x8xf32>
// CHECK-NEXT: %4 = sdy.named_computation<"g">(%3) (%arg2: tensor<8x8xf32>) {
// CHECK-NEXT: %8 = sdy.data_flow_edge %arg2 : tensor<8x8xf32>
// CHECK-NEXT: %9 = stablehlo.negate %8 : tensor<8x8xf32>
// CHECK-NEXT: sdy.return %9 : tensor<8x8xf32>
// CHECK-NEXT: } : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %5 = sdy.data_flow_edge %4 : tensor<8x8xf32>
// CHECK-NEXT: %6 = sdy.named_computation<"g">(%5) out_shardings=[<@m, [{}, {"b"}]>] (%arg2: tensor<8x8xf32>) {
// CHECK-NEXT: %8 = sdy.data_flow_edge %arg2 : tensor<8x8xf32>
// CHECK-NEXT: %9 = stablehlo.negate %8 : tensor<8x8xf32>
// CHECK-NEXT: sdy.return %9 : tensor<8x8xf32>
// CHECK-NEXT: } {foo} : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %7 = sdy.data_flow_edge %6 sharding=<@m, [{}, {"b"}]> : tensor<8x8xf32>
// CHECK-NEXT: return %1, %7 : tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func @pub(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
// CHECK-NEXT: %0 = sdy.named_computation<"g">(%arg0) (%arg1: tensor<8x8xf32>) {
// CHECK-NEXT: %2 = sdy.data_flow_edge %arg1 : tensor<8x8xf32>
// CHECK-NEXT: %3 = stablehlo.negate %2 : tensor<8x8xf32>
// CHECK-NEXT: sdy.return %3 : tensor<8x8xf32>
// CHECK-NEXT: } : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.data_flow_edge %0 : tensor<8x8xf32>
// CHECK-NEXT: return %1 : tensor<8x8xf32>
// CHECK-NEXT: }

// -----

// Argument shardings become in_shardings, those of the call out_shardings.
sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8, "e"=3]>
func.func @main(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  %0 = call @f(%x, %x) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"b"}, {}]>]>, tag} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func private @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
  return %x : tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
// CHECK-NEXT: %0 = sdy.named_computation<"f">(%arg0, %arg0) in_shardings=[<@m, [{"a"}, {}]>, <@m, [{?}, {?}]>] out_shardings=[<@m, [{"b"}, {}]>] (%arg1: tensor<8x8xf32>, %arg2: tensor<8x8xf32>) {
// CHECK-NEXT: %2 = sdy.data_flow_edge %arg1 sharding=<@m, [{"a"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %3 = sdy.data_flow_edge %arg2 sharding=<@m, [{?}, {?}]> : tensor<8x8xf32>
// CHECK-NEXT: sdy.return %2 : tensor<8x8xf32>
// CHECK-NEXT: } {tag} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.data_flow_edge %0 sharding=<@m, [{"b"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: return %1 : tensor<8x8xf32>
// CHECK-NEXT: }
