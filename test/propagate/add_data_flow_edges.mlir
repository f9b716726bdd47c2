// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(sdy-add-data-flow-edges)' | FileCheck %s

// while: one edge for each result.
sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8, "e"=3]>
func.func @main(%x: tensor<8x8xf32>, %n: tensor<i32>) -> (tensor<8x8xf32>) {
  %w:2 = stablehlo.while(%i = %x, %j = %n) : tensor<8x8xf32>, tensor<i32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>, <@m, []>]>} cond {
    %p = stablehlo.compare LT, %j, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = stablehlo.negate %i : tensor<8x8xf32>
    stablehlo.return %1, %j : tensor<8x8xf32>, tensor<i32>
  }
  return %w#0 : tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<i32>) -> tensor<8x8xf32> {
// CHECK-NEXT: %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<8x8xf32>, tensor<i32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>, <@m, []>]>}
// CHECK-NEXT: cond {
// CHECK-NEXT: %3 = stablehlo.compare LT, %iterArg_0, %iterArg_0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK-NEXT: stablehlo.return %3 : tensor<i1>
// CHECK-NEXT: } do {
// CHECK-NEXT: %3 = stablehlo.negate %iterArg : tensor<8x8xf32>
// CHECK-NEXT: stablehlo.return %3, %iterArg_0 : tensor<8x8xf32>, tensor<i32>
// CHECK-NEXT: }
// CHECK-NEXT: %1 = sdy.data_flow_edge %0#0 sharding=<@m, [{"a"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %2 = sdy.data_flow_edge %0#1 sharding=<@m, []> : tensor<i32>
// CHECK-NEXT: return %1 : tensor<8x8xf32>
// CHECK-NEXT: }

// -----

// manual_computation: block arguments and results; the argument's edge has the sharding seen inside.
sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8, "e"=3]>
func.func @main(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a", "b"}, {}]>] out_shardings=[<@m, [{"a", ?}, {}]>] manual_axes={"a"} (%t: tensor<4x8xf32>) {
    %1 = stablehlo.negate %t : tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
// CHECK-NEXT: %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"a", "b"}, {}]>] out_shardings=[<@m, [{"a", ?}, {}]>] manual_axes={"a"} (%arg1: tensor<4x8xf32>) {
// CHECK-NEXT: %2 = sdy.data_flow_edge %arg1 sharding=<@m, [{"b"}, {}]> : tensor<4x8xf32>
// CHECK-NEXT: %3 = stablehlo.negate %2 : tensor<4x8xf32>
// CHECK-NEXT: sdy.return %3 : tensor<4x8xf32>
// CHECK-NEXT: } : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.data_flow_edge %0 sharding=<@m, [{"a", ?}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: return %1 : tensor<8x8xf32>
// CHECK-NEXT: }

// -----

// case and optimization_barrier: results.
sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8, "e"=3]>
func.func @main(%x: tensor<8x8xf32>, %n: tensor<i32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = "stablehlo.case"(%n) ({
    stablehlo.return %x : tensor<8x8xf32>
  }, {
    %1 = stablehlo.negate %x : tensor<8x8xf32>
    stablehlo.return %1 : tensor<8x8xf32>
  }) : (tensor<i32>) -> tensor<8x8xf32>
  %2:2 = stablehlo.optimization_barrier %0, %x : tensor<8x8xf32>, tensor<8x8xf32>
  return %2#0, %2#1 : tensor<8x8xf32>, tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<i32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
// CHECK-NEXT: %0 = "stablehlo.case"(%arg1) ({
// CHECK-NEXT: stablehlo.return %arg0 : tensor<8x8xf32>
// CHECK-NEXT: }, {
// CHECK-NEXT: %5 = stablehlo.negate %arg0 : tensor<8x8xf32>
// CHECK-NEXT: stablehlo.return %5 : tensor<8x8xf32>
// CHECK-NEXT: }) : (tensor<i32>) -> tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.data_flow_edge %0 : tensor<8x8xf32>
// CHECK-NEXT: %2:2 = stablehlo.optimization_barrier %1, %arg0 : tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: %3 = sdy.data_flow_edge %2#0 : tensor<8x8xf32>
// CHECK-NEXT: %4 = sdy.data_flow_edge %2#1 : tensor<8x8xf32>
// CHECK-NEXT: return %3, %4 : tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }
