// RUN: shardwright-opt %s --sw-simplify | FileCheck %s

// CHECK-LABEL: func @moved
func.func @moved() -> (tensor<3x2xi32>, tensor<1x2xi32>, tensor<2x3xi32>, tensor<2x5xi32>, tensor<4x3xi32>, tensor<6xi32>) {
  // CHECK-DAG: %[[T:.*]] = stablehlo.constant dense<{{\[\[}}1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>
  // CHECK-DAG: %[[S:.*]] = stablehlo.constant dense<{{\[\[}}4, 6]]> : tensor<1x2xi32>
  // CHECK-DAG: %[[R:.*]] = stablehlo.constant dense<{{\[\[}}3, 2, 1], [6, 5, 4]]> : tensor<2x3xi32>
  // CHECK-DAG: %[[P:.*]] = stablehlo.constant dense<{{\[\[}}9, 1, 9, 2, 9], [9, 4, 9, 5, 9]]> : tensor<2x5xi32>
  // CHECK-DAG: %[[C:.*]] = stablehlo.constant dense<{{\[\[}}1, 2, 3], [4, 5, 6], [1, 2, 3], [4, 5, 6]]> : tensor<4x3xi32>
  // CHECK-DAG: %[[F:.*]] = stablehlo.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi32>
  // CHECK: return %[[T]], %[[S]], %[[R]], %[[P]], %[[C]], %[[F]]
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %nine = stablehlo.constant dense<9> : tensor<i32>
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
  %1 = stablehlo.slice %x [1:2, 0:3:2] : (tensor<2x3xi32>) -> tensor<1x2xi32>
  %2 = stablehlo.reverse %x, dims = [1] : tensor<2x3xi32>
  %3 = stablehlo.pad %x, %nine, low = [0, 1], high = [0, -1], interior = [0, 1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x5xi32>
  %4 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<4x3xi32>
  %5 = stablehlo.reshape %x : (tensor<2x3xi32>) -> tensor<6xi32>
  return %0, %1, %2, %3, %4, %5 : tensor<3x2xi32>, tensor<1x2xi32>, tensor<2x3xi32>, tensor<2x5xi32>, tensor<4x3xi32>, tensor<6xi32>
}

// CHECK-LABEL: func @splats
func.func @splats(%i: tensor<i32>) -> (tensor<1000x1000xf32>, tensor<2000xf32>, tensor<10xf32>) {
  // CHECK-DAG: %[[A:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<1000x1000xf32>
  // CHECK-DAG: %[[B:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<2000xf32>
  // CHECK-DAG: %[[C:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<10xf32>
  // CHECK: return %[[A]], %[[B]], %[[C]]
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<f32>) -> tensor<1000x1000xf32>
  %1 = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<f32>) -> tensor<1000xf32>
  %2 = stablehlo.concatenate %1, %1, dim = 0 : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<2000xf32>
  %3 = stablehlo.dynamic_slice %2, %i, sizes = [10] : (tensor<2000xf32>, tensor<i32>) -> tensor<10xf32>
  return %0, %2, %3 : tensor<1000x1000xf32>, tensor<2000xf32>, tensor<10xf32>
}

// CHECK-LABEL: func @growing
func.func @growing() -> (tensor<4x2xi32>, tensor<1000x2xi32>) {
  // What is not tiny does not grow.
  // CHECK-DAG: %[[SMALL:.*]] = stablehlo.constant dense<{{\[\[}}1, 2], [1, 2], [1, 2], [1, 2]]>
  // CHECK-DAG: %[[LARGE:.*]] = stablehlo.broadcast_in_dim %{{.*}}, dims = [1] : (tensor<2xi32>) -> tensor<1000x2xi32>
  // CHECK: return %[[SMALL]], %[[LARGE]]
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2xi32>) -> tensor<4x2xi32>
  %1 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2xi32>) -> tensor<1000x2xi32>
  return %0, %1 : tensor<4x2xi32>, tensor<1000x2xi32>
}

// CHECK-LABEL: func @bits
func.func @bits() -> (tensor<4xi8>, tensor<i32>, tensor<2xf32>) {
  // CHECK-DAG: %[[BYTES:.*]] = stablehlo.constant dense<[4, 3, 2, 1]> : tensor<4xi8>
  // CHECK-DAG: %[[WORD:.*]] = stablehlo.constant dense<16909060> : tensor<i32>
  // CHECK-DAG: %[[NANS:.*]] = stablehlo.constant dense<[0x7FC01134, 0xFFC00001]> : tensor<2xf32>
  // CHECK: return %[[BYTES]], %[[WORD]], %[[NANS]]
  %w = stablehlo.constant dense<16909060> : tensor<i32>
  %b = stablehlo.constant dense<[4, 3, 2, 1]> : tensor<4xi8>
  %n = stablehlo.constant dense<[2143293748, -4194303]> : tensor<2xi32>
  %0 = stablehlo.bitcast_convert %w : (tensor<i32>) -> tensor<4xi8>
  %1 = stablehlo.bitcast_convert %b : (tensor<4xi8>) -> tensor<i32>
  %2 = stablehlo.bitcast_convert %n : (tensor<2xi32>) -> tensor<2xf32>
  return %0, %1, %2 : tensor<4xi8>, tensor<i32>, tensor<2xf32>
}

// Resources keep their bytes.
// CHECK-LABEL: func @resource
func.func @resource() -> tensor<2x2xf32> {
  // CHECK: stablehlo.constant dense_resource<w> : tensor<2x2xf32>
  %0 = stablehlo.constant dense_resource<w> : tensor<4xf32>
  %1 = stablehlo.reshape %0 : (tensor<4xf32>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x040000000000803F000000400000404000008040"
    }
  }
#-}
