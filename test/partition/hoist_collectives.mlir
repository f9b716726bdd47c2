// Collectives that give the same in every iteration are made once, before the
// loop, where they are small.
// RUN: shardwright-opt %s --sw-localize | FileCheck %s

sdy.mesh @mesh = <["x"=4]>

// The value that is handed on unchanged is summed up before the loop; what the
// loop changes is not.
// CHECK-LABEL: @unchanged
// CHECK: %[[T:.*]] = stablehlo.sine %arg0
// CHECK: "stablehlo.all_reduce"(%[[T]])
// CHECK: stablehlo.while
// CHECK: do {
// CHECK: "stablehlo.all_reduce"
// CHECK-NOT: all_reduce
func.func @unchanged(%arg0: tensor<16xf32>, %arg1: tensor<16xf32>) -> tensor<16xf32> {
  %n = stablehlo.constant dense<5> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:3 = stablehlo.while(%i = %zero, %a = %arg0, %b = %arg1) : tensor<i32>, tensor<16xf32>, tensor<16xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %t = stablehlo.sine %a : tensor<16xf32>
    %s = sdy.all_reduce {"x"} %t out_sharding=<@mesh, [{}]> : tensor<16xf32>
    %u = sdy.all_reduce {"x"} %b out_sharding=<@mesh, [{}]> : tensor<16xf32>
    %v = stablehlo.add %s, %u : tensor<16xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %a, %v : tensor<i32>, tensor<16xf32>, tensor<16xf32>
  }
  return %r#2 : tensor<16xf32>
}

// Out of both loops.
// CHECK-LABEL: @nested
// CHECK: "stablehlo.all_reduce"(%arg0)
// CHECK: stablehlo.while
// CHECK: stablehlo.while
// CHECK-NOT: all_reduce
// CHECK: return
func.func @nested(%arg0: tensor<16xf32>, %arg1: tensor<16xf32>) -> tensor<16xf32> {
  %n = stablehlo.constant dense<5> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:3 = stablehlo.while(%i = %zero, %a = %arg0, %b = %arg1) : tensor<i32>, tensor<16xf32>, tensor<16xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %q:3 = stablehlo.while(%k = %zero, %d = %a, %e = %b) : tensor<i32>, tensor<16xf32>, tensor<16xf32>
    cond {
      %c = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %s = sdy.all_reduce {"x"} %d out_sharding=<@mesh, [{}]> : tensor<16xf32>
      %v = stablehlo.add %s, %e : tensor<16xf32>
      %j = stablehlo.add %k, %one : tensor<i32>
      stablehlo.return %j, %d, %v : tensor<i32>, tensor<16xf32>, tensor<16xf32>
    }
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %a, %q#2 : tensor<i32>, tensor<16xf32>, tensor<16xf32>
  }
  return %r#2 : tensor<16xf32>
}

// Two whole weights would be there at once: there is room for one.
// CHECK-LABEL: @weights
// CHECK: "stablehlo.all_gather"(%arg0)
// CHECK: stablehlo.while
// CHECK: "stablehlo.all_gather"
// CHECK-NOT: "stablehlo.all_gather"
// CHECK: return
func.func @weights(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg2: tensor<2x16xf32>) -> tensor<2x16xf32> {
  %n = stablehlo.constant dense<5> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:4 = stablehlo.while(%i = %zero, %v = %arg0, %w = %arg1, %x = %arg2) : tensor<i32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<2x16xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>]>}
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %gv = sdy.all_gather [{"x"}, {}] %v out_sharding=<@mesh, [{}, {}]> : tensor<16x16xf32>
    %gw = sdy.all_gather [{"x"}, {}] %w out_sharding=<@mesh, [{}, {}]> : tensor<16x16xf32>
    %h = stablehlo.dot_general %x, %gv, contracting_dims = [1] x [0] : (tensor<2x16xf32>, tensor<16x16xf32>) -> tensor<2x16xf32>
    %t = stablehlo.tanh %h : tensor<2x16xf32>
    %y = stablehlo.dot_general %t, %gw, contracting_dims = [1] x [0] : (tensor<2x16xf32>, tensor<16x16xf32>) -> tensor<2x16xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %v, %w, %y : tensor<i32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<2x16xf32>
  }
  return %r#3 : tensor<2x16xf32>
}

// What is exchanged takes the place of what it was: all of them leave, however
// small the loop's ops are.
// CHECK-LABEL: @exchanges
// CHECK: "stablehlo.all_to_all"
// CHECK: stablehlo.while
// CHECK: do {
// CHECK-NOT: "stablehlo.all_to_all"
// CHECK: return
func.func @exchanges(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %n = stablehlo.constant dense<5> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:3 = stablehlo.while(%i = %zero, %w = %arg0, %x = %arg1) : tensor<i32>, tensor<16x16xf32>, tensor<16x16xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"x"}, {}]>, <@mesh, [{}, {"x"}]>]>}
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %s = stablehlo.sine %w {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<16x16xf32>
    %c = stablehlo.cosine %w {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<16x16xf32>
    %t = stablehlo.tanh %w {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<16x16xf32>
    %e = stablehlo.exponential %w {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<16x16xf32>
    %gs = sdy.all_to_all [{"x"}: 0->1] %s out_sharding=<@mesh, [{}, {"x"}]> : tensor<16x16xf32>
    %gc = sdy.all_to_all [{"x"}: 0->1] %c out_sharding=<@mesh, [{}, {"x"}]> : tensor<16x16xf32>
    %gt = sdy.all_to_all [{"x"}: 0->1] %t out_sharding=<@mesh, [{}, {"x"}]> : tensor<16x16xf32>
    %ge = sdy.all_to_all [{"x"}: 0->1] %e out_sharding=<@mesh, [{}, {"x"}]> : tensor<16x16xf32>
    %a = stablehlo.multiply %x, %gs {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : tensor<16x16xf32>
    %b = stablehlo.multiply %a, %gc {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : tensor<16x16xf32>
    %d = stablehlo.multiply %b, %ge {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : tensor<16x16xf32>
    %y = stablehlo.multiply %d, %gt {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : tensor<16x16xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %w, %y : tensor<i32>, tensor<16x16xf32>, tensor<16x16xf32>
  }
  return %r#2 : tensor<16x16xf32>
}
