// RUN: shardwright-opt %s --split-input-file --sw-print-clusters -o /dev/null | FileCheck %s

// One kernel: the row stays in scratch between the loops.
// CHECK-LABEL: kernel row rows=[32] tail=[64] lanes=16 scratch=%6
// CHECK-NEXT:    %0 = param f32[32,64]
// CHECK:         %6 = exp f32[32,64]
// CHECK:         -> %9
// CHECK-NOT:   kernel
func.func @softmax(%x: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<32x64xf32>, tensor<f32>) -> tensor<32xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<32xf32>) -> tensor<32x64xf32>
  %d = stablehlo.subtract %x, %mb : tensor<32x64xf32>
  %e = stablehlo.exponential %d : tensor<32x64xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<32x64xf32>, tensor<f32>) -> tensor<32xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<32xf32>) -> tensor<32x64xf32>
  %r = stablehlo.divide %e, %sb : tensor<32x64xf32>
  return %r : tensor<32x64xf32>
}

// -----

// Sums over the leading dimension go by columns; what both need is read once.
// CHECK-LABEL: kernel column rows=[] tail=[64] reduced=[96] lanes=16
// CHECK:         multiply f32[8,12,64] %0 %1
// CHECK-NOT:   kernel
func.func @columns(%x: tensor<8x12x64xf32>, %y: tensor<8x12x64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.multiply %x, %y : tensor<8x12x64xf32>
  %a = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x12x64xf32>, tensor<f32>) -> tensor<64xf32>
  %h = stablehlo.multiply %a, %a : tensor<64xf32>
  return %a, %h : tensor<64xf32>, tensor<64xf32>
}

// -----

// A transposed operand is read by blocks, but where there is little of it.
// CHECK-LABEL: kernel map rows=[64] tail=[64] lanes=16 transposed=0
// CHECK-NOT:   kernel
func.func @transposed(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %t = stablehlo.transpose %y, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = stablehlo.add %x, %t : tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// -----

// Reshapes and slices of leading blocks are views; dots take transposes as strides,
// on their operands and on their result.
// CHECK:      view offset=160
// CHECK-NEXT: view offset=0
// CHECK-NEXT: stablehlo.dot_general
// CHECK-NOT:  kernel
func.func @views(%x: tensor<4x10x4xf32>, %y: tensor<6x4xf32>) -> tensor<6x10xf32> {
  %s = stablehlo.slice %x [1:2, 0:10, 0:4] : (tensor<4x10x4xf32>) -> tensor<1x10x4xf32>
  %r = stablehlo.reshape %s : (tensor<1x10x4xf32>) -> tensor<10x4xf32>
  %t = stablehlo.transpose %y, dims = [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>
  %d = stablehlo.dot_general %t, %r, contracting_dims = [0] x [1] : (tensor<4x6xf32>, tensor<10x4xf32>) -> tensor<6x10xf32>
  return %d : tensor<6x10xf32>
}

// -----

// A dear value that two sizes of loops need is computed once, in its own kernel.
// CHECK-LABEL: kernel map rows=[] tail=[64]
// CHECK:         exp f32[64]
// CHECK-LABEL: kernel map rows=[100] tail=[64]
// CHECK-NOT:     exp
func.func @dear(%x: tensor<100x64xf32>, %g: tensor<64xf32>) -> tensor<100x64xf32> {
  %e = stablehlo.exponential %g : tensor<64xf32>
  %b = stablehlo.broadcast_in_dim %e, dims = [1] : (tensor<64xf32>) -> tensor<100x64xf32>
  %r = stablehlo.multiply %x, %b : tensor<100x64xf32>
  return %r : tensor<100x64xf32>
}
