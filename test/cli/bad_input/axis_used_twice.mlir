// One axis shards two dimensions.
// RUN: %python %S/../Inputs/bad_input.py shardwright partition %s | FileCheck %s

sdy.mesh @mesh = <["x"=4, "y"=2]>

// CHECK: axis_used_twice.mlir:[[# @LINE + 1]]:{{[0-9]+}}: error: {{.*}}"x"
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"x"}]>}) -> tensor<8x8xf32> {
  return %arg0 : tensor<8x8xf32>
}
