// Reductions over the same groups that do not wait for each other are one.
// RUN: shardwright-opt %s --sw-partition | FileCheck %s
// XLA's compilers for GPUs and TPUs combine gathers by themselves, and those
// for GPUs reduce_scatters.
// RUN: shardwright-opt %s --sw-partition=target=gpu | FileCheck %s --check-prefixes=XLA,GPU
// RUN: shardwright-opt %s --sw-partition=target=tpu | FileCheck %s --check-prefixes=XLA,TPU
// RUN: shardwright-opt %s --sw-insert-collectives | shardwright-opt --sw-localize=target=tpu | FileCheck %s --check-prefixes=XLA,TPU
// RUN: not shardwright-opt %s --sw-partition=target=npu 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: target is 'npu', expected cpu, gpu or tpu
// RUN: not shardwright-opt %s --sw-localize=target=npu 2>&1 | FileCheck %s --check-prefix=UNKNOWN

sdy.mesh @mesh = <["x"=4, "y"=2]>

// CHECK-LABEL: @reductions
// CHECK: %[[A:.*]] = stablehlo.reduce(%arg0
// CHECK: %[[B:.*]] = stablehlo.reduce(%arg1
// CHECK: %[[AB:.*]]:2 = "stablehlo.all_reduce"(%[[A]], %[[B]]) {{.*}}{{\[\[}}0, 2, 4, 6], [1, 3, 5, 7]]
// CHECK: stablehlo.exponential %[[AB]]#0
// CHECK: %[[C:.*]] = stablehlo.reduce(%arg2
// CHECK: "stablehlo.all_reduce"(%[[C]]) {{.*}}{{\[\[}}0, 1], [2, 3], [4, 5], [6, 7]]
// CHECK: %[[D:.*]] = stablehlo.reduce
// CHECK: "stablehlo.all_reduce"(%[[D]])
func.func @reductions(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg2: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> (tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  %early = stablehlo.exponential %0 : tensor<4xf32>
  %1 = stablehlo.reduce(%arg1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
  // other groups
  %2 = stablehlo.reduce(%arg2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
  // waits for another
  %b = stablehlo.broadcast_in_dim %1, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<f32>) -> tensor<16xf32>
  %m = stablehlo.multiply %b, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<16xf32>
  %3 = stablehlo.reduce(%m init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
  return %early, %1, %2, %3 : tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>
}

// Those of a chain wait for each other; one beside the chain goes with the one
// that leaves the fewest, here the second.
// CHECK-LABEL: @waits
// CHECK: "stablehlo.all_reduce"(%{{[0-9]+}}) {{.*}}
// CHECK: stablehlo.maximum
// CHECK: "stablehlo.all_reduce"(%{{.*}}, %{{.*}}) {{.*}}
// CHECK: stablehlo.add
// CHECK-NOT: all_reduce
func.func @waits(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%arg1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<f32>) -> tensor<16xf32>
  %3 = stablehlo.subtract %arg0, %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<16xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
  return %0, %4 : tensor<f32>, tensor<f32>
}

// Gathers along several dimensions are one along a new one.
// CHECK-LABEL: @gathers
// CHECK: %[[A:.*]] = stablehlo.reshape %arg0 : (tensor<2x4xf32>) -> tensor<1x2x4xf32>
// CHECK: %[[B:.*]] = stablehlo.reshape %arg1 : (tensor<2x4xi32>) -> tensor<1x2x4xi32>
// CHECK: %[[G:.*]]:2 = "stablehlo.all_gather"(%[[A]], %[[B]]) <{all_gather_dim = 0 {{.*}} -> (tensor<4x2x4xf32>, tensor<4x2x4xi32>)
// CHECK-DAG: stablehlo.reshape %[[G]]#0 : (tensor<4x2x4xf32>) -> tensor<8x4xf32>
// CHECK-DAG: %[[T:.*]] = stablehlo.transpose %[[G]]#1, dims = [1, 0, 2]
// CHECK-DAG: stablehlo.reshape %[[T]] : (tensor<2x4x4xi32>) -> tensor<2x16xi32>
// XLA-LABEL: @gathers
// XLA-DAG: "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 {{.*}} -> tensor<8x4xf32>
// XLA-DAG: "stablehlo.all_gather"(%arg1) <{all_gather_dim = 1 {{.*}} -> tensor<2x16xi32>
// XLA-NEXT: return
func.func @gathers(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<2x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<8x4xf32>, tensor<2x16xi32>) {
  return %arg0, %arg1 : tensor<8x4xf32>, tensor<2x16xi32>
}

// CHECK-LABEL: @all_to_alls
// XLA-LABEL: @all_to_alls
// XLA-COUNT-1: "stablehlo.all_to_all"
// XLA-NOT: "stablehlo.all_to_all"
// CHECK: %[[P:.*]] = stablehlo.concatenate {{.*}} dim = 1 : (tensor<4x8xf32>, tensor<4x4xf32>) -> tensor<4x12xf32>
// CHECK: "stablehlo.all_to_all"(%[[P]]) {{.*}}concat_dimension = 0 : i64{{.*}}split_dimension = 0
// CHECK-NOT: all_to_all
func.func @all_to_alls(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  return %arg0, %arg1 : tensor<8x16xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: @reduce_scatters
// CHECK: %[[P:.*]] = stablehlo.concatenate {{.*}} dim = 1 : (tensor<4x2xf32>, tensor<4x4xf32>) -> tensor<4x6xf32>
// CHECK: %[[S:.*]] = "stablehlo.reduce_scatter"(%[[P]]) {{.*}}scatter_dimension = 0
// CHECK-NOT: reduce_scatter
// CHECK: stablehlo.slice %{{.*}} [0:1, 0:2] : (tensor<1x6xf32>)
// XLA-LABEL: @reduce_scatters
// GPU-NOT: stablehlo.concatenate
// GPU-COUNT-2: "stablehlo.reduce_scatter"
// TPU: stablehlo.concatenate
// TPU-COUNT-1: "stablehlo.reduce_scatter"
// TPU-NOT: "stablehlo.reduce_scatter"
// XLA: return
func.func @reduce_scatters(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %zero) applies stablehlo.add across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = stablehlo.reduce(%arg1 init: %zero) applies stablehlo.add across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8x16xf32>, tensor<f32>) -> tensor<16xf32>
  return %0, %1 : tensor<8xf32>, tensor<16xf32>
}

// What has effects keeps its order, and so do the sums before and behind it:
// one sum of both would be behind the second call and in front of the first.
// CHECK-LABEL: @effects
// CHECK: "stablehlo.all_reduce"(%{{[^,]*}}) <
// CHECK: stablehlo.custom_call @first
// CHECK: stablehlo.custom_call @second
// CHECK: "stablehlo.all_reduce"(%{{[^,]*}}) <
func.func @effects(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg2: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.custom_call @first(%0) {has_side_effect = true} : (tensor<f32>) -> tensor<f32>
  %2 = stablehlo.custom_call @second(%arg2) {has_side_effect = true} : (tensor<f32>) -> tensor<f32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<f32>) -> tensor<16xf32>
  %4 = stablehlo.multiply %3, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<16xf32>
  %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
  return %1, %5 : tensor<f32>, tensor<f32>
}
