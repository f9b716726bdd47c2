// RUN: shardwright-opt %s --split-input-file --sw-print-program -o /dev/null | FileCheck %s

// A scan: the invariant operand is not copied, rows are written in place, the
// results are the caller's buffers from the start.
// CHECK-DAG:  [[XS:\$[0-9]+]] = argument 0 f32[6x16]
// CHECK-DAG:  [[C:\$[0-9]+]] = result 0 f32[16]
// CHECK-DAG:  [[YS:\$[0-9]+]] = result 1 f32[6x16]
// CHECK:      kernel {{.*}} -> [[YS]]
// CHECK:      jump_if_false
// CHECK-NOT:  copy [[XS]]
// CHECK:      kernel {{[0-9]+}} {{.*}}[[YS]]{{.*}} -> {{.*}}[[YS]]
// CHECK-NOT:  copy {{.*}} -> [[YS]]
// The carried values are replaced element by element.
// CHECK-NOT:  copy
// CHECK:      jump to
// CHECK-NEXT: return
func.func @scan(%xs: tensor<6x16xf32>, %init: tensor<16xf32>) -> (tensor<16xf32>, tensor<6x16xf32>) {
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<6> : tensor<i32>
  %z = stablehlo.constant dense<0.0> : tensor<600x16xf32>
  %ys = stablehlo.slice %z [0:6, 0:16] : (tensor<600x16xf32>) -> tensor<6x16xf32>
  %ys1 = stablehlo.negate %ys : tensor<6x16xf32>
  %w:4 = stablehlo.while(%k = %0, %x = %xs, %c = %init, %y = %ys1) : tensor<i32>, tensor<6x16xf32>, tensor<16xf32>, tensor<6x16xf32>
    cond {
      %g = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %g : tensor<i1>
    } do {
      %s = stablehlo.dynamic_slice %x, %k, %0, sizes = [1, 16] : (tensor<6x16xf32>, tensor<i32>, tensor<i32>) -> tensor<1x16xf32>
      %f = stablehlo.reshape %s : (tensor<1x16xf32>) -> tensor<16xf32>
      %h = stablehlo.add %f, %c : tensor<16xf32>
      %u = stablehlo.reshape %h : (tensor<16xf32>) -> tensor<1x16xf32>
      %o = stablehlo.dynamic_update_slice %y, %u, %k, %0 : (tensor<6x16xf32>, tensor<1x16xf32>, tensor<i32>, tensor<i32>) -> tensor<6x16xf32>
      %k1 = stablehlo.add %k, %1 : tensor<i32>
      stablehlo.return %k1, %x, %h, %o : tensor<i32>, tensor<6x16xf32>, tensor<16xf32>, tensor<6x16xf32>
    }
  return %w#2, %w#3 : tensor<16xf32>, tensor<6x16xf32>
}

// -----

// Values that change places are copied through a third buffer.
// CHECK:      jump_if_false
// CHECK:      copy [[A:\$[0-9]+]] -> [[T:\$[0-9]+]]
// CHECK-NEXT: copy [[B:\$[0-9]+]] -> [[U:\$[0-9]+]]
// CHECK:      copy [[T]] -> [[B]]
// CHECK-NEXT: copy [[U]] -> [[A]]
func.func @swap(%a: tensor<4xf32>, %b: tensor<4xf32>, %n: tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.constant dense<1> : tensor<i32>
  %w:3 = stablehlo.while(%k = %0, %x = %a, %y = %b) : tensor<i32>, tensor<4xf32>, tensor<4xf32>
    cond {
      %g = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %g : tensor<i1>
    } do {
      %k1 = stablehlo.add %k, %1 : tensor<i32>
      stablehlo.return %k1, %y, %x : tensor<i32>, tensor<4xf32>, tensor<4xf32>
    }
  return %w#1, %w#2 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Equal layers are one kernel.
// CHECK-COUNT-2: kernel 0
// CHECK-NOT:     kernel 1
func.func @layers(%x: tensor<8x32xf32>, %w: tensor<32x32xf32>) -> tensor<8x32xf32> {
  %a = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
  %b = stablehlo.tanh %a : tensor<8x32xf32>
  %c = stablehlo.dot_general %b, %w, contracting_dims = [1] x [0] : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
  %d = stablehlo.tanh %c : tensor<8x32xf32>
  return %d : tensor<8x32xf32>
}
