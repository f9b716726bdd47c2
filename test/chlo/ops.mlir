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
// CHECK-NEXT: %values, %indices = chlo.top_k(%arg0, k = 2, is_stable = false) {foo} : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
func.func @top_k_1(%a: tensor<4xf32>) {
  %0:2 = "chlo.top_k"(%a) {foo, k = 2 : i64, is_stable=false} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  // CHECK-NEXT: chlo.top_k(%arg0, k = 1, is_stable = false) : tensor<4xf32> -> (tensor<1xf32>, tensor<1xi32>)
  %1:2 = chlo.top_k(%a, k = 1, is_stable = false) : tensor<4xf32> -> (tensor<1xf32>, tensor<1xi32>)
  // CHECK-NEXT: chlo.top_k(%arg0, k = 1, is_stable = false) : tensor<4xf32> -> (tensor<1xf32>, tensor<1xi32>)
  %2:2 = chlo.top_k(%a, k = 1) {is_stable = false} : tensor<4xf32> -> (tensor<1xf32>, tensor<1xi32>)
  // The default is not printed.
  // CHECK-NEXT: chlo.top_k(%arg0, k = 1) : tensor<4xf32> -> (tensor<1xf32>, tensor<1xi32>)
  %3:2 = chlo.top_k(%a, k = 1, is_stable = true) : tensor<4xf32> -> (tensor<1xf32>, tensor<1xi32>)
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

// CHECK-LABEL: func.func @acos(
// CHECK-NEXT: %0 = chlo.acos %arg0 : tensor<4xbf16> -> tensor<4xbf16>
func.func @acos(%a: tensor<4xbf16>) {
  %0 = chlo.acos %a : tensor<4xbf16> -> tensor<4xbf16>
  return
}

// CHECK-LABEL: func.func @acosh(
// CHECK-NEXT: %0 = chlo.acosh %arg0 : tensor<4xbf16> -> tensor<4xbf16>
func.func @acosh(%a: tensor<4xbf16>) {
  %0 = chlo.acosh %a : tensor<4xbf16> -> tensor<4xbf16>
  return
}

// CHECK-LABEL: func.func @asin(
// CHECK-NEXT: %0 = chlo.asin %arg0 : tensor<4xbf16> -> tensor<4xbf16>
func.func @asin(%a: tensor<4xbf16>) {
  %0 = chlo.asin %a : tensor<4xbf16> -> tensor<4xbf16>
  return
}

// CHECK-LABEL: func.func @asinh(
// CHECK-NEXT: %0 = chlo.asinh %arg0 : tensor<4xbf16> -> tensor<4xbf16>
func.func @asinh(%a: tensor<4xbf16>) {
  %0 = chlo.asinh %a : tensor<4xbf16> -> tensor<4xbf16>
  return
}

// CHECK-LABEL: func.func @atan(
// CHECK-NEXT: %0 = chlo.atan %arg0 : tensor<4xbf16> -> tensor<4xbf16>
func.func @atan(%a: tensor<4xbf16>) {
  %0 = chlo.atan %a : tensor<4xbf16> -> tensor<4xbf16>
  return
}

// CHECK-LABEL: func.func @atanh(
// CHECK-NEXT: %0 = chlo.atanh %arg0 : tensor<4xbf16> -> tensor<4xbf16>
func.func @atanh(%a: tensor<4xbf16>) {
  %0 = chlo.atanh %a : tensor<4xbf16> -> tensor<4xbf16>
  return
}

// CHECK-LABEL: func.func @bessel_i1e(
// CHECK-NEXT: %0 = chlo.bessel_i1e %arg0 : tensor<4xbf16> -> tensor<4xbf16>
func.func @bessel_i1e(%a: tensor<4xbf16>) {
  %0 = chlo.bessel_i1e %a : tensor<4xbf16> -> tensor<4xbf16>
  return
}

// CHECK-LABEL: func.func @cosh(
// CHECK-NEXT: %0 = chlo.cosh %arg0 : tensor<4xbf16> -> tensor<4xbf16>
func.func @cosh(%a: tensor<4xbf16>) {
  %0 = chlo.cosh %a : tensor<4xbf16> -> tensor<4xbf16>
  return
}

// CHECK-LABEL: func.func @erfc(
// CHECK-NEXT: %0 = chlo.erfc %arg0 : tensor<4xbf16> -> tensor<4xbf16>
func.func @erfc(%a: tensor<4xbf16>) {
  %0 = chlo.erfc %a : tensor<4xbf16> -> tensor<4xbf16>
  return
}

// CHECK-LABEL: func.func @sinh(
// CHECK-NEXT: %0 = chlo.sinh %arg0 : tensor<4xbf16> -> tensor<4xbf16>
func.func @sinh(%a: tensor<4xbf16>) {
  %0 = chlo.sinh %a : tensor<4xbf16> -> tensor<4xbf16>
  return
}

// CHECK-LABEL: func.func @tan(
// CHECK-NEXT: %0 = chlo.tan %arg0 : tensor<4xbf16> -> tensor<4xbf16>
func.func @tan(%a: tensor<4xbf16>) {
  %0 = chlo.tan %a : tensor<4xbf16> -> tensor<4xbf16>
  return
}

// CHECK-LABEL: func.func @is_neg_inf(
// CHECK-NEXT: %0 = chlo.is_neg_inf %arg0 : tensor<4xf16> -> tensor<4xi1>
func.func @is_neg_inf(%a: tensor<4xf16>) {
  %0 = chlo.is_neg_inf %a : tensor<4xf16> -> tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @is_pos_inf(
// CHECK-NEXT: %0 = chlo.is_pos_inf %arg0 : tensor<4xf16> -> tensor<4xi1>
func.func @is_pos_inf(%a: tensor<4xf16>) {
  %0 = chlo.is_pos_inf %a : tensor<4xf16> -> tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @broadcast_atan2(
// CHECK-NEXT: %0 = chlo.broadcast_atan2 %arg0, %arg1 : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
func.func @broadcast_atan2(%a: tensor<3x4xf32>, %b: tensor<4xf32>) {
  %0 = chlo.broadcast_atan2 %a, %b : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return
}

// CHECK-LABEL: func.func @broadcast_divide(
// CHECK-NEXT: %0 = chlo.broadcast_divide %arg0, %arg1 : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
func.func @broadcast_divide(%a: tensor<3x4xf32>, %b: tensor<4xf32>) {
  %0 = chlo.broadcast_divide %a, %b : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return
}

// CHECK-LABEL: func.func @broadcast_maximum(
// CHECK-NEXT: %0 = chlo.broadcast_maximum %arg0, %arg1 : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
func.func @broadcast_maximum(%a: tensor<3x4xf32>, %b: tensor<4xf32>) {
  %0 = chlo.broadcast_maximum %a, %b : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return
}

// CHECK-LABEL: func.func @broadcast_minimum(
// CHECK-NEXT: %0 = chlo.broadcast_minimum %arg0, %arg1 : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
func.func @broadcast_minimum(%a: tensor<3x4xf32>, %b: tensor<4xf32>) {
  %0 = chlo.broadcast_minimum %a, %b : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return
}

// CHECK-LABEL: func.func @broadcast_multiply(
// CHECK-NEXT: %0 = chlo.broadcast_multiply %arg0, %arg1 : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
func.func @broadcast_multiply(%a: tensor<3x4xf32>, %b: tensor<4xf32>) {
  %0 = chlo.broadcast_multiply %a, %b : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return
}

// CHECK-LABEL: func.func @broadcast_next_after(
// CHECK-NEXT: %0 = chlo.broadcast_next_after %arg0, %arg1 : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
func.func @broadcast_next_after(%a: tensor<3x4xf32>, %b: tensor<4xf32>) {
  %0 = chlo.broadcast_next_after %a, %b : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return
}

// CHECK-LABEL: func.func @broadcast_polygamma(
// CHECK-NEXT: %0 = chlo.broadcast_polygamma %arg0, %arg1 : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
func.func @broadcast_polygamma(%a: tensor<3x4xf32>, %b: tensor<4xf32>) {
  %0 = chlo.broadcast_polygamma %a, %b : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return
}

// CHECK-LABEL: func.func @broadcast_power(
// CHECK-NEXT: %0 = chlo.broadcast_power %arg0, %arg1 : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
func.func @broadcast_power(%a: tensor<3x4xf32>, %b: tensor<4xf32>) {
  %0 = chlo.broadcast_power %a, %b : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return
}

// CHECK-LABEL: func.func @broadcast_remainder(
// CHECK-NEXT: %0 = chlo.broadcast_remainder %arg0, %arg1 : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
func.func @broadcast_remainder(%a: tensor<3x4xf32>, %b: tensor<4xf32>) {
  %0 = chlo.broadcast_remainder %a, %b : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return
}

// CHECK-LABEL: func.func @broadcast_subtract(
// CHECK-NEXT: %0 = chlo.broadcast_subtract %arg0, %arg1 : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
func.func @broadcast_subtract(%a: tensor<3x4xf32>, %b: tensor<4xf32>) {
  %0 = chlo.broadcast_subtract %a, %b : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return
}

// CHECK-LABEL: func.func @broadcast_and(
// CHECK-NEXT: %0 = chlo.broadcast_and %arg0, %arg1 {broadcast_dimensions = array<i64: 0>} : (tensor<3x4xi32>, tensor<3xi32>) -> tensor<3x4xi32>
func.func @broadcast_and(%a: tensor<3x4xi32>, %b: tensor<3xi32>) {
  %0 = chlo.broadcast_and %a, %b {broadcast_dimensions = array<i64: 0>} : (tensor<3x4xi32>, tensor<3xi32>) -> tensor<3x4xi32>
  return
}

// CHECK-LABEL: func.func @broadcast_or(
// CHECK-NEXT: %0 = chlo.broadcast_or %arg0, %arg1 {broadcast_dimensions = array<i64: 0>} : (tensor<3x4xi32>, tensor<3xi32>) -> tensor<3x4xi32>
func.func @broadcast_or(%a: tensor<3x4xi32>, %b: tensor<3xi32>) {
  %0 = chlo.broadcast_or %a, %b {broadcast_dimensions = array<i64: 0>} : (tensor<3x4xi32>, tensor<3xi32>) -> tensor<3x4xi32>
  return
}

// CHECK-LABEL: func.func @broadcast_xor(
// CHECK-NEXT: %0 = chlo.broadcast_xor %arg0, %arg1 {broadcast_dimensions = array<i64: 0>} : (tensor<3x4xi32>, tensor<3xi32>) -> tensor<3x4xi32>
func.func @broadcast_xor(%a: tensor<3x4xi32>, %b: tensor<3xi32>) {
  %0 = chlo.broadcast_xor %a, %b {broadcast_dimensions = array<i64: 0>} : (tensor<3x4xi32>, tensor<3xi32>) -> tensor<3x4xi32>
  return
}

// CHECK-LABEL: func.func @broadcast_shift_left(
// CHECK-NEXT: %0 = chlo.broadcast_shift_left %arg0, %arg1 {broadcast_dimensions = array<i64: 0>} : (tensor<3x4xi32>, tensor<3xi32>) -> tensor<3x4xi32>
func.func @broadcast_shift_left(%a: tensor<3x4xi32>, %b: tensor<3xi32>) {
  %0 = chlo.broadcast_shift_left %a, %b {broadcast_dimensions = array<i64: 0>} : (tensor<3x4xi32>, tensor<3xi32>) -> tensor<3x4xi32>
  return
}

// CHECK-LABEL: func.func @broadcast_shift_right_arithmetic(
// CHECK-NEXT: %0 = chlo.broadcast_shift_right_arithmetic %arg0, %arg1 {broadcast_dimensions = array<i64: 0>} : (tensor<3x4xi32>, tensor<3xi32>) -> tensor<3x4xi32>
func.func @broadcast_shift_right_arithmetic(%a: tensor<3x4xi32>, %b: tensor<3xi32>) {
  %0 = chlo.broadcast_shift_right_arithmetic %a, %b {broadcast_dimensions = array<i64: 0>} : (tensor<3x4xi32>, tensor<3xi32>) -> tensor<3x4xi32>
  return
}

// CHECK-LABEL: func.func @broadcast_shift_right_logical(
// CHECK-NEXT: %0 = chlo.broadcast_shift_right_logical %arg0, %arg1 {broadcast_dimensions = array<i64: 0>} : (tensor<3x4xi32>, tensor<3xi32>) -> tensor<3x4xi32>
func.func @broadcast_shift_right_logical(%a: tensor<3x4xi32>, %b: tensor<3xi32>) {
  %0 = chlo.broadcast_shift_right_logical %a, %b {broadcast_dimensions = array<i64: 0>} : (tensor<3x4xi32>, tensor<3xi32>) -> tensor<3x4xi32>
  return
}

// CHECK-LABEL: func.func @_asin_acos_kernel(
// CHECK-NEXT: %0 = chlo._asin_acos_kernel %arg0 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
func.func @_asin_acos_kernel(%a: tensor<4xcomplex<f32>>) {
  %0 = "chlo._asin_acos_kernel"(%a) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// CHECK-LABEL: func.func @scan_other(
// CHECK-NEXT: %0:2 = chlo.scan(%arg0) inits (%arg1) dimension=0  {
// CHECK-NEXT: ^bb0(%input: tensor<4xf32>, %carry: tensor<4xf32>):
// CHECK-NEXT: %1 = stablehlo.add %input, %carry : tensor<4xf32>
// CHECK-NEXT: stablehlo.return %1, %1 : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: } : (tensor<3x4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<4xf32>)
func.func @scan_other(%x: tensor<3x4xf32>, %c: tensor<4xf32>) {
  %0:2 = chlo.scan(%x) inits (%c) dimension=0 {
  ^bb0(%i: tensor<4xf32>, %s: tensor<4xf32>):
    %1 = stablehlo.add %i, %s : tensor<4xf32>
    stablehlo.return %1, %1 : tensor<4xf32>, tensor<4xf32>
  } : (tensor<3x4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<4xf32>)
  return
}

// CHECK-LABEL: func.func @digamma(
// CHECK-NEXT: %0 = chlo.digamma %arg0 : tensor<4xf32> -> tensor<4xf32>
func.func @digamma(%a: tensor<4xf32>) {
  %0 = chlo.digamma %a : tensor<4xf32> -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @erf_inv(
// CHECK-NEXT: %0 = chlo.erf_inv %arg0 : tensor<4xf32> -> tensor<4xf32>
func.func @erf_inv(%a: tensor<4xf32>) {
  %0 = chlo.erf_inv %a : tensor<4xf32> -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @lgamma(
// CHECK-NEXT: %0 = chlo.lgamma %arg0 : tensor<4xf32> -> tensor<4xf32>
func.func @lgamma(%a: tensor<4xf32>) {
  %0 = chlo.lgamma %a : tensor<4xf32> -> tensor<4xf32>
  return
}
