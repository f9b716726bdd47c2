// RUN: %python %S/../Inputs/bad_input.py shardwright run %s --random 1 | FileCheck %s

// CHECK: too_many_replicas.mlir:4:1: error: the module asks for 2000000000 replicas (mhlo.num_replicas), expected at most 1048576
module attributes {mhlo.num_replicas = 2000000000 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}
