// Ops that front ends wrote as custom calls become ops again.
// RUN: shardwright-opt %s --sw-import-custom-calls --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @erf(
// CHECK-NEXT: chlo.erf %arg0 {mhlo.sharding = "{replicated}"} : tensor<4xf32> -> tensor<4xf32>
// CHECK-NEXT: chlo.erf_inv %arg0 : tensor<4xf32> -> tensor<4xf32>
// CHECK-NEXT: chlo.tan %arg0 : tensor<4xf32> -> tensor<4xf32>
func.func @erf(%a: tensor<4xf32>) {
  %0 = stablehlo.custom_call @mhlo.erf(%a) {mhlo.attributes = {}, mhlo.sharding = "{replicated}", mhlo.version = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @chlo.erf_inv(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.custom_call @mhlo.tan(%a) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @top_k(
// CHECK-NEXT: chlo.top_k(%arg0, k = 2) : tensor<3x8xf32> -> (tensor<3x2xf32>, tensor<3x2xi32>)
// CHECK-NEXT: chlo.top_k(%arg0, k = 2) : tensor<3x8xf32> -> (tensor<3x2xf32>, tensor<3x2xi32>)
// CHECK-NEXT: chlo.top_k(%arg0, k = 2) : tensor<3x8xf32> -> (tensor<3x2xf32>, tensor<3x2xi32>)
func.func @top_k(%a: tensor<3x8xf32>) {
  %0:2 = stablehlo.custom_call @mhlo.topk(%a) {mhlo.attributes = {k = 2 : i64, largest = true}, mhlo.version = 1 : i64} : (tensor<3x8xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>)
  %1:2 = stablehlo.custom_call @chlo.top_k(%a) {mhlo.attributes = {k = 2 : i32}} : (tensor<3x8xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>)
  %2:2 = stablehlo.custom_call @chlo.top_k(%a) {api_version = 4 : i32, backend_config = {k = 2 : i64}} : (tensor<3x8xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>)
  return
}

// CHECK-LABEL: func.func @others(
// CHECK-NEXT: stablehlo.custom_call @mhlo.unheard_of(%arg0)
// CHECK-NEXT: stablehlo.custom_call @Sharding(%arg0)
// CHECK-NEXT: stablehlo.custom_call @erf(%arg0)
// CHECK-NEXT: stablehlo.floor %arg0 : tensor<4xf32>
func.func @others(%a: tensor<4xf32>) {
  %0 = stablehlo.custom_call @mhlo.unheard_of(%a) {mhlo.attributes = {}} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @Sharding(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.custom_call @erf(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = stablehlo.custom_call @mhlo.floor(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @bad_attributes(%a: tensor<3x8xf32>) {
  // expected-error @+2 {{'chlo.top_k' op requires attribute 'k'}}
  // expected-note @+1 {{custom call @mhlo.topk stands for chlo.top_k}}
  %0:2 = stablehlo.custom_call @mhlo.topk(%a) {mhlo.attributes = {}} : (tensor<3x8xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>)
  return
}

// -----

func.func @not_a_dictionary(%a: tensor<4xf32>) {
  // expected-error @+1 {{mhlo.attributes must be a dictionary, got 1 : i64}}
  %0 = stablehlo.custom_call @mhlo.erf(%a) {mhlo.attributes = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// CHECK-LABEL: func.func @smallest(
// CHECK-NEXT: %[[IOTA:.*]] = stablehlo.iota dim = 1 : tensor<3x8xi32>
// CHECK-NEXT: %[[SORT:.*]]:2 = "stablehlo.sort"(%arg0, %[[IOTA]]) <{dimension = 1 : i64, is_stable = true}> ({
// CHECK-NEXT: ^bb0(%[[L:.*]]: tensor<f32>, %[[R:.*]]: tensor<f32>, %{{.*}}: tensor<i32>, %{{.*}}: tensor<i32>):
// CHECK-NEXT:   stablehlo.compare LT, %[[L]], %[[R]], TOTALORDER
// CHECK: %[[V:.*]] = stablehlo.slice %[[SORT]]#0 [0:3, 0:2]
// CHECK-NEXT: %[[I:.*]] = stablehlo.slice %[[SORT]]#1 [0:3, 0:2]
// CHECK-NEXT: return %[[V]], %[[I]]
func.func @smallest(%a: tensor<3x8xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>) {
  %0:2 = stablehlo.custom_call @mhlo.topk(%a) {mhlo.attributes = {k = 2 : i64, largest = false}} : (tensor<3x8xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>)
  return %0#0, %0#1 : tensor<3x2xf32>, tensor<3x2xi32>
}

// CHECK-LABEL: func.func @copy(
// CHECK-NEXT: return %arg0
func.func @copy(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @mhlo.copy(%a) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @bad_operands(%a: tensor<4xi32>) {
  // expected-error @+2 {{'chlo.erf' op operand #0 must be}}
  // expected-note @+1 {{custom call @mhlo.erf stands for chlo.erf}}
  %0 = stablehlo.custom_call @mhlo.erf(%a) : (tensor<4xi32>) -> tensor<4xi32>
  return
}
