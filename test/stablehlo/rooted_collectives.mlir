// RUN: shardwright-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// Of StableHLO 1.18 to 1.20, newer than jaxlib.

// CHECK-LABEL: func.func @dynamic_root
func.func @dynamic_root(%a: tensor<2xf32>, %b: tensor<3xi8>, %root: tensor<1xi32>) {
  // CHECK: "stablehlo.collective_broadcast"(%arg0, %arg1, %arg2) <{has_dynamic_root, replica_groups = dense<{{\[\[}}0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>, tensor<3xi8>, tensor<1xi32>) -> (tensor<2xf32>, tensor<3xi8>)
  %0:2 = "stablehlo.collective_broadcast"(%a, %b, %root) <{has_dynamic_root, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>, tensor<3xi8>, tensor<1xi32>) -> (tensor<2xf32>, tensor<3xi8>)
  // CHECK: "stablehlo.collective_reduce"(%arg0, %arg2) <{has_dynamic_root, replica_groups = dense<{{\[\[}}0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  %1 = "stablehlo.collective_reduce"(%a, %root) <{has_dynamic_root, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2xf32>, tensor<1xi32>) -> tensor<2xf32>
  // CHECK: stablehlo.custom_call @f(%arg0) {result_tilings = {{\[\[}}dense<[8, 128]> : tensor<2xindex>]]} : (tensor<2xf32>) -> tensor<2xf32>
  %2 = stablehlo.custom_call @f(%a) {result_tilings = [[dense<[8, 128]> : tensor<2xindex>]]} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @roots_missing(%a: tensor<2xf32>) {
  // expected-error @+1 {{expects roots as the last operand, a 1-dimensional tensor of 32-bit integers}}
  %0 = "stablehlo.collective_broadcast"(%a, %a) <{has_dynamic_root, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @results_missing(%a: tensor<2xf32>) {
  // expected-error-re @+1 {{{{failed to infer returned types|incompatible|expects}}}}
  %0 = "stablehlo.collective_broadcast"(%a, %a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}
