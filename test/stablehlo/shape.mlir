// Each op in the text that JAX prints, with a discardable attribute where one fits.
// RUN: shardwright-opt %s | FileCheck %s
// RUN: shardwright-opt %s --mlir-print-op-generic | shardwright-opt | FileCheck %s

// CHECK-LABEL: func.func @constant(
// CHECK-NEXT: %c = stablehlo.constant dense<1> : tensor<4xi32>
func.func @constant() {
  %0 = stablehlo.constant dense<1> : tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @constant_1(
// CHECK-NEXT: %cst = stablehlo.constant dense<1.000000e+00> : tensor<4xf32>
func.func @constant_1() {
  %1 = stablehlo.constant dense<1.0> : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @constant_2(
// CHECK-NEXT: %c = stablehlo.constant dense<true> : tensor<4xi1>
func.func @constant_2() {
  %2 = stablehlo.constant dense<true> : tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @constant_3(
// CHECK-NEXT: %c = stablehlo.constant dense<1> : tensor<4xi32>
func.func @constant_3() {
  %3 = "stablehlo.constant"() {value = dense<1> : tensor<4xi32>} : () -> tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @iota(
// CHECK-NEXT: %0 = stablehlo.iota dim = 0 {foo} : tensor<4xf32>
func.func @iota() {
  %5 = stablehlo.iota dim = 0 {foo} : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @concatenate(
// CHECK-NEXT: %0 = stablehlo.concatenate %arg0, %arg0, dim = 0 {foo} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
func.func @concatenate(%a: tensor<4xf32>) {
  %23 = stablehlo.concatenate %a, %a, dim = 0 {foo} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return
}

// CHECK-LABEL: func.func @constant_4(
// CHECK-NEXT: %c = stablehlo.constant {bar = 1 : i64, foo} dense<1> : tensor<4xi32>
func.func @constant_4() {
  %0 = "stablehlo.constant"() <{value=dense<1> : tensor<4xi32>}> {foo, bar=1} : () -> tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @slice(
// CHECK-NEXT: %0 = stablehlo.slice %arg0 [0:4:2] {foo} : (tensor<4xf32>) -> tensor<2xf32>
func.func @slice(%a: tensor<4xf32>) {
  %0 = stablehlo.slice %a [0:4:2] {foo} : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// CHECK-LABEL: func.func @slice_1(
// CHECK-NEXT: %0 = stablehlo.slice %arg0 [] {foo} : (tensor<f32>) -> tensor<f32>
func.func @slice_1(%s: tensor<f32>) {
  %0 = "stablehlo.slice"(%s) {foo, start_indices=array<i64>, limit_indices=array<i64>, strides=array<i64>} : (tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @broadcast_in_dim(
// CHECK-NEXT: %0 = stablehlo.broadcast_in_dim %arg0, dims = [] {foo} : (tensor<f32>) -> tensor<4xf32>
func.func @broadcast_in_dim(%s: tensor<f32>) {
  %0 = "stablehlo.broadcast_in_dim"(%s) {foo, broadcast_dimensions=array<i64>} : (tensor<f32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @broadcast(
// CHECK-NEXT: %0 = stablehlo.broadcast %arg0, sizes = [4] {foo} : (tensor<f32>) -> tensor<4xf32>
func.func @broadcast(%s: tensor<f32>) {
  %0 = "stablehlo.broadcast"(%s) {foo, broadcast_sizes=array<i64: 4>} : (tensor<f32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @reshape(
// CHECK-NEXT: %0 = stablehlo.reshape %arg0 {foo} : (tensor<f32>) -> tensor<1xf32>
func.func @reshape(%s: tensor<f32>) {
  %0 = "stablehlo.reshape"(%s) {foo} : (tensor<f32>) -> tensor<1xf32>
  return
}

// CHECK-LABEL: func.func @reshape_1(
// CHECK-NEXT: %0 = stablehlo.reshape %arg0 {foo} : (tensor<f32>) -> tensor<f32>
func.func @reshape_1(%s: tensor<f32>) {
  %0 = "stablehlo.reshape"(%s) {foo} : (tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @transpose(
// CHECK-NEXT: %0 = stablehlo.transpose %arg0, dims = [1, 0] {foo} : (tensor<4x4xf32>) -> tensor<4x4xf32>
func.func @transpose(%m: tensor<4x4xf32>) {
  %0 = "stablehlo.transpose"(%m) {foo, permutation=array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// CHECK-LABEL: func.func @reverse(
// CHECK-NEXT: %0 = stablehlo.reverse %arg0, dims = [1, 0] {foo} : tensor<4x4xf32>
func.func @reverse(%m: tensor<4x4xf32>) {
  %0 = "stablehlo.reverse"(%m) {foo, dimensions=array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// CHECK-LABEL: func.func @dynamic_slice(
// CHECK-NEXT: %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] {foo} : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
func.func @dynamic_slice(%a: tensor<4xf32>, %i: tensor<i32>) {
  %0 = "stablehlo.dynamic_slice"(%a, %i) {foo, slice_sizes=array<i64: 1>} : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
  return
}

// CHECK-LABEL: func.func @dynamic_slice_1(
// CHECK-NEXT: %0 = stablehlo.dynamic_slice %arg0, , sizes = [] {foo} : (tensor<f32>) -> tensor<f32>
func.func @dynamic_slice_1(%s: tensor<f32>) {
  %0 = "stablehlo.dynamic_slice"(%s) {foo, slice_sizes=array<i64>} : (tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @dynamic_update_slice(
// CHECK-NEXT: %0 = stablehlo.dynamic_update_slice %arg0, %arg0, %arg1 {foo} : (tensor<4xf32>, tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
func.func @dynamic_update_slice(%a: tensor<4xf32>, %i: tensor<i32>) {
  %0 = "stablehlo.dynamic_update_slice"(%a, %a, %i) {foo} : (tensor<4xf32>, tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @dynamic_update_slice_1(
// CHECK-NEXT: %0 = stablehlo.dynamic_update_slice %arg0, %arg0 {foo} : (tensor<f32>, tensor<f32>) -> tensor<f32>
func.func @dynamic_update_slice_1(%s: tensor<f32>) {
  %0 = "stablehlo.dynamic_update_slice"(%s, %s) {foo} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @pad(
// CHECK-NEXT: %0 = stablehlo.pad %arg0, %arg1, low = [-1], high = [3], interior = [0] {foo} : (tensor<4xf32>, tensor<f32>) -> tensor<6xf32>
func.func @pad(%a: tensor<4xf32>, %s: tensor<f32>) {
  %0 = "stablehlo.pad"(%a, %s) {foo, edge_padding_low=array<i64: -1>, edge_padding_high=array<i64:3>, interior_padding=array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<6xf32>
  return
}

// CHECK-LABEL: func.func @bitcast_convert(
// CHECK-NEXT: %0 = stablehlo.bitcast_convert %arg0 {foo} : (tensor<4xf32>) -> tensor<4xi32>
func.func @bitcast_convert(%a: tensor<4xf32>) {
  %0 = "stablehlo.bitcast_convert"(%a) {foo} : (tensor<4xf32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @get_dimension_size(
// CHECK-NEXT: %0 = stablehlo.get_dimension_size %arg0, dim = 0 {foo} : (tensor<4xf32>) -> tensor<i32>
func.func @get_dimension_size(%a: tensor<4xf32>) {
  %0 = "stablehlo.get_dimension_size"(%a) {foo, dimension = 0 : i64} : (tensor<4xf32>) -> tensor<i32>
  return
}

// CHECK-LABEL: func.func @set_dimension_size(
// CHECK-NEXT: %0 = stablehlo.set_dimension_size %arg0, %arg1, dim = 0 {foo} : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>>
func.func @set_dimension_size(%a: tensor<4xf32>, %i: tensor<i32>) {
  %0 = "stablehlo.set_dimension_size"(%a, %i) {foo, dimension = 0 : i64} : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>>
  return
}

// CHECK-LABEL: func.func @gather(
// CHECK-NEXT: %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0]>, slice_sizes = array<i64: 1>}> : (tensor<4xf32>, tensor<1xi64>) -> tensor<f32>
func.func @gather(%a: tensor<4xf32>, %l: tensor<1xi64>) {
  %0 = "stablehlo.gather"(%a, %l) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 0>, slice_sizes = array<i64: 1>} : (tensor<4xf32>, tensor<1xi64>) -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @gather_1(
// CHECK-NEXT: %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<4xf32>, tensor<1xi64>) -> tensor<1xf32>
func.func @gather_1(%a: tensor<4xf32>, %l: tensor<1xi64>) {
  %0 = "stablehlo.gather"(%a, %l) {dimension_numbers = #stablehlo.gather<offset_dims = [], start_index_map = [0], index_vector_dim = 1, collapsed_slice_dims = [0]>, slice_sizes = array<i64: 1>} : (tensor<4xf32>, tensor<1xi64>) -> tensor<1xf32>
  return
}

// CHECK-LABEL: func.func @broadcast_in_dim_1(
// CHECK-NEXT: %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<?xf32>) -> tensor<4xf32>
func.func @broadcast_in_dim_1(%d: tensor<?xf32>) {
  %0 = "stablehlo.broadcast_in_dim"(%d) {broadcast_dimensions = array<i64: 0>} : (tensor<?xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @reshape_2(
// CHECK-NEXT: %0 = stablehlo.reshape %arg0 : (tensor<?xf32>) -> tensor<4xf32>
func.func @reshape_2(%d: tensor<?xf32>) {
  %0 = stablehlo.reshape %d : (tensor<?xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @bitcast_convert_1(
// CHECK-NEXT: %0 = stablehlo.bitcast_convert %arg0 : (tensor<4xf32>) -> tensor<4x4xi8>
func.func @bitcast_convert_1(%a: tensor<4xf32>) {
  %0 = stablehlo.bitcast_convert %a : (tensor<4xf32>) -> tensor<4x4xi8>
  return
}

// CHECK-LABEL: func.func @torch_index_select(
// CHECK-NEXT: %0 = "stablehlo.torch_index_select"(%arg0, %arg1) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<5x1x5xi32>, tensor<2xi32>) -> tensor<2x1x5xi32>
func.func @torch_index_select(%a: tensor<5x1x5xi32>, %i: tensor<2xi32>) {
  %0 = "stablehlo.torch_index_select"(%a, %i) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<5x1x5xi32>, tensor<2xi32>) -> tensor<2x1x5xi32>
  return
}
