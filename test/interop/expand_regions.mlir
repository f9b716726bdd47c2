// Regions become scalar functions of their arguments; reductions whose regions
// cannot be that become loops.
// RUN: shardwright-opt %s -sw-expand-ops | FileCheck %s

// CHECK-LABEL: @captures
// CHECK: %[[WIDE:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<4xf32>
// CHECK: %[[R:.*]]:2 = stablehlo.reduce(%arg0 init: %{{.*}}), (%[[WIDE]] init: %arg1) across dimensions = [0]
// CHECK: reducer(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>) (%[[K:.*]]: tensor<f32>, %[[Y:.*]]: tensor<f32>)
// CHECK: %[[M:.*]] = stablehlo.multiply %[[B]], %[[Y]]
// CHECK: %[[S:.*]] = stablehlo.add %[[A]], %[[M]]
// CHECK: stablehlo.return %[[S]], %[[K]]
// CHECK: return %[[R]]#0
func.func @captures(%x: tensor<4xf32>, %y: tensor<f32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.multiply %b, %y : tensor<f32>
    %s = stablehlo.add %a, %m : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// CHECK-LABEL: @branches
// CHECK-NOT: stablehlo.case
// CHECK: ^bb0(%[[A:.*]]: tensor<i32>, %[[B:.*]]: tensor<i32>):
// CHECK: %[[LT:.*]] = stablehlo.compare LT, %[[A]], %[[B]]
// CHECK: %[[GT:.*]] = stablehlo.compare GT, %[[A]], %[[B]]
// CHECK: %[[IS:.*]] = stablehlo.compare EQ, %[[A]], %{{.*}}
// CHECK: %[[S:.*]] = stablehlo.select %[[IS]], %[[LT]], %[[GT]]
// CHECK: stablehlo.return %[[S]]
func.func @branches(%x: tensor<4xi32>) -> tensor<4xi32> {
  %r = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = "stablehlo.case"(%a) ({
      %t = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %t : tensor<i1>
    }, {
      %t = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %t : tensor<i1>
    }) : (tensor<i32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<4xi32>) -> tensor<4xi32>
  return %r : tensor<4xi32>
}

// CHECK-LABEL: @tensors
// CHECK-NOT: stablehlo.reduce(
// CHECK: stablehlo.while
// CHECK: compare LT, %{{.*}}, %{{.*}} : (tensor<i64>, tensor<i64>)
// CHECK: concatenate
// CHECK: dynamic_update_slice
func.func @tensors(%x: tensor<4x3xf32>) -> tensor<3xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %u = stablehlo.reshape %a : (tensor<f32>) -> tensor<1xf32>
    %v = stablehlo.reshape %b : (tensor<f32>) -> tensor<1xf32>
    %w = stablehlo.concatenate %u, %v, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    %s = stablehlo.slice %w [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %t = stablehlo.reshape %s : (tensor<1xf32>) -> tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<f32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
