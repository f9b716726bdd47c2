// Long sorts along a sharded dimension deal rows out instead of gathering them.
// RUN: shardwright-opt %s --sw-partition | FileCheck %s

sdy.mesh @mesh = <["x"=4]>

// Integers that compare equal are equal: no other key is needed. 500 rows a
// shard are filled up to 504, a multiple of 8.
// CHECK-LABEL: @integers
// CHECK: stablehlo.pad {{.*}} -> tensor<1x504xi32>
// CHECK: "stablehlo.sort"
// CHECK: "stablehlo.all_to_all"({{.*}} : (tensor<4x126xi32>)
// CHECK: "stablehlo.sort"
// CHECK: "stablehlo.all_to_all"
// CHECK: "stablehlo.sort"
// CHECK: "stablehlo.collective_permute"({{.*}} : (tensor<252xi32>)
// CHECK: "stablehlo.sort"
// CHECK: "stablehlo.collective_permute"({{.*}} : (tensor<252xi32>)
// CHECK-NOT: all_gather
func.func @integers(%a: tensor<2000xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<2000xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %c = stablehlo.compare LT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<2000xi32>) -> tensor<2000xi32>
  return %0 : tensor<2000xi32>
}

// CHECK-LABEL: @few
// CHECK: all_gather
// CHECK-NOT: all_to_all
func.func @few(%a: tensor<200xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<200xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %c = stablehlo.compare LT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<200xi32>) -> tensor<200xi32>
  return %0 : tensor<200xi32>
}
