// Of permutes that the program has itself, whom no pair names still gets zeros.
// RUN: shardwright-opt %s --sw-localize | FileCheck %s

// CHECK-LABEL: @zeros
// CHECK: %[[TABLE:.*]] = stablehlo.constant dense<[false, true, false]> : tensor<3xi1>
// CHECK: stablehlo.select {{.*}} %arg1, %arg0 : tensor<i1>, tensor<4xf32>
// CHECK: %[[R:.*]] = "stablehlo.collective_permute"({{.*}}{{\[\[}}0, 1], [1, 0]]
// CHECK-NOT: collective_permute
// CHECK: stablehlo.select {{.*}}, %[[R]], {{.*}} : tensor<i1>, tensor<4xf32>
// CHECK: stablehlo.select {{.*}}, %[[R]], {{.*}} : tensor<i1>, tensor<4xf32>
func.func @zeros(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = "stablehlo.collective_permute"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.collective_permute"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[1, 0]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Between replicas, the id of a partition does not tell who sends.
// CHECK-LABEL: @replicas
// CHECK-COUNT-2: collective_permute
func.func @replicas(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.collective_permute"(%arg1) <{source_target_pairs = dense<[[1, 0]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Devices that no machine has: a table of all devices would not fit in memory.
// CHECK-LABEL: @largest_ids
// CHECK-COUNT-2: collective_permute
func.func @largest_ids(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = "stablehlo.collective_permute"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, source_target_pairs = dense<[[0, 9223372036854775807]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.collective_permute"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, source_target_pairs = dense<[[9223372036854775806, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
