// RUN: shardwright-opt %s --sw-simplify | FileCheck %s

// CHECK-LABEL: func @constant_branches
func.func @constant_branches(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // An index that no branch has runs the last one.
  // CHECK-NEXT: %[[A:.*]] = stablehlo.negate %arg0
  // CHECK-NEXT: %[[B:.*]] = stablehlo.sine %arg0
  // CHECK-NEXT: return %[[A]], %[[B]]
  %true = stablehlo.constant dense<true> : tensor<i1>
  %minus = stablehlo.constant dense<-1> : tensor<i32>
  %0 = "stablehlo.if"(%true) ({
    %n = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %n : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  %1 = "stablehlo.case"(%minus) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    %c = stablehlo.cosine %x : tensor<4xf32>
    stablehlo.return %c : tensor<4xf32>
  }, {
    %s = stablehlo.sine %x : tensor<4xf32>
    stablehlo.return %s : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @results
func.func @results(%i: tensor<i32>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // The second result is %y in all branches, the third has no use.
  // CHECK: %[[R:.*]] = "stablehlo.case"(%arg0) ({
  // CHECK-NEXT: %[[N:.*]] = stablehlo.negate
  // CHECK-NEXT: stablehlo.return %[[N]] : tensor<4xf32>
  // CHECK-NEXT: }, {
  // CHECK-NEXT: stablehlo.return %arg1 : tensor<4xf32>
  // CHECK: return %[[R]], %arg2
  %0:3 = "stablehlo.case"(%i) ({
    %n = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %n, %y, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }, {
    %n = stablehlo.sine %x : tensor<4xf32>
    stablehlo.return %x, %y, %n : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }) : (tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @if_to_select
func.func @if_to_select(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[S:.*]] = stablehlo.select %arg0, %arg2, %arg1
  // CHECK-NEXT: return %[[S]]
  %n = stablehlo.not %p : tensor<i1>
  %0 = "stablehlo.if"(%n) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %y : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @tuples
func.func @tuples(%x: tensor<4xf32>, %t: tuple<tensor<4xf32>, tensor<i32>>) -> (tensor<4xf32>, tuple<tensor<4xf32>, tensor<i32>>) {
  // CHECK-NEXT: return %arg0, %arg1
  %0 = stablehlo.tuple %x, %x : tuple<tensor<4xf32>, tensor<4xf32>>
  %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
  %2 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<4xf32>, tensor<i32>>) -> tensor<4xf32>
  %3 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<4xf32>, tensor<i32>>) -> tensor<i32>
  %4 = stablehlo.tuple %2, %3 : tuple<tensor<4xf32>, tensor<i32>>
  return %1, %4 : tensor<4xf32>, tuple<tensor<4xf32>, tensor<i32>>
}

// CHECK-LABEL: func @barriers_and_calls_stay
func.func @barriers_and_calls_stay(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-COUNT-2: stablehlo.optimization_barrier
  // CHECK-COUNT-2: stablehlo.custom_call @f
  %0 = stablehlo.optimization_barrier %x : tensor<4xf32>
  %1 = stablehlo.optimization_barrier %x : tensor<4xf32>
  %2 = stablehlo.custom_call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = stablehlo.custom_call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
