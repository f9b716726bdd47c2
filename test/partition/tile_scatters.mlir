// Results of reduce_scatters become matrices of 8 rows and a multiple of 256
// columns, where that sends less than an all_reduce.
// RUN: shardwright-opt %s --sw-tile-scatters | FileCheck %s

// Full tiles already.
// CHECK-LABEL: @full
// CHECK-NEXT: "stablehlo.reduce_scatter"(%arg0)
// CHECK: (tensor<64x256xf32>) -> tensor<8x256xf32>
// CHECK-NEXT: return
func.func @full(%arg0: tensor<64x256xf32>) -> tensor<8x256xf32> {
  %0 = "stablehlo.reduce_scatter"(%arg0) <{scatter_dimension = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<64x256xf32>) -> tensor<8x256xf32>
  return %0 : tensor<8x256xf32>
}

// One row of a packed matrix.
// CHECK-LABEL: @row
// CHECK-NEXT: %[[R:.*]] = stablehlo.reshape %arg0 : (tensor<8x4096xf32>) -> tensor<64x512xf32>
// CHECK-NEXT: %[[S:.*]] = "stablehlo.reduce_scatter"(%[[R]]) {{.*}}scatter_dimension = 0
// CHECK: (tensor<64x512xf32>) -> tensor<8x512xf32>
// CHECK-NEXT: stablehlo.reshape %[[S]] : (tensor<8x512xf32>) -> tensor<1x4096xf32>
func.func @row(%arg0: tensor<8x4096xf32>) -> tensor<1x4096xf32> {
  %0 = "stablehlo.reduce_scatter"(%arg0) <{scatter_dimension = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x4096xf32>) -> tensor<1x4096xf32>
  return %0 : tensor<1x4096xf32>
}

// 1920 elements of a device are padded to 2048; dimension 1 is scattered.
// CHECK-LABEL: @padded
// CHECK: %[[T:.*]] = stablehlo.transpose %{{.*}}, dims = [1, 0, 2] : (tensor<96x8x20xbf16>) -> tensor<8x96x20xbf16>
// CHECK: %[[M:.*]] = stablehlo.reshape %[[T]] : (tensor<8x96x20xbf16>) -> tensor<8x1920xbf16>
// CHECK: %[[Z:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<8x128xbf16>
// CHECK: %[[P:.*]] = stablehlo.concatenate %[[M]], %[[Z]], dim = 1
// CHECK: stablehlo.reshape %[[P]] : (tensor<8x2048xbf16>) -> tensor<64x256xbf16>
// CHECK: (tensor<64x256xbf16>) -> tensor<8x256xbf16>
// CHECK: stablehlo.slice %{{.*}} [0:1, 0:1920]
// CHECK: stablehlo.reshape %{{.*}} -> tensor<96x20xbf16>
func.func @padded(%arg0: tensor<96x160xbf16>) -> tensor<96x20xbf16> {
  %0 = "stablehlo.reduce_scatter"(%arg0) <{scatter_dimension = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<96x160xbf16>) -> tensor<96x20xbf16>
  return %0 : tensor<96x20xbf16>
}

// 2080 elements: 2048 in full tiles, and 32 by themselves, on a new channel.
// CHECK-LABEL: @split
// CHECK: stablehlo.slice %arg0 [0:4, 0:2048]
// CHECK: "stablehlo.reduce_scatter"{{.*}}handle = 4
// CHECK: (tensor<32x256xf32>) -> tensor<8x256xf32>
// CHECK: %[[R:.*]] = stablehlo.slice %arg0 [0:4, 2048:2080]
// CHECK: "stablehlo.reduce_scatter"(%[[R]]){{.*}}handle = 7
// CHECK: (tensor<4x32xf32>) -> tensor<1x32xf32>
// CHECK: stablehlo.concatenate
// CHECK-NOT: handle = 7
func.func @split(%arg0: tensor<4x2080xf32>) -> tensor<1x2080xf32> {
  %0 = "stablehlo.reduce_scatter"(%arg0) <{scatter_dimension = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x2080xf32>) -> tensor<1x2080xf32>
  return %0 : tensor<1x2080xf32>
}

// Too small, and a type with other tiles.
// CHECK-LABEL: @stay
// CHECK-NEXT: "stablehlo.reduce_scatter"(%arg0)
// CHECK: (tensor<8x1024xf32>) -> tensor<1x1024xf32>
// CHECK-NEXT: "stablehlo.reduce_scatter"(%arg1)
// CHECK: (tensor<8x4096xf64>) -> tensor<1x4096xf64>
// CHECK-NEXT: return
func.func @stay(%arg0: tensor<8x1024xf32>, %arg1: tensor<8x4096xf64>) -> (tensor<1x1024xf32>, tensor<1x4096xf64>) {
  %0 = "stablehlo.reduce_scatter"(%arg0) <{scatter_dimension = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x1024xf32>) -> tensor<1x1024xf32>
  %1 = "stablehlo.reduce_scatter"(%arg1) <{scatter_dimension = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 6, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %s = stablehlo.add %a, %b : tensor<f64>
    stablehlo.return %s : tensor<f64>
  }) : (tensor<8x4096xf64>) -> tensor<1x4096xf64>
  return %0, %1 : tensor<1x1024xf32>, tensor<1x4096xf64>
}
