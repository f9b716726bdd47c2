// Loops, branches, calls and manual computations.
// RUN: shardwright-opt %s --sw-partition | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: @loop
// CHECK: %[[P:.*]] = "stablehlo.collective_permute"(%arg0)
// CHECK: stablehlo.while({{.*}} = %[[P]]) : tensor<i32>, tensor<4xf32>
// CHECK: stablehlo.add {{.*}} : tensor<4xf32>
func.func @loop(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %trips = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %v = %arg0) : tensor<i32>, tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"x"}]>]>}
  cond {
    %1 = stablehlo.compare LT, %i, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %2 = stablehlo.add %i, %one : tensor<i32>
    %3 = stablehlo.add %v, %v {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
    stablehlo.return %2, %3 : tensor<i32>, tensor<8xf32>
  }
  return %0#1 : tensor<8xf32>
}

// CHECK-LABEL: @branch
// CHECK: "stablehlo.case"
// CHECK: stablehlo.negate %arg1 : tensor<4xf32>
// CHECK: (tensor<i32>) -> tensor<4xf32>
func.func @branch(%arg0: tensor<i32>, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = "stablehlo.case"(%arg0) ({
    %1 = stablehlo.negate %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }, {
    stablehlo.return %arg1 : tensor<8xf32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<i32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-NOT: @callee
func.func private @callee(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @calls
// CHECK: %[[A:.*]] = stablehlo.negate %arg0 : tensor<4xf32>
// CHECK: stablehlo.negate %[[A]] : tensor<4xf32>
func.func @calls(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = call @callee(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @callee(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// The body's collectives are over device ids and stay; ours count on.
// CHECK-LABEL: @manual
// CHECK-SAME: (%arg0: tensor<4x4xf32>) -> tensor<4x8xf32>
// CHECK: %[[R:.*]] = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, replica_groups = dense<{{\[\[}}0, 2], [1, 3]]>
// CHECK: "stablehlo.all_gather"(%[[R]]) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = {{[67]}}, type = 1>
func.func @manual(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<4x8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{}, {"y"}]>] manual_axes={"x"} (%arg1: tensor<4x8xf32>) {
    %1 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %2 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// All rows of a sharded value, one after another: gathered once before the loop,
// each travels half as often as if its owner gave it to all by an all_reduce.
// CHECK-LABEL: @rows_one_by_one
// CHECK: %[[ROWS:.*]] = "stablehlo.all_gather"(%arg0)
// CHECK: stablehlo.while
// CHECK-NOT: stablehlo.all_reduce
// CHECK: stablehlo.dynamic_slice %[[ROWS]], {{.*}} : (tensor<8x4xf32>
// CHECK: return
func.func @rows_one_by_one(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<1x4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %trips = stablehlo.constant dense<8> : tensor<i32>
  %start = stablehlo.constant dense<0.0> : tensor<1x4xf32>
  %0:2 = stablehlo.while(%i = %zero, %v = %start) : tensor<i32>, tensor<1x4xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.dynamic_slice %arg0, %i, %zero, sizes = [1, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %2 = stablehlo.tanh %v : tensor<1x4xf32>
    %3 = stablehlo.multiply %2, %1 : tensor<1x4xf32>
    %4 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %4, %3 : tensor<i32>, tensor<1x4xf32>
  }
  return %0#1 : tensor<1x4xf32>
}

// Two rows of very many: their owners give them.
// CHECK-LABEL: @few_rows
// CHECK-NOT: stablehlo.all_gather
// CHECK: stablehlo.while
// CHECK: "stablehlo.all_reduce"
// CHECK: return
func.func @few_rows(%arg0: tensor<262144x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<1x4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %trips = stablehlo.constant dense<2> : tensor<i32>
  %start = stablehlo.constant dense<0.0> : tensor<1x4xf32>
  %0:2 = stablehlo.while(%i = %zero, %v = %start) : tensor<i32>, tensor<1x4xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.dynamic_slice %arg0, %i, %zero, sizes = [1, 4] : (tensor<262144x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %2 = stablehlo.tanh %v : tensor<1x4xf32>
    %3 = stablehlo.multiply %2, %1 : tensor<1x4xf32>
    %4 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %4, %3 : tensor<i32>, tensor<1x4xf32>
  }
  return %0#1 : tensor<1x4xf32>
}

// A small weight is gathered once, in front of the loop: sums of parts would be
// made in each iteration.
// CHECK-LABEL: @weight_gathered_once
// CHECK: "stablehlo.all_gather"(%arg0)
// CHECK: stablehlo.while
// CHECK: do {
// CHECK-NOT: "stablehlo.all_reduce"
// CHECK: return
func.func @weight_gathered_once(%arg0: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %trips = stablehlo.constant dense<8> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %v = %arg1) : tensor<i32>, tensor<16x64xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.dot_general %v, %arg0, contracting_dims = [1] x [0] : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
    %2 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %2, %1 : tensor<i32>, tensor<16x64xf32>
  }
  return %0#1 : tensor<16x64xf32>
}

// What only one branch needs moves in that branch; what both need, in front of them.
// CHECK-LABEL: @rare
// CHECK: "stablehlo.all_gather"(%arg2)
// CHECK-NOT: collective
// CHECK: "stablehlo.if"
// CHECK: "stablehlo.all_gather"(%arg1)
// CHECK: }, {
// CHECK-NOT: all_gather
// CHECK: return
func.func @rare(%p: tensor<i1>, %a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x4xf32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = sdy.reshard %a <@mesh, [{}, {}]> : tensor<8x4xf32>
    %2 = sdy.reshard %b <@mesh, [{}, {}]> : tensor<8x4xf32>
    %3 = stablehlo.multiply %1, %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : tensor<8x4xf32>
    stablehlo.return %3 : tensor<8x4xf32>
  }, {
    %1 = sdy.reshard %b <@mesh, [{}, {}]> : tensor<8x4xf32>
    stablehlo.return %1 : tensor<8x4xf32>
  }) : (tensor<i1>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
