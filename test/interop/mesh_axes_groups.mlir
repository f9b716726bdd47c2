// Replica groups given by axes of a mesh become dense when a module is imported.
// RUN: shardwright partition %s --stop-after=import | FileCheck %s --implicit-check-not=mesh_axes

// CHECK: sdy.mesh @mesh = <["x"=2, "y"=4]>
// CHECK: sdy.mesh @permuted = <["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
module attributes {mhlo.num_partitions = 8 : i32} {
sdy.mesh @mesh = <["x"=2, "y"=4]>
sdy.mesh @permuted = <["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<8x8xf32>, %p: tensor<i1>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  // A symbol; axes that are not named vary slowest.
  // CHECK: "stablehlo.all_reduce"
  // CHECK-SAME{LITERAL}: replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%b: tensor<f32>, %c: tensor<f32>):
    %s = stablehlo.add %b, %c : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // The members of a group are in the order of the axes.
  // CHECK: "stablehlo.all_to_all"
  // CHECK-SAME{LITERAL}: replica_groups = dense<[[0, 4, 1, 5, 2, 6, 3, 7]]> : tensor<1x8xi64>
  %1 = "stablehlo.all_to_all"(%0) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 8 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y">, #stablehlo.axis_ref<name = "x">]>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // Parts of an axis, of an inline mesh.
  // CHECK: "stablehlo.collective_broadcast"
  // CHECK-SAME{LITERAL}: replica_groups = dense<[[0, 2], [1, 3], [4, 6], [5, 7]]> : tensor<4x2xi64>
  %2 = "stablehlo.collective_broadcast"(%1) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [<name = "x", size = 2>, <name = "y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "y", sub_axis_info = (1)2>]>, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: "stablehlo.reduce_scatter"
  // CHECK-SAME{LITERAL}: replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>
  %3 = "stablehlo.reduce_scatter"(%2) <{scatter_dimension = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y", sub_axis_info = (2)2>]>, channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, use_global_device_ids}> ({
  ^bb0(%b: tensor<f32>, %c: tensor<f32>):
    %s = stablehlo.add %b, %c : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x8xf32>) -> tensor<4x8xf32>
  // No axes: every device is a group.
  // CHECK: "stablehlo.all_gather"
  // CHECK-SAME{LITERAL}: replica_groups = dense<[[0], [1], [2], [3], [4], [5], [6], [7]]> : tensor<8x1xi64>
  %4 = "stablehlo.all_gather"(%3) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = []>, channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, use_global_device_ids}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // Device ids in the mesh, in a branch, of a symbol and inline.
  // CHECK: "stablehlo.if"
  %5 = "stablehlo.if"(%p) ({
    // CHECK: "stablehlo.all_gather"
    // CHECK-SAME{LITERAL}: replica_groups = dense<[[7, 3], [6, 2], [5, 1], [4, 0]]> : tensor<4x2xi64>
    %6 = "stablehlo.all_gather"(%4) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @permuted, axes = [#stablehlo.axis_ref<name = "x">]>, channel_handle = #stablehlo.channel_handle<handle = 6, type = 1>, use_global_device_ids}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
    stablehlo.return %6 : tensor<8x8xf32>
  }, {
    // CHECK: "stablehlo.all_gather"
    // CHECK-SAME{LITERAL}: replica_groups = dense<[[2, 1], [0, 3], [6, 5], [4, 7]]> : tensor<4x2xi64>
    %6 = "stablehlo.all_gather"(%4) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [<name = "z", size = 4>, <name = "w", size = 2>], device_ids = dense<[2, 1, 0, 3, 6, 5, 4, 7]> : tensor<8xi64>>, axes = [#stablehlo.axis_ref<name = "w">]>, channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, use_global_device_ids}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
    stablehlo.return %6 : tensor<8x8xf32>
  }) : (tensor<i1>) -> tensor<8x8xf32>
  // In a callee.
  %7 = func.call @callee(%5) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %5, %7 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: func.func private @callee
// CHECK: "stablehlo.collective_broadcast"
// CHECK-SAME{LITERAL}: replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>
func.func private @callee(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y">]>, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
}
