// Reductions and contractions over sharded dimensions.
// RUN: shardwright-opt %s --sw-insert-collectives | FileCheck %s
// RUN: shardwright-opt %s --sw-partition | FileCheck %s --check-prefix=LOCAL

sdy.mesh @mesh = <["x"=4, "y"=2]>

// CHECK-LABEL: @dot_all_reduce
// LOCAL-LABEL: @dot_all_reduce
// CHECK: %[[D:.*]] = stablehlo.dot_general
// CHECK: sdy.all_reduce {"x"} %[[D]] out_sharding=<@mesh, [{"y"}, {}]> : tensor<8x16xf32>
// LOCAL-SAME: (%arg0: tensor<4x16xf32>, %arg1: tensor<16x16xf32>) -> tensor<4x16xf32>
// LOCAL: %[[D:.*]] = stablehlo.dot_general
// LOCAL: "stablehlo.all_reduce"(%[[D]]) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<{{\[\[}}0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}>
// LOCAL: stablehlo.add
func.func @dot_all_reduce(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, %arg1: tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<8x64xf32>, tensor<64x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// Asked for as unreduced along an axis that does not divide what is summed up,
// a result counts once: nothing is left to add along it.
// CHECK-LABEL: @dot_unreduced_of_whole_operands
// LOCAL-LABEL: @dot_unreduced_of_whole_operands
// CHECK: %[[D:.*]] = stablehlo.dot_general %arg0, %arg1
// CHECK-NEXT: return %[[D]]
func.func @dot_unreduced_of_whole_operands(%arg0: tensor<8x64xf32>, %arg1: tensor<64x16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<8x64xf32>, tensor<64x16xf32>) -> tensor<8x16xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// CHECK-LABEL: @dot_unreduced_along_another_axis
// CHECK: %[[D:.*]] = stablehlo.dot_general %arg0, %arg1
// CHECK-NEXT: sdy.all_reduce {"y"} %[[D]] out_sharding=<@mesh, [{}, {}]>
// CHECK-NOT: sdy.all_reduce
func.func @dot_unreduced_along_another_axis(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %arg1: tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> tensor<8x16xf32> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<8x64xf32>, tensor<64x16xf32>) -> tensor<8x16xf32>
  %1 = sdy.all_reduce {"y"} %0 out_sharding=<@mesh, [{}, {}], unreduced={"x"}> : tensor<8x16xf32>
  %2 = sdy.all_reduce {"x"} %1 out_sharding=<@mesh, [{}, {}]> : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// Shards become parts of a sum where they are, among zeros: nothing is sent.
// CHECK-LABEL: @sharded_to_unreduced
// LOCAL-LABEL: @sharded_to_unreduced
// CHECK-NOT: sdy.all_gather
// CHECK: %[[U:.*]] = sdy.sharded_to_unreduced [{"x"}, {}] %arg0 out_sharding=<@mesh, [{}, {"y"}], unreduced={"x"}>
// CHECK-NEXT: return %[[U]]
// LOCAL-SAME: (%arg0: tensor<2x8xf32>) -> tensor<8x8xf32>
// LOCAL: stablehlo.dynamic_update_slice
func.func @sharded_to_unreduced(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}], unreduced={"x"}>}) {
  return %arg0 : tensor<8x16xf32>
}

// CHECK-LABEL: @partly_sharded_to_unreduced
// CHECK: %[[G:.*]] = sdy.all_gather [{"x"}, {}] %arg0
// CHECK: sdy.sharded_to_unreduced [{}, {"y"}] %[[G]] out_sharding=<@mesh, [{}, {}], unreduced={"y"}>
func.func @partly_sharded_to_unreduced(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}) {
  return %arg0 : tensor<8x16xf32>
}

// Uneven shards are gathered: the last has rows beyond the end.
// CHECK-LABEL: @uneven_to_unreduced
// CHECK: %[[R:.*]] = stablehlo.tanh
// CHECK: %[[G:.*]] = sdy.all_gather [{"x"}] %[[R]]
// CHECK: sdy.replicated_to_unreduced {"x"} %[[G]]
func.func @uneven_to_unreduced(%arg0: tensor<16x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %init) applies stablehlo.maximum across dimensions = [0] : (tensor<16x7xf32>, tensor<f32>) -> tensor<7xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<7xf32>
  %2 = stablehlo.tanh %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<7xf32>
  return %2 : tensor<7xf32>
}

// CHECK-LABEL: @dot_reduce_scatter
// LOCAL-LABEL: @dot_reduce_scatter
// CHECK-NOT: sdy.all_
// CHECK: sdy.reduce_scatter [{"x"}, {}] {{.*}} out_sharding=<@mesh, [{"y", "x"}, {}]>
// LOCAL: "stablehlo.reduce_scatter"({{.*}}) <{{{.*}}scatter_dimension = 0 : i64
func.func @dot_reduce_scatter(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, %arg1: tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}]>}) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y", "x"}, {}]>]>} : (tensor<8x64xf32>, tensor<64x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// The operand that is replicated is sliced: an 8x8 sum is less than 8x4096.
// CHECK-LABEL: @dot_one_side
// CHECK: %[[S:.*]] = sdy.all_slice [{"x"}, {}] %arg1
// CHECK: %[[D:.*]] = stablehlo.dot_general %arg0, %[[S]]
// CHECK: sdy.all_reduce {"x"} %[[D]]
func.func @dot_one_side(%arg0: tensor<8x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<4096x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x4096xf32>, tensor<4096x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: @maximum
// LOCAL-LABEL: @maximum
// CHECK: sdy.all_reduce max {"x"}
// LOCAL: "stablehlo.all_reduce"
// LOCAL: stablehlo.maximum
func.func @maximum(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<8xf32> {
  %init = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %init) applies stablehlo.maximum across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// An initial value counts once, not once a shard.
// CHECK-LABEL: @init_once
// CHECK: %[[SEVEN:.*]] = stablehlo.constant dense<7>
// CHECK: %[[ZERO:.*]] = stablehlo.constant dense<0>
// CHECK: stablehlo.reduce(%arg0 init: %[[ZERO]])
// CHECK: %[[R:.*]] = sdy.all_reduce
// CHECK: %[[B:.*]] = stablehlo.broadcast_in_dim %[[SEVEN]]
// CHECK: stablehlo.add %[[B]], %[[R]]
func.func @init_once(%arg0: tensor<8x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<8xi32> {
  %init = stablehlo.constant dense<7> : tensor<i32>
  %0 = stablehlo.reduce(%arg0 init: %init) applies stablehlo.add across dimensions = [1] : (tensor<8x16xi32>, tensor<i32>) -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// argmax: within the shards, then over one element a shard, of which each
// device takes some rows.
// CHECK-LABEL: @argmax
// CHECK: stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} : (tensor<8x4096xf32>) -> tensor<8x4x1024xf32>
// CHECK: %[[P:.*]]:2 = stablehlo.reduce{{.*}}dimensions = [2]
// CHECK: sdy.all_to_all [{"x"}: 1->0] %[[P]]#0
// CHECK: sdy.all_to_all [{"x"}: 1->0] %[[P]]#1
// CHECK: %[[R:.*]]:2 = stablehlo.reduce{{.*}}dimensions = [1]
// CHECK: sdy.all_gather [{"x"}] %[[R]]#0
// CHECK: sdy.all_gather [{"x"}] %[[R]]#1
func.func @argmax(%arg0: tensor<8x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<8xf32>, tensor<8xi32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %iota = stablehlo.iota dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : tensor<8x4096xi32>
  %0:2 = stablehlo.reduce(%arg0 init: %low), (%iota init: %zero) across dimensions = [1] : (tensor<8x4096xf32>, tensor<8x4096xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %d = stablehlo.select %c, %a, %b : tensor<i1>, tensor<f32>
    %e = stablehlo.select %c, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %d, %e : tensor<f32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xi32>
}

// An op that does not work on parts sums its operands: nothing is left for the
// collective of the user.
// CHECK-LABEL: @summed_already
func.func @summed_already(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}], unreduced={"y"}>})
    -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // CHECK: %[[A:.*]] = sdy.all_reduce {"y"} %arg0
  // CHECK-NEXT: %[[S:.*]] = stablehlo.abs %[[A]]
  // CHECK-NEXT: return %[[S]]
  %0 = stablehlo.abs %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}], unreduced={"y"}>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = sdy.reshard %0 <@mesh, [{"x"}, {}], unreduced={"y"}> : tensor<8x16xf32>
  %2 = sdy.all_reduce {"y"} %1 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// A linear op works on the summands.
// CHECK-LABEL: @summed_later
func.func @summed_later(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}], unreduced={"y"}>})
    -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // CHECK: %[[S:.*]] = stablehlo.add %arg0, %arg0
  // CHECK-NEXT: %[[A:.*]] = sdy.all_reduce {"y"} %[[S]]
  // CHECK-NEXT: return %[[A]]
  %0 = stablehlo.add %a, %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}], unreduced={"y"}>]>} : tensor<8x16xf32>
  %1 = sdy.reshard %0 <@mesh, [{"x"}, {}], unreduced={"y"}> : tensor<8x16xf32>
  %2 = sdy.all_reduce {"y"} %1 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// A reduction of f32 that accumulates in f64: so does its initial value.
// CHECK-LABEL: @wider_than_its_inputs
// LOCAL-LABEL: @wider_than_its_inputs
func.func @wider_than_its_inputs(%a: tensor<4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<f32>) -> tensor<3xf64> {
  // CHECK: %[[P:.*]] = stablehlo.reduce(%arg0 {{.*}} : (tensor<4x3xf32>, tensor<f32>) -> tensor<3xf64>
  // CHECK: %[[S:.*]] = sdy.all_reduce {"x"} %[[P]]
  // CHECK: %[[W:.*]] = stablehlo.convert %arg1 : (tensor<f32>) -> tensor<f64>
  // CHECK-NEXT: %[[B:.*]] = stablehlo.broadcast_in_dim %[[W]]
  // CHECK-NEXT: stablehlo.add %[[B]], %[[S]]
  // LOCAL: stablehlo.convert %arg1 : (tensor<f32>) -> tensor<f64>
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 0>}> ({
  ^bb0(%p: tensor<f64>, %q: tensor<f64>):
    %s = stablehlo.add %p, %q : tensor<f64>
    stablehlo.return %s : tensor<f64>
  }) : (tensor<4x3xf32>, tensor<f32>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}
