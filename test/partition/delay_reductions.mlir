// Partial sums are added up before they are reduced.
// RUN: shardwright-opt %s --sw-insert-collectives | FileCheck %s

sdy.mesh @mesh = <["x"=4, "y"=2]>

// One reduction of the sum of three, one of which is scaled and transposed.
// CHECK-LABEL: @sums
// CHECK-NOT: all_reduce
// CHECK: %[[S:.*]] = stablehlo.add
// CHECK: %[[T:.*]] = stablehlo.subtract %[[S]],
// CHECK: %[[R:.*]] = sdy.all_reduce {"x"} %[[T]]
// CHECK: return %[[R]]
func.func @sums(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %two = stablehlo.constant dense<2.0> : tensor<8x8xf32>
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.dot_general %arg0, %arg0, contracting_dims = [1] x [1] : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.dot_general %arg1, %arg1, contracting_dims = [0] x [0] : (tensor<64x8xf32>, tensor<64x8xf32>) -> tensor<8x8xf32>
  %3 = stablehlo.transpose %1, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = stablehlo.multiply %3, %two : tensor<8x8xf32>
  %5 = stablehlo.add %0, %4 : tensor<8x8xf32>
  %6 = stablehlo.subtract %5, %2 : tensor<8x8xf32>
  return %6 : tensor<8x8xf32>
}

// Sums over different axes are completed each by itself.
// CHECK-LABEL: @different_axes
// CHECK-DAG: %[[A:.*]] = sdy.all_reduce {"x"}
// CHECK-DAG: %[[B:.*]] = sdy.all_reduce {"y"}
// CHECK: %[[S:.*]] = stablehlo.add %[[A]], %[[B]]
// CHECK-NEXT: return %[[S]]
func.func @different_axes(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %arg0, %arg0, contracting_dims = [1] x [1] : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.dot_general %arg1, %arg1, contracting_dims = [1] x [1] : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.add %0, %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// Something else reads one of them, so it is reduced by itself.
// CHECK-LABEL: @read_twice
// CHECK-COUNT-2: sdy.all_reduce
// CHECK: stablehlo.add
func.func @read_twice(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.dot_general %arg0, %arg0, contracting_dims = [1] x [1] : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.add %0, %1 : tensor<8x8xf32>
  return %2, %0 : tensor<8x8xf32>, tensor<8x8xf32>
}

// A loop that only adds up reduces once, behind it; what it starts with is not
// zero and counts once.
// CHECK-LABEL: @loop
// CHECK: %[[A:.*]] = sdy.reshard %arg2 <@mesh, [{}, {}]>
// CHECK: %[[I:.*]] = sdy.replicated_to_unreduced {"x"} %[[A]]
// CHECK: %[[L:.*]]:2 = stablehlo.while(%{{.*}}, %{{.*}} = %[[I]])
// CHECK-NOT: all_reduce
// CHECK: stablehlo.return
// CHECK-NOT: all_reduce
// CHECK: stablehlo.return
// CHECK: %[[R:.*]] = sdy.all_reduce {"x"} %[[L]]#1
// CHECK: return %[[R]]
func.func @loop(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg2: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %sum = %arg2) : tensor<i32>, tensor<8x8xf32>
  cond {
    %n = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %d = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<8x8xf32>
    %s = stablehlo.add %sum, %d : tensor<8x8xf32>
    stablehlo.return %next, %s : tensor<i32>, tensor<8x8xf32>
  }
  return %0#1 : tensor<8x8xf32>
}

// The sum is read in the loop.
// CHECK-LABEL: @read_in_loop
// CHECK: } do {
// CHECK: sdy.all_reduce
// CHECK: stablehlo.return
// CHECK-NOT: all_reduce
func.func @read_in_loop(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg2: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %sum = %arg2) : tensor<i32>, tensor<8x8xf32>
  cond {
    %n = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %d = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<8x8xf32>
    %t = stablehlo.tanh %sum : tensor<8x8xf32>
    %s = stablehlo.add %t, %d : tensor<8x8xf32>
    stablehlo.return %next, %s : tensor<i32>, tensor<8x8xf32>
  }
  return %0#1 : tensor<8x8xf32>
}

// Quotients of whole numbers lose the rest: their sum is not that of the parts.
// CHECK-LABEL: @whole_quotients
// CHECK-COUNT-2: sdy.all_reduce
// CHECK: stablehlo.divide
// CHECK: stablehlo.divide
// CHECK: stablehlo.add %{{.*}}, %{{.*}} : tensor<4xi32>
// CHECK-NEXT: return
func.func @whole_quotients(%arg0: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<4xi32>
  %0 = stablehlo.reduce(%arg0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x4xi32>, tensor<i32>) -> tensor<4xi32>
  %1 = stablehlo.reduce(%arg1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x4xi32>, tensor<i32>) -> tensor<4xi32>
  %2 = stablehlo.divide %0, %two : tensor<4xi32>
  %3 = stablehlo.divide %1, %two : tensor<4xi32>
  %4 = stablehlo.add %2, %3 : tensor<4xi32>
  return %4 : tensor<4xi32>
}
