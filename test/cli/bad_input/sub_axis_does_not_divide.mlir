// A sub-axis of size 3 of an axis of size 4.
// RUN: %python %S/../Inputs/bad_input.py shardwright partition %s | FileCheck %s

sdy.mesh @mesh = <["x"=4, "y"=2]>

// CHECK: sub_axis_does_not_divide.mlir:[[# @LINE + 1]]:{{[0-9]+}}: error:
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)3}]>}) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
