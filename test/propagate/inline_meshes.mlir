// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(sdy-inline-meshes)' | FileCheck %s

// 
sdy.mesh @m = <["a"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> (tensor<8x8xf32>) {
  %0 = sdy.sharding_constraint %x <@m, [{"a"}, {?}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<["a"=2]>, [{"a"}, {}]>}) -> tensor<8x8xf32> {
// CHECK-NEXT: %0 = sdy.sharding_constraint %arg0 <mesh<["a"=2]>, [{"a"}, {?}]> : tensor<8x8xf32>
// CHECK-NEXT: return %0 : tensor<8x8xf32>
// CHECK-NEXT: }

// -----

// Groups of collectives hold the mesh too, with its device ids, as one of StableHLO.
sdy.mesh @m = <["x"=2, "y"=2]>
sdy.mesh @n = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
// CHECK-NOT: sdy.mesh
// CHECK-LABEL: func.func @groups
// CHECK-SAME: #sdy.sharding<mesh<["x"=2, "y"=2]>, [{"y"}], unreduced=max{"x"}>
// CHECK: mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>, <name = "y", size = 2>]>, axes = [#stablehlo.axis_ref<name = "x">]
// CHECK: mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>, <name = "y", size = 2>], device_ids=dense<[3, 2, 1, 0]> : tensor<4xi64>>, axes = [#stablehlo.axis_ref<name = "y">]
func.func @groups(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}], unreduced=max{"x"}>}) -> (tensor<16xf32>, tensor<16xf32>) {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<8xf32>) -> tensor<16xf32>
  %1 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @n, axes = [#stablehlo.axis_ref<name = "y">]>, use_global_device_ids}> : (tensor<8xf32>) -> tensor<16xf32>
  return %0, %1 : tensor<16xf32>, tensor<16xf32>
}
