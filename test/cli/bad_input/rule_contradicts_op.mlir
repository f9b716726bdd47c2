// A rule of the user's under which the op has no local form.
// RUN: %python %S/../Inputs/bad_input.py shardwright partition %s | FileCheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<8x8xf32> {
  // CHECK: rule_contradicts_op.mlir:[[# @LINE + 1]]:{{[0-9]+}}: error: 'stablehlo.negate' op requires
  %0 = stablehlo.negate %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([j, i]) {i=8, j=8}, custom>} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
