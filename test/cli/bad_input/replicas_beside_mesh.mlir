// RUN: %python %S/../Inputs/bad_input.py shardwright run %s --random 1 | FileCheck %s

// CHECK: replicas_beside_mesh.mlir:6:3: error: mesh @mesh in a module with 2 replicas (mhlo.num_replicas): make the replicas an axis of the mesh
module attributes {mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 2 : i32} {
  // The partitioner's groups number partitions.
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}
