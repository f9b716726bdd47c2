// Each op in the text that JAX prints, with a discardable attribute where one fits.
// RUN: shardwright-opt %s | FileCheck %s
// RUN: shardwright-opt %s --mlir-print-op-generic | shardwright-opt | FileCheck %s

// CHECK-LABEL: func.func @erf(
// CHECK-NEXT: %0 = chlo.erf %arg0 {foo} : tensor<4xf32> -> tensor<4xf32>
func.func @erf(%a: tensor<4xf32>) {
  %0 = chlo.erf %a {foo} : tensor<4xf32> -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @erf_1(
// CHECK-NEXT: %0 = chlo.erf %arg0 : tensor<f32> -> tensor<f32>
func.func @erf_1(%s: tensor<f32>) {
  %0 = chlo.erf %s : tensor<f32> -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @erf_2(
// CHECK-NEXT: %0 = chlo.erf %arg0 {foo} : tensor<4xf32> -> tensor<?xf32>
func.func @erf_2(%a: tensor<4xf32>) {
  %0 = "chlo.erf"(%a) {foo} : (tensor<4xf32>) -> tensor<?xf32>
  return
}

// CHECK-LABEL: func.func @is_inf(
// CHECK-NEXT: %0 = chlo.is_inf %arg0 {foo} : tensor<4xf32> -> tensor<4xi1>
func.func @is_inf(%a: tensor<4xf32>) {
  %0 = chlo.is_inf %a {foo} : tensor<4xf32> -> tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @next_after(
// CHECK-NEXT: %0 = chlo.next_after %arg0, %arg0 {foo} : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
func.func @next_after(%a: tensor<4xf32>) {
  %0 = chlo.next_after %a, %a {foo} : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @mulhi(
// CHECK-NEXT: %0 = chlo.mulhi %arg0, %arg0 {foo} : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
func.func @mulhi(%b: tensor<4xi32>) {
  %0 = chlo.mulhi %b, %b {foo} : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @mulhi_1(
// CHECK-NEXT: %0 = chlo.mulhi %arg0, %arg0 {foo} : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
func.func @mulhi_1(%b: tensor<4xi32>) {
  %0 = "chlo.mulhi"(%b, %b) {foo} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @zeta(
// CHECK-NEXT: %0 = chlo.zeta %arg0, %arg0 {foo} : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
func.func @zeta(%a: tensor<4xf32>) {
  %0 = "chlo.zeta"(%a, %a) {foo} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @polygamma(
// CHECK-NEXT: %0 = chlo.polygamma %arg0, %arg0 {foo} : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
func.func @polygamma(%a: tensor<4xf32>) {
  %0 = "chlo.polygamma"(%a, %a) {foo} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @broadcast_add(
// CHECK-NEXT: %0 = chlo.broadcast_add %arg0, %arg1 {broadcast_dimensions = array<i64>, foo} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
func.func @broadcast_add(%a: tensor<4xf32>, %s: tensor<f32>) {
  %0 = "chlo.broadcast_add"(%a, %s) {foo, broadcast_dimensions = array<i64>} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @broadcast_compare(
// CHECK-NEXT: %0 = chlo.broadcast_compare %arg0, %arg1 {compare_type = #chlo<comparison_type FLOAT>, comparison_direction = #chlo<comparison_direction LT>, foo} : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
func.func @broadcast_compare(%a: tensor<4xf32>, %s: tensor<f32>) {
  %0 = "chlo.broadcast_compare"(%a, %s) {foo, comparison_direction = #chlo<comparison_direction LT>, compare_type=#chlo<comparison_type FLOAT>} : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @broadcast_select(
// CHECK-NEXT: %0 = chlo.broadcast_select %arg2, %arg0, %arg1 {foo} : (tensor<4xi1>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
func.func @broadcast_select(%a: tensor<4xf32>, %s: tensor<f32>, %p: tensor<4xi1>) {
  %0 = "chlo.broadcast_select"(%p, %a, %s) {foo} : (tensor<4xi1>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @constant(
// CHECK-NEXT: %0 = chlo.constant {foo} dense<1.000000e+00> : tensor<4xf32>
func.func @constant() {
  %0 = "chlo.constant"() {foo, value = dense<1.0> : tensor<4xf32>} : () -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @constant_like(
// CHECK-NEXT: %0 = "chlo.constant_like"(%arg0) <{value = 1.000000e+00 : f32}> {foo} : (tensor<4xf32>) -> tensor<4xf32>
func.func @constant_like(%a: tensor<4xf32>) {
  %0 = "chlo.constant_like"(%a) {foo, value = 1.0 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @top_k(
// CHECK-NEXT: %values, %indices = chlo.top_k(%arg0, k = 2) {foo} : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
func.func @top_k(%a: tensor<4xf32>) {
  %0:2 = "chlo.top_k"(%a) {foo, k = 2 : i64} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  return
}

// CHECK-LABEL: func.func @top_k_1(
// CHECK-NEXT: %values, %indices = chlo.top_k(%arg0, k = 2) {foo, is_stable = false} : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
func.func @top_k_1(%a: tensor<4xf32>) {
  %0:2 = "chlo.top_k"(%a) {foo, k = 2 : i64, is_stable=false} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  return
}

// CHECK-LABEL: func.func @ragged_dot(
// CHECK-NEXT: %0 = "chlo.ragged_dot"(%arg0, %arg2, %arg1) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> {foo} : (tensor<4x4xf32>, tensor<2x4x4xf32>, tensor<2xi32>) -> tensor<4x4xf32>
func.func @ragged_dot(%m: tensor<4x4xf32>, %g: tensor<2xi32>, %r: tensor<2x4x4xf32>) {
  %0 = "chlo.ragged_dot"(%m, %r, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[1], lhs_ragged_dimensions=[0], rhs_group_dimensions=[0]>}> {foo} : (tensor<4x4xf32>, tensor<2x4x4xf32>, tensor<2xi32>) -> tensor<4x4xf32>
  return
}

// CHECK-LABEL: func.func @ragged_dot_1(
// CHECK-NEXT: %0 = "chlo.ragged_dot"(%arg0, %arg2, %arg1) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision HIGH>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> {foo} : (tensor<4x4xf32>, tensor<2x4x4xf32>, tensor<2xi32>) -> tensor<4x4xf32>
func.func @ragged_dot_1(%m: tensor<4x4xf32>, %g: tensor<2xi32>, %r: tensor<2x4x4xf32>) {
  %0 = "chlo.ragged_dot"(%m, %r, %g) <{precision_config=[#chlo<precision DEFAULT>, #chlo<precision HIGH>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions=[], lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[1], lhs_ragged_dimensions=[0], rhs_group_dimensions=[0]>}> {foo} : (tensor<4x4xf32>, tensor<2x4x4xf32>, tensor<2xi32>) -> tensor<4x4xf32>
  return
}

// CHECK-LABEL: func.func @scan(
// CHECK-NEXT: %0:2 = chlo.scan(%arg0) inits (%arg1) dimension=0  attributes {foo, is_reverse = false} {
// CHECK-NEXT: ^bb0(%input: tensor<f32>, %carry: tensor<f32>):
// CHECK-NEXT: %1 = stablehlo.add %input, %carry : tensor<f32>
// CHECK-NEXT: stablehlo.return %1, %1 : tensor<f32>, tensor<f32>
// CHECK-NEXT: } : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
func.func @scan(%a: tensor<4xf32>, %s: tensor<f32>) {
  %0:2 = "chlo.scan"(%a, %s) <{dimension = 0 : i64, is_reverse = false, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({^bb0(%in: tensor<f32>, %ca: tensor<f32>): %z = stablehlo.add %in, %ca : tensor<f32>
  stablehlo.return %z, %z : tensor<f32>, tensor<f32>}) {foo} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
  return
}

// CHECK-LABEL: func.func @scan_1(
// CHECK-NEXT: %0:2 = chlo.scan(%arg0) inits (%arg1) dimension=0  attributes {foo, is_associative = true, is_reverse = true, scan_dim_size = 4 : i64} {
// CHECK-NEXT: ^bb0(%input: tensor<f32>, %carry: tensor<f32>):
// CHECK-NEXT: %1 = stablehlo.add %input, %carry : tensor<f32>
// CHECK-NEXT: stablehlo.return %1, %1 : tensor<f32>, tensor<f32>
// CHECK-NEXT: } : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
func.func @scan_1(%a: tensor<4xf32>, %s: tensor<f32>) {
  %0:2 = "chlo.scan"(%a, %s) <{dimension = 0 : i64, is_reverse = true, scan_dim_size = 4 : i64, is_associative = true, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({^bb0(%in: tensor<f32>, %ca: tensor<f32>): %z = stablehlo.add %in, %ca : tensor<f32>
  stablehlo.return %z, %z : tensor<f32>, tensor<f32>}) {foo} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
  return
}

// CHECK-LABEL: func.func @conj(
// CHECK-NEXT: %0 = chlo.conj %arg0 {foo} : tensor<4xf32> -> tensor<4xf32>
func.func @conj(%a: tensor<4xf32>) {
  %0 = "chlo.conj"(%a) {foo} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @broadcast_complex(
// CHECK-NEXT: %0 = chlo.broadcast_complex %arg0, %arg0 {foo} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f32>>
func.func @broadcast_complex(%a: tensor<4xf32>) {
  %0 = "chlo.broadcast_complex"(%a, %a) {foo} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f32>>
  return
}

// CHECK-LABEL: func.func @broadcast_zeta(
// CHECK-NEXT: %0 = chlo.broadcast_zeta %arg0, %arg0 {foo} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
func.func @broadcast_zeta(%a: tensor<4xf32>) {
  %0 = "chlo.broadcast_zeta"(%a, %a) {foo} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @scan_2(
// CHECK-NEXT: %0:2 = chlo.scan(%arg0) inits (%arg1) dimension=0  {
// CHECK-NEXT: ^bb0(%input: tensor<f32>, %carry: tensor<f32>):
// CHECK-NEXT: %1 = stablehlo.add %input, %carry : tensor<f32>
// CHECK-NEXT: stablehlo.return %1, %1 : tensor<f32>, tensor<f32>
// CHECK-NEXT: } : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
func.func @scan_2(%a: tensor<4xf32>, %s: tensor<f32>) {
  %0:2 = "chlo.scan"(%a, %s) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({^bb0(%in: tensor<f32>, %ca: tensor<f32>): %z1 = stablehlo.add %in, %ca : tensor<f32>
  stablehlo.return %z1, %z1 : tensor<f32>, tensor<f32>}) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
  return
}

// CHECK-LABEL: func.func @scan_3(
// CHECK-NEXT: %0 = chlo.scan(%arg0) inits () dimension=0  {
// CHECK-NEXT: ^bb0(%input: tensor<f32>):
// CHECK-NEXT: stablehlo.return %input : tensor<f32>
// CHECK-NEXT: } : (tensor<4xf32>) -> tensor<4xf32>
func.func @scan_3(%a: tensor<4xf32>) {
  %0 = "chlo.scan"(%a) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>}> ({^bb0(%in: tensor<f32>):
  stablehlo.return %in : tensor<f32>}) : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}

// CHECK-LABEL: func.func @scan_4(
// CHECK-NEXT: %0:2 = chlo.scan() inits (%arg0) dimension=0  attributes {scan_dim_size = 4 : i64} {
// CHECK-NEXT: ^bb0(%carry: tensor<f32>):
// CHECK-NEXT: stablehlo.return %carry, %carry : tensor<f32>, tensor<f32>
// CHECK-NEXT: } : (tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
func.func @scan_4(%s: tensor<f32>) {
  %0:2 = "chlo.scan"(%s) <{dimension = 0 : i64, scan_dim_size = 4 : i64, operandSegmentSizes = array<i32: 0, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({^bb0(%in: tensor<f32>):
  stablehlo.return %in, %in : tensor<f32>, tensor<f32>}) : (tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
  return
}

// CHECK-LABEL: func.func @erf_3(
// CHECK-NEXT: %0 = chlo.erf %arg0 : tensor<*xf32> -> tensor<*xf32>
func.func @erf_3(%u: tensor<*xf32>) {
  %0 = "chlo.erf"(%u) : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// CHECK-LABEL: func.func @conj_1(
// CHECK-NEXT: %0 = chlo.conj %arg0 : tensor<4xf32> -> tensor<4xf32>
func.func @conj_1(%a: tensor<4xf32>) {
  %0 = "chlo.conj"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @mulhi_2(
// CHECK-NEXT: %0 = chlo.mulhi %arg0, %arg0 : tensor<4xui32>, tensor<4xui32> -> tensor<4xui32>
func.func @mulhi_2(%ui: tensor<4xui32>) {
  %0 = "chlo.mulhi"(%ui, %ui) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  return
}

// CHECK-LABEL: func.func @constant_like_1(
// CHECK-NEXT: %0 = "chlo.constant_like"(%arg0) <{value = 1 : i32}> : (tensor<?xf32>) -> tensor<?xi32>
func.func @constant_like_1(%d: tensor<?xf32>) {
  %0 = "chlo.constant_like"(%d) {value = 1 : i32} : (tensor<?xf32>) -> tensor<?xi32>
  return
}

// CHECK-LABEL: func.func @top_k_2(
// CHECK-NEXT: %values, %indices = chlo.top_k(%arg0, k = 1) : tensor<4xcomplex<f32>> -> (tensor<1xcomplex<f32>>, tensor<1xi32>)
func.func @top_k_2(%c: tensor<4xcomplex<f32>>) {
  %0:2 = chlo.top_k(%c, k = 1) : tensor<4xcomplex<f32>> -> (tensor<1xcomplex<f32>>, tensor<1xi32>)
  return
}

// CHECK-LABEL: func.func @top_k_3(
// CHECK-NEXT: %values, %indices = chlo.top_k(%arg0, k = 1) : tensor<4xi1> -> (tensor<1xi1>, tensor<1xi32>)
func.func @top_k_3(%p: tensor<4xi1>) {
  %0:2 = chlo.top_k(%p, k = 1) : tensor<4xi1> -> (tensor<1xi1>, tensor<1xi32>)
  return
}

// CHECK-LABEL: func.func @broadcast_add_1(
// CHECK-NEXT: %0 = chlo.broadcast_add %arg0, %arg1 : (tensor<4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
func.func @broadcast_add_1(%m: tensor<4x4xf32>, %r: tensor<2x4x4xf32>) {
  %0 = chlo.broadcast_add %m, %r : (tensor<4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  return
}
