// RUN: shardwright-opt %s --split-input-file --sw-expand-ops --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @unary_einsum
// CHECK:         %[[S:.*]] = stablehlo.reduce(%arg0 init: %{{.*}}) applies stablehlo.add across dimensions = [1]
// CHECK:         %[[T:.*]] = stablehlo.transpose %[[S]], dims = [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32>
// CHECK:         return %[[T]]
func.func @unary_einsum(%x: tensor<2x3x4xf32>) -> tensor<4x2xf32> {
  %0 = stablehlo.unary_einsum %x, config = "abc->ca" : (tensor<2x3x4xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// A label twice is the diagonal.
// CHECK-LABEL: func.func @diagonal
// CHECK:         stablehlo.compare EQ
// CHECK:         stablehlo.select
// CHECK:         stablehlo.reduce
func.func @diagonal(%x: tensor<3x3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.unary_einsum %x, config = "aa->a" : (tensor<3x3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// Shardings go to the operation that makes the result now.
// CHECK-LABEL: func.func @dot
// CHECK:         stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] {sdy.sharding
sdy.mesh @mesh = <["x"=2]>
func.func @dot(%a: tensor<4x3xf32>, %b: tensor<3x5xf32>) -> tensor<4x5xf32> {
  %0 = stablehlo.dot %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// A start that is not known, of a result that is: a window at the start.
// CHECK-LABEL: func.func @slice
// CHECK:         %[[W:.*]] = stablehlo.dynamic_slice %arg0, %{{.*}}, sizes = [3]
// CHECK:         stablehlo.slice %[[W]] [0:3:2]
func.func @slice(%x: tensor<8xf32>, %start: tensor<1xi32>, %limit: tensor<1xi32>) -> tensor<2xf32> {
  %s = stablehlo.constant dense<2> : tensor<1xi32>
  %0 = stablehlo.real_dynamic_slice %x, %start, %limit, %s : (tensor<8xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @tuple
// CHECK-NEXT:    return %arg0
func.func @tuple(%x: tensor<4xf32>, %y: tensor<i32>) -> tensor<4xf32> {
  %0 = stablehlo.tuple %x, %y : tuple<tensor<4xf32>, tensor<i32>>
  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<4xf32>, tensor<i32>>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @map(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>):
    // expected-error @+1 {{op 'stablehlo.optimization_barrier' in the region of 'stablehlo.map' is not supported, expected elementwise operations}}
    %b = stablehlo.optimization_barrier %a : tensor<f32>
    stablehlo.return %b : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
