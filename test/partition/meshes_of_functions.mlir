// Functions that do not call each other may be for other numbers of devices; the
// program's is that of the entry.
// RUN: shardwright-opt %s -sw-partition | FileCheck %s
// RUN: shardwright-opt %s -pass-pipeline='builtin.module(sdy-resolve-permutation-factors,func.func(sdy-reshard-to-collectives,sdy-pad-for-divisibility),sdy-convert-global-to-local)' | FileCheck %s --check-prefix=SHARDY

// CHECK: module attributes {{.*}}mhlo.num_partitions = 2
// CHECK: func.func @main(%arg0: tensor<4xf32>)
// CHECK: func.func @other(%arg0: tensor<2xf32>)
// SHARDY: func.func @main(%arg0: tensor<4xf32>
// SHARDY: func.func @other(%arg0: tensor<2xf32>
sdy.mesh @a = <["x"=2]>
sdy.mesh @b = <["x"=4]>
sdy.mesh @unused = <["x"=3]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}]>}) {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@a, [{"x"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// CHECK: replica_groups = dense<{{\[\[}}0, 1, 2, 3]]>
// SHARDY: replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @b, axes = [#stablehlo.axis_ref<name = "x">]>
func.func @other(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@b, [{"x"}]>}) -> tensor<8xf32> {
  %0 = sdy.reshard %arg0 <@b, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
