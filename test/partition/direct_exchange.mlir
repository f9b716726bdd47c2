// RUN: shardwright-opt %s --split-input-file --sw-insert-collectives=effort=2 | FileCheck %s --check-prefix=GLOBAL
// RUN: shardwright-opt %s --split-input-file --sw-partition=effort=2 | FileCheck %s --check-prefix=LOCAL
// RUN: shardwright-opt %s --split-input-file --sw-insert-collectives=effort=0 | FileCheck %s --check-prefix=STAGED

// Four permutes of quarters bring exactly what is lacking; in stages, every
// device's part moves once and three quarters of it again.

sdy.mesh @mesh = <["x"=4, "y"=8]>

// GLOBAL-LABEL: func.func @main
// GLOBAL: sdy.reshard %arg0 <@mesh, [{"x", "y"}, {}]> {sw.exchange} : tensor<64x32xf32>
// LOCAL-LABEL: func.func @main
// LOCAL-SAME: %arg0: tensor<8x8xf32>
// LOCAL: stablehlo.dynamic_slice %arg0, {{.*}} : (tensor<8x8xf32>, tensor<i64>, tensor<i64>) -> tensor<2x8xf32>
// LOCAL: stablehlo.dynamic_update_slice
// LOCAL-COUNT-4: stablehlo.collective_permute
// LOCAL-NOT: stablehlo.collective_permute
// LOCAL: return {{.*}} : tensor<2x32xf32>
// STAGED-LABEL: func.func @main
// STAGED: sdy.all_to_all
// STAGED: sdy.collective_permute
func.func @main(%a: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>})
    -> (tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) {
  return %a : tensor<64x32xf32>
}

// -----

// Where collectives in stages send no more, they stay.

sdy.mesh @mesh = <["x"=4]>

// GLOBAL-LABEL: func.func @main
// GLOBAL: sdy.all_to_all [{"x"}: 0->1]
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  return %a : tensor<8x8xf32>
}

// -----

// Between meshes with other axes, at any effort: a third and a half of rows in
// pieces of one or two.

sdy.mesh @a = <["x"=3, "y"=2]>
sdy.mesh @b = <["p"=2, "q"=3], device_ids=[5, 3, 1, 4, 2, 0]>

// STAGED-LABEL: func.func @main
// STAGED: sdy.reshard %arg0 <@b, [{"p"}]> {sw.exchange} : tensor<12xf32>
// LOCAL-LABEL: func.func @main
// LOCAL-NOT: all_gather
// LOCAL: stablehlo.collective_permute
func.func @main(%a: tensor<12xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}]>})
    -> (tensor<12xf32> {sdy.sharding = #sdy.sharding<@b, [{"p"}]>}) {
  return %a : tensor<12xf32>
}
