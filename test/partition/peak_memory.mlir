// The predicted peak of programs of one device: what is alive, and where.
// RUN: shardwright-opt %s --split-input-file --sw-print-peak-memory -o /dev/null | FileCheck %s

// Arguments and results are alive during the whole run; the product is a
// temporary until the sum is made.
// CHECK:      peak: 1600 bytes at stablehlo.dot_general
// CHECK-NEXT:   512 argument #0 : tensor<8x16xf32>
// CHECK-NEXT:   512 argument #1 : tensor<16x8xf32>
// CHECK-NEXT:   256 result #0 : tensor<8x8xf32>
// CHECK-NEXT:   256 temporary of stablehlo.dot_general : tensor<8x8xf32>
// CHECK-NEXT:   64 argument #2
func.func @main(%a: tensor<8x16xf32>, %b: tensor<16x8xf32>, %c: tensor<8x2xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.tanh %0 : tensor<8x8xf32>
  %2 = stablehlo.add %0, %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

// A donated argument and the result in its memory count once.
// CHECK:      peak: 1024 bytes{{$}}
// CHECK-NEXT:   512 state #0 : tensor<128xf32>
// CHECK-NEXT:   512 argument #1 : tensor<128xf32>
// CHECK-NOT:    result
func.func @main(%a: tensor<128xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<128xf32>) -> tensor<128xf32> {
  %0 = stablehlo.multiply %b, %b : tensor<128xf32>
  %1 = stablehlo.add %a, %0 : tensor<128xf32>
  return %1 : tensor<128xf32>
}

// -----

// The result is written while the donated argument is still read: both count.
// CHECK:      peak: 3072 bytes{{$}}
// CHECK-NEXT:   1024 argument #0
// CHECK-NEXT:   1024 result #0
// CHECK-NEXT:   1024 result #1
func.func @main(%a: tensor<16x16xf32> {jax.buffer_donor = true}) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = stablehlo.dot_general %0, %a, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %0, %1 : tensor<16x16xf32>, tensor<16x16xf32>
}

// -----

// A loop carries its values once, in the memory of the results. What it reads
// from outside is alive until its end.
// CHECK:      peak: 3136 bytes at stablehlo.dot_general
// CHECK-NEXT:   1024 argument #0
// CHECK-NEXT:   1024 result #0
// CHECK-NEXT:   1024 temporary of stablehlo.dot_general
// CHECK-NEXT:   64 temporary of stablehlo.while : tensor<i32>
func.func @main(%a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<16x16xf32>
    cond {
      %n = stablehlo.constant dense<4> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %i, %one : tensor<i32>
      %2 = stablehlo.dot_general %x, %a, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %3 = stablehlo.tanh %2 : tensor<16x16xf32>
      stablehlo.return %1, %3 : tensor<i32>, tensor<16x16xf32>
    }
  return %0#1 : tensor<16x16xf32>
}
