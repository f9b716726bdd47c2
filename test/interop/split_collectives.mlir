// RUN: shardwright-opt %s -split-input-file -sw-split-collectives | FileCheck %s
// RUN: shardwright-opt %s -split-input-file '-sw-split-collectives=packed-bytes=112' | FileCheck %s --check-prefix=PACKED

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

// -----

// Operands of one width travel as bits; other widths, other dimensions, empty operands and large results are split.
// PACKED-LABEL: func.func @pack(
// PACKED-SAME: %[[A:[^:]+]]: tensor<1x3xf32>, %[[B:[^:]+]]: tensor<2x2xi32>, %[[C:[^:]+]]: tensor<1x2xf64>, %[[D:[^:]+]]: tensor<1xi1>, %[[E:[^:]+]]: tensor<1x0xi1>,
// CHECK-LABEL: func.func @pack(
// CHECK-COUNT-12: "stablehlo.all_gather"
func.func @pack(%a: tensor<1x3xf32>, %b: tensor<2x2xi32>, %c: tensor<1x2xf64>, %d: tensor<1xi1>, %e: tensor<1x0xi1>, %f: tensor<2x1xf32>, %g: tensor<1x5xf32>)
    -> (tensor<4x3xf32>, tensor<8x2xi32>, tensor<4x3xf32>, tensor<4x2xf64>, tensor<4xi1>, tensor<4xi1>, tensor<4x0xi1>, tensor<4xi1>, tensor<1x12xf32>, tensor<2x4xf32>, tensor<4x3xf32>, tensor<4x5xf32>) {
  // PACKED: %[[A1:.*]] = stablehlo.bitcast_convert %[[A]] : (tensor<1x3xf32>) -> tensor<1x3xui32>
  // PACKED: %[[A2:.*]] = stablehlo.reshape %[[A1]] : (tensor<1x3xui32>) -> tensor<1x3xui32>
  // PACKED: %[[B1:.*]] = stablehlo.bitcast_convert %[[B]] : (tensor<2x2xi32>) -> tensor<2x2xui32>
  // PACKED: %[[B2:.*]] = stablehlo.reshape %[[B1]] : (tensor<2x2xui32>) -> tensor<1x4xui32>
  // PACKED: %[[R:.*]] = stablehlo.concatenate %[[A2]], %[[B2]], dim = 1
  // PACKED: %[[G:.*]] = "stablehlo.all_gather"(%[[R]]) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>
  // PACKED-SAME: (tensor<1x7xui32>) -> tensor<4x7xui32>
  // PACKED: %[[S:.*]] = stablehlo.slice %[[G]] [0:4, 0:3]
  // PACKED: %[[S1:.*]] = stablehlo.reshape %[[S]] : (tensor<4x3xui32>) -> tensor<4x3xui32>
  // PACKED: %[[X:.*]] = stablehlo.bitcast_convert %[[S1]] : (tensor<4x3xui32>) -> tensor<4x3xf32>
  // PACKED: %[[T:.*]] = stablehlo.slice %[[G]] [0:4, 3:7]
  // PACKED: %[[T1:.*]] = stablehlo.reshape %[[T]] : (tensor<4x4xui32>) -> tensor<8x2xui32>
  // PACKED: %[[Y:.*]] = stablehlo.bitcast_convert %[[T1]] : (tensor<8x2xui32>) -> tensor<8x2xi32>
  %0:2 = "stablehlo.all_gather"(%a, %b) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}>
      : (tensor<1x3xf32>, tensor<2x2xi32>) -> (tensor<4x3xf32>, tensor<8x2xi32>)
  // PACKED: "stablehlo.all_gather"(%[[A]]) {{.*}} : (tensor<1x3xf32>) -> tensor<4x3xf32>
  // PACKED: "stablehlo.all_gather"(%[[C]]) {{.*}} : (tensor<1x2xf64>) -> tensor<4x2xf64>
  %1:2 = "stablehlo.all_gather"(%a, %c) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}>
      : (tensor<1x3xf32>, tensor<1x2xf64>) -> (tensor<4x3xf32>, tensor<4x2xf64>)
  // PACKED: "stablehlo.all_gather"(%{{.*}}) {{.*}} : (tensor<1x2xi1>) -> tensor<4x2xi1>
  %2:2 = "stablehlo.all_gather"(%d, %d) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}>
      : (tensor<1xi1>, tensor<1xi1>) -> (tensor<4xi1>, tensor<4xi1>)
  // PACKED: "stablehlo.all_gather"(%[[E]]) {{.*}} : (tensor<1x0xi1>) -> tensor<4x0xi1>
  // PACKED: "stablehlo.all_gather"(%[[D]]) {{.*}} : (tensor<1xi1>) -> tensor<4xi1>
  %3:2 = "stablehlo.all_gather"(%e, %d) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}>
      : (tensor<1x0xi1>, tensor<1xi1>) -> (tensor<4x0xi1>, tensor<4xi1>)
  // PACKED: "stablehlo.all_gather"(%[[A]]) {{.*}} : (tensor<1x3xf32>) -> tensor<1x12xf32>
  // PACKED: "stablehlo.all_gather"(%{{.*}}) {{.*}} : (tensor<2x1xf32>) -> tensor<2x4xf32>
  %4:2 = "stablehlo.all_gather"(%a, %f) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}>
      : (tensor<1x3xf32>, tensor<2x1xf32>) -> (tensor<1x12xf32>, tensor<2x4xf32>)
  // PACKED: "stablehlo.all_gather"(%[[A]]) {{.*}} : (tensor<1x3xf32>) -> tensor<4x3xf32>
  // PACKED: "stablehlo.all_gather"(%{{.*}}) {{.*}} : (tensor<1x5xf32>) -> tensor<4x5xf32>
  %5:2 = "stablehlo.all_gather"(%a, %g) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 6, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}>
      : (tensor<1x3xf32>, tensor<1x5xf32>) -> (tensor<4x3xf32>, tensor<4x5xf32>)
  return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1, %3#0, %3#1, %4#0, %4#1, %5#0, %5#1 : tensor<4x3xf32>, tensor<8x2xi32>, tensor<4x3xf32>, tensor<4x2xf64>, tensor<4xi1>, tensor<4xi1>, tensor<4x0xi1>, tensor<4xi1>, tensor<1x12xf32>, tensor<2x4xf32>, tensor<4x3xf32>, tensor<4x5xf32>
}

// -----

// The largest channel occurs twice: the second one and further parts get the first free ones.
// CHECK-LABEL: func.func @main(
// CHECK: "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 9223372036854775807, type = 1>
// CHECK: "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>
// CHECK: "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>
func.func @main(%a: tensor<4xf32>, %b: tensor<2xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<2xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 9223372036854775807, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %1:2 = "stablehlo.all_reduce"(%a, %b) <{channel_handle = #stablehlo.channel_handle<handle = 9223372036854775807, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>)
  return %0, %1#0, %1#1 : tensor<4xf32>, tensor<4xf32>, tensor<2xf32>
}
