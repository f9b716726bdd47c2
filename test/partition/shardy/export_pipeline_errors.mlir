// RUN: shardwright-opt %s -verify-diagnostics -pass-pipeline='builtin.module(sdy-export-pipeline{enable-insert-explicit-collectives=true})'

// expected-error@below {{enable-insert-explicit-collectives needs sdy-reshard-to-collectives, which is not supported yet; sw-insert-collectives makes all communication explicit}}
module {
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}
