// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(sdy-lift-inlined-meshes)' | FileCheck %s

// An inlined mesh takes the name of an equal one, or becomes a new symbol after the last.
sdy.mesh @m = <["a"=2]>
sdy.mesh @same = <["a"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@same, [{"a"}, {}]>}) -> (tensor<8x8xf32>) {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<mesh<["a"=2]>, [{"a"}, {}]>]>} : tensor<8x8xf32>
  %1 = sdy.sharding_constraint %0 <mesh<["z"=2, "y"=2], device_ids=[3, 2, 1, 0]>, [{"z"}, {}]> : tensor<8x8xf32>
  %2 = sdy.reshard %1 <mesh<[]>, [{}, {}]> : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
// CHECK: sdy.mesh @m = <["a"=2]> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}]}}
// CHECK-NEXT: sdy.mesh @mesh = <["z"=2, "y"=2], device_ids=[3, 2, 1, 0]> {stablehlo.mesh = {axes = [{name = "z", size = 2 : i64}, {name = "y", size = 2 : i64}], device_ids = dense<[3, 2, 1, 0]> : tensor<4xi64>}}
// CHECK-NEXT: sdy.mesh @empty_mesh = <[]> {stablehlo.mesh = {axes = []}}
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> tensor<8x8xf32> {
// CHECK-NEXT: %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.sharding_constraint %0 <@mesh, [{"z"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %2 = sdy.reshard %1 <@empty_mesh, [{}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: return %2 : tensor<8x8xf32>
// CHECK-NEXT: }

// -----

// Names that are taken get a number; a maximal mesh is named by its device.
func.func @main(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  %0 = sdy.sharding_constraint %x <mesh<["a"=2]>, [{"a"}, {}]> : tensor<8x8xf32>
  %1 = sdy.sharding_constraint %0 <mesh<[], device_ids=[5]>, []> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
func.func private @mesh(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  return %x : tensor<8x8xf32>
}
// CHECK: sdy.mesh @mesh_0 = <["a"=2]> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}]}}
// CHECK-NEXT: sdy.mesh @maximal_mesh_5 = <[], device_ids=[5]> {stablehlo.mesh = {axes = [], device_ids = dense<5> : tensor<1xi64>}}
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
// CHECK-NEXT: %0 = sdy.sharding_constraint %arg0 <@mesh_0, [{"a"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.sharding_constraint %0 <@maximal_mesh_5, []> : tensor<8x8xf32>
// CHECK-NEXT: return %1 : tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @mesh(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
// CHECK-NEXT: return %arg0 : tensor<8x8xf32>
// CHECK-NEXT: }

// -----

// An empty list of device ids is the default order, as no list is.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [<name = "x", size = 2>], device_ids = dense<> : tensor<0xi64>>, axes = [#stablehlo.axis_ref<name = "x">]>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CHECK: sdy.mesh @mesh = <["x"=2]>
// CHECK: replica_group_mesh_axes<mesh = @mesh
