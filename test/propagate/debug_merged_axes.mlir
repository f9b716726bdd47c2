// Parts of an axis that a reshape brings side by side are recorded as the axis.
// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(sdy-user-priority-propagate{debug-sharding-origins=true debug-propagation-edge-sharding=true})' | FileCheck %s

sdy.mesh @m = <["c"=8, "d"=2]>
// CHECK: func.func @main(%arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"c":(1)4, ?}, {"c":(4)2, ?}]>, sdy.sharding_origins = {"c:(1)4" = "self", "c:(4)2" = "self"}})
// CHECK-SAME: -> (tensor<16xf32> {sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"c" = operand-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding<@m, [{"c", ?}]>, sdy.sharding_origins = {c = "input: 0"}})
// CHECK-NEXT: stablehlo.reshape %arg0 {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"c" = operand-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@m, [{"c", ?}]>]>, sdy.sharding_origins = [{c = "input: 0"}]}
func.func @main(%x: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"c":(1)4, ?}, {"c":(4)2, ?}]>}) -> tensor<16xf32> {
  %0 = stablehlo.reshape %x : (tensor<4x4xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// Three factors of which two have parts of one axis.
sdy.mesh @m = <["c"=8, "d"=2]>
// CHECK: stablehlo.reshape %arg0 {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"c":(1)4 = operand-0 -> [result-0]}, {"d" = operand-0 -> [result-0]}]}]>
// CHECK-SAME: sdy.sharding_origins = [{"c:(1)4" = "input: 0", d = "input: 0"}]
func.func @main(%x: tensor<2x2x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"d", ?}, {"c":(1)2, ?}, {"c":(2)2, ?}]>}) -> tensor<8xf32> {
  %0 = stablehlo.reshape %x : (tensor<2x2x2xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Only the second part is new.
sdy.mesh @m = <["c"=8, "d"=2]>
// CHECK: stablehlo.reshape %arg0 {sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"c":(4)2 = operand-0 -> [result-0]}]}]>
func.func @main(%x: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"c":(1)4, ?}, {"c":(4)2, ?}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{"c":(1)4, ?}]>}) {
  %0 = stablehlo.reshape %x : (tensor<4x4xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
