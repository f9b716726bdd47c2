// RUN: shardwright-opt %s -stablehlo-legalize-to-vhlo -vhlo-to-version=target=1.20.0 | FileCheck %s
// RUN: shardwright-opt %s -stablehlo-legalize-to-vhlo -vhlo-legalize-to-stablehlo | FileCheck %s --check-prefix=BACK
// RUN: not shardwright-opt %s -stablehlo-legalize-to-vhlo -vhlo-to-version=target=1.19.0 2>&1 | FileCheck %s --check-prefix=OLD

// Ops of StableHLO 1.18 to 1.20, newer than jaxlib.

// OLD: error: failed to legalize operation 'vhlo.collective_broadcast_v2' that was explicitly marked illegal: version 1 of the op has no attribute 'has_dynamic_root'

// BACK-LABEL: func.func @dynamic_root
func.func @dynamic_root(%a: tensor<2xf32>, %root: tensor<1xi32>) -> tensor<2xf32> {
  // CHECK: "vhlo.collective_broadcast_v2"(%arg0, %arg1) <{channel_id = #vhlo.integer_v1<0 : i64>, has_dynamic_root = #vhlo.bool_v1<true>, replica_groups = #vhlo.tensor_v1<dense<{{\[\[}}0, 1]]> : tensor<1x2xi64>>}>
  // BACK: "stablehlo.collective_broadcast"(%arg0, %arg1) <{has_dynamic_root, replica_groups = dense<{{\[\[}}0, 1]]> : tensor<1x2xi64>}>
  %0 = "stablehlo.collective_broadcast"(%a, %root) <{has_dynamic_root, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>, tensor<1xi32>) -> tensor<2xf32>
  // CHECK: "vhlo.collective_reduce_v1"(%{{.*}}, %arg1) <{channel_id = #vhlo.integer_v1<1 : i64>, has_dynamic_root = #vhlo.bool_v1<true>, replica_groups = #vhlo.tensor_v1<dense<{{\[\[}}0, 1]]> : tensor<1x2xi64>>, use_global_device_ids = #vhlo.bool_v1<true>}>
  // BACK: "stablehlo.collective_reduce"(%{{.*}}, %arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, has_dynamic_root, replica_groups = dense<{{\[\[}}0, 1]]> : tensor<1x2xi64>, use_global_device_ids}>
  %1 = "stablehlo.collective_reduce"(%0, %root) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, has_dynamic_root, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2xf32>, tensor<1xi32>) -> tensor<2xf32>
  // CHECK: "vhlo.custom_call_v2"(%{{.*}}) <{{{.*}}result_tilings = #vhlo.array_v1<[#vhlo.array_v1<[#vhlo.tensor_v1<dense<[8, 128]> : tensor<2xindex>>]>]>}>
  // BACK: stablehlo.custom_call @f(%{{.*}}) {result_tilings = {{\[\[}}dense<[8, 128]> : tensor<2xindex>]]}
  %2 = stablehlo.custom_call @f(%1) {result_tilings = [[dense<[8, 128]> : tensor<2xindex>]]} : (tensor<2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}
