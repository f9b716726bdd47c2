// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(sdy-insert-explicit-reshards{enable-full-version=true}))' | FileCheck %s

// Heaviest choice of each factor; reduction factors end in an all_reduce.
sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8, "e"=3]>
func.func @main(%x: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %y: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {"a"}]>}) -> (tensor<8x16xf32>) {
  %0 = stablehlo.dot %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>]>} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %arg1: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {"a"}]>}) -> tensor<8x16xf32> {
// CHECK-NEXT: %0 = sdy.reshard %arg0 <@m, [{}, {"b"}]> : tensor<8x32xf32>
// CHECK-NEXT: %1 = stablehlo.dot %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"a"}]>]>} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
// CHECK-NEXT: %2 = sdy.all_reduce {"b"} %1 out_sharding=<@m, [{}, {"a"}]> : tensor<8x16xf32>
// CHECK-NEXT: %3 = sdy.reshard %2 <@m, [{"a"}, {}]> : tensor<8x16xf32>
// CHECK-NEXT: %4 = sdy.reshard %3 <@m, [{}, {}]> : tensor<8x16xf32>
// CHECK-NEXT: return %4 : tensor<8x16xf32>
// CHECK-NEXT: }

// -----

// One operand, one result: the result on a tie only if it is larger.
sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8, "e"=3]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"b"}, {}]>]>} : tensor<8x8xf32>
  %1 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"b", "c"}, {}]>]>} : tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
// CHECK-NEXT: %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.reshard %0 <@m, [{"b"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %2 = sdy.reshard %arg0 <@m, [{"b", "c"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %3 = stablehlo.negate %2 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"b", "c"}, {}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %4 = sdy.reshard %1 <@m, [{}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %5 = sdy.reshard %3 <@m, [{}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: return %4, %5 : tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }

// -----

// Equal weights: the later name.
sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8, "e"=3]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>},%b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {}]>},%c: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"c"}, {}]>}) -> (tensor<8x8xf32>) {
  %0 = stablehlo.clamp %a, %b, %c : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {}]>}, %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"c"}, {}]>}) -> tensor<8x8xf32> {
// CHECK-NEXT: %0 = sdy.reshard %arg0 <@m, [{"c"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.reshard %arg1 <@m, [{"c"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %2 = stablehlo.clamp %0, %1, %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"c"}, {}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %3 = sdy.reshard %2 <@m, [{}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: return %3 : tensor<8x8xf32>
// CHECK-NEXT: }

// -----

// Axes of a sorted dimension move to a batching one.
sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8, "e"=3]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> (tensor<8x8xf32>) {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %1 = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> tensor<8x8xf32> {
// CHECK-NEXT: %0 = sdy.reshard %arg0 <@m, [{}, {"a"}]> : tensor<8x8xf32>
// CHECK-NEXT: %1 = "stablehlo.sort"(%0) <{dimension = 0 : i64, is_stable = true}> ({
// CHECK-NEXT: ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
// CHECK-NEXT: %4 = stablehlo.compare LT, %arg1, %arg2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: stablehlo.return %4 : tensor<i1>
// CHECK-NEXT: }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"a"}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %2 = sdy.reshard %1 <@m, [{"a"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %3 = sdy.reshard %2 <@m, [{}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: return %3 : tensor<8x8xf32>
// CHECK-NEXT: }

// -----

// Carried values and returned ones.
sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8, "e"=3]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {}]>}, %n: tensor<i32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"c"}, {}]>}) {
  %w:2 = stablehlo.while(%i = %x, %j = %n) : tensor<8x8xf32>, tensor<i32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>, <@m, []>]>} cond {
    %p = stablehlo.compare LT, %j, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = stablehlo.negate %i {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"b"}, {}]>]>} : tensor<8x8xf32>
    stablehlo.return %1, %j : tensor<8x8xf32>, tensor<i32>
  }
  return %w#0 : tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {}]>}, %arg1: tensor<i32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"c"}, {}]>}) {
// CHECK-NEXT: %0 = sdy.reshard %arg0 <@m, [{"a"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %1:2 = stablehlo.while(%iterArg = %0, %iterArg_0 = %arg1) : tensor<8x8xf32>, tensor<i32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>, <@m, []>]>}
// CHECK-NEXT: cond {
// CHECK-NEXT: %3 = stablehlo.compare LT, %iterArg_0, %iterArg_0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK-NEXT: stablehlo.return %3 : tensor<i1>
// CHECK-NEXT: } do {
// CHECK-NEXT: %3 = stablehlo.negate %iterArg {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %4 = sdy.reshard %3 <@m, [{"b"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %5 = sdy.reshard %4 <@m, [{"a"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: stablehlo.return %5, %iterArg_0 : tensor<8x8xf32>, tensor<i32>
// CHECK-NEXT: }
// CHECK-NEXT: %2 = sdy.reshard %1#0 <@m, [{"c"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: return %2 : tensor<8x8xf32>
// CHECK-NEXT: }

// -----

// A trailing part of an axis that becomes unreduced needs no gather.
sdy.mesh @m = <["z"=4, "y"=2]>
// CHECK-LABEL: func.func @part_of_an_axis
// CHECK-NEXT: %0 = sdy.sharded_to_unreduced [{"z":(2)2, "y"}] %arg0 out_sharding=<@m, [{"z":(1)2}], unreduced={"z":(2)2, "y"}> : tensor<8xf32>
// CHECK-NEXT: return %0
func.func @part_of_an_axis(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"z", "y"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"z":(1)2}], unreduced={"z":(2)2, "y"}>}) {
  %0 = sdy.reshard %x <@m, [{"z":(1)2}], unreduced={"z":(2)2, "y"}> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// Of a leading part, nothing can stay where it is.
// CHECK-LABEL: func.func @leading_part
// CHECK-NEXT: %0 = sdy.reshard %arg0 <@m, [{}]> : tensor<8xf32>
// CHECK-NEXT: %1 = sdy.replicated_to_unreduced {"z":(1)2} %0 out_sharding=<@m, [{}], unreduced={"z":(1)2}> : tensor<8xf32>
// CHECK-NEXT: return %1
func.func @leading_part(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"z"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"z":(1)2}>}) {
  %0 = sdy.reshard %x <@m, [{}], unreduced={"z":(1)2}> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// What an op has split along an axis becomes a sum along it afterwards; what is
// whole, because nothing says otherwise, where it is returned as a sum.
sdy.mesh @m = <["x"=2]>
// CHECK-LABEL: func.func @split_then_unreduced
// CHECK: %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : tensor<8xf32>
// CHECK: sdy.reshard %0 <@m, [{}], unreduced={"x"}>
// CHECK: sdy.reshard %arg1 <@m, [{}], unreduced={"x"}>
func.func @split_then_unreduced(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %b: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x"}>}) {
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"x"}>]>} : tensor<8xf32>
  %1 = sdy.reshard %0 <@m, [{}]> : tensor<8xf32>
  return %1, %b : tensor<8xf32>, tensor<8xf32>
}

// -----

// An axis of which one part stays in its dimension, and the other is unreduced.
sdy.mesh @m = <["z"=4, "a"=2]>
// CHECK-LABEL: func.func @first_part_stays
// CHECK-NEXT: %[[U:.*]] = sdy.sharded_to_unreduced [{"z":(2)2}] %arg0 out_sharding=<@m, [{"z":(1)2}], unreduced={"z":(2)2}>
// CHECK-NEXT: return %[[U]]
func.func @first_part_stays(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"z"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"z":(1)2}], unreduced={"z":(2)2}>}) {
  %0 = sdy.reshard %x <@m, [{"z":(1)2}], unreduced={"z":(2)2}> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
