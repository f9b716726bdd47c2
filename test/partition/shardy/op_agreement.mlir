// RUN: shardwright-opt %s -sdy-resolve-permutation-factors | FileCheck %s
// RUN: shardwright-opt %s -sdy-resolve-permutation-factors -sdy-reshard-to-collectives -sdy-pad-for-divisibility -sdy-convert-global-to-local=enable-rgv3=false | FileCheck %s --check-prefix=LOCAL

// What sdy-insert-explicit-reshards leaves with shardings that do not go together.

sdy.mesh @m = <["x"=2, "y"=2]>
sdy.mesh @flat = <["a"=4]>

// An op without a rule.

// CHECK-LABEL: func.func @no_rule
// CHECK-NEXT: %[[WHOLE:.*]] = sdy.reshard %arg0 <@m, [{}]> : tensor<4xf32>
// CHECK-NEXT: %[[ALL:.*]] = stablehlo.broadcast %[[WHOLE]], sizes = [6] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}]>]>}
// CHECK-NEXT: sdy.reshard %[[ALL]] <@m, [{"x"}, {}]>
// LOCAL-LABEL: func.func @no_rule
// LOCAL: stablehlo.broadcast %{{.*}}, sizes = [6] {{.*}}(tensor<4xf32>) -> tensor<6x4xf32>
func.func @no_rule(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}]>}) -> (tensor<6x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = stablehlo.broadcast %a, sizes = [6] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<4xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// Meshes with other axes, and rows that they do not divide.

// CHECK-LABEL: func.func @meshes
// CHECK-NEXT: %[[WHOLE:.*]] = sdy.reshard %arg0 <@m, [{}]>
// CHECK-NEXT: stablehlo.negate %[[WHOLE]] {sdy.sharding = #sdy.sharding_per_value<[<@flat, [{}]>]>}
// CHECK-NEXT: sdy.reshard %{{.*}} <@flat, [{"a"}]>
// CHECK-NEXT: %[[BACK:.*]] = sdy.reshard %{{.*}} <@flat, [{}]>
// CHECK-NEXT: sdy.reshard %[[BACK]] <@m, [{"y"}]>
// LOCAL-LABEL: func.func @meshes
// LOCAL: return %{{.*}} : tensor<3xf32>
func.func @meshes(%a: tensor<6xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}]>}) {
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@flat, [{"a"}]>]>} : tensor<6xf32>
  %1 = sdy.reshard %0 <@m, [{"y"}]> : tensor<6xf32>
  return %1 : tensor<6xf32>
}

// What is whole is not added up.

// CHECK-LABEL: func.func @contraction
// CHECK: stablehlo.dot {{.*}}[<@m, [{}, {}]>]
// CHECK-NOT: sdy.all_reduce
// CHECK: return
func.func @contraction(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %b: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  %0 = stablehlo.dot %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}]>]>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@m, [{}, {}]> : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// The branches of an if.

// CHECK-LABEL: func.func @branches
// CHECK: %[[T:.*]] = sdy.reshard %arg1 <@m, [{"y"}]>
// CHECK-NEXT: stablehlo.return %[[T]]
// CHECK: stablehlo.return %arg2
// LOCAL-LABEL: func.func @branches
// LOCAL: "stablehlo.if"
// LOCAL: (tensor<i1>) -> tensor<2xf32>
func.func @branches(%c: tensor<i1>, %a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %b: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}]>}) {
  %0 = "stablehlo.if"(%c) ({
    stablehlo.return %a : tensor<4xf32>
  }, {
    stablehlo.return %b : tensor<4xf32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}]>]>} : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A reshape whose shards are other elements on the other side.

// CHECK-LABEL: func.func @reshape
// CHECK-NEXT: %[[WHOLE:.*]] = sdy.reshard %arg0 <@m, [{}, {}]>
// CHECK-NEXT: stablehlo.reshape %[[WHOLE]]
func.func @reshape(%a: tensor<2x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<3x2xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  %0 = stablehlo.reshape %a {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}]>]>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// A gather of all of a dimension of size 1, which is padded.

// LOCAL-LABEL: func.func @gather
// LOCAL: "stablehlo.gather"{{.*}}slice_sizes = array<i64: 1>{{.*}} : (tensor<1xf32>, tensor<1xi32>) -> tensor<1xf32>
func.func @gather(%a: tensor<1xf32>, %i: tensor<1xi32>) -> tensor<1xf32> {
  %0 = sdy.reshard %a <@m, [{"x"}]> : tensor<1xf32>
  %1 = "stablehlo.gather"(%0, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], start_index_map = [0]>, slice_sizes = array<i64: 1>}> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<1xf32>, tensor<1xi32>) -> tensor<1xf32>
  %2 = sdy.reshard %1 <@m, [{}]> : tensor<1xf32>
  return %2 : tensor<1xf32>
}

// Parts are added up before what does not divide is padded.

// LOCAL-LABEL: func.func @uneven_scatter
// LOCAL: stablehlo.dot
// LOCAL-NEXT: "stablehlo.all_reduce"
// LOCAL: stablehlo.pad
// LOCAL: stablehlo.dynamic_slice
func.func @uneven_scatter(%a: tensor<3x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %b: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<3x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  %0 = stablehlo.dot %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}]>]>} : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
  %1 = sdy.reduce_scatter [{"x"}, {}] %0 out_sharding=<@m, [{"x"}, {}]> : tensor<3x4xf32>
  %2 = sdy.all_gather [{"x"}, {}] %1 out_sharding=<@m, [{}, {}]> : tensor<3x4xf32>
  return %2 : tensor<3x4xf32>
}

// Nothing moves of a tensor without elements.

// LOCAL-LABEL: func.func @empty
// LOCAL-NOT: stablehlo.collective_permute
// LOCAL: return
func.func @empty(%a: tensor<0x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<0x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}) {
  %0 = sdy.collective_permute %a out_sharding=<@m, [{"y"}, {"x"}]> : tensor<0x4xf32>
  return %0 : tensor<0x4xf32>
}
