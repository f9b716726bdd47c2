// The product of the axis sizes does not fit in 64 bits.
// RUN: %python %S/../Inputs/bad_input.py shardwright partition %s | FileCheck %s

// CHECK: axis_sizes_overflow.mlir:[[# @LINE + 1]]:{{[0-9]+}}: error:
sdy.mesh @mesh = <["x"=4294967296, "y"=4294967296]>

func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
