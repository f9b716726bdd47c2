// RUN: shardwright-opt %s --sw-simplify | FileCheck %s
// RUN: shardwright-opt %s --sw-simplify=fold-limit=3 | FileCheck %s --check-prefix=LIMIT

// CHECK-LABEL: func @integers
func.func @integers() -> (tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<2xui8>, tensor<3xi8>, tensor<2xi8>) {
  // Division by 0 gives all ones, the remainder the dividend; -128 / -1 wraps;
  // shifts by the width or more shift everything out.
  // CHECK-DAG: %[[DIV:.*]] = stablehlo.constant dense<[-1, -128, -3]> : tensor<3xi8>
  // CHECK-DAG: %[[REM:.*]] = stablehlo.constant dense<[7, 0, -1]> : tensor<3xi8>
  // CHECK-DAG: %[[SHL:.*]] = stablehlo.constant dense<[0, 0, -14]> : tensor<3xi8>
  // CHECK-DAG: %[[UDIV:.*]] = stablehlo.constant dense<[255, 3]> : tensor<2xui8>
  // CHECK-DAG: %[[SRA:.*]] = stablehlo.constant dense<[0, -1, -2]> : tensor<3xi8>
  // CHECK-DAG: %[[POW:.*]] = stablehlo.constant dense<[0, -1]> : tensor<2xi8>
  // CHECK: return %[[DIV]], %[[REM]], %[[SHL]], %[[UDIV]], %[[SRA]], %[[POW]]
  %a = stablehlo.constant dense<[7, -128, -7]> : tensor<3xi8>
  %b = stablehlo.constant dense<[0, -1, 2]> : tensor<3xi8>
  %s = stablehlo.constant dense<[8, -1, 1]> : tensor<3xi8>
  %t = stablehlo.constant dense<[8, -1, 2]> : tensor<3xi8>
  %u = stablehlo.constant dense<[7, 7]> : tensor<2xui8>
  %v = stablehlo.constant dense<[0, 2]> : tensor<2xui8>
  %base = stablehlo.constant dense<[0, -1]> : tensor<2xi8>
  %exponent = stablehlo.constant dense<[-1, -3]> : tensor<2xi8>
  %0 = stablehlo.divide %a, %b : tensor<3xi8>
  %1 = stablehlo.remainder %a, %b : tensor<3xi8>
  %2 = stablehlo.shift_left %a, %s : tensor<3xi8>
  %3 = stablehlo.divide %u, %v : tensor<2xui8>
  %4 = stablehlo.shift_right_arithmetic %a, %t : tensor<3xi8>
  %5 = stablehlo.power %base, %exponent : tensor<2xi8>
  return %0, %1, %2, %3, %4, %5 : tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<2xui8>, tensor<3xi8>, tensor<2xi8>
}

// CHECK-LABEL: func @floats
func.func @floats() -> (tensor<3xbf16>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f8E4M3FN>) {
  // CHECK-DAG: %[[SUM:.*]] = stablehlo.constant dense<[2.560000e+02, -0.000000e+00, 0x7F80]> : tensor<3xbf16>
  // CHECK-DAG: %[[ONE:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<2xf32>
  // CHECK-DAG: %[[NAN:.*]] = stablehlo.divide
  // CHECK-DAG: %[[EXP:.*]] = stablehlo.exponential
  // CHECK-DAG: %[[F8:.*]] = stablehlo.constant dense<1.600000e+01> : tensor<f8E4M3FN>
  // CHECK: return %[[SUM]], %[[NAN]], %[[ONE]], %[[EXP]], %[[F8]]
  %a = stablehlo.constant dense<[2.56e+02, -0.0, 0x7F7F]> : tensor<3xbf16>
  %b = stablehlo.constant dense<[1.0, -0.0, 0x7F7F]> : tensor<3xbf16>
  %zeros = stablehlo.constant dense<0.0> : tensor<2xf32>
  %x = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %f = stablehlo.constant dense<17.0> : tensor<f32>
  %0 = stablehlo.add %a, %b : tensor<3xbf16>
  %1 = stablehlo.divide %zeros, %x : tensor<2xf32>
  %2 = stablehlo.exponential %zeros : tensor<2xf32>
  %3 = stablehlo.exponential %x : tensor<2xf32>
  %4 = stablehlo.convert %f : (tensor<f32>) -> tensor<f8E4M3FN>
  return %0, %1, %2, %3, %4 : tensor<3xbf16>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f8E4M3FN>
}

// CHECK-LABEL: func @conversions
func.func @conversions() -> (tensor<4xi8>, tensor<2xi8>, tensor<3xi1>) {
  // CHECK-DAG: %[[SATURATED:.*]] = stablehlo.constant dense<[127, -128, 0, -2]> : tensor<4xi8>
  // CHECK-DAG: %[[WRAPPED:.*]] = stablehlo.constant dense<[44, -1]> : tensor<2xi8>
  // CHECK-DAG: %[[BOOLS:.*]] = stablehlo.constant dense<[false, true, true]> : tensor<3xi1>
  // CHECK: return %[[SATURATED]], %[[WRAPPED]], %[[BOOLS]]
  %f = stablehlo.constant dense<[1.0e+9, -1.0e+9, 0x7FC00000, -2.7]> : tensor<4xf32>
  %i = stablehlo.constant dense<[300, -1]> : tensor<2xi32>
  %g = stablehlo.constant dense<[-0.0, 0.5, 0x7FC00000]> : tensor<3xf32>
  %0 = stablehlo.convert %f : (tensor<4xf32>) -> tensor<4xi8>
  %1 = stablehlo.convert %i : (tensor<2xi32>) -> tensor<2xi8>
  %2 = stablehlo.convert %g : (tensor<3xf32>) -> tensor<3xi1>
  return %0, %1, %2 : tensor<4xi8>, tensor<2xi8>, tensor<3xi1>
}

// Splats fold at any size; others up to the limit.
// CHECK-LABEL: func @limit
// LIMIT-LABEL: func @limit
func.func @limit() -> (tensor<1000000xi32>, tensor<4xi32>) {
  // LIMIT-DAG: %[[SPLAT:.*]] = stablehlo.constant dense<3> : tensor<1000000xi32>
  // LIMIT-DAG: %[[SUM:.*]] = stablehlo.add
  // LIMIT: return %[[SPLAT]], %[[SUM]]
  // CHECK-DAG: %[[FOLDED:.*]] = stablehlo.constant dense<[2, 4, 6, 8]> : tensor<4xi32>
  // CHECK: return %{{.*}}, %[[FOLDED]]
  %one = stablehlo.constant dense<1> : tensor<1000000xi32>
  %two = stablehlo.constant dense<2> : tensor<1000000xi32>
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %0 = stablehlo.add %one, %two : tensor<1000000xi32>
  %1 = stablehlo.add %x, %x : tensor<4xi32>
  return %0, %1 : tensor<1000000xi32>, tensor<4xi32>
}
