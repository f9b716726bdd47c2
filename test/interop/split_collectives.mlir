// RUN: shardwright-opt %s -split-input-file -sw-split-collectives | FileCheck %s

// The first part keeps the channel, the others get new ones. Single operands stay as they are.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[A:[^:]+]]: tensor<4xf32>, %[[B:[^:]+]]: tensor<2x2xf32>, %[[C:[^:]+]]: tensor<4xf32>)
func.func @main(%a: tensor<4xf32>, %b: tensor<2x2xf32>, %c: tensor<4xf32>) -> (tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[X:.*]] = "stablehlo.all_reduce"(%[[A]]) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>
  // CHECK: stablehlo.add
  // CHECK: (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[Y:.*]] = "stablehlo.all_reduce"(%[[B]]) <{channel_handle = #stablehlo.channel_handle<handle = 8, type = 1>
  // CHECK: stablehlo.add
  // CHECK: (tensor<2x2xf32>) -> tensor<2x2xf32>
  %0:2 = "stablehlo.all_reduce"(%a, %b) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<2x2xf32>) -> (tensor<4xf32>, tensor<2x2xf32>)
  // CHECK: %[[Z:.*]] = "stablehlo.all_reduce"(%[[C]]) <{channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>
  %1 = "stablehlo.all_reduce"(%c) <{channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: return %[[X]], %[[Y]], %[[Z]], %[[C]]
  return %0#0, %0#1, %1, %c : tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Gathers and exchanges, also inside of loops; without channels none is added.
// CHECK-LABEL: func.func @main(
func.func @main(%a: tensor<4xf32>, %b: tensor<2xf32>) -> (tensor<8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>) {
  // CHECK: "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = dense<{{.*}}>}> : (tensor<4xf32>) -> tensor<8xf32>
  // CHECK: "stablehlo.all_gather"(%arg1) <{all_gather_dim = 0 : i64, replica_groups = dense<{{.*}}>}> : (tensor<2xf32>) -> tensor<4xf32>
  %0:2 = "stablehlo.all_gather"(%a, %b) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>, tensor<2xf32>) -> (tensor<8xf32>, tensor<4xf32>)
  %c = stablehlo.constant dense<true> : tensor<i1>
  // CHECK: "stablehlo.if"
  // CHECK: "stablehlo.all_to_all"(%arg0) {{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: "stablehlo.all_to_all"(%arg1) {{.*}} : (tensor<2xf32>) -> tensor<2xf32>
  %1:2 = "stablehlo.if"(%c) ({
    %2:2 = "stablehlo.all_to_all"(%a, %b) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4xf32>, tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>)
    stablehlo.return %2#0, %2#1 : tensor<4xf32>, tensor<2xf32>
  }, {
    stablehlo.return %a, %b : tensor<4xf32>, tensor<2xf32>
  }) : (tensor<i1>) -> (tensor<4xf32>, tensor<2xf32>)
  return %0#0, %0#1, %1#0, %1#1 : tensor<8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>
}

// -----

// Channels of several collectives become different ones; those of sends and receives are pairs.
// CHECK-LABEL: func.func @main(
func.func @main(%a: tensor<4xf32>, %t: !stablehlo.token) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: "stablehlo.all_gather"(%arg0) {{.*}}handle = 1, type = 1
  // CHECK: "stablehlo.all_gather"(%arg0) {{.*}}handle = 3, type = 1
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
  %1 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
  // CHECK: "stablehlo.send"{{.*}}handle = 2
  // CHECK: "stablehlo.recv"{{.*}}handle = 2
  %2 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %3:2 = "stablehlo.recv"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
