// RUN: shardwright-opt %s --sw-simplify | FileCheck %s

// CHECK-LABEL: func @unit_dims
func.func @unit_dims(%x: tensor<4x1x3xf32>, %z: tensor<f32>) -> (tensor<4x3xf32>, tensor<4xf32>) {
  // CHECK-DAG: %[[FLAT:.*]] = stablehlo.reshape %arg0 : (tensor<4x1x3xf32>) -> tensor<4x3xf32>
  // CHECK-DAG: %[[INIT:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
  // CHECK-DAG: %[[ONCE:.*]] = stablehlo.add %[[INIT]], %[[FLAT]]
  // CHECK-DAG: %[[SUM:.*]] = stablehlo.reduce(%[[FLAT]] init: %arg1) applies stablehlo.add across dimensions = [1]
  // CHECK: return %[[ONCE]], %[[SUM]]
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x1x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  %1 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1, 2] : (tensor<4x1x3xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1 : tensor<4x3xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @nothing
func.func @nothing(%x: tensor<4x0xf32>, %z: tensor<f32>) -> tensor<4xf32> {
  // CHECK: stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x0xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @constants
func.func @constants() -> (tensor<2xi8>, tensor<f32>, tensor<f32>) {
  // Sums of floats depend on their order; maxima do not.
  // CHECK-DAG: %[[I:.*]] = stablehlo.constant dense<[-56, 3]> : tensor<2xi8>
  // CHECK-DAG: %[[M:.*]] = stablehlo.constant dense<3.000000e+00> : tensor<f32>
  // CHECK-DAG: %[[S:.*]] = stablehlo.reduce
  // CHECK: return %[[I]], %[[M]], %[[S]]
  %i = stablehlo.constant dense<[[100, 100], [1, 2]]> : tensor<2x2xi8>
  %f = stablehlo.constant dense<[1.0, 3.0, 2.0]> : tensor<3xf32>
  %zero = stablehlo.constant dense<0> : tensor<i8>
  %fzero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%i init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x2xi8>, tensor<i8>) -> tensor<2xi8>
  %1 = stablehlo.reduce(%f init: %fzero) applies stablehlo.maximum across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.reduce(%f init: %fzero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  return %0, %1, %2 : tensor<2xi8>, tensor<f32>, tensor<f32>
}

// CHECK-LABEL: func @dead_results
func.func @dead_results(%x: tensor<4xf32>, %y: tensor<4xf32>, %i: tensor<4xi32>, %z: tensor<f32>, %k: tensor<i32>) -> (tensor<f32>, tensor<4xf32>) {
  // CHECK: %[[R:.*]] = stablehlo.reduce(%arg0 init: %arg3) applies stablehlo.add
  // CHECK: %[[S:.*]] = "stablehlo.sort"(%arg0)
  // CHECK: return %[[R]], %[[S]]
  %0:2 = stablehlo.reduce(%x init: %z), (%i init: %k) across dimensions = [0] : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {
    %s = stablehlo.add %a, %b : tensor<f32>
    %t = stablehlo.add %c, %d : tensor<i32>
    stablehlo.return %s, %t : tensor<f32>, tensor<i32>
  }
  %1:2 = "stablehlo.sort"(%x, %y) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %lt = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %lt : tensor<i1>
  }) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %1#0 : tensor<f32>, tensor<4xf32>
}

// CHECK-LABEL: func @map_and_sort_of_one
func.func @map_and_sort_of_one(%x: tensor<4xf32>, %y: tensor<1x3xf32>) -> (tensor<4xf32>, tensor<1x3xf32>) {
  // CHECK: %[[TWO:.*]] = stablehlo.constant dense<2.000000e+00> : tensor<4xf32>
  // CHECK: %[[P:.*]] = stablehlo.multiply %arg0, %[[TWO]]
  // CHECK: return %[[P]], %arg1
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>):
    %two = stablehlo.constant dense<2.0> : tensor<f32>
    %p = stablehlo.multiply %a, %two : tensor<f32>
    stablehlo.return %p : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.sort"(%y) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %lt = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %lt : tensor<i1>
  }) : (tensor<1x3xf32>) -> tensor<1x3xf32>
  return %0, %1 : tensor<4xf32>, tensor<1x3xf32>
}
