// Operands of one elementwise op have different shapes.
// RUN: %python %S/../Inputs/bad_input.py shardwright partition %s | FileCheck %s

// CHECK: type_mismatch.mlir:[[# @LINE + 2]]:{{[0-9]+}}: error:
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<4xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.add"(%arg0, %arg1) : (tensor<8xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
