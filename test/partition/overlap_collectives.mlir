// Collectives go on beside what does not wait for them.
// RUN: shardwright-opt %s --split-input-file --sw-overlap-collectives | FileCheck %s
// RUN: shardwright-opt %s --split-input-file --sw-overlap-collectives=memory=1 | FileCheck %s --check-prefix=SMALL
// RUN: shardwright-opt %s --split-input-file --sw-overlap-collectives=force | FileCheck %s --check-prefix=FORCE

// The product that does not wait for the sum is computed while the sum is on its way.
// CHECK-LABEL: @beside
// CHECK: %[[A:.*]] = stablehlo.dot_general %arg0, %arg1
// CHECK: %[[F:.*]] = "stablehlo.async_start"(%[[A]]) ({
// CHECK: ^bb0(%[[I:.*]]: tensor<1024x1024xf32>):
// CHECK: %[[R:.*]] = "stablehlo.all_reduce"(%[[I]])
// CHECK: stablehlo.return %[[R]]
// CHECK: }) : (tensor<1024x1024xf32>) -> !stablehlo.future<tensor<1024x1024xf32>>
// CHECK: %[[B:.*]] = stablehlo.dot_general %arg0, %arg2
// CHECK: %[[S:.*]] = "stablehlo.async_done"(%[[F]]) : (!stablehlo.future<tensor<1024x1024xf32>>) -> tensor<1024x1024xf32>
// CHECK: %[[T:.*]] = stablehlo.tanh %[[S]]
// CHECK: return %[[T]], %[[B]]
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @beside(%x: tensor<1024x1024xf32>, %w: tensor<1024x1024xf32>, %v: tensor<1024x1024xf32>) -> (tensor<1024x1024xf32>, tensor<1024x1024xf32>) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    %1 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    %2 = stablehlo.tanh %1 : tensor<1024x1024xf32>
    %3 = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    return %2, %3 : tensor<1024x1024xf32>, tensor<1024x1024xf32>
  }
}

// -----

// Weights are fetched before they are needed, unless memory holds one at a time.
// CHECK-LABEL: @ahead
// CHECK: %[[F1:.*]] = "stablehlo.async_start"(%arg2)
// CHECK: stablehlo.dot_general
// CHECK: "stablehlo.async_done"(%[[F1]])
// SMALL-LABEL: @ahead
// SMALL-NOT: async_start
// SMALL: all_gather
// SMALL: dot_general
// SMALL: all_gather
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @ahead(%x: tensor<16x2048xf32>, %w: tensor<1024x2048xf32>, %v: tensor<1024x2048xf32>) -> tensor<16x2048xf32> {
    %0 = "stablehlo.all_gather"(%w) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<1024x2048xf32>) -> tensor<2048x2048xf32>
    %1 = stablehlo.dot_general %x, %0, contracting_dims = [1] x [0] : (tensor<16x2048xf32>, tensor<2048x2048xf32>) -> tensor<16x2048xf32>
    %2 = "stablehlo.all_gather"(%v) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<1024x2048xf32>) -> tensor<2048x2048xf32>
    %3 = stablehlo.dot_general %1, %2, contracting_dims = [1] x [0] : (tensor<16x2048xf32>, tensor<2048x2048xf32>) -> tensor<16x2048xf32>
    return %3 : tensor<16x2048xf32>
  }
}

// -----

// A future holds one value: where it wins, one collective of several operands becomes several.
// CHECK-LABEL: @combined
// CHECK: "stablehlo.async_start"(%arg0)
// CHECK: "stablehlo.all_reduce"
// CHECK: "stablehlo.async_start"(%arg1)
// CHECK: "stablehlo.all_reduce"
// CHECK: stablehlo.dot_general %arg2, %arg3
// CHECK-COUNT-2: "stablehlo.async_done"
// FORCE-LABEL: @combined
// FORCE-COUNT-2: "stablehlo.async_start"
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @combined(%x: tensor<1024x1024xf32>, %y: tensor<1024x1024xf32>, %w: tensor<1024x1024xf32>, %v: tensor<1024x1024xf32>) -> (tensor<1024x1024xf32>, tensor<1024x1024xf32>, tensor<1024x1024xf32>) {
    %0:2 = "stablehlo.all_reduce"(%x, %y) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> (tensor<1024x1024xf32>, tensor<1024x1024xf32>)
    %1 = stablehlo.dot_general %w, %v, contracting_dims = [1] x [0] : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    return %0#0, %0#1, %1 : tensor<1024x1024xf32>, tensor<1024x1024xf32>, tensor<1024x1024xf32>
  }
}

// -----

// Inside a loop, and not where everything waits for the collective.
// CHECK-LABEL: @loop
// CHECK: stablehlo.while
// CHECK: "stablehlo.async_start"
// CHECK: stablehlo.dot_general
// CHECK: "stablehlo.async_done"
// CHECK: "stablehlo.all_reduce"
// CHECK-NOT: async_start
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @loop(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %ten = stablehlo.constant dense<10> : tensor<i32>
    %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<1024x1024xf32>
    cond {
      %c = stablehlo.compare LT, %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %p = "stablehlo.collective_permute"(%v) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
      %d = stablehlo.dot_general %v, %v, contracting_dims = [1] x [0] : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
      %s = stablehlo.add %p, %d : tensor<1024x1024xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %s : tensor<i32>, tensor<1024x1024xf32>
    }
    %1 = "stablehlo.all_reduce"(%0#1) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    return %1 : tensor<1024x1024xf32>
  }
}
