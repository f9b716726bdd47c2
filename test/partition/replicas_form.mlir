// RUN: shardwright-opt %s --sw-replicas-form --split-input-file --verify-diagnostics | FileCheck %s

// A program of 4 partitions: device p becomes replica p.
// CHECK: module @partitions attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 4 : i32}
module @partitions attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<8xf32>, tensor<4xf32>, tensor<ui32>, tensor<ui32>) {
    // CHECK: "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<{{\[\[}}0, 1], [2, 3]]> : tensor<2x2xi64>}>
    %0 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    // CHECK: "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = dense<{{\[\[}}0, 2], [1, 3]]> : tensor<2x2xi64>}>
    %1 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>
    // CHECK: "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<{{\[\[}}0, 1], [1, 0]]> : tensor<2x2xi64>}>
    %2 = "stablehlo.collective_permute"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    // CHECK: %[[ID:.*]] = stablehlo.replica_id
    %3 = stablehlo.partition_id : tensor<ui32>
    // CHECK: %[[ZERO:.*]] = stablehlo.constant dense<0> : tensor<ui32>
    %4 = stablehlo.replica_id : tensor<ui32>
    // CHECK: return {{.*}}, %[[ID]], %[[ZERO]]
    return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<8xf32>, tensor<4xf32>, tensor<ui32>, tensor<ui32>
  }
}

// -----

// 2 replicas of 2 partitions: groups of replicas exist once per partition, and the other way.
// CHECK: module @both attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 4 : i32}
module @both attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 2 : i32} {
  func.func @main(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<ui32>, tensor<ui32>) {
    // CHECK: all_reduce{{.*}}dense<{{\[\[}}0, 2], [1, 3]]>
    %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    // CHECK: all_to_all{{.*}}dense<{{\[\[}}0, 1], [2, 3]]>
    %1 = "stablehlo.all_to_all"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, split_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    // CHECK: collective_permute{{.*}}dense<{{\[\[}}0, 1], [2, 3]]>
    %2 = "stablehlo.collective_permute"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    // CHECK: %[[ID:.*]] = stablehlo.replica_id
    // CHECK: %[[TWO:.*]] = stablehlo.constant dense<2>
    // CHECK: stablehlo.remainder %[[ID]], %[[TWO]]
    %3 = stablehlo.partition_id : tensor<ui32>
    // CHECK: %[[ID2:.*]] = stablehlo.replica_id
    // CHECK: %[[TWO2:.*]] = stablehlo.constant dense<2>
    // CHECK: stablehlo.divide %[[ID2]], %[[TWO2]]
    %4 = stablehlo.replica_id : tensor<ui32>
    return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<ui32>, tensor<ui32>
  }
}

// -----

// Groups of several sizes are padded.
module @uneven attributes {mhlo.num_partitions = 3 : i32} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    // CHECK: all_reduce{{.*}}dense<{{\[\[}}0, 1], [2, -1]]>
    %0 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// Other compilers schedule collectives themselves.
// CHECK-LABEL: module @async
module @async attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<8xf32> {
    // CHECK-NOT: async
    // CHECK: "stablehlo.all_gather"
    // CHECK-NOT: async
    %0 = "stablehlo.async_start"(%arg0) ({
    ^bb0(%a: tensor<4xf32>):
      %g = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>
      stablehlo.return %g : tensor<8xf32>
    }) : (tensor<4xf32>) -> !stablehlo.future<tensor<8xf32>>
    %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<8xf32>>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}

// -----

module @host {
  func.func @main(%arg0: tensor<4xf32>, %token: !stablehlo.token) -> !stablehlo.token {
    // expected-error@+1 {{host transfers cannot run on another vendor's plugin}}
    %0 = "stablehlo.outfeed"(%arg0, %token) <{outfeed_config = ""}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
    return %0 : !stablehlo.token
  }
}

// -----

// expected-error@+1 {{mhlo.num_partitions is 0 : i32, expected 1 to 1048576}}
module @none attributes {mhlo.num_partitions = 0 : i32} {
  func.func @main() {
    return
  }
}
