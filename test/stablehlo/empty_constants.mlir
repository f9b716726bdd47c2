// Arrays without elements. Artifacts of jaxlib may store them as splats
// (test/oracle/portable.py exchanges this module).
// RUN: shardwright-opt %s | shardwright-opt | FileCheck %s
// CHECK: stablehlo.constant dense<1.000000e+00> : tensor<0x4xf32>
// CHECK: stablehlo.constant dense<true> : tensor<0x3xi1>
// CHECK: stablehlo.constant dense<> : tensor<2x0xi64>
// CHECK: stablehlo.constant dense<(1.000000e+00,2.000000e+00)> : tensor<0xcomplex<f32>>
// CHECK: stablehlo.constant dense<1> : tensor<0xi4>
func.func @empty() -> (tensor<0x4xf32>, tensor<0x3xi1>, tensor<2x0xi64>, tensor<0xcomplex<f32>>, tensor<0xi4>) {
  %0 = stablehlo.constant dense<1.0> : tensor<0x4xf32>
  %1 = stablehlo.constant dense<true> : tensor<0x3xi1>
  %2 = stablehlo.constant dense<> : tensor<2x0xi64>
  %3 = stablehlo.constant dense<(1.0, 2.0)> : tensor<0xcomplex<f32>>
  %4 = stablehlo.constant dense<1> : tensor<0xi4>
  return %0, %1, %2, %3, %4 : tensor<0x4xf32>, tensor<0x3xi1>, tensor<2x0xi64>, tensor<0xcomplex<f32>>, tensor<0xi4>
}
