// RUN: not shardwright partition %s --stop-after=import 2>&1 | FileCheck %s
// RUN: sed s/@absent/@mesh/ %s > %t.axis.mlir
// RUN: not shardwright partition %t.axis.mlir --stop-after=import 2>&1 | FileCheck %s --check-prefix=AXIS
// RUN: sed 's/@absent/@mesh/; s/"z"/"x"/; s/sub_axis_info = (1)2/sub_axis_info = (2)3/' %s > %t.cut.mlir
// RUN: not shardwright partition %t.cut.mlir --stop-after=import 2>&1 | FileCheck %s --check-prefix=CUT
// RUN: sed 's/@absent/@mesh/; s/"z"/"x"/; s/name = "y"/name = "x"/' %s > %t.twice.mlir
// RUN: not shardwright partition %t.twice.mlir --stop-after=import 2>&1 | FileCheck %s --check-prefix=TWICE

// CHECK: mesh_axes_groups_invalid.mlir:16:{{[0-9]+}}: error: replica groups name mesh @absent, which is not in the module
// AXIS: error: replica groups name axis 'z', which the mesh does not have
// CUT: error: replica groups cut axis 'x' of size 4 at (2)3
// TWICE: error: replica groups name parts of axis 'x' that share devices

sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @absent, axes = [#stablehlo.axis_ref<name = "z", sub_axis_info = (1)2>, #stablehlo.axis_ref<name = "y">]>, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>}> : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
