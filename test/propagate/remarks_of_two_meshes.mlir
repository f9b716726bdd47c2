// Axes are numbers of a mesh: of two meshes, the remarks are about one.
// RUN: shardwright-opt %s --sdy-propagation-pipeline 2>&1 | FileCheck %s

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=3]>

// CHECK-LABEL: func.func @main
// CHECK: sdy.reshard %arg0 <@mesh, [{}, {}]>
func.func @main(%arg0: tensor<8x4xf32>) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"b", "c", ?}, {?}]>}) {
  %0 = sdy.sharding_constraint %arg0 <mesh<["a"=2]>, [{}, {}]> : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
