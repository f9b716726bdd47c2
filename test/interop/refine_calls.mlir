// Calls whose windows, counts or shapes are operands become operations, or lose
// these operands, once they are constants.
// RUN: shardwright-opt %s -split-input-file -sw-pad-bounded | FileCheck %s
// RUN: shardwright-opt %s -split-input-file -sw-pad-bounded | FileCheck %s --check-prefix=GONE

// GONE-NOT: stablehlo.dynamic_
// GONE-NOT: indices_of_shape_operands

// CHECK-LABEL: func.func @main
// CHECK-SAME: -> (tensor<5x4xf32>, tensor<2x4xi32>)
func.func @main(%x: tensor<5x4xf32>, %y: tensor<5x4xi32>) -> (tensor<?x4xf32>, tensor<?x4xi32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.constant dense<0> : tensor<i32>
  %window = stablehlo.constant dense<[5, 1]> : tensor<2xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %two = stablehlo.constant dense<[2, 1]> : tensor<2xi64>
  %pad = stablehlo.constant dense<[[4, 0], [0, 0]]> : tensor<2x2xi32>
  %none = stablehlo.constant dense<0> : tensor<2x2xi32>
  // CHECK: "stablehlo.reduce_window"(%arg0, %{{.*}}) <{
  // CHECK-SAME: padding = dense<{{\[\[}}4, 0], [0, 0]]> : tensor<2x2xi64>
  // CHECK-SAME: window_dimensions = array<i64: 5, 1>
  // CHECK: stablehlo.add
  // CHECK: -> tensor<5x4xf32>
  %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %zero, %window, %ones, %ones, %ones, %pad) {called_computations = [@sum]} : (tensor<5x4xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x4xf32>
  // CHECK: "stablehlo.reduce_window"(%arg1
  // CHECK-SAME: window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>
  // CHECK: -> tensor<2x4xi32>
  %1 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%y, %least, %two, %two, %ones, %ones, %none) {called_computations = [@most]} : (tensor<5x4xi32>, tensor<i32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x4xi32>
  return %0, %1 : tensor<?x4xf32>, tensor<?x4xi32>
}
func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %b : tensor<f32>
  return %0 : tensor<f32>
}
func.func private @most(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.maximum %a, %b : tensor<i32>
  return %0 : tensor<i32>
}

// -----

// Of static types already.
// CHECK-LABEL: func.func @main
// CHECK: stablehlo.rng_bit_generator %arg0, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5x3xui32>)
func.func @main(%key: tensor<2xui64>) -> tensor<5x3xui32> {
  %shape = stablehlo.constant dense<[5, 3]> : tensor<2xi32>
  %0:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%key, %shape) {api_version = 2 : i32, rng_algorithm = #stablehlo<rng_algorithm DEFAULT>} : (tensor<2xui64>, tensor<2xi32>) -> (tensor<2xui64>, tensor<5x3xui32>)
  return %0#1 : tensor<5x3xui32>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: stablehlo.sort
// CHECK: compare {{.*}}GT{{.*}}TOTALORDER
// CHECK: stablehlo.slice {{.*}} [0:5, 0:3] : (tensor<5x4xf32>) -> tensor<5x3xf32>
func.func @main(%x: tensor<5x4xf32>) -> (tensor<5x?xf32>, tensor<5x?xi32>) {
  %k = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%x, %k) : (tensor<5x4xf32>, tensor<i32>) -> (tensor<5x?xf32>, tensor<5x?xi32>)
  return %0#0, %0#1 : tensor<5x?xf32>, tensor<5x?xi32>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: @ApproxTopK(%arg0, %arg1, %{{.*}}, %{{.*}}) {{{.*}}top_k = 2 : i64}} : {{.*}} -> (tensor<2xf32>, tensor<2xi32>)
func.func @main(%x: tensor<6xf32>, %i: tensor<6xi32>) -> (tensor<?xf32>, tensor<?xi32>) {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %k = stablehlo.constant dense<2> : tensor<i32>
  %shape = stablehlo.constant dense<2> : tensor<1xi32>
  %0:2 = stablehlo.custom_call @stablehlo.dynamic_approx_top_k(%x, %i, %least, %none, %k, %shape, %shape) {called_computations = [@greater], indices_of_shape_operands = dense<[5, 6]> : tensor<2xi64>, mhlo.backend_config = {reduction_dim = 0 : i64}} : (tensor<6xf32>, tensor<6xi32>, tensor<f32>, tensor<i32>, tensor<i32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<?xf32>, tensor<?xi32>)
  return %0#0, %0#1 : tensor<?xf32>, tensor<?xi32>
}
func.func private @greater(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}

// -----

// Layouts are those of the operands that stay.
// CHECK-LABEL: func.func @main
// CHECK: @lapack_spotrf_ffi(%arg0) {mhlo.backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = {{.*}}} : (tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2xi32>)
func.func @main(%x: tensor<2x4x4xf32>) -> tensor<?x4x4xf32> {
  %s = stablehlo.constant dense<[2, 4, 4]> : tensor<3xi32>
  %t = stablehlo.constant dense<2> : tensor<1xi32>
  %y = stablehlo.dynamic_reshape %x, %s : (tensor<2x4x4xf32>, tensor<3xi32>) -> tensor<?x4x4xf32>
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%y, %s, %t) {indices_of_shape_operands = dense<[1, 2]> : tensor<2xi64>, mhlo.backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>]} : (tensor<?x4x4xf32>, tensor<3xi32>, tensor<1xi32>) -> (tensor<?x4x4xf32>, tensor<?xi32>)
  return %0#0 : tensor<?x4x4xf32>
}
