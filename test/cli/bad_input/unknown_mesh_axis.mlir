// A sharding names an axis that its mesh does not have.
// RUN: %python %S/../Inputs/bad_input.py shardwright partition %s | FileCheck %s

sdy.mesh @mesh = <["x"=4, "y"=2]>

// CHECK: unknown_mesh_axis.mlir:[[# @LINE + 1]]:{{[0-9]+}}: error: {{.*}}"z"
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}]>}) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
