// Permutes of equal pairs are one message; those in which no device sends or
// receives twice take place at once.
// RUN: shardwright-opt %s --sw-partition | FileCheck %s

sdy.mesh @mesh = <["x"=4]>
sdy.mesh @turned = <["x"=4], device_ids=[1, 2, 3, 0]>

// The values of both, one after the other.
// CHECK-LABEL: @equal_pairs
// CHECK: %[[P:.*]] = stablehlo.concatenate {{.*}} dim = 0 : (tensor<8xf32>, tensor<4xf32>) -> tensor<12xf32>
// CHECK: %[[R:.*]] = "stablehlo.collective_permute"(%[[P]])
// CHECK-NOT: collective_permute
// CHECK-DAG: stablehlo.slice %[[R]] [0:8]
// CHECK-DAG: stablehlo.slice %[[R]] [8:12]
func.func @equal_pairs(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@turned, [{"x"}, {}]>}, tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@turned, [{}, {"x"}]>}) {
  return %arg0, %arg1 : tensor<8x4xf32>, tensor<4x4xf32>
}

// A roll in each direction: the first row of a shard one way, the last one the
// other way. No mask: what the rolls do not need is not read.
// CHECK-LABEL: @rolls
// CHECK-COUNT-2: "stablehlo.collective_permute"({{.*}} : (tensor<1xf32>)
// CHECK-NOT: collective_permute
func.func @rolls(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.slice %arg0 [7:8] : (tensor<8xf32>) -> tensor<1xf32>
  %1 = stablehlo.slice %arg0 [0:7] : (tensor<8xf32>) -> tensor<7xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<1xf32>, tensor<7xf32>) -> tensor<8xf32>
  %3 = stablehlo.slice %arg0 [1:8] : (tensor<8xf32>) -> tensor<7xf32>
  %4 = stablehlo.slice %arg0 [0:1] : (tensor<8xf32>) -> tensor<1xf32>
  %5 = stablehlo.concatenate %3, %4, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<7xf32>, tensor<1xf32>) -> tensor<8xf32>
  %6 = stablehlo.add %2, %5 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
  return %6 : tensor<8xf32>
}
