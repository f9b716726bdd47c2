// RUN: %python %S/../Inputs/bad_input.py shardwright run %s --random 1 --devices 2 | FileCheck %s

// CHECK: devices_of_replicas.mlir:5:3: error: mesh @mesh has 2 devices in each of 3 replicas, but --devices asks for 2
module attributes {mhlo.num_replicas = 3 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}
