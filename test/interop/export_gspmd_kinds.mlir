// HLO shardings have no notation for partial maxima; the text that keeps the sdy
// sharding beside it does.
// RUN: shardwright-opt %s -split-input-file -sw-export-gspmd -verify-diagnostics
// RUN: shardwright-opt %s -split-input-file -xla-sdy-round-trip-export-pipeline | FileCheck %s
// CHECK: unreduced=max{\22x\22}

sdy.mesh @mesh = <["x"=2]>
// expected-error@+1 {{the sharding #sdy.sharding<@mesh, [{}], unreduced=max{"x"}> has unreduced axes of kind 'max', for which HLO shardings have no notation; reduce the value before}}
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"x"}>}) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
