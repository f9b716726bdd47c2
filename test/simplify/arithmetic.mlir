// RUN: shardwright-opt %s --sw-simplify | FileCheck %s
// RUN: shardwright-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func @float_add_zero
func.func @float_add_zero(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // -0 + 0 is 0: only -0 is neutral.
  // CHECK: %[[SUM:.*]] = stablehlo.add %arg0, %cst
  // CHECK: return %arg0, %[[SUM]], %arg0
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %negative = stablehlo.constant dense<-0.0> : tensor<4xf32>
  %0 = stablehlo.add %negative, %x : tensor<4xf32>
  %1 = stablehlo.add %x, %zero : tensor<4xf32>
  %2 = stablehlo.subtract %x, %zero : tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @add_zero_to_what_is_not_negative_zero
func.func @add_zero_to_what_is_not_negative_zero(%x: tensor<4xi32>) -> tensor<4xf32> {
  // CHECK: %[[F:.*]] = stablehlo.convert
  // CHECK-NEXT: return %[[F]]
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %0 = stablehlo.convert %x : (tensor<4xi32>) -> tensor<4xf32>
  %1 = stablehlo.add %0, %zero : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func @float_stays
func.func @float_stays(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // NaN - NaN and 0 * infinity are NaN.
  // CHECK: stablehlo.subtract %arg0, %arg0
  // CHECK: stablehlo.multiply %arg0, %cst
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %0 = stablehlo.subtract %x, %x : tensor<4xf32>
  %1 = stablehlo.multiply %x, %zero : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @integers
func.func @integers(%x: tensor<4xi32>, %y: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  // CHECK-DAG: %[[ZERO:.*]] = stablehlo.constant dense<0> : tensor<4xi32>
  // CHECK-DAG: %[[NEG:.*]] = stablehlo.negate %arg0
  // CHECK-DAG: %[[SQUARE:.*]] = stablehlo.multiply %arg0, %arg0
  // CHECK: return %[[ZERO]], %[[ZERO]], %[[NEG]], %arg0, %[[SQUARE]]
  %zero = stablehlo.constant dense<0> : tensor<4xi32>
  %two = stablehlo.constant dense<2> : tensor<4xi32>
  %minus = stablehlo.constant dense<-1> : tensor<4xi32>
  %0 = stablehlo.subtract %x, %x : tensor<4xi32>
  %1 = stablehlo.multiply %zero, %x : tensor<4xi32>
  %2 = stablehlo.multiply %x, %minus : tensor<4xi32>
  %3 = stablehlo.add %x, %y : tensor<4xi32>
  %4 = stablehlo.subtract %3, %y : tensor<4xi32>
  %5 = stablehlo.power %x, %two : tensor<4xi32>
  return %0, %1, %2, %4, %5 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// CHECK-LABEL: func @constants_come_together
func.func @constants_come_together(%x: tensor<4xi8>) -> tensor<4xi8> {
  // 100 + 100 - 50 = 150 wraps to -106.
  // CHECK: %[[C:.*]] = stablehlo.constant dense<-106> : tensor<4xi8>
  // CHECK-NEXT: %[[R:.*]] = stablehlo.add %arg0, %[[C]]
  // CHECK-NEXT: return %[[R]]
  %a = stablehlo.constant dense<100> : tensor<4xi8>
  %b = stablehlo.constant dense<50> : tensor<4xi8>
  %0 = stablehlo.add %a, %x : tensor<4xi8>
  %1 = stablehlo.add %0, %a : tensor<4xi8>
  %2 = stablehlo.subtract %1, %b : tensor<4xi8>
  return %2 : tensor<4xi8>
}

// CHECK-LABEL: func @divide_by_power_of_two
func.func @divide_by_power_of_two(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-DAG: %[[EIGHTH:.*]] = stablehlo.constant dense<1.250000e-01>
  // CHECK-DAG: %[[THREE:.*]] = stablehlo.constant dense<3.000000e+00>
  // CHECK-DAG: %[[P:.*]] = stablehlo.multiply %arg0, %[[EIGHTH]]
  // CHECK-DAG: %[[Q:.*]] = stablehlo.divide %arg0, %[[THREE]]
  // CHECK: return %[[P]], %[[Q]], %arg0
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %three = stablehlo.constant dense<3.0> : tensor<4xf32>
  %eight = stablehlo.constant dense<8.0> : tensor<4xf32>
  %0 = stablehlo.divide %x, %eight : tensor<4xf32>
  %1 = stablehlo.divide %x, %three : tensor<4xf32>
  %2 = stablehlo.divide %x, %one : tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @extrema
func.func @extrema(%x: tensor<4xf32>, %i: tensor<4xui8>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xui8>, tensor<4xui8>, tensor<4xf32>) {
  // The maximum with infinity is NaN for NaN.
  // CHECK-DAG: %[[INF:.*]] = stablehlo.constant dense<0x7F800000>
  // CHECK-DAG: %[[MAX:.*]] = stablehlo.maximum %arg0, %[[INF]]
  // CHECK-DAG: %[[FIVE:.*]] = stablehlo.constant dense<5.000000e+00>
  // CHECK-DAG: %[[BOTH:.*]] = stablehlo.maximum %arg0, %[[FIVE]]
  // CHECK-DAG: %[[LARGEST:.*]] = stablehlo.constant dense<255>
  // CHECK: return %arg0, %[[MAX]], %arg1, %[[LARGEST]], %[[BOTH]]
  %inf = stablehlo.constant dense<0x7F800000> : tensor<4xf32>
  %minf = stablehlo.constant dense<0xFF800000> : tensor<4xf32>
  %three = stablehlo.constant dense<3.0> : tensor<4xf32>
  %five = stablehlo.constant dense<5.0> : tensor<4xf32>
  %least = stablehlo.constant dense<0> : tensor<4xui8>
  %largest = stablehlo.constant dense<255> : tensor<4xui8>
  %0 = stablehlo.maximum %x, %minf : tensor<4xf32>
  %1 = stablehlo.maximum %x, %inf : tensor<4xf32>
  %2 = stablehlo.maximum %i, %least : tensor<4xui8>
  %3 = stablehlo.maximum %i, %largest : tensor<4xui8>
  %4 = stablehlo.maximum %x, %three : tensor<4xf32>
  %5 = stablehlo.maximum %4, %five : tensor<4xf32>
  return %0, %1, %2, %3, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xui8>, tensor<4xui8>, tensor<4xf32>
}

// CHECK-LABEL: func @unary
func.func @unary(%x: tensor<4xf32>, %z: tensor<4xcomplex<f32>>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xcomplex<f32>>, tensor<4xf32>) {
  // CHECK-DAG: %[[ABS:.*]] = stablehlo.abs %arg0
  // CHECK-DAG: %[[FLOOR:.*]] = stablehlo.floor %arg0
  // CHECK: return %arg0, %[[ABS]], %[[FLOOR]], %arg1, %arg0
  %0 = stablehlo.negate %x : tensor<4xf32>
  %1 = stablehlo.negate %0 : tensor<4xf32>
  %2 = stablehlo.abs %0 : tensor<4xf32>
  %3 = stablehlo.abs %2 : tensor<4xf32>
  %4 = stablehlo.floor %x : tensor<4xf32>
  %5 = stablehlo.ceil %4 : tensor<4xf32>
  %6 = stablehlo.real %z : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %7 = stablehlo.imag %z : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %8 = stablehlo.complex %6, %7 : tensor<4xcomplex<f32>>
  %9 = stablehlo.complex %x, %6 : tensor<4xcomplex<f32>>
  %10 = stablehlo.real %9 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return %1, %3, %5, %8, %10 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xcomplex<f32>>, tensor<4xf32>
}
