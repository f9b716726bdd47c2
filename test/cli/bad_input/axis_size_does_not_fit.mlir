// An axis size does not fit in 64 bits.
// RUN: %python %S/../Inputs/bad_input.py shardwright partition %s | FileCheck %s

// CHECK: axis_size_does_not_fit.mlir:[[# @LINE + 1]]:{{[0-9]+}}: error:
sdy.mesh @mesh = <["x"=99999999999999999999]>

func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
