// RUN: shardwright-opt %s --sw-simplify | FileCheck %s

// CHECK-LABEL: func @lossless
func.func @lossless(%x: tensor<4xbf16>, %i: tensor<4xi8>, %p: tensor<4xi1>) -> (tensor<4xbf16>, tensor<4xf64>, tensor<4xf32>, tensor<4xi8>) {
  // CHECK-DAG: %[[A:.*]] = stablehlo.convert %arg1 : (tensor<4xi8>) -> tensor<4xf64>
  // CHECK-DAG: %[[B:.*]] = stablehlo.convert %arg2 : (tensor<4xi1>) -> tensor<4xf32>
  // CHECK: return %arg0, %[[A]], %[[B]], %arg1
  %0 = stablehlo.convert %x : (tensor<4xbf16>) -> tensor<4xf32>
  %1 = stablehlo.convert %0 : (tensor<4xf32>) -> tensor<4xbf16>
  %2 = stablehlo.convert %i : (tensor<4xi8>) -> tensor<4xf32>
  %3 = stablehlo.convert %2 : (tensor<4xf32>) -> tensor<4xf64>
  %4 = stablehlo.convert %p : (tensor<4xi1>) -> tensor<4xi32>
  %5 = stablehlo.convert %4 : (tensor<4xi32>) -> tensor<4xf32>
  %6 = stablehlo.convert %i : (tensor<4xi8>) -> tensor<4xui32>
  %7 = stablehlo.convert %6 : (tensor<4xui32>) -> tensor<4xi8>
  return %1, %3, %5, %7 : tensor<4xbf16>, tensor<4xf64>, tensor<4xf32>, tensor<4xi8>
}

// CHECK-LABEL: func @lossy
func.func @lossy(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xi8>, tensor<4xi1>) {
  // Floats saturate where integers wrap, and narrow integers forget high bits.
  // CHECK-COUNT-8: stablehlo.convert
  %0 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xbf16>
  %1 = stablehlo.convert %0 : (tensor<4xbf16>) -> tensor<4xf32>
  %2 = stablehlo.convert %i : (tensor<4xi32>) -> tensor<4xf32>
  %3 = stablehlo.convert %2 : (tensor<4xf32>) -> tensor<4xi32>
  %4 = stablehlo.convert %i : (tensor<4xi32>) -> tensor<4xf64>
  %5 = stablehlo.convert %4 : (tensor<4xf64>) -> tensor<4xi8>
  %6 = stablehlo.convert %i : (tensor<4xi32>) -> tensor<4xi8>
  %7 = stablehlo.convert %6 : (tensor<4xi8>) -> tensor<4xi1>
  return %1, %3, %5, %7 : tensor<4xf32>, tensor<4xi32>, tensor<4xi8>, tensor<4xi1>
}

// CHECK-LABEL: func @bits
func.func @bits(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[R:.*]] = stablehlo.reduce_precision %arg0, format = e5m10
  // CHECK: return %arg0, %arg0, %[[R]]
  %0 = stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<4x4xi8>
  %1 = stablehlo.bitcast_convert %0 : (tensor<4x4xi8>) -> tensor<4xf32>
  %2 = stablehlo.reduce_precision %x, format = e8m23 : tensor<4xf32>
  %3 = stablehlo.reduce_precision %x, format = e5m10 : tensor<4xf32>
  %4 = stablehlo.reduce_precision %3, format = e5m10 : tensor<4xf32>
  return %1, %2, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
