// A splat of device ids takes a few bytes of text; listing them would take 8 TB.
// RUN: %python %S/../Inputs/bad_input.py shardwright run %s --random 0 | FileCheck %s
// RUN: shardwright-opt %s --sdy-propagation-pipeline | FileCheck %s --check-prefix=KEPT

// CHECK: mesh_of_too_many_ids.mlir:10:{{[0-9]+}}: error: device ids repeat one id 1000000000000 times, at most 1048576 devices are possible
// KEPT: device_ids=dense<0> : tensor<1000000000000xi64>

module attributes {mhlo.num_partitions = 2 : i32} {
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [<name = "x", size = 2>], device_ids = dense<0> : tensor<1000000000000xi64>>, axes = [#stablehlo.axis_ref<name = "x">]>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
}
