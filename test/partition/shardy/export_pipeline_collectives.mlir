// RUN: shardwright-opt %s -pass-pipeline='builtin.module(sdy-export-pipeline{inline-meshes=false enable-insert-explicit-collectives=true})' | FileCheck %s
// RUN: shardwright-opt %s -pass-pipeline='builtin.module(sdy-export-pipeline{inline-meshes=false enable-insert-explicit-collectives=true remove-all-gather-reduce-scatter-for-cmv1=true})' | FileCheck %s --check-prefix=CMV1
// RUN: shardwright-opt %s -pass-pipeline='builtin.module(sdy-export-pipeline)' | FileCheck %s --check-prefix=INLINE
// RUN: shardwright-opt %s -pass-pipeline='builtin.module(sdy-export-pipeline{sw-shardy=0.10.2})' | FileCheck %s --check-prefix=SYMBOLS
// INLINE-NOT: sdy.mesh
// INLINE: #sdy.sharding<mesh<[
// SYMBOLS: sdy.mesh @

sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@mesh, [{}, {"y"}]>
// CHECK: %[[D:.*]] = stablehlo.dot_general %[[A]], %arg1
// CHECK-SAME: <@mesh, [{}, {"x"}]>
// CHECK: %[[R:.*]] = sdy.all_reduce {"y"} %[[D]] out_sharding=<@mesh, [{}, {"x"}]>
// CHECK: %[[T:.*]] = sdy.all_to_all [{"x"}: 1->0] %[[R]] out_sharding=<@mesh, [{"x"}, {}]>
// CHECK: %[[N:.*]] = stablehlo.negate %arg0
// CHECK: %[[P:.*]] = sdy.collective_permute %[[N]] out_sharding=<@mesh, [{"y"}, {"x"}]>
// CHECK: return %[[T]], %[[P]]

// CMV1-LABEL: func.func @main
// CMV1-NOT: all_gather
// CMV1: stablehlo.dot_general %arg0, %arg1
func.func @main(%a: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
                %b: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>})
    -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}]>]>} : tensor<8x32xf32>
  return %0, %1 : tensor<8x16xf32>, tensor<8x32xf32>
}
