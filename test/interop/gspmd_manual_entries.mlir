// RUN: shardwright-opt %s --split-input-file --verify-diagnostics --sw-import-gspmd | FileCheck %s

// Values that enter a manual region without a custom call @Sharding in front, as PyTorch/XLA writes them: they keep the
// sharding of the parameter or of the op, or are replicated.

// CHECK-LABEL: func.func @parameter
func.func @parameter(%arg0: tensor<64x8xf32> {mhlo.sharding = "{devices=[8,1]<=[8]}"}) -> tensor<8x8xf32> {
  // CHECK: sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"_axis_0"}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"_axis_0"} (%arg1: tensor<8x8xf32>)
  // CHECK-NEXT: stablehlo.tanh %arg1
  %0 = stablehlo.custom_call @SPMDFullToShardShape(%arg0) {mhlo.sharding = "{manual}"} : (tensor<64x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.tanh %0 : tensor<8x8xf32>
  %2 = stablehlo.custom_call @Sharding(%1) {mhlo.sharding = "{manual}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = stablehlo.custom_call @SPMDShardToFullShape(%2) {mhlo.sharding = "{replicated}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}

// -----

// CHECK-LABEL: func.func @op_and_replicated
func.func @op_and_replicated(%arg0: tensor<64x8xf32>, %arg1: tensor<8x8xf32>) -> tensor<64x8xf32> {
  // CHECK: %[[NEGATED:.*]] = stablehlo.negate
  // CHECK: sdy.manual_computation(%[[NEGATED]], %arg1) in_shardings=[<@mesh, [{"_axis_0"}, {}]>, <@mesh, [{}, {}]>]
  %n = stablehlo.negate %arg0 {mhlo.sharding = "{devices=[8,1]<=[8]}"} : tensor<64x8xf32>
  %0 = stablehlo.custom_call @SPMDFullToShardShape(%n) {mhlo.sharding = "{manual}"} : (tensor<64x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%arg1) {mhlo.sharding = "{manual}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.add %0, %1 : tensor<8x8xf32>
  %3 = stablehlo.custom_call @SPMDShardToFullShape(%2) {mhlo.sharding = "{devices=[8,1]<=[8]}"} : (tensor<8x8xf32>) -> tensor<64x8xf32>
  return %3 : tensor<64x8xf32>
}

// -----

func.func @unknown_division(%arg0: tensor<64x8xf32>, %arg1: tensor<8x8xf32> {mhlo.sharding = "{devices=[8,1]<=[8]}"}) -> tensor<64x8xf32> {
  // expected-error@+1 {{divides its operand of type 'tensor<64x8xf32>' into shards of type 'tensor<8x8xf32>', but the operand has no mhlo.sharding}}
  %0 = stablehlo.custom_call @SPMDFullToShardShape(%arg0) {mhlo.sharding = "{manual}"} : (tensor<64x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.custom_call @SPMDShardToFullShape(%0) {mhlo.sharding = "{devices=[8,1]<=[8]}"} : (tensor<8x8xf32>) -> tensor<64x8xf32>
  return %1 : tensor<64x8xf32>
}
