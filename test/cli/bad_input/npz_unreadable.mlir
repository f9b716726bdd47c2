// The arguments are not a zip file.
// RUN: echo nonsense > %t.npz
// RUN: %python %S/../Inputs/bad_input.py shardwright run %s %t.npz | FileCheck %s

// CHECK: {{.*}}npz_unreadable{{.*}}.npz
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
