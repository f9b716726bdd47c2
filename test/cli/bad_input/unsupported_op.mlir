// An op that parses, and that this version cannot yet run: it is named.
// RUN: %python %S/../Inputs/make_npz.py %t.npz "arg0=<f4:8"
// RUN: %python %S/../Inputs/bad_input.py shardwright run %s %t.npz | FileCheck %s

// CHECK: unsupported_op.mlir:[[# @LINE + 2]]:{{[0-9]+}}: error: custom call 'nobody_knows_this': the cpu has no target of this name
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @nobody_knows_this(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
