// Of a sort, only the first rows: candidates from each shard.
// RUN: shardwright-opt %s --sw-insert-collectives | FileCheck %s

sdy.mesh @mesh = <["x"=4]>

// CHECK-LABEL: @largest
// CHECK: stablehlo.reshape %arg0 {{.*}} -> tensor<4x8xf32>
// CHECK: "stablehlo.sort"({{.*}}) <{dimension = 1 : i64
// CHECK: stablehlo.slice {{.*}} [0:4, 0:2]
// CHECK: sdy.all_gather {{.*}} : tensor<8xf32>
// CHECK: sdy.all_gather {{.*}} : tensor<8xi32>
// CHECK: "stablehlo.sort"({{.*}}) <{dimension = 0 : i64
// CHECK: stablehlo.slice {{.*}} [0:2]
func.func @largest(%a: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<2xf32>, tensor<2xi32>) {
  %i = stablehlo.iota dim = 0 : tensor<32xi32>
  %0:2 = "stablehlo.sort"(%a, %i) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %k: tensor<i32>, %l: tensor<i32>):
    %c = stablehlo.compare GT, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<32xf32>, tensor<32xi32>) -> (tensor<32xf32>, tensor<32xi32>)
  %1 = stablehlo.slice %0#0 [0:2] : (tensor<32xf32>) -> tensor<2xf32>
  %2 = stablehlo.slice %0#1 [0:2] : (tensor<32xi32>) -> tensor<2xi32>
  return %1, %2 : tensor<2xf32>, tensor<2xi32>
}

// More rows than a shard has: nothing would be saved.
// CHECK-LABEL: @too_many
// CHECK: sdy.all_gather {{.*}} : tensor<32xf32>
// CHECK: "stablehlo.sort"
// CHECK-NOT: "stablehlo.sort"
func.func @too_many(%a: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<9xf32> {
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.compare GT, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<32xf32>) -> tensor<32xf32>
  %1 = stablehlo.slice %0 [0:9] : (tensor<32xf32>) -> tensor<9xf32>
  return %1 : tensor<9xf32>
}

// Every device has the first rows: nothing is moved to the shards that propagation has chosen for them.
// CHECK-LABEL: @propagated
// CHECK-COUNT-2: sdy.all_gather
// CHECK: "stablehlo.sort"({{.*}}) <{dimension = 1 : i64
// CHECK-NOT: sdy.
// CHECK: return
func.func @propagated(%a: tensor<4x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
    -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %i = stablehlo.iota dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : tensor<4x64xi32>
  %0:2 = "stablehlo.sort"(%a, %i) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %k: tensor<i32>, %l: tensor<i32>):
    %c = stablehlo.compare GT, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>, <@mesh, [{}, {"x"}]>]>} : (tensor<4x64xf32>, tensor<4x64xi32>) -> (tensor<4x64xf32>, tensor<4x64xi32>)
  %1 = stablehlo.slice %0#0 [0:4, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<4x64xf32>) -> tensor<4x4xf32>
  %2 = stablehlo.slice %0#1 [0:4, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<4x64xi32>) -> tensor<4x4xi32>
  return %1, %2 : tensor<4x4xf32>, tensor<4x4xi32>
}
