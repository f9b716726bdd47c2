// RUN: shardwright-opt %s --split-input-file --verify-diagnostics --sw-import-custom-calls | FileCheck %s

// XLA's call for eigenvalues becomes LAPACK's, of the same triangle, with NaN where LAPACK fails.

// CHECK-LABEL: func.func @values
func.func @values(%arg0: tensor<4x4xf32>) -> tensor<4xf32> {
  // CHECK: %[[CALL:.*]]:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%arg0)
  // CHECK-SAME: mode = 86 : ui8, uplo = 76 : ui8
  // CHECK: %[[FINE:.*]] = stablehlo.compare EQ, %[[CALL]]#2
  // CHECK: stablehlo.select %{{.*}}, %[[CALL]]#1
  // CHECK-NOT: tuple
  %0 = stablehlo.custom_call @Eigh(%arg0) {backend_config = "1,1,100,0.000001"} : (tensor<4x4xf32>) -> tuple<tensor<4x4xf32>, tensor<4xf32>>
  %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<4x4xf32>, tensor<4xf32>>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @batch
func.func @batch(%arg0: tensor<2x3x4x4xcomplex<f64>>) -> (tensor<2x3x4x4xcomplex<f64>>, tensor<2x3x4xf64>) {
  // CHECK: stablehlo.custom_call @lapack_zheevd_ffi(%arg0)
  // CHECK-SAME: uplo = 85 : ui8
  // CHECK-SAME: num_batch_dims = "2"
  // CHECK-SAME: operand_layouts = [dense<[2, 3, 1, 0]> : tensor<4xindex>]
  // CHECK-SAME: result_layouts = [dense<[2, 3, 1, 0]> : tensor<4xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>]
  %0:2 = stablehlo.custom_call @Eigh(%arg0) {backend_config = "0,1,100,1e-6"} : (tensor<2x3x4x4xcomplex<f64>>) -> (tensor<2x3x4x4xcomplex<f64>>, tensor<2x3x4xf64>)
  return %0#0, %0#1 : tensor<2x3x4x4xcomplex<f64>>, tensor<2x3x4xf64>
}

// -----

func.func @not_square(%arg0: tensor<4x5xf32>) -> tuple<tensor<4x5xf32>, tensor<4xf32>> {
  // expected-error@+1 {{custom call @Eigh expects a square matrix}}
  %0 = stablehlo.custom_call @Eigh(%arg0) {backend_config = "1,1,100,0.000001"} : (tensor<4x5xf32>) -> tuple<tensor<4x5xf32>, tensor<4xf32>>
  return %0 : tuple<tensor<4x5xf32>, tensor<4xf32>>
}

// -----

func.func @no_configuration(%arg0: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>) {
  // expected-error@+1 {{custom call @Eigh has backend_config "lower", expected "lower,sort,iterations,tolerance"}}
  %0:2 = stablehlo.custom_call @Eigh(%arg0) {backend_config = "lower"} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4x4xf32>, tensor<4xf32>
}
