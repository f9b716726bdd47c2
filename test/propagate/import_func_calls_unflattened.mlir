// A callee that is called several times, as a call graph that nothing flattened
// has: each call but the first gets a copy of the body.
// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(sdy-import-func-calls{add-data-flow-edges-on-named-computations=false})' | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[A:.*]] = sdy.named_computation<"f">(%arg0) (%arg1: tensor<8xf32>) {
// CHECK-NEXT:   %[[B:.*]] = sdy.named_computation<"g">(%arg1) (%arg2: tensor<8xf32>) {
// CHECK-NEXT:     stablehlo.negate %arg2
// CHECK:        sdy.named_computation<"g">(%[[B]]) (%arg2: tensor<8xf32>) {
// CHECK-NEXT:     stablehlo.negate %arg2
// CHECK:      %[[C:.*]] = sdy.named_computation<"f">(%[[A]]) (%arg1: tensor<8xf32>) {
// CHECK-NEXT:   sdy.named_computation<"g">(%arg1) (%arg2: tensor<8xf32>) {
// CHECK-NEXT:     stablehlo.negate %arg2
// CHECK:        sdy.named_computation<"g">
// CHECK-NEXT:     stablehlo.negate %arg2
// CHECK:      sdy.named_computation<"g">(%[[C]])
// CHECK-NEXT:   stablehlo.negate
// CHECK-NOT:  func.func
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @f(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @g(%1) : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
func.func private @g(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @g(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @g(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// The pass keeps nothing of the module before; what is only declared stays.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: sdy.named_computation<"f">
// CHECK-NEXT:   call @declared
// CHECK:      sdy.named_computation<"f">
// CHECK-NEXT:   call @declared
// CHECK:      func.func private @declared
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @f(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @declared(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @declared(tensor<8xf32>) -> tensor<8xf32>
