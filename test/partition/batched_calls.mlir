// RUN: shardwright-opt --sw-partition %s | FileCheck %s
// Calls of targets that may be made with a part of their batch, and others.

sdy.mesh @mesh = <["x"=4, "y"=2]>

// The batch stays where it is, though the call brings a rule of its own, and nothing is sent.
// CHECK-LABEL: func @marked
// CHECK-NEXT: stablehlo.custom_call @lapack_spotrf_ffi(%arg0){{.*}}(tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2xi32>)
// CHECK-NEXT: return
func.func @marked(%a: tensor<8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>})
    -> (tensor<8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>},
        tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {
    mhlo.backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"},
    sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}, {}]>, <@mesh, [{"x"}]>]>,
    sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i]) {i=8, j=4, k=4, l=4, m=4}, custom>}
    : (tensor<8x4x4xf32>) -> (tensor<8x4x4xf32>, tensor<8xi32>)
  return %0#0, %0#1 : tensor<8x4x4xf32>, tensor<8xi32>
}

// A rule says where shardings go, not that a call can be made in parts.
// CHECK-LABEL: func @rule_alone
// CHECK: stablehlo.custom_call @mine({{.*}}(tensor<8x4xf32>) -> tensor<8x4xf32>
func.func @rule_alone(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.custom_call @mine(%a) {
    sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>,
    sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4}, custom>}
    : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// Nor do batch dimensions of a target that nobody has marked.
// CHECK-LABEL: func @not_marked
// CHECK: stablehlo.custom_call @mine({{.*}}(tensor<8x4xf32>) -> tensor<8x4xf32>
func.func @not_marked(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.custom_call @mine(%a) {
    mhlo.frontend_attributes = {num_batch_dims = "1"},
    sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
    : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
