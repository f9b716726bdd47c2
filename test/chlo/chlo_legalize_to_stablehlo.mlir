// The expansion: what it emits, what it keeps, what it refuses. Accuracy is the business of
// test/oracle/chlo_expansion.py.
// RUN: split-file %s %t
// RUN: shardwright-opt %t/good.mlir --pass-pipeline='builtin.module(func.func(chlo-legalize-to-stablehlo))' | FileCheck %s --implicit-check-not=chlo.
// RUN: shardwright-opt %t/good.mlir --pass-pipeline='builtin.module(func.func(chlo-legalize-to-stablehlo))' --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=LOC
// RUN: shardwright-opt %t/bad.mlir --pass-pipeline='builtin.module(func.func(chlo-legalize-to-stablehlo))' --split-input-file --verify-diagnostics

//--- good.mlir
sdy.mesh @mesh = <["x"=2]>

// CHECK-LABEL: func.func @square(
// CHECK-NEXT: %0 = stablehlo.multiply %arg0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
// CHECK-NEXT: return %0
// LOC-LABEL: func.func @square(
// LOC: stablehlo.multiply {{.*}} loc("squared")
func.func @square(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = chlo.square %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32> -> tensor<4xf32> loc("squared")
  return %0 : tensor<4xf32>
}

// Every op of a formula has the location, the last one the attributes.
// CHECK-LABEL: func.func @erf(
// CHECK-NOT: mhlo.note
// CHECK: stablehlo.select {{.*}} {mhlo.note = "kept"} : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: return
// LOC-LABEL: func.func @erf(
// LOC: stablehlo.abs {{.*}} loc("erf of a")
// LOC: stablehlo.exponential {{.*}} loc("erf of a")
// LOC: stablehlo.select {{.*}} loc("erf of a")
func.func @erf(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = chlo.erf %a {mhlo.note = "kept"} : tensor<4xf32> -> tensor<4xf32> loc("erf of a")
  return %0 : tensor<4xf32>
}

// Narrow floats compute in f32.
// CHECK-LABEL: func.func @narrow(
// CHECK-NEXT: stablehlo.convert %arg0 : (tensor<4xbf16>) -> tensor<4xf32>
// CHECK: stablehlo.atan2 {{.*}} : tensor<4xf32>
// CHECK: stablehlo.convert {{.*}} {mhlo.note} : (tensor<4xf32>) -> tensor<4xbf16>
func.func @narrow(%a: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = chlo.atan %a {mhlo.note} : tensor<4xbf16> -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// CHECK-LABEL: func.func @acos(
// CHECK: %[[ROOT:.*]] = stablehlo.sqrt
// CHECK-NEXT: stablehlo.atan2 %[[ROOT]], %arg0
func.func @acos(%a: tensor<f64>) -> tensor<f64> {
  %0 = chlo.acos %a : tensor<f64> -> tensor<f64>
  return %0 : tensor<f64>
}

// An identity keeps its attributes on an op of its own.
// CHECK-LABEL: func.func @conj_of_real(
// CHECK-NEXT: return %arg0, %arg0
// CHECK-LABEL: func.func @conj_with_attribute(
// CHECK-NEXT: stablehlo.convert %arg0 {mhlo.note} : tensor<4xf32>
// CHECK-LABEL: func.func @conj(
// CHECK-DAG: stablehlo.real
// CHECK-DAG: stablehlo.imag
// CHECK: stablehlo.complex {{.*}} : tensor<4xcomplex<f32>>
func.func @conj_of_real(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = chlo.conj %a : tensor<4xf32> -> tensor<4xf32>
  return %0, %a : tensor<4xf32>, tensor<4xf32>
}
func.func @conj_with_attribute(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = chlo.conj %a {mhlo.note} : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @conj(%a: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = chlo.conj %a : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// Shardings of the two results part.
// CHECK-LABEL: func.func @top_k(
// CHECK-NEXT: %[[IOTA:.*]] = stablehlo.iota dim = 1 : tensor<4x8xi32>
// CHECK-NEXT: %[[SORTED:.*]]:2 = "stablehlo.sort"(%arg0, %[[IOTA]]) <{dimension = 1 : i64, is_stable = true}>
// CHECK: stablehlo.compare GT, %{{.*}}, %{{.*}}, TOTALORDER
// CHECK: stablehlo.slice %[[SORTED]]#0 [0:4, 0:2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<4x8xf32>) -> tensor<4x2xf32>
// CHECK: stablehlo.slice %[[SORTED]]#1 [0:4, 0:2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<4x8xi32>) -> tensor<4x2xi32>
func.func @top_k(%a: tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>) {
  %v, %i = chlo.top_k(%a, k = 2) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>]>} : tensor<4x8xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
  return %v, %i : tensor<4x2xf32>, tensor<4x2xi32>
}

// CHECK-LABEL: func.func @broadcasting(
// CHECK-NEXT: %[[B:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: stablehlo.add %arg0, %[[B]] : tensor<3x4xf32>
// CHECK: %[[C:.*]] = stablehlo.broadcast_in_dim %arg2, dims = [0] : (tensor<3xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: stablehlo.compare LT, %arg0, %[[C]], TOTALORDER
// CHECK: stablehlo.bitcast_convert
func.func @broadcasting(%a: tensor<3x4xf32>, %b: tensor<4xf32>, %c: tensor<3xf32>) -> (tensor<3x4xf32>, tensor<3x4xi1>, tensor<3x4xf32>) {
  %0 = chlo.broadcast_add %a, %b : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  %1 = chlo.broadcast_compare %a, %c {broadcast_dimensions = array<i64: 0>, compare_type = #chlo<comparison_type TOTALORDER>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<3x4xf32>, tensor<3xf32>) -> tensor<3x4xi1>
  %2 = chlo.broadcast_next_after %a, %b : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return %0, %1, %2 : tensor<3x4xf32>, tensor<3x4xi1>, tensor<3x4xf32>
}

// CHECK-LABEL: func.func @in_region(
// CHECK: "stablehlo.if"
// CHECK: stablehlo.sine
// CHECK: stablehlo.multiply
func.func @in_region(%p: tensor<i1>, %a: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.sine %a : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }, {
    %1 = chlo.square %a : tensor<f32> -> tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}

// Constants of dynamic shapes are spread over the operand's shape, asked for once.
// CHECK-LABEL: func.func @dynamic(
// CHECK: %[[SIZE:.*]] = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
// CHECK: %[[SHAPE:.*]] = stablehlo.concatenate {{.*}} -> tensor<2xi64>
// CHECK: stablehlo.dynamic_broadcast_in_dim %{{.*}}, %[[SHAPE]], dims = [] : (tensor<f32>, tensor<2xi64>) -> tensor<?x4xf32>
// CHECK-NOT: get_dimension_size
// CHECK: return
func.func @dynamic(%a: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = chlo.atan %a : tensor<?x4xf32> -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @dynamic_broadcast(
// CHECK: %[[OWN:.*]] = stablehlo.convert %{{.*}} : (tensor<i32>) -> tensor<i64>
// CHECK: %[[OTHER:.*]] = stablehlo.convert %{{.*}} : (tensor<i32>) -> tensor<i64>
// CHECK: %[[ONE:.*]] = stablehlo.compare EQ, %[[OWN]], %{{.*}}
// CHECK: stablehlo.select %[[ONE]], %[[OTHER]], %[[OWN]]
// CHECK: stablehlo.dynamic_broadcast_in_dim %arg0, %{{.*}}, dims = [0, 1] : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x4xf32>
// CHECK: stablehlo.dynamic_broadcast_in_dim %arg1, %{{.*}}, dims = [0, 1] : (tensor<?x1xf32>, tensor<2xi64>) -> tensor<?x4xf32>
// CHECK: stablehlo.add {{.*}} : tensor<?x4xf32>
func.func @dynamic_broadcast(%a: tensor<?x4xf32>, %b: tensor<?x1xf32>) -> tensor<?x4xf32> {
  %0 = chlo.broadcast_add %a, %b : (tensor<?x4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @dynamic_top_k(
// CHECK: stablehlo.dynamic_iota {{.*}}, dim = 1 : (tensor<2xi64>) -> tensor<?x8xi32>
// CHECK: stablehlo.real_dynamic_slice {{.*}} -> tensor<?x2xf32>
// CHECK: stablehlo.real_dynamic_slice {{.*}} -> tensor<?x2xi32>
func.func @dynamic_top_k(%a: tensor<?x8xf32>) -> (tensor<?x2xf32>, tensor<?x2xi32>) {
  %v, %i = chlo.top_k(%a, k = 2) : tensor<?x8xf32> -> (tensor<?x2xf32>, tensor<?x2xi32>)
  return %v, %i : tensor<?x2xf32>, tensor<?x2xi32>
}

// CHECK-LABEL: func.func @constant_like(
// CHECK-NEXT: stablehlo.constant dense<1.500000e+00> : tensor<3xf32>
// CHECK: stablehlo.dynamic_broadcast_in_dim {{.*}} -> tensor<?xi32>
func.func @constant_like(%a: tensor<3xi32>, %b: tensor<?xf32>) -> (tensor<3xf32>, tensor<?xi32>) {
  %0 = "chlo.constant_like"(%a) <{value = 1.5 : f32}> : (tensor<3xi32>) -> tensor<3xf32>
  %1 = "chlo.constant_like"(%b) <{value = 7 : i32}> : (tensor<?xf32>) -> tensor<?xi32>
  return %0, %1 : tensor<3xf32>, tensor<?xi32>
}

// Shardings of the results are those of the loop's after its counter.
// CHECK-LABEL: func.func @scan(
// CHECK: %[[N:.*]] = stablehlo.constant dense<5> : tensor<i64>
// CHECK: stablehlo.constant dense<0.000000e+00> : tensor<4x5xf64>
// CHECK: %[[LOOP:.*]]:3 = stablehlo.while({{.*}}) : tensor<i64>, tensor<4x5xf64>, tensor<4xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}]>]>}
// CHECK: stablehlo.compare LT, %iterArg, %[[N]]
// CHECK: stablehlo.dynamic_slice %arg0, %{{.*}}, %[[AT:.*]], sizes = [4, 1]
// CHECK: stablehlo.add
// CHECK: stablehlo.dynamic_update_slice %{{.*}}, %{{.*}}, %{{.*}}, %[[AT]]
// CHECK: return %[[LOOP]]#1, %[[LOOP]]#2
func.func @scan(%a: tensor<4x5xf32>, %c: tensor<4xf32>) -> (tensor<4x5xf64>, tensor<4xf32>) {
  %0:2 = chlo.scan(%a) inits (%c) dimension=1 attributes {is_reverse = true, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}]>]>} {
  ^bb0(%input: tensor<4xf32>, %carry: tensor<4xf32>):
    %1 = stablehlo.add %input, %carry : tensor<4xf32>
    %2 = stablehlo.convert %1 : (tensor<4xf32>) -> tensor<4xf64>
    stablehlo.return %2, %1 : tensor<4xf64>, tensor<4xf32>
  } : (tensor<4x5xf32>, tensor<4xf32>) -> (tensor<4x5xf64>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4x5xf64>, tensor<4xf32>
}

// One product; the groups are a contracting dimension.
// CHECK-LABEL: func.func @ragged_dot(
// CHECK: stablehlo.select {{.*}} : tensor<3x11x5xi1>, tensor<3x11x5xf32>
// CHECK: stablehlo.dot_general %{{.*}}, %arg1, contracting_dims = [2, 0] x [1, 0], precision = [HIGH, DEFAULT] : (tensor<3x11x5xf32>, tensor<3x5x7xf32>) -> tensor<11x7xf32>
func.func @ragged_dot(%l: tensor<11x5xf32>, %r: tensor<3x5x7xf32>, %g: tensor<3xi32>) -> tensor<11x7xf32> {
  %0 = "chlo.ragged_dot"(%l, %r, %g) <{precision_config = [#chlo<precision HIGH>, #chlo<precision DEFAULT>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
  return %0 : tensor<11x7xf32>
}

//--- bad.mlir
func.func @unranked(%a: tensor<*xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{'chlo.erf' op has no expansion for the unranked 'tensor<*xf32>'}}
  %0 = chlo.erf %a : tensor<*xf32> -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

func.func @complex(%a: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  // expected-error @+1 {{'chlo.bessel_i1e' op has no expansion for complex operands, got 'tensor<4xcomplex<f32>>'}}
  %0 = chlo.bessel_i1e %a : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// -----

func.func @scan(%a: tensor<4x?xf32>, %c: tensor<?xf32>) -> tensor<4x?xf32> {
  // expected-error @+1 {{'chlo.scan' op has no expansion for the dynamic slices of 'tensor<4x?xf32>'}}
  %0:2 = chlo.scan(%a) inits (%c) dimension=0 {
  ^bb0(%input: tensor<?xf32>, %carry: tensor<?xf32>):
    %1 = stablehlo.add %input, %carry : tensor<?xf32>
    stablehlo.return %1, %1 : tensor<?xf32>, tensor<?xf32>
  } : (tensor<4x?xf32>, tensor<?xf32>) -> (tensor<4x?xf32>, tensor<?xf32>)
  return %0#0 : tensor<4x?xf32>
}

// -----

func.func @ragged_dot(%l: tensor<11x?xf32>, %r: tensor<3x?x7xf32>, %g: tensor<3xi32>) -> tensor<11x7xf32> {
  // expected-error @+1 {{'chlo.ragged_dot' op has no expansion for the dynamic shape of 'tensor<11x?xf32>'}}
  %0 = "chlo.ragged_dot"(%l, %r, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x?xf32>, tensor<3x?x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
  return %0 : tensor<11x7xf32>
}
