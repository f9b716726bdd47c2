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

// -----

func.func @collective_reduce_groups_rank(%a: tensor<4xf32>) {
  // expected-error @+1 {{replica groups should be a rank 2 tensor}}
  "stablehlo.collective_reduce"(%a) <{replica_groups = dense<[0, 1]> : tensor<2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @collective_reduce_id_twice(%a: tensor<4xf32>) {
  // expected-error @+1 {{replica id #0 seen more than once}}
  "stablehlo.collective_reduce"(%a) <{replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @collective_reduce_region(%a: tensor<4xf32>) {
  // expected-error @+2 {{Reduction-region must take 2 parameters, but takes 1 parameter(s)}}
  // expected-error @+1 {{failed to infer returned types}}
  "stablehlo.collective_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @collective_reduce_result(%a: tensor<4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<5xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  "stablehlo.collective_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @collective_reduce_no_global_groups(%a: tensor<4xf32>) {
  // expected-error @+1 {{if `use_global_device_ids` is set, the replica groups cannot be empty}}
  "stablehlo.collective_reduce"(%a) <{replica_groups = dense<> : tensor<0x0xi64>, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @collective_reduce_root_missing(%a: tensor<4xf32>) {
  // expected-error @+1 {{expects one operand more than results, got 1 and 1}}
  "stablehlo.collective_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
