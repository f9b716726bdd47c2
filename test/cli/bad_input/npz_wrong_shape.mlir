// The first argument is transposed.
// RUN: %python %S/../Inputs/make_npz.py %t.npz "arg0=<f4:16x8" "arg1=<f4:16"
// RUN: %python %S/../Inputs/bad_input.py shardwright run %s %t.npz | FileCheck %s

// CHECK: error: {{.*}}arg0{{.*}}
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
