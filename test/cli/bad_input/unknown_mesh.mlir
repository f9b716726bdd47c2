// A sharding names a mesh that the module does not have.
// RUN: %python %S/../Inputs/bad_input.py shardwright partition %s | FileCheck %s

sdy.mesh @mesh = <["x"=4, "y"=2]>

// CHECK: unknown_mesh.mlir:[[# @LINE + 1]]:{{[0-9]+}}: error: {{.*}}@grid
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}]>}) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
