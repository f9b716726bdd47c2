// Replica groups by mesh axes, sub-axes among them. The mesh that they name stays
// when shardings go.
// RUN: shardwright-opt %s -sdy-convert-global-to-local | FileCheck %s
// RUN: shardwright-opt %s -sdy-convert-global-to-local -sdy-drop-sharding-and-mesh | FileCheck %s --check-prefix=DROP
// RUN: shardwright-opt %s -sdy-convert-global-to-local=enable-rgv3=false -sdy-drop-sharding-and-mesh | FileCheck %s --check-prefix=DENSE

// DROP-NOT: @unused
// DROP: sdy.mesh @m = <["x"=2, "y"=4]>
// DENSE-NOT: sdy.
sdy.mesh @unused = <["a"=8]>
sdy.mesh @m = <["x"=2, "y"=4]>

// CHECK-LABEL: func.func @sub_axis
// CHECK: "stablehlo.all_gather"{{.*}}replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "y", sub_axis_info = (2)2>]>
// DROP-LABEL: func.func @sub_axis
// DROP: mesh = @m
// DENSE: replica_groups = dense<{{\[\[}}0, 1], [2, 3], [4, 5], [6, 7]]>
func.func @sub_axis(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y":(1)2}, {}]>}) {
  %0 = sdy.all_gather [{"y":(2)2}, {}] %a out_sharding=<@m, [{"y":(1)2}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @in_this_order
// CHECK: axes = [#stablehlo.axis_ref<name = "y">, #stablehlo.axis_ref<name = "x">]>
// DENSE: dense<{{\[\[}}0, 4, 1, 5, 2, 6, 3, 7]]>
func.func @in_this_order(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y", "x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.all_gather [{"y", "x"}, {}] %a out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// A mesh without a symbol is in the groups itself.
// CHECK-LABEL: func.func @inlined
// CHECK: replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "x">]>
func.func @inlined(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.all_gather [{"x"}, {}] %a out_sharding=<mesh<["x"=2]>, [{}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// The offsets along parts of an axis, by device; the kind of a reduction is that
// of the op.
// CHECK-LABEL: func.func @kinds
// CHECK-DAG: stablehlo.constant dense<[0, 0, 4, 4, 0, 0, 4, 4]>
// CHECK-DAG: stablehlo.constant dense<[0, 4, 0, 4, 0, 4, 0, 4]>
// CHECK: "stablehlo.all_reduce"(%arg0) <{{.*}}axes = [#stablehlo.axis_ref<name = "x">]
// CHECK: stablehlo.maximum
// CHECK: "stablehlo.all_reduce"(%arg1) <{{.*}}axes = [#stablehlo.axis_ref<name = "y">]
// CHECK: stablehlo.minimum
func.func @kinds(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=max{"x"}>}, %b: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=min{"y"}>}) -> (tensor<8x8xf32>, tensor<8x8xi32>, tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"y":(1)2}, {"y":(2)2}]>}) {
  %0 = sdy.all_reduce max {"x"} %a out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  %1 = sdy.all_reduce min {"y"} %b out_sharding=<@m, [{}, {}]> : tensor<8x8xi32>
  %2 = sdy.all_slice [{"y":(1)2}, {"y":(2)2}] %1 out_sharding=<@m, [{"y":(1)2}, {"y":(2)2}]> : tensor<8x8xi32>
  return %0, %1, %2 : tensor<8x8xf32>, tensor<8x8xi32>, tensor<8x8xi32>
}
