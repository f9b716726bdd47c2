// What the failure needs stays: the sharding that names "y", and its mesh.

// RUN: shardwright-reduce %s --sw-reduce='test=%S/Inputs/contains.sh test-arg=%shardwright_opt_path,sharding<@mesh.*y' | FileCheck %s

// CHECK:      sdy.mesh @mesh = <["x"=4, "y"=2]>
// CHECK-NEXT: func.func @main(%{{.*}}: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
// CHECK-NEXT:   return
// CHECK-NOT:  mesh

sdy.mesh @mesh = <["x"=4, "y"=2]>
sdy.mesh @other = <["z"=4]>
func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
                %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"z"}]>}) -> tensor<8x16xf32> {
  %0 = stablehlo.abs %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
