// Gathered and scattered dots as rings of permutes.
// RUN: shardwright-opt %s --split-input-file --sw-ring-dots="force directions=1" | FileCheck %s
// RUN: shardwright-opt %s --split-input-file --sw-ring-dots="force directions=2" | FileCheck %s --check-prefix=BOTH
// RUN: shardwright-opt %s --split-input-file --sw-ring-dots | FileCheck %s --check-prefix=MODEL

// Each piece of the rows is multiplied while it is passed on, and its product put where the piece
// belongs.
// CHECK-LABEL: @gathered_rows
// CHECK: %[[ID:.*]] = stablehlo.convert
// CHECK: %[[OWN:.*]] = stablehlo.multiply %[[ID]]
// CHECK: stablehlo.add %[[ID]]
// CHECK: stablehlo.remainder
// CHECK: %[[BEFORE:.*]] = stablehlo.multiply
// CHECK: %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<6x4xf32>
// CHECK: %[[P1:.*]] = "stablehlo.collective_permute"(%arg0) <{{.*}}dense<{{\[\[}}0, 1], [1, 2], [2, 0]]>
// CHECK: %[[D0:.*]] = stablehlo.dot_general %arg0, %arg1
// CHECK: %[[R0:.*]] = stablehlo.dynamic_update_slice %[[ZERO]], %[[D0]], %[[OWN]]
// CHECK: %[[P2:.*]] = "stablehlo.collective_permute"(%[[P1]])
// CHECK: %[[D1:.*]] = stablehlo.dot_general %[[P1]], %arg1
// CHECK: %[[R1:.*]] = stablehlo.dynamic_update_slice %[[R0]], %[[D1]], %[[BEFORE]]
// CHECK: %[[D2:.*]] = stablehlo.dot_general %[[P2]], %arg1
// CHECK: %[[R2:.*]] = stablehlo.dynamic_update_slice %[[R1]], %[[D2]]
// CHECK: return %[[R2]]
// CHECK-NOT: all_gather
// BOTH-LABEL: @gathered_rows
// BOTH: "stablehlo.collective_permute"(%arg0) <{{.*}}dense<{{\[\[}}0, 1], [1, 2], [2, 0]]>
// BOTH: "stablehlo.collective_permute"(%arg0) <{{.*}}dense<{{\[\[}}0, 2], [1, 0], [2, 1]]>
// BOTH-NOT: collective_permute
// BOTH: return
// So little takes longer in pieces.
// MODEL-LABEL: @gathered_rows
// MODEL: all_gather
module attributes {mhlo.num_partitions = 3 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @gathered_rows(%x: tensor<2x8xf32>, %w: tensor<8x4xf32>) -> tensor<6x4xf32> {
    %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>, use_global_device_ids}> : (tensor<2x8xf32>) -> tensor<6x8xf32>
    %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
    return %1 : tensor<6x4xf32>
  }
}

// -----

// A contracted dimension: partial products are added, those of bf16 in f32. The groups are no digit
// of the device id, so a table says the place of a device.
// CHECK-LABEL: @gathered_contraction
// CHECK: %[[TABLE:.*]] = stablehlo.constant dense<[0, 1, 1, 0]> : tensor<4xi64>
// CHECK: %[[PLACE:.*]] = stablehlo.dynamic_slice %[[TABLE]]
// CHECK: "stablehlo.collective_permute"(%arg0) <{{.*}}dense<{{\[\[}}0, 2], [2, 0], [3, 1], [1, 3]]>
// CHECK: %[[W0:.*]] = stablehlo.dynamic_slice %arg1, {{.*}}sizes = [4, 4]
// CHECK: %[[D0:.*]] = stablehlo.dot_general %arg0, %[[W0]], contracting_dims = [1] x [0] : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xf32>
// CHECK: %[[SUM:.*]] = stablehlo.add %[[D0]]
// CHECK: %[[R:.*]] = stablehlo.convert %[[SUM]] : (tensor<4x4xf32>) -> tensor<4x4xbf16>
// CHECK: return %[[R]]
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @gathered_contraction(%x: tensor<4x4xbf16>, %w: tensor<8x4xbf16>) -> tensor<4x4xbf16> {
    %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [3, 1]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<4x4xbf16>) -> tensor<4x8xbf16>
    %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<4x8xbf16>, tensor<8x4xbf16>) -> tensor<4x4xbf16>
    return %1 : tensor<4x4xbf16>
  }
}

// -----

// Sums go round and are complete when they are where they belong.
// CHECK-LABEL: @scattered
// CHECK: %[[A0:.*]] = stablehlo.dynamic_slice %arg1, {{.*}}sizes = [8, 2]
// CHECK: %[[D0:.*]] = stablehlo.dot_general %arg0, %[[A0]]
// CHECK: %[[P1:.*]] = "stablehlo.collective_permute"(%[[D0]])
// CHECK: %[[D1:.*]] = stablehlo.dot_general
// CHECK: %[[S1:.*]] = stablehlo.add %[[P1]], %[[D1]]
// CHECK: %[[P2:.*]] = "stablehlo.collective_permute"(%[[S1]])
// CHECK: %[[D2:.*]] = stablehlo.dot_general
// CHECK: %[[S2:.*]] = stablehlo.add %[[P2]], %[[D2]]
// CHECK: return %[[S2]] : tensor<4x2xf32>
// CHECK-NOT: reduce_scatter
// BOTH-LABEL: @scattered
// BOTH: %[[AHEAD:.*]] = "stablehlo.collective_permute"
// BOTH: %[[BEHIND:.*]] = "stablehlo.collective_permute"
// BOTH: %[[OWN:.*]] = stablehlo.dot_general
// BOTH: %[[S:.*]] = stablehlo.add %[[AHEAD]], %[[OWN]]
// BOTH: %[[R:.*]] = stablehlo.add %[[S]], %[[BEHIND]]
// BOTH: return %[[R]]
module attributes {mhlo.num_partitions = 3 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @scattered(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> tensor<4x2xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %1 = "stablehlo.reduce_scatter"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4x6xf32>) -> tensor<4x2xf32>
    return %1 : tensor<4x2xf32>
  }
}

// -----

// Two dots share the pieces; a batch dimension takes the same piece of the other operand.
// CHECK-LABEL: @several_users
// CHECK: %[[P:.*]] = "stablehlo.collective_permute"(%arg0)
// CHECK-COUNT-4: stablehlo.dot_general
// CHECK-NOT: collective_permute
// CHECK: return
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @several_users(%x: tensor<3x4xi32>, %w: tensor<6x4xi32>, %v: tensor<4x5xi32>) -> (tensor<6xi32>, tensor<5x6xi32>) {
    %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<3x4xi32>) -> tensor<6x4xi32>
    %1 = stablehlo.dot_general %0, %w, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<6x4xi32>, tensor<6x4xi32>) -> tensor<6xi32>
    %2 = stablehlo.dot_general %v, %0, contracting_dims = [0] x [1] : (tensor<4x5xi32>, tensor<6x4xi32>) -> tensor<5x6xi32>
    return %1, %2 : tensor<6xi32>, tensor<5x6xi32>
  }
}

// -----

// Somebody wants the whole value; a maximum is no sum; replicas are no partitions.
// CHECK-LABEL: @no_rings
// CHECK: all_gather
// CHECK: reduce_scatter
// CHECK: all_gather
// CHECK-NOT: collective_permute
// CHECK: return
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @no_rings(%x: tensor<2x8xf32>, %w: tensor<8x4xf32>) -> (tensor<4x4xf32>, tensor<4x8xf32>, tensor<2x4xf32>, tensor<4x4xf32>) {
    %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<2x8xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    %2 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    %3 = "stablehlo.reduce_scatter"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4x4xf32>) -> tensor<2x4xf32>
    %4 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x8xf32>) -> tensor<4x8xf32>
    %5 = stablehlo.dot_general %4, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    return %1, %0, %3, %5 : tensor<4x4xf32>, tensor<4x8xf32>, tensor<2x4xf32>, tensor<4x4xf32>
  }
}

// -----

// The pieces are large enough to be worth it.
// MODEL-LABEL: @large
// MODEL-NOT: all_gather
// MODEL-COUNT-7: collective_permute
// MODEL-NOT: reduce_scatter
// MODEL-COUNT-7: collective_permute
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @large(%x: tensor<1024x8192xf32>, %w: tensor<8192x2048xf32>, %v: tensor<2048x8192xf32>) -> tensor<1024x8192xf32> {
    %t = stablehlo.tanh %x : tensor<1024x8192xf32>
    %0 = "stablehlo.all_gather"(%t) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> : (tensor<1024x8192xf32>) -> tensor<8192x8192xf32>
    %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<8192x8192xf32>, tensor<8192x2048xf32>) -> tensor<8192x2048xf32>
    %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0] : (tensor<8192x2048xf32>, tensor<2048x8192xf32>) -> tensor<8192x8192xf32>
    %3 = "stablehlo.reduce_scatter"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<8192x8192xf32>) -> tensor<1024x8192xf32>
    return %3 : tensor<1024x8192xf32>
  }
}

// -----

// What lies between goes piece by piece: the transpose moves the dimension, one number is one number
// at any size, of another operand the piece is taken.
// CHECK-LABEL: @gathered_through
// CHECK-NOT: all_gather
// CHECK: "stablehlo.collective_permute"(%arg0)
// CHECK: %[[C0:.*]] = stablehlo.convert %arg0 : (tensor<2x8xbf16>) -> tensor<2x8xf32>
// CHECK: %[[SCALE:.*]] = stablehlo.constant dense<2.000000e+00> : tensor<2x8xf32>
// CHECK: %[[M0:.*]] = stablehlo.multiply %[[C0]], %[[SCALE]] : tensor<2x8xf32>
// CHECK: %[[B0:.*]] = stablehlo.dynamic_slice %arg1, {{.*}}sizes = [2, 8]
// CHECK: %[[A0:.*]] = stablehlo.add %[[B0]], %[[M0]] : tensor<2x8xf32>
// CHECK: %[[T0:.*]] = stablehlo.transpose %[[A0]], dims = [1, 0] : (tensor<2x8xf32>) -> tensor<8x2xf32>
// CHECK: stablehlo.dot_general %arg2, %[[T0]], {{.*}} -> tensor<4x2xf32>
module attributes {mhlo.num_partitions = 3 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @gathered_through(%x: tensor<2x8xbf16>, %bias: tensor<6x8xf32>, %w: tensor<4x8xf32>) -> tensor<4x6xf32> {
    %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>, use_global_device_ids}> : (tensor<2x8xbf16>) -> tensor<6x8xbf16>
    %1 = stablehlo.convert %0 : (tensor<6x8xbf16>) -> tensor<6x8xf32>
    %two = stablehlo.constant dense<2.0> : tensor<6x8xf32>
    %2 = stablehlo.multiply %1, %two : tensor<6x8xf32>
    %3 = stablehlo.add %bias, %2 : tensor<6x8xf32>
    %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<6x8xf32>) -> tensor<8x6xf32>
    %5 = stablehlo.dot_general %w, %4, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    return %5 : tensor<4x6xf32>
  }
}

// -----

// Each device's part is rounded before it is added, as before.
// CHECK-LABEL: @scattered_through
// CHECK-NOT: reduce_scatter
// CHECK: %[[D:.*]] = stablehlo.dot_general {{.*}} -> tensor<2x4xf32>
// CHECK: %[[T:.*]] = stablehlo.transpose %[[D]], dims = [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32>
// CHECK: %[[N:.*]] = stablehlo.convert %[[T]] : (tensor<4x2xf32>) -> tensor<4x2xbf16>
// CHECK: "stablehlo.collective_permute"(%[[N]])
// CHECK: stablehlo.add {{.*}} : tensor<4x2xbf16>
module attributes {mhlo.num_partitions = 3 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @scattered_through(%x: tensor<6x8xf32>, %w: tensor<8x4xf32>) -> tensor<4x2xbf16> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>
    %2 = stablehlo.convert %1 : (tensor<4x6xf32>) -> tensor<4x6xbf16>
    %3 = "stablehlo.reduce_scatter"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
    ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
      %s = stablehlo.add %a, %b : tensor<bf16>
      stablehlo.return %s : tensor<bf16>
    }) : (tensor<4x6xbf16>) -> tensor<4x2xbf16>
    return %3 : tensor<4x2xbf16>
  }
}
