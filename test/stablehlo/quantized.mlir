// Quantized types in the ops that take them, per tensor and per axis.
// RUN: shardwright-opt %s | FileCheck %s
// RUN: shardwright-opt %s --mlir-print-op-generic | shardwright-opt | FileCheck %s

!q = !quant.uniform<i8:f32, 1.000000e-01:-3>
!w = !quant.uniform<i8:f32, 2.000000e-01>
!a = !quant.uniform<i32:f32, 5.000000e-02>
!axis = !quant.uniform<i8:f32:1, {1.000000e-01,2.000000e-01:3}>
!axis0 = !quant.uniform<i8:f32:0, {1.000000e-01,2.000000e-01:3}>
!kernel = !quant.uniform<i8:f32:1, {1.000000e-01,2.000000e-01}>

// CHECK-LABEL: func.func @uniform_quantize(
// CHECK-NEXT: stablehlo.uniform_quantize %arg0 : (tensor<3x2xf32>) -> tensor<3x2x!quant.uniform<i8:f32, 1.000000e-01:-3>>
// CHECK-NEXT: stablehlo.uniform_quantize %arg0 : (tensor<3x2xf32>) -> tensor<3x2x!quant.uniform<i8:f32:1, {1.000000e-01,2.000000e-01:3}>>
// CHECK-NEXT: stablehlo.uniform_quantize {{.*}} : (tensor<3x2x!quant.uniform<i8:f32, 1.000000e-01:-3>>) -> tensor<3x2x!quant.uniform<i8:f32, 2.000000e-01>>
// CHECK-NEXT: stablehlo.uniform_dequantize {{.*}} : (tensor<3x2x!quant.uniform<i8:f32:1, {1.000000e-01,2.000000e-01:3}>>) -> tensor<3x2xf32>
func.func @uniform_quantize(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0 = stablehlo.uniform_quantize %x : (tensor<3x2xf32>) -> tensor<3x2x!q>
  %1 = stablehlo.uniform_quantize %x : (tensor<3x2xf32>) -> tensor<3x2x!axis>
  %2 = stablehlo.uniform_quantize %0 : (tensor<3x2x!q>) -> tensor<3x2x!w>
  %3 = stablehlo.uniform_dequantize %1 : (tensor<3x2x!axis>) -> tensor<3x2xf32>
  return %3 : tensor<3x2xf32>
}

// CHECK-LABEL: func.func @elementwise(
// CHECK-NEXT: stablehlo.add %arg0, %arg0 : tensor<3x2x!quant.uniform<i8:f32, 1.000000e-01:-3>>
// CHECK-NEXT: stablehlo.add %arg0, %arg0 : (tensor<3x2x!quant.uniform<i8:f32, 1.000000e-01:-3>>, {{.*}}) -> tensor<3x2x!quant.uniform<i8:f32, 2.000000e-01>>
// CHECK-NEXT: stablehlo.add %arg1, %arg1 : tensor<3x2x!quant.uniform<i8:f32:1, {1.000000e-01,2.000000e-01:3}>>
// CHECK-NEXT: stablehlo.tanh %arg0 : tensor<3x2x!quant.uniform<i8:f32, 1.000000e-01:-3>>
func.func @elementwise(%x: tensor<3x2x!q>, %y: tensor<3x2x!axis>) {
  %0 = stablehlo.add %x, %x : tensor<3x2x!q>
  %1 = stablehlo.add %x, %x : (tensor<3x2x!q>, tensor<3x2x!q>) -> tensor<3x2x!w>
  %2 = stablehlo.add %y, %y : tensor<3x2x!axis>
  %3 = stablehlo.tanh %x : tensor<3x2x!q>
  return
}

// CHECK-LABEL: func.func @shapes(
// CHECK-NEXT: stablehlo.transpose %arg0, dims = [1, 0] : (tensor<3x2x!quant.uniform<i8:f32:1, {1.000000e-01,2.000000e-01:3}>>) -> tensor<2x3x!quant.uniform<i8:f32:0, {1.000000e-01,2.000000e-01:3}>>
// CHECK-NEXT: stablehlo.reshape %arg0 : (tensor<3x2x!quant.uniform<i8:f32:1, {1.000000e-01,2.000000e-01:3}>>) -> tensor<3x2x1x!quant.uniform<i8:f32:1, {1.000000e-01,2.000000e-01:3}>>
// CHECK-NEXT: stablehlo.broadcast_in_dim %arg0, dims = [0, 1]
func.func @shapes(%x: tensor<3x2x!axis>) {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x2x!axis>) -> tensor<2x3x!axis0>
  %1 = stablehlo.reshape %x : (tensor<3x2x!axis>) -> tensor<3x2x1x!axis>
  %2 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<3x2x!axis>) -> tensor<3x2x4x!axis>
  return
}

// CHECK-LABEL: func.func @products(
// CHECK-NEXT: stablehlo.dot_general %arg0, %arg2, contracting_dims = [1] x [0]
// CHECK-NEXT: stablehlo.dot_general %arg0, %arg3, contracting_dims = [1] x [0]
// CHECK-NEXT: stablehlo.dot_general %arg1, %arg2, contracting_dims = [1] x [0] : (tensor<4x3xf32>, tensor<3x2x!quant.uniform<i8:f32, 2.000000e-01>>) -> tensor<4x2xf32>
func.func @products(%x: tensor<4x3x!q>, %f: tensor<4x3xf32>, %w: tensor<3x2x!w>, %k: tensor<3x2x!kernel>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x3x!q>, tensor<3x2x!w>) -> tensor<4x2x!a>
  %1 = stablehlo.dot_general %x, %k, contracting_dims = [1] x [0] : (tensor<4x3x!q>, tensor<3x2x!kernel>) -> tensor<4x2x!a>
  %2 = stablehlo.dot_general %f, %w, contracting_dims = [1] x [0] : (tensor<4x3xf32>, tensor<3x2x!w>) -> tensor<4x2xf32>
  return
}
