// An op that no dialect has.
// RUN: %python %S/../Inputs/bad_input.py shardwright partition %s | FileCheck %s

// CHECK: unknown_op.mlir:[[# @LINE + 2]]:{{[0-9]+}}: error: {{.*}}stablehlo.frobnicate
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.frobnicate"(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
