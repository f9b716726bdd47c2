// RUN: shardwright-opt %s --split-input-file --sw-print-clusters -o /dev/null | FileCheck %s

// Windows of all elements so far: a walk along the dimension, not a loop for
// each element; what comes before and after has kernels of its own.
// CHECK:       kernel map
// CHECK:       kernel scan rows=[] tail=[8x16]
// CHECK:         reduce_window f32[8,16] %0 %1 [1,16]
// CHECK:       kernel map
func.func @cumsum(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.exponential %x : tensor<8x16xf32>
  %z = "stablehlo.reduce_window"(%y, %zero) <{padding = dense<[[0, 0], [15, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 16>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  %r = stablehlo.tanh %z : tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// -----

// From the end, along a leading dimension.
// CHECK:       kernel scan rows=[] tail=[8x16]
func.func @from_the_end(%x: tensor<8x16xi32>) -> tensor<8x16xi32> {
  %low = stablehlo.constant dense<0> : tensor<i32>
  %z = "stablehlo.reduce_window"(%x, %low) <{padding = dense<[[0, 7], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 8, 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.maximum %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<8x16xi32>, tensor<i32>) -> tensor<8x16xi32>
  return %z : tensor<8x16xi32>
}

// -----

// Of some elements only: a window.
// CHECK:       kernel map rows=[8] tail=[16]
func.func @window(%x: tensor<8x16xi32>) -> tensor<8x16xi32> {
  %low = stablehlo.constant dense<0> : tensor<i32>
  %z = "stablehlo.reduce_window"(%x, %low) <{padding = dense<[[0, 0], [3, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 4>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.maximum %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<8x16xi32>, tensor<i32>) -> tensor<8x16xi32>
  return %z : tensor<8x16xi32>
}
