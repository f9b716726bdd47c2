// RUN: shardwright-opt %s -pass-pipeline='builtin.module(sdy-propagation-pipeline)' -verify-diagnostics
// RUN: shardwright-opt %s -pass-pipeline='builtin.module(sdy-propagation-pipeline{sw-shardy=0.10.2})' | FileCheck %s

// Shardy of jaxlib 0.10.2 inserts a reduction; since 0.11, the program must say where to reduce.
sdy.mesh @m = <["a"=2, "b"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}], unreduced={"b"}>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) {
  // CHECK: sdy.all_reduce {"b"} %arg0 out_sharding=<@m, [{"a"}, {}]>
  // expected-error@+1 {{'func.return' op has unreduced axes mismatch for 'b' at return value 0 without a blessed operation (e.g., sdy.reshard). This is an invalid transition from unreduced to reduced.}}
  return %x : tensor<8x8xf32>
}
