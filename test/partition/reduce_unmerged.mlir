// Reductions of a dimension that a reshape made of several sharded ones: over
// these, so that some numbers are sent, not the array.
// RUN: shardwright-opt %s --sw-partition | FileCheck %s

sdy.mesh @mesh = <["x"=4, "y"=2]>
sdy.mesh @one = <[], device_ids=[0]>

// An argmax over all elements.
// CHECK-LABEL: @argmax
// CHECK-NOT: "stablehlo.{{all|collective}}
// CHECK: stablehlo.reduce{{.*}} -> (tensor<1x1xf32>, tensor<1x1xi32>)
// CHECK: "stablehlo.all_gather"({{.*}}) {{.*}} -> (tensor<8x1x1xf32>, tensor<8x1x1xi32>)
// CHECK-NOT: "stablehlo.{{all|collective}}
// CHECK: return
func.func @argmax(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<i32> {
  %0 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8x16xf32>) -> tensor<128xf32>
  %1 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<128xi32>
  %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %2:2 = stablehlo.reduce(%0 init: %cst), (%1 init: %c) across dimensions = [0] : (tensor<128xf32>, tensor<128xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>)  {
    %gt = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %eq = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %lt = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %and = stablehlo.and %eq, %lt : tensor<i1>
    %or = stablehlo.or %gt, %and : tensor<i1>
    %v = stablehlo.select %gt, %a, %b : tensor<i1>, tensor<f32>
    %k = stablehlo.select %or, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %v, %k : tensor<f32>, tensor<i32>
  }
  return %2#1 : tensor<i32>
}

// A sum of squares; the other dimension of the result stays.
// CHECK-LABEL: @squares
// CHECK-SAME: (%arg0: tensor<6x2x8xf32>)
// CHECK-NOT: "stablehlo.{{all|collective}}
// CHECK: %[[S:.*]] = stablehlo.reduce({{.*}}) applies stablehlo.add across dimensions = [1, 2] : (tensor<6x2x8xf32>, tensor<f32>) -> tensor<6xf32>
// CHECK: "stablehlo.all_reduce"(%[[S]])
// CHECK-NOT: "stablehlo.{{all|collective}}
// CHECK: return
func.func @squares(%arg0: tensor<6x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {"y"}]>}) -> tensor<6xf32> {
  %0 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<6x8x16xf32>) -> tensor<6x128xf32>
  %1 = stablehlo.multiply %0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : tensor<6x128xf32>
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<6x128xf32>, tensor<f32>) -> tensor<6xf32>
  return %2 : tensor<6xf32>
}

// What else reads the squares needs them in one dimension: they are made once.
// CHECK-LABEL: @read_merged
// CHECK: "stablehlo.all_gather"(%arg0)
// CHECK: stablehlo.multiply
// CHECK-NOT: stablehlo.multiply
// CHECK: return
func.func @read_merged(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<f32>, tensor<128xf32>) {
  %0 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8x16xf32>) -> tensor<128xf32>
  %1 = stablehlo.multiply %0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<128xf32>
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<128xf32>, tensor<f32>) -> tensor<f32>
  return %2, %1 : tensor<f32>, tensor<128xf32>
}

// What is for one device has a sharding without dimensions.
// CHECK-LABEL: @one_device
// CHECK-NOT: "stablehlo.{{all|collective}}
// CHECK: stablehlo.reduce(
// CHECK: return
func.func @one_device(%arg0: tensor<8x16xf32>) -> tensor<f32> {
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : tensor<8x16xf32>
  %1 = stablehlo.reshape %0 : (tensor<8x16xf32>) -> tensor<128xf32>
  %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<128xf32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}
