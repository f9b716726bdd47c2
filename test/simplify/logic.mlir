// RUN: shardwright-opt %s --sw-simplify | FileCheck %s

// CHECK-LABEL: func @bitwise
func.func @bitwise(%x: tensor<4xi8>, %p: tensor<4xi1>) -> (tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi1>, tensor<4xi1>) {
  // CHECK-DAG: %[[ONES:.*]] = stablehlo.constant dense<-1> : tensor<4xi8>
  // CHECK-DAG: %[[FALSE:.*]] = stablehlo.constant dense<false>
  // CHECK-DAG: %[[NOT:.*]] = stablehlo.not %arg0
  // CHECK: return %arg0, %[[ONES]], %[[NOT]], %arg1, %[[FALSE]]
  %zero = stablehlo.constant dense<0> : tensor<4xi8>
  %ones = stablehlo.constant dense<-1> : tensor<4xi8>
  %0 = stablehlo.or %x, %zero : tensor<4xi8>
  %1 = stablehlo.or %x, %ones : tensor<4xi8>
  %2 = stablehlo.xor %x, %ones : tensor<4xi8>
  %3 = stablehlo.not %p : tensor<4xi1>
  %4 = stablehlo.not %3 : tensor<4xi1>
  %5 = stablehlo.and %3, %p : tensor<4xi1>
  return %0, %1, %2, %4, %5 : tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: func @not_of_compare
func.func @not_of_compare(%x: tensor<4xf32>, %y: tensor<4xf32>, %i: tensor<4xi32>, %j: tensor<4xi32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  // With NaN neither x < y nor x >= y holds.
  // CHECK: %[[LT:.*]] = stablehlo.compare LT, %arg0, %arg1
  // CHECK: %[[A:.*]] = stablehlo.not %[[LT]]
  // CHECK: %[[B:.*]] = stablehlo.compare NE, %arg0, %arg1
  // CHECK: %[[C:.*]] = stablehlo.compare GE, %arg2, %arg3
  // CHECK: %[[D:.*]] = stablehlo.compare LE, %arg0, %arg1, TOTALORDER
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  %0 = stablehlo.compare LT, %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = stablehlo.not %0 : tensor<4xi1>
  %2 = stablehlo.compare EQ, %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %3 = stablehlo.not %2 : tensor<4xi1>
  %4 = stablehlo.compare LT, %i, %j : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %5 = stablehlo.not %4 : tensor<4xi1>
  %6 = stablehlo.compare GT, %x, %y, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %7 = stablehlo.not %6 : tensor<4xi1>
  return %1, %3, %5, %7 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: func @compare_same
func.func @compare_same(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  // CHECK-DAG: %[[FALSE:.*]] = stablehlo.constant dense<false>
  // CHECK-DAG: %[[TRUE:.*]] = stablehlo.constant dense<true>
  // CHECK-DAG: %[[NAN:.*]] = stablehlo.compare NE, %arg0, %arg0
  // CHECK: return %[[NAN]], %[[FALSE]], %[[TRUE]]
  %0 = stablehlo.compare NE, %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = stablehlo.compare LT, %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %2 = stablehlo.compare GE, %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  return %0, %1, %2 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: func @compare_constants
func.func @compare_constants(%p: tensor<4xi1>, %u: tensor<4xui32>, %x: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  // CHECK-DAG: %[[FALSE:.*]] = stablehlo.constant dense<false>
  // CHECK-DAG: %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00>
  // CHECK-DAG: %[[NOT:.*]] = stablehlo.not %arg0
  // CHECK-DAG: %[[GT:.*]] = stablehlo.compare GT, %arg2, %[[ZERO]]
  // CHECK: return %arg0, %[[NOT]], %[[FALSE]], %[[GT]]
  %zero = stablehlo.constant dense<0> : tensor<4xi32>
  %c1 = stablehlo.constant dense<7> : tensor<4xi32>
  %c2 = stablehlo.constant dense<9> : tensor<4xi32>
  %uzero = stablehlo.constant dense<0> : tensor<4xui32>
  %fzero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %n = stablehlo.convert %p : (tensor<4xi1>) -> tensor<4xi32>
  %0 = stablehlo.compare NE, %n, %zero : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %s = stablehlo.select %p, %c1, %c2 : tensor<4xi1>, tensor<4xi32>
  %1 = stablehlo.compare EQ, %s, %c2 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %2 = stablehlo.compare LT, %u, %uzero : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xi1>
  %3 = stablehlo.compare LT, %fzero, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %0, %1, %2, %3 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: func @select
func.func @select(%p: tensor<4xi1>, %q: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi1>) {
  // CHECK-DAG: %[[SWAPPED:.*]] = stablehlo.select %arg0, %arg3, %arg2
  // CHECK-DAG: %[[NESTED:.*]] = stablehlo.select %arg0, %arg2, %arg4
  // CHECK-DAG: %[[AND:.*]] = stablehlo.and %arg0, %arg1
  // CHECK-DAG: %[[OR:.*]] = stablehlo.or %arg0, %arg1
  // CHECK: return %arg2, %[[SWAPPED]], %[[NESTED]], %[[AND]], %[[OR]]
  %true = stablehlo.constant dense<true> : tensor<i1>
  %yes = stablehlo.constant dense<true> : tensor<4xi1>
  %no = stablehlo.constant dense<false> : tensor<4xi1>
  %0 = stablehlo.select %true, %a, %b : tensor<i1>, tensor<4xf32>
  %n = stablehlo.not %p : tensor<4xi1>
  %1 = stablehlo.select %n, %a, %b : tensor<4xi1>, tensor<4xf32>
  %2 = stablehlo.select %p, %a, %b : tensor<4xi1>, tensor<4xf32>
  %3 = stablehlo.select %p, %2, %c : tensor<4xi1>, tensor<4xf32>
  %4 = stablehlo.select %p, %q, %no : tensor<4xi1>, tensor<4xi1>
  %5 = stablehlo.select %p, %yes, %q : tensor<4xi1>, tensor<4xi1>
  return %0, %1, %3, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: func @clamp
func.func @clamp(%x: tensor<4xi8>, %f: tensor<4xf32>, %lo: tensor<f32>, %hi: tensor<f32>) -> (tensor<4xi8>, tensor<4xf32>) {
  // CHECK: %[[ONCE:.*]] = stablehlo.clamp %arg2, %arg1, %arg3
  // CHECK: return %arg0, %[[ONCE]]
  %least = stablehlo.constant dense<-128> : tensor<i8>
  %most = stablehlo.constant dense<127> : tensor<i8>
  %0 = stablehlo.clamp %least, %x, %most : (tensor<i8>, tensor<4xi8>, tensor<i8>) -> tensor<4xi8>
  %1 = stablehlo.clamp %lo, %f, %hi : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = stablehlo.clamp %lo, %1, %hi : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %2 : tensor<4xi8>, tensor<4xf32>
}
