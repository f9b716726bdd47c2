// An operand list that never ends.
// RUN: %python %S/../Inputs/bad_input.py shardwright partition %s | FileCheck %s

// CHECK: syntax_error.mlir:[[# @LINE + 3]]:{{[0-9]+}}: error:
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : : tensor<8xf32>
}
