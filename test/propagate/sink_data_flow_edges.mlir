// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(sdy-sink-data-flow-edges))' | FileCheck %s

// One edge with a sharding: the others are open.
sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8, "e"=3]>
func.func @main(%x: tensor<8x8xf32>, %n: tensor<i32>) -> (tensor<8x8xf32>) {
  %w:2 = stablehlo.while(%i = %x, %j = %n) : tensor<8x8xf32>, tensor<i32> cond {
    %p = stablehlo.compare LT, %j, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %i, %j : tensor<8x8xf32>, tensor<i32>
  }
  %0 = sdy.data_flow_edge %w#0 sharding=<@m, [{"a", ?}, {}]> : tensor<8x8xf32>
  %1 = sdy.data_flow_edge %w#1 : tensor<i32>
  return %0 : tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<i32>) -> tensor<8x8xf32> {
// CHECK-NEXT: %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<8x8xf32>, tensor<i32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a", ?}, {}]>, <@m, []>]>}
// CHECK-NEXT: cond {
// CHECK-NEXT: %1 = stablehlo.compare LT, %iterArg_0, %iterArg_0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK-NEXT: stablehlo.return %1 : tensor<i1>
// CHECK-NEXT: } do {
// CHECK-NEXT: stablehlo.return %iterArg, %iterArg_0 : tensor<8x8xf32>, tensor<i32>
// CHECK-NEXT: }
// CHECK-NEXT: return %0#0 : tensor<8x8xf32>
// CHECK-NEXT: }

// -----

// Inside and outside of a manual computation.
sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8, "e"=3]>
func.func @main(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}p1, {}]>] out_shardings=[<@m, [{"a", ?}, {}]>] manual_axes={"a"} (%t: tensor<4x8xf32>) {
    %1 = sdy.data_flow_edge %t sharding=<@m, [{"b", ?}, {}]> : tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = sdy.data_flow_edge %0 sharding=<@m, [{"a", "c", ?}, {}]> : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
// CHECK-NEXT: %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"a", "b", ?}, {}]>] out_shardings=[<@m, [{"a", "c", ?}, {}]>] manual_axes={"a"} (%arg1: tensor<4x8xf32>) {
// CHECK-NEXT: sdy.return %arg1 : tensor<4x8xf32>
// CHECK-NEXT: } : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: return %0 : tensor<8x8xf32>
// CHECK-NEXT: }

// -----

// An edge on a block argument that is no owner goes too, with its sharding.
sdy.mesh @m = <["a"=2, "b"=2]>
func.func @main(%x: tensor<8xf32>, %c: tensor<i1>) -> tensor<8xf32> {
  %0 = stablehlo.while(%y = %x) : tensor<8xf32> cond {
    stablehlo.return %c : tensor<i1>
  } do {
    %1 = sdy.data_flow_edge %y sharding=<@m, [{"a"}]> : tensor<8xf32>
    %2 = stablehlo.negate %1 : tensor<8xf32>
    stablehlo.return %2 : tensor<8xf32>
  }
  %3 = sdy.data_flow_edge %0 sharding=<@m, [{"b"}]> : tensor<8xf32>
  return %3 : tensor<8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i1>) -> tensor<8xf32> {
// CHECK-NEXT: %0 = stablehlo.while(%iterArg = %arg0) : tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"b"}]>]>}
// CHECK-NEXT: cond {
// CHECK-NEXT: stablehlo.return %arg1 : tensor<i1>
// CHECK-NEXT: } do {
// CHECK-NEXT: %1 = stablehlo.negate %iterArg : tensor<8xf32>
// CHECK-NEXT: stablehlo.return %1 : tensor<8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %0 : tensor<8xf32>
