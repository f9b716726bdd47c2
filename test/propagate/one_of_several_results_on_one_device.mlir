// An op that makes one of its results on a single device makes all of them there.
// RUN: shardwright-opt %s -sdy-propagation-pipeline=sw-shardy=0.10.2 | FileCheck %s
// RUN: shardwright-opt %s -sdy-propagation-pipeline | FileCheck %s --check-prefix=NEW

// Later versions reshard to the device and back; a result of the function does not
// say that it was there.
// NEW: func.func @main(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>})
// NEW-NEXT: sdy.reshard %arg0 <@one, []>
// NEW-NEXT: stablehlo.custom_call @f
// NEW: return

sdy.mesh @m = <["a"=2, "b"=2]>
sdy.mesh @one = <[], device_ids=[1]>
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>) {
  // CHECK: stablehlo.custom_call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@one, []>, <@one, []>]>}
  %0:2 = stablehlo.custom_call @f(%x) : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>)
  // CHECK-NEXT: sdy.reshard %0#0 <@one, []>
  %1 = sdy.sharding_constraint %0#0 <@one, []> : tensor<8x8xf32>
  // The second asks in vain.
  // CHECK-NEXT: sdy.reshard %0#1 <@m, [{}]>
  %2 = sdy.sharding_constraint %0#1 <@m, [{}]> : tensor<8xf32>
  return %1, %2 : tensor<8x8xf32>, tensor<8xf32>
}
