// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(sdy-apply-sharding-constraints{sw-shardy=0.10.2})' | FileCheck %s --check-prefix=OLD
// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(sdy-apply-sharding-constraints{sw-shardy=0.12.0})' | FileCheck %s --check-prefix=NEW
// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(sdy-apply-sharding-constraints)' | FileCheck %s --check-prefix=NEW

// Since Shardy of jaxlib 0.12, a fully open sharding counts as none.
sdy.mesh @m = <["a"=2, "b"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {?}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.negate %x : tensor<8x8xf32>
  %1 = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<8x8xf32>
  %2 = stablehlo.add %0, %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
// OLD: sdy.mesh @m = <["a"=2, "b"=2]>
// OLD-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {?}]>}) -> tensor<8x8xf32> {
// OLD-NEXT: %0 = stablehlo.negate %arg0 : tensor<8x8xf32>
// OLD-NEXT: %1 = sdy.sharding_constraint %arg0 <@m, [{"a"}, {}]> : tensor<8x8xf32>
// OLD-NEXT: %2 = stablehlo.add %0, %1 : tensor<8x8xf32>
// OLD-NEXT: return %2 : tensor<8x8xf32>
// OLD-NEXT: }
// NEW: sdy.mesh @m = <["a"=2, "b"=2]>
// NEW-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> tensor<8x8xf32> {
// NEW-NEXT: %0 = stablehlo.negate %arg0 : tensor<8x8xf32>
// NEW-NEXT: %1 = sdy.sharding_constraint %arg0 <@m, [{"a"}, {}]> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}>} : tensor<8x8xf32>
// NEW-NEXT: %2 = stablehlo.add %0, %1 : tensor<8x8xf32>
// NEW-NEXT: return %2 : tensor<8x8xf32>
// NEW-NEXT: }

// -----

// Since Shardy of jaxlib 0.12, constraints move behind edges between functions.
sdy.mesh @m = <["a"=2, "b"=2]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = call @f(%x) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = sdy.func_data_flow_edge %0 : tensor<8x8xf32>
  %2 = stablehlo.negate %1 : tensor<8x8xf32>
  %3 = sdy.sharding_constraint %1 <@m, [{"a"}, {}]> : tensor<8x8xf32>
  %4 = stablehlo.add %2, %3 : tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}
func.func private @f(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.func_data_flow_edge %x : tensor<8x8xf32>
  %1 = sdy.manual_computation(%0) in_shardings=[<@m, [{"b"}, {}]>] out_shardings=[<@m, [{"b"}, {}]>] manual_axes={"b"} (%y: tensor<4x8xf32>) {
    sdy.return %y : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// OLD: sdy.mesh @m = <["a"=2, "b"=2]>
// OLD-NEXT: func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
// OLD-NEXT: %0 = call @f(%arg0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
// OLD-NEXT: %1 = sdy.func_data_flow_edge %0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>]>} : tensor<8x8xf32>
// OLD-NEXT: %2 = stablehlo.negate %1 : tensor<8x8xf32>
// OLD-NEXT: %3 = sdy.sharding_constraint %1 <@m, [{"a"}, {}]> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}>} : tensor<8x8xf32>
// OLD-NEXT: %4 = stablehlo.add %2, %3 : tensor<8x8xf32>
// OLD-NEXT: return %4 : tensor<8x8xf32>
// OLD-NEXT: }
// OLD-NEXT: func.func private @f(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
// OLD-NEXT: %0 = sdy.func_data_flow_edge %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"b"}, {}]>]>} : tensor<8x8xf32>
// OLD-NEXT: %1 = sdy.manual_computation(%0) in_shardings=[<@m, [{"b"}, {}]>] out_shardings=[<@m, [{"b"}, {}]>] manual_axes={"b"} (%arg1: tensor<4x8xf32>) {
// OLD-NEXT: sdy.return %arg1 : tensor<4x8xf32>
// OLD-NEXT: } : (tensor<8x8xf32>) -> tensor<8x8xf32>
// OLD-NEXT: return %1 : tensor<8x8xf32>
// OLD-NEXT: }
// NEW: sdy.mesh @m = <["a"=2, "b"=2]>
// NEW-NEXT: func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
// NEW-NEXT: %0 = call @f(%arg0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
// NEW-NEXT: %1 = sdy.func_data_flow_edge %0 : tensor<8x8xf32>
// NEW-NEXT: %2 = sdy.sharding_constraint %1 <@m, [{"a"}, {}]> : tensor<8x8xf32>
// NEW-NEXT: %3 = stablehlo.negate %2 : tensor<8x8xf32>
// NEW-NEXT: %4 = stablehlo.add %3, %2 : tensor<8x8xf32>
// NEW-NEXT: return %4 : tensor<8x8xf32>
// NEW-NEXT: }
// NEW-NEXT: func.func private @f(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
// NEW-NEXT: %0 = sdy.func_data_flow_edge %arg0 : tensor<8x8xf32>
// NEW-NEXT: %1 = sdy.sharding_constraint %0 <@m, [{"b"}, {}]> : tensor<8x8xf32>
// NEW-NEXT: %2 = sdy.manual_computation(%1) in_shardings=[<@m, [{"b"}, {}]>] out_shardings=[<@m, [{"b"}, {}]>] manual_axes={"b"} (%arg1: tensor<4x8xf32>) {
// NEW-NEXT: sdy.return %arg1 : tensor<4x8xf32>
// NEW-NEXT: } : (tensor<8x8xf32>) -> tensor<8x8xf32>
// NEW-NEXT: return %2 : tensor<8x8xf32>
// NEW-NEXT: }
