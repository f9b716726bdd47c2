// Structured ops, and scf around them, propagate like StableHLO.
// RUN: shardwright-opt %s -sdy-populate-op-sharding-rules -split-input-file | FileCheck %s --check-prefix=RULES
// RUN: shardwright-opt %s -sdy-propagation-pipeline=sw-extra-rules=true -split-input-file | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=4]>

// RULES: linalg.matmul {{.*}}([i, k], [k, j], [i, j])->([i, j]) {i=8, j=32, k=16} reduction={k}
// RULES: linalg.generic {{.*}}([i, j], [j], [i, j])->([i, j]) {i=8, j=32}
// RULES: linalg.transpose {{.*}}([j, i], [i, j])->([i, j]) {i=32, j=8}

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %arg2: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, {{\[}}{"y"}]>}
func.func @main(
    %a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %b: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>},
    %bias: tensor<32xf32>) -> tensor<32x8xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x32xf32>) -> tensor<8x32xf32>
  // CHECK: linalg.matmul {sdy.sharding = #sdy.sharding_per_value<[<@mesh, {{\[}}{"x"}, {"y"}]>]>}
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x32xf32>)
                     outs(%init : tensor<8x32xf32>) -> tensor<8x32xf32>
  // CHECK: linalg.generic {{.*}} attrs = {sdy.sharding = #sdy.sharding_per_value<[<@mesh, {{\[}}{"x"}, {"y"}]>]>}
  %1 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias : tensor<8x32xf32>, tensor<32xf32>) outs(%empty : tensor<8x32xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %s = arith.addf %x, %y : f32
      linalg.yield %s : f32
  } -> tensor<8x32xf32>
  // CHECK: arith.negf {{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, {{\[}}{"x"}, {"y"}]>]>}
  %2 = arith.negf %1 : tensor<8x32xf32>
  %t = tensor.empty() : tensor<32x8xf32>
  // CHECK: linalg.transpose {{.*}}{{\[}}{"y"}, {"x"}]
  %3 = linalg.transpose ins(%2 : tensor<8x32xf32>) outs(%t : tensor<32x8xf32>) permutation = [1, 0]
  return %3 : tensor<32x8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=4]>

// An axis goes into a loop, through both branches, and out.
// CHECK-LABEL: func.func @main(
func.func @main(
    %a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %c: i1, %n: index) -> (tensor<8x16xf32>, tensor<8x4x4xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK: scf.for
  %0 = scf.for %i = %zero to %n step %one iter_args(%v = %a) -> tensor<8x16xf32> {
    // CHECK: scf.if
    %1 = scf.if %c -> tensor<8x16xf32> {
      // CHECK: arith.negf {{.*}}{{\[}}{"x"}, {}]
      %2 = arith.negf %v : tensor<8x16xf32>
      scf.yield %2 : tensor<8x16xf32>
    } else {
      scf.yield %v : tensor<8x16xf32>
    }
    // CHECK: {sdy.sharding = #sdy.sharding_per_value<[<@mesh, {{\[}}{"x"}, {}]>]>}
    scf.yield %1 : tensor<8x16xf32>
  }
  // CHECK: {sdy.sharding = #sdy.sharding_per_value<[<@mesh, {{\[}}{"x"}, {}]>]>}
  %w = scf.while (%u = %0) : (tensor<8x16xf32>) -> tensor<8x16xf32> {
    // CHECK: scf.condition
    scf.condition(%c) %u : tensor<8x16xf32>
  } do {
  ^bb0(%u: tensor<8x16xf32>):
    // CHECK: arith.negf {{.*}}{{\[}}{"x"}, {}]
    %4 = arith.negf %u : tensor<8x16xf32>
    scf.yield %4 : tensor<8x16xf32>
  }
  // CHECK: tensor.expand_shape {{.*}}{{\[}}{"x"}, {}, {}]
  %5 = tensor.expand_shape %w [[0], [1, 2]] output_shape [8, 4, 4]
      : tensor<8x16xf32> into tensor<8x4x4xf32>
  return %w, %5 : tensor<8x16xf32>, tensor<8x4x4xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=4]>

// Two results are written over one empty tensor, and one constant is spread
// twice: no reason to shard them alike.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, {{\[}}{"x"}, {}]>}, tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, {{\[}}{}, {"y"}]>})
func.func @main(
    %a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %b: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>})
    -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %one = arith.constant 1.0 : f32
  %empty = tensor.empty() : tensor<8x16xf32>
  %ones = linalg.fill ins(%one : f32) outs(%empty : tensor<8x16xf32>) -> tensor<8x16xf32>
  %0 = linalg.add ins(%a, %ones : tensor<8x16xf32>, tensor<8x16xf32>) outs(%empty : tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = linalg.add ins(%b, %ones : tensor<8x16xf32>, tensor<8x16xf32>) outs(%empty : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0, %1 : tensor<8x16xf32>, tensor<8x16xf32>
}
