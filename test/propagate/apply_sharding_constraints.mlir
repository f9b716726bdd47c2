// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(sdy-add-data-flow-edges,sdy-apply-sharding-constraints)' | FileCheck %s

// A closed constraint reaches an input without a sharding; a chain ends in what later uses mean.
sdy.mesh @m = <["a"=2, "b"=2]>
func.func @main(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %z = stablehlo.add %x, %y : tensor<8x8xf32>
  %c = sdy.sharding_constraint %z <@m, [{"a"}, {}]> : tensor<8x8xf32>
  %d = sdy.sharding_constraint %c <@m, [{}, {"b"}]> : tensor<8x8xf32>
  %e = stablehlo.negate %z : tensor<8x8xf32>
  %f = stablehlo.negate %d : tensor<8x8xf32>
  return %z, %f : tensor<8x8xf32>, tensor<8x8xf32> }
// CHECK: func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
// CHECK-NEXT: %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.sharding_constraint %0 <@m, [{"a"}, {}]> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}>} : tensor<8x8xf32>
// CHECK-NEXT: %2 = sdy.sharding_constraint %1 <@m, [{}, {"b"}]> : tensor<8x8xf32>
// CHECK-NEXT: %3 = stablehlo.negate %2 : tensor<8x8xf32>
// CHECK-NEXT: %4 = stablehlo.negate %2 : tensor<8x8xf32>
// CHECK-NEXT: return %0, %4 : tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }

// -----

// Targets of edges are not set: the constraint takes over the other uses.
sdy.mesh @m = <["a"=2, "b"=2]>
func.func @main(%x: tensor<8x8xf32>, %y: tensor<i32>) -> (tensor<8x8xf32>, tensor<i32>) {
  %w:2 = stablehlo.while(%i = %x, %j = %y) : tensor<8x8xf32>, tensor<i32> cond {
    %c = sdy.sharding_constraint %i <@m, [{"a"}, {}]> : tensor<8x8xf32>
    %p = stablehlo.compare LT, %j, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = stablehlo.negate %i : tensor<8x8xf32>
    %c = sdy.sharding_constraint %i <@m, [{"a"}, {}]> : tensor<8x8xf32>
    %2 = stablehlo.add %1, %c : tensor<8x8xf32>
    stablehlo.return %2, %j : tensor<8x8xf32>, tensor<i32>
  }
  %e = stablehlo.negate %w#0 : tensor<8x8xf32>
  %f = sdy.sharding_constraint %w#0 <@m, [{"b"}, {}]> : tensor<8x8xf32>
  %g = stablehlo.add %w#0, %f : tensor<8x8xf32>
  return %g, %w#1 : tensor<8x8xf32>, tensor<i32> }
// CHECK: func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<i32>) -> (tensor<8x8xf32>, tensor<i32>) {
// CHECK-NEXT: %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<8x8xf32>, tensor<i32>
// CHECK-NEXT: cond {
// CHECK-NEXT: %6 = sdy.sharding_constraint %iterArg <@m, [{"a"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %7 = stablehlo.compare LT, %iterArg_0, %iterArg_0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK-NEXT: stablehlo.return %7 : tensor<i1>
// CHECK-NEXT: } do {
// CHECK-NEXT: %6 = sdy.sharding_constraint %iterArg <@m, [{"a"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %7 = stablehlo.negate %6 : tensor<8x8xf32>
// CHECK-NEXT: %8 = stablehlo.add %7, %6 : tensor<8x8xf32>
// CHECK-NEXT: stablehlo.return %8, %iterArg_0 : tensor<8x8xf32>, tensor<i32>
// CHECK-NEXT: }
// CHECK-NEXT: %1 = sdy.data_flow_edge %0#0 : tensor<8x8xf32>
// CHECK-NEXT: %2 = sdy.sharding_constraint %1 <@m, [{"b"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %3 = sdy.data_flow_edge %0#1 : tensor<i32>
// CHECK-NEXT: %4 = stablehlo.negate %2 : tensor<8x8xf32>
// CHECK-NEXT: %5 = stablehlo.add %2, %2 : tensor<8x8xf32>
// CHECK-NEXT: return %5, %3 : tensor<8x8xf32>, tensor<i32>
// CHECK-NEXT: }

// -----

// Open constraints and constraints that disagree are not applied; in_shardings are.
sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8, "e"=3]>
func.func @main(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>, %z: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = sdy.sharding_constraint %x <@m, [{"a", ?}, {}]> : tensor<8x8xf32>
  %1 = sdy.sharding_constraint %y <@m, [{"a"}, {}]> : tensor<8x8xf32>
  %2 = sdy.sharding_constraint %y <@m, [{"b"}, {}]> : tensor<8x8xf32>
  %3 = sdy.manual_computation(%z) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%t: tensor<4x8xf32>) {
    sdy.return %t : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %1, %2, %3 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>, %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
// CHECK-NEXT: %0 = sdy.sharding_constraint %arg0 <@m, [{"a", ?}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.sharding_constraint %arg1 <@m, [{"a"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %2 = sdy.sharding_constraint %arg1 <@m, [{"b"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %3 = sdy.manual_computation(%arg2) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%arg3: tensor<4x8xf32>) {
// CHECK-NEXT: %5 = sdy.data_flow_edge %arg3 sharding=<@m, [{}, {}]> : tensor<4x8xf32>
// CHECK-NEXT: sdy.return %5 : tensor<4x8xf32>
// CHECK-NEXT: } : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %4 = sdy.data_flow_edge %3 sharding=<@m, [{"a"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: return %0, %1, %2, %4 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }
