// Sums that loops carry leave them: one all_reduce behind the outermost.
// RUN: shardwright-opt %s --sw-insert-collectives | FileCheck %s

sdy.mesh @mesh = <["x"=4, "y"=2]>

// Several terms, one of them whole, and a factor: what is whole is given to one
// device.
// CHECK-LABEL: @several
// CHECK: sdy.replicated_to_unreduced {"x"}
// CHECK: stablehlo.while
// CHECK: } do {
// CHECK-NOT: all_reduce
// CHECK: %[[W:.*]] = sdy.replicated_to_unreduced {"x"}
// CHECK: stablehlo.subtract %{{.*}}, %[[W]]
// CHECK-NOT: all_reduce
// CHECK: stablehlo.return
// CHECK: %[[R:.*]] = sdy.all_reduce {"x"}
// CHECK-NOT: all_reduce
// CHECK: return %[[R]]
func.func @several(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg2: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %sum = %arg2) : tensor<i32>, tensor<8x8xf32>
  cond {
    %n = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %half = stablehlo.constant dense<0.5> : tensor<8x8xf32>
    %d = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<8x8xf32>
    %s = stablehlo.add %sum, %d : tensor<8x8xf32>
    %h = stablehlo.multiply %s, %half : tensor<8x8xf32>
    %w = stablehlo.subtract %h, %arg2 : tensor<8x8xf32>
    %e = stablehlo.dot_general %arg0, %arg0, contracting_dims = [1] x [1] : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x8xf32>
    %t = stablehlo.subtract %e, %w : tensor<8x8xf32>
    stablehlo.return %next, %t : tensor<i32>, tensor<8x8xf32>
  }
  return %0#1 : tensor<8x8xf32>
}

// A scalar.
// CHECK-LABEL: @scalar
// CHECK: } do {
// CHECK-NOT: all_reduce
// CHECK: stablehlo.return %{{.*}}, %{{.*}}
// CHECK: sdy.all_reduce {"x"}
// CHECK-NOT: all_reduce
// CHECK: return
func.func @scalar(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<f32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0:2 = stablehlo.while(%i = %c0, %sum = %zero) : tensor<i32>, tensor<f32>
  cond {
    %n = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %d = stablehlo.reduce(%arg0 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
    %s = stablehlo.add %d, %sum : tensor<f32>
    stablehlo.return %next, %s : tensor<i32>, tensor<f32>
  }
  return %0#1 : tensor<f32>
}

// Through a loop within: neither reduces in any iteration.
// CHECK-LABEL: @nested
// CHECK: stablehlo.while
// CHECK: stablehlo.while
// CHECK-NOT: all_reduce
// CHECK-NOT: replicated_to_unreduced
// CHECK: stablehlo.return %{{.*}}, %{{.*}}
// CHECK-NOT: all_reduce
// CHECK: stablehlo.return %{{.*}}, %{{.*}}
// CHECK: sdy.all_reduce {"x"}
// CHECK-NOT: all_reduce
// CHECK: return
func.func @nested(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg2: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %sum = %arg2) : tensor<i32>, tensor<8x8xf32>
  cond {
    %n = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %1:2 = stablehlo.while(%j = %c0, %part = %sum) : tensor<i32>, tensor<8x8xf32>
    cond {
      %m = stablehlo.constant dense<3> : tensor<i32>
      %q = stablehlo.compare LT, %j, %m, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %q : tensor<i1>
    } do {
      %after = stablehlo.add %j, %one : tensor<i32>
      %d = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<8x8xf32>
      %s = stablehlo.add %part, %d : tensor<8x8xf32>
      stablehlo.return %after, %s : tensor<i32>, tensor<8x8xf32>
    }
    stablehlo.return %next, %1#1 : tensor<i32>, tensor<8x8xf32>
  }
  return %0#1 : tensor<8x8xf32>
}

// Gradients of layers, each written into its place; they are given a leading
// dimension of one.
// CHECK-LABEL: @stacked
// CHECK: } do {
// CHECK-NOT: all_reduce
// CHECK: stablehlo.dynamic_update_slice
// CHECK: stablehlo.return
// CHECK: sdy.all_reduce {"x"}
// CHECK-NOT: all_reduce
// CHECK: return
func.func @stacked(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<5x8x8xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %zero = stablehlo.constant dense<0.0> : tensor<5x8x8xf32>
  %0:2 = stablehlo.while(%i = %c0, %sum = %zero) : tensor<i32>, tensor<5x8x8xf32>
  cond {
    %n = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %d = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<8x8xf32>
    %b = stablehlo.broadcast_in_dim %d, dims = [1, 2] : (tensor<8x8xf32>) -> tensor<1x8x8xf32>
    %s = stablehlo.dynamic_update_slice %sum, %b, %i, %c0, %c0 : (tensor<5x8x8xf32>, tensor<1x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5x8x8xf32>
    stablehlo.return %next, %s : tensor<i32>, tensor<5x8x8xf32>
  }
  return %0#1 : tensor<5x8x8xf32>
}

// A few parts of something large: to reduce these takes less time.
// CHECK-LABEL: @few_parts
// CHECK: } do {
// CHECK: sdy.all_reduce {"x"}
// CHECK: stablehlo.return
// CHECK-NOT: all_reduce
// CHECK: return
func.func @few_parts(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<5000x8x8xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %zero = stablehlo.constant dense<0.0> : tensor<5000x8x8xf32>
  %0:2 = stablehlo.while(%i = %c0, %sum = %zero) : tensor<i32>, tensor<5000x8x8xf32>
  cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %d = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<8x8xf32>
    %b = stablehlo.reshape %d : (tensor<8x8xf32>) -> tensor<1x8x8xf32>
    %s = stablehlo.dynamic_update_slice %sum, %b, %i, %c0, %c0 : (tensor<5000x8x8xf32>, tensor<1x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5000x8x8xf32>
    stablehlo.return %next, %s : tensor<i32>, tensor<5000x8x8xf32>
  }
  return %0#1 : tensor<5000x8x8xf32>
}

// Added by a scatter, to a start that is not zero.
// CHECK-LABEL: @scattered
// CHECK: sdy.replicated_to_unreduced {"x"}
// CHECK: } do {
// CHECK-NOT: all_reduce
// CHECK: "stablehlo.scatter"
// CHECK-NOT: all_reduce
// CHECK: stablehlo.return %{{.*}}, %{{.*}}
// CHECK: sdy.all_reduce {"x"}
// CHECK: return
func.func @scattered(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg2: tensor<5x8x8xf32>) -> tensor<5x8x8xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %sum = %arg2) : tensor<i32>, tensor<5x8x8xf32>
  cond {
    %n = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %d = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<8x8xf32>
    %at = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
    %s = "stablehlo.scatter"(%sum, %at, %d) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %ab = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %ab : tensor<f32>
    }) : (tensor<5x8x8xf32>, tensor<1xi32>, tensor<8x8xf32>) -> tensor<5x8x8xf32>
    stablehlo.return %next, %s : tensor<i32>, tensor<5x8x8xf32>
  }
  return %0#1 : tensor<5x8x8xf32>
}

// The condition reads the sum.
// CHECK-LABEL: @read_by_condition
// CHECK: } do {
// CHECK: sdy.all_reduce {"x"}
// CHECK: stablehlo.return
// CHECK-NOT: all_reduce
// CHECK: return
func.func @read_by_condition(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %most = stablehlo.constant dense<10.0> : tensor<f32>
  %0 = stablehlo.while(%sum = %zero) : tensor<f32>
  cond {
    %p = stablehlo.compare LT, %sum, %most, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %d = stablehlo.reduce(%arg0 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
    %s = stablehlo.add %d, %sum : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }
  return %0 : tensor<f32>
}

// A program that says so itself: the values stay parts.
// CHECK-LABEL: @explicit
// CHECK: sdy.replicated_to_unreduced {"x"}
// CHECK: stablehlo.while
// CHECK-NOT: all_reduce
// CHECK-NOT: replicated_to_unreduced
// CHECK: stablehlo.return %{{.*}}, %{{.*}}
// CHECK: sdy.all_reduce {"x"}
// CHECK-NOT: all_reduce
// CHECK: return
func.func @explicit(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %t = stablehlo.tanh %arg1 : tensor<8x8xf32>
  %u = sdy.reshard %t <@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
  %0:2 = stablehlo.while(%i = %c0, %sum = %u) : tensor<i32>, tensor<8x8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{}, {}], unreduced={"x"}>]>}
  cond {
    %n = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %d = stablehlo.dot_general %arg0, %arg0, contracting_dims = [1] x [1] : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x8xf32>
    %du = sdy.reshard %d <@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
    %s = stablehlo.add %sum, %du : tensor<8x8xf32>
    stablehlo.return %next, %s : tensor<i32>, tensor<8x8xf32>
  }
  %1 = sdy.reshard %0#1 <@mesh, [{}, {}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
