// A function whose argument is on a single device says so only beside a sharding on several, and
// its other arguments are open on the mesh of that one.
// RUN: shardwright-opt %s -sdy-import-func-calls | FileCheck %s
// RUN: shardwright-opt %s -sdy-propagation-pipeline=sw-shardy=0.10.2 | FileCheck %s --check-prefix=PIPELINE
// RUN: not shardwright-opt %s -sdy-propagation-pipeline 2>&1 | FileCheck %s --check-prefix=NEW

// NEW: error: function argument 1 cannot have a single-device (maximal) sharding attribute

sdy.mesh @m = <["x"=4]>
sdy.mesh @one = <[], device_ids=[3]>
// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: sdy.named_computation<"alone">(%arg0, %arg0) (
  %0 = call @alone(%a, %a) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  // CHECK: sdy.named_computation<"beside">(%{{.*}}, %arg0, %arg0) in_shardings=[<@m, [{?}]>, <@one, []>, <@m, [{"x"}]>] (
  %1 = call @beside(%0, %a, %a) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
// PIPELINE: func.func private @alone(%arg0: tensor<8xf32>{{.*}}, %arg1: tensor<8xf32>
func.func private @alone(%p: tensor<8xf32>, %q: tensor<8xf32> {sdy.sharding = #sdy.sharding<@one, []>}) -> tensor<8xf32> {
  %0 = stablehlo.subtract %p, %q : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// PIPELINE: func.func private @beside(%arg0: tensor<8xf32> {{.*}}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@one, []>}
func.func private @beside(%p: tensor<8xf32>, %q: tensor<8xf32> {sdy.sharding = #sdy.sharding<@one, []>},
                          %r: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.subtract %p, %q : tensor<8xf32>
  %1 = stablehlo.add %0, %r : tensor<8xf32>
  return %1 : tensor<8xf32>
}
