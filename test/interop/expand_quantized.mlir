// RUN: shardwright-opt %s --split-input-file --sw-expand-quantized --verify-diagnostics | FileCheck %s

!q = !quant.uniform<i8:f32, 0.1:-3>
!u = !quant.uniform<u8:f32, 0.3:10>
!w = !quant.uniform<i8<-127:127>:f32:1, {0.1,0.2}>

// CHECK-LABEL: func.func @conversions
// CHECK-SAME:    (%[[X:.*]]: tensor<2x2xf32>) -> (tensor<2x2xi8>, tensor<2x2xf32>)
// CHECK:         %[[S:.*]] = stablehlo.constant dense<1.000000e-01>
// CHECK:         %[[D:.*]] = stablehlo.divide %[[X]], %[[S]]
// CHECK:         %[[Z:.*]] = stablehlo.constant dense<-3.000000e+00>
// CHECK:         %[[A:.*]] = stablehlo.add %[[D]], %[[Z]]
// CHECK:         %[[C:.*]] = stablehlo.clamp %{{.*}}, %[[A]], %{{.*}}
// CHECK:         %[[R:.*]] = stablehlo.round_nearest_even %[[C]]
// CHECK:         %[[Q:.*]] = stablehlo.convert %[[R]] : (tensor<2x2xf32>) -> tensor<2x2xi8>
// CHECK:         %[[F:.*]] = stablehlo.convert %[[Q]] : (tensor<2x2xi8>) -> tensor<2x2xf32>
// CHECK:         %[[M:.*]] = stablehlo.subtract %[[F]]
// CHECK:         %[[P:.*]] = stablehlo.multiply %[[M]]
// CHECK:         return %[[Q]], %[[P]]
func.func @conversions(%x: tensor<2x2xf32>) -> (tensor<2x2x!q>, tensor<2x2xf32>) {
  %0 = stablehlo.uniform_quantize %x : (tensor<2x2xf32>) -> tensor<2x2x!q>
  %1 = stablehlo.uniform_dequantize %0 : (tensor<2x2x!q>) -> tensor<2x2xf32>
  return %0, %1 : tensor<2x2x!q>, tensor<2x2xf32>
}

// What only moves elements moves the integers.
// CHECK-LABEL: func.func @movement
// CHECK-NEXT:    stablehlo.transpose %{{.*}}, dims = [1, 0] : (tensor<2x3xi8>) -> tensor<3x2xi8>
// CHECK-NEXT:    return
func.func @movement(%x: tensor<2x3x!q>) -> tensor<3x2x!q> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3x!q>) -> tensor<3x2x!q>
  return %0 : tensor<3x2x!q>
}

// A constant holds the integers that store it.
// CHECK-LABEL: func.func @constant
// CHECK-NEXT:    %[[C:.*]] = stablehlo.constant dense<[1, -2]> : tensor<2xi8>
// CHECK-NEXT:    %[[U:.*]] = stablehlo.constant dense<200> : tensor<2xui8>
// CHECK-NEXT:    return %[[C]], %[[U]] : tensor<2xi8>, tensor<2xui8>
func.func @constant() -> (tensor<2x!q>, tensor<2x!u>) {
  %0 = stablehlo.constant() <{value = dense<[1, -2]> : tensor<2xi8>}> : () -> tensor<2x!q>
  %1 = stablehlo.constant() <{value = dense<-56> : tensor<2xi8>}> : () -> tensor<2x!u>
  return %0, %1 : tensor<2x!q>, tensor<2x!u>
}

// CHECK-LABEL: func.func @per_axis
// CHECK:         stablehlo.constant dense<[1.000000e-01, 2.000000e-01]> : tensor<2xf32>
// CHECK:         stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
// CHECK:         stablehlo.convert %{{.*}} : (tensor<2x2xf32>) -> tensor<2x2xui8>
func.func @per_axis(%x: tensor<2x2x!q>, %w: tensor<2x2x!w>) -> tensor<2x2x!u> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x2x!q>, tensor<2x2x!w>) -> tensor<2x2x!u>
  return %0 : tensor<2x2x!u>
}

// CHECK-LABEL: func.func @region
// CHECK:         ^bb0(%{{.*}}: tensor<i8>, %{{.*}}: tensor<i8>)
// CHECK:           stablehlo.add %{{.*}}, %{{.*}} : tensor<f32>
// CHECK:           stablehlo.return %{{.*}} : tensor<i8>
func.func @region(%x: tensor<2x3x!q>, %i: tensor<!q>) -> tensor<2x!q> {
  %0 = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 1, 3>}> ({
  ^bb0(%a: tensor<!q>, %b: tensor<!q>):
    %s = stablehlo.add %a, %b : tensor<!q>
    stablehlo.return %s : tensor<!q>
  }) : (tensor<2x3x!q>, tensor<!q>) -> tensor<2x1x!q>
  %1 = stablehlo.reshape %0 : (tensor<2x1x!q>) -> tensor<2x!q>
  return %1 : tensor<2x!q>
}
