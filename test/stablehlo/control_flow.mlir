// Each op in the text that JAX prints, with a discardable attribute where one fits.
// RUN: shardwright-opt %s | FileCheck %s
// RUN: shardwright-opt %s --mlir-print-op-generic | shardwright-opt | FileCheck %s

// CHECK-LABEL: func.func @while(
// CHECK-NEXT: %0:2 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %arg0) : tensor<4xi32>, tensor<4xf32> attributes {foo}
// CHECK-NEXT: cond {
// CHECK-NEXT: stablehlo.return %arg2 : tensor<i1>
// CHECK-NEXT: } do {
// CHECK-NEXT: stablehlo.return %iterArg, %iterArg_0 : tensor<4xi32>, tensor<4xf32>
// CHECK-NEXT: }
func.func @while(%a: tensor<4xf32>, %b: tensor<4xi32>, %p: tensor<i1>) {
  %8:2 = stablehlo.while(%i = %b, %j = %a) : tensor<4xi32>, tensor<4xf32> attributes {foo}
  cond { stablehlo.return %p : tensor<i1> }
  do { stablehlo.return %i, %j : tensor<4xi32>, tensor<4xf32> }
  return
}

// CHECK-LABEL: func.func @optimization_barrier(
// CHECK-NEXT: stablehlo.optimization_barrier()
func.func @optimization_barrier() {
  stablehlo.optimization_barrier()
  return
}

// CHECK-LABEL: func.func @after_all(
// CHECK-NEXT: %0 = stablehlo.after_all %arg0, %arg0 : !stablehlo.token
func.func @after_all(%t: !stablehlo.token) {
  %10 = stablehlo.after_all %t, %t : !stablehlo.token
  return
}

// CHECK-LABEL: func.func @after_all_1(
// CHECK-NEXT: %0 = stablehlo.after_all  : !stablehlo.token
func.func @after_all_1() {
  %11 = stablehlo.after_all : !stablehlo.token
  return
}

// CHECK-LABEL: func.func @tuple(
// CHECK-NEXT: %0 = stablehlo.tuple %arg0, %arg1 {foo} : tuple<tensor<4xf32>, tensor<4xi32>>
func.func @tuple(%a: tensor<4xf32>, %b: tensor<4xi32>) {
  %12 = stablehlo.tuple %a, %b {foo} : tuple<tensor<4xf32>, tensor<4xi32>>
  return
}

// CHECK-LABEL: func.func @get_tuple_element(
// CHECK-NEXT: %0 = stablehlo.get_tuple_element %arg0[0] {foo} : (tuple<tensor<4xf32>, tensor<4xi32>>) -> tensor<4xf32>
func.func @get_tuple_element(%T: tuple<tensor<4xf32>, tensor<4xi32>>) {
  %13 = stablehlo.get_tuple_element %T[0] {foo} : (tuple<tensor<4xf32>, tensor<4xi32>>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @create_token(
// CHECK-NEXT: %0 = stablehlo.create_token {foo} : !stablehlo.token
func.func @create_token() {
  %21 = stablehlo.create_token {foo} : !stablehlo.token
  return
}

// CHECK-LABEL: func.func @optimization_barrier_1(
// CHECK-NEXT: %0 = stablehlo.optimization_barrier {foo} %arg0 : tensor<4xf32>
func.func @optimization_barrier_1(%a: tensor<4xf32>) {
  %0 = "stablehlo.optimization_barrier"(%a) {foo} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @optimization_barrier_2(
// CHECK-NEXT: %0:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<4xf32>, tensor<4xi32>
func.func @optimization_barrier_2(%a: tensor<4xf32>, %b: tensor<4xi32>) {
  %0:2 = "stablehlo.optimization_barrier"(%a, %b) : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  return
}

// CHECK-LABEL: func.func @optimization_barrier_3(
// CHECK-NEXT: stablehlo.optimization_barrier {foo}()
func.func @optimization_barrier_3() {
  "stablehlo.optimization_barrier"() {foo} : () -> ()
  return
}

// CHECK-LABEL: func.func @after_all_2(
// CHECK-NEXT: %0 = stablehlo.after_all %arg0, %arg0 {foo} : !stablehlo.token
func.func @after_all_2(%t: !stablehlo.token) {
  %0 = "stablehlo.after_all"(%t, %t) {foo} : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token
  return
}

// CHECK-LABEL: func.func @tuple_1(
// CHECK-NEXT: %0 = stablehlo.tuple  {foo} : tuple<>
func.func @tuple_1() {
  %0 = "stablehlo.tuple"() {foo} : () -> tuple<>
  return
}

// CHECK-LABEL: func.func @while_1(
// CHECK-NEXT: stablehlo.while() attributes {foo}
// CHECK-NEXT: cond {
// CHECK-NEXT: stablehlo.return %arg0 : tensor<i1>
// CHECK-NEXT: } do {
// CHECK-NEXT: stablehlo.return
// CHECK-NEXT: }
func.func @while_1(%p: tensor<i1>) {
  stablehlo.while() attributes {foo} cond { stablehlo.return %p : tensor<i1> } do { stablehlo.return }
  return
}

// CHECK-LABEL: func.func @while_2(
// CHECK-NEXT: stablehlo.while()
// CHECK-NEXT: cond {
// CHECK-NEXT: stablehlo.return %arg0 : tensor<i1>
// CHECK-NEXT: } do {
// CHECK-NEXT: stablehlo.return
// CHECK-NEXT: }
func.func @while_2(%p: tensor<i1>) {
  "stablehlo.while"() ({ stablehlo.return %p : tensor<i1> }, { stablehlo.return }) : () -> ()
  return
}

// CHECK-LABEL: func.func @if(
// CHECK-NEXT: %0 = "stablehlo.if"(%arg1) ({
// CHECK-NEXT: stablehlo.return %arg0 : tensor<4xf32>
// CHECK-NEXT: }, {
// CHECK-NEXT: stablehlo.return %arg0 : tensor<4xf32>
// CHECK-NEXT: }) {foo} : (tensor<i1>) -> tensor<4xf32>
func.func @if(%a: tensor<4xf32>, %p: tensor<i1>) {
  %0 = "stablehlo.if"(%p) ({ stablehlo.return %a : tensor<4xf32> }, { stablehlo.return %a : tensor<4xf32> }) {foo} : (tensor<i1>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @if_other(
// CHECK-NEXT: %0:2 = "stablehlo.if"(%arg0) ({
// CHECK-NEXT: %cst = stablehlo.constant dense<1.000000e+00> : tensor<2xf32>
// CHECK-NEXT: %c = stablehlo.constant dense<1> : tensor<i32>
// CHECK-NEXT: stablehlo.return %cst, %c : tensor<2xf32>, tensor<i32>
// CHECK-NEXT: }, {
// CHECK-NEXT: %cst = stablehlo.constant dense<2.000000e+00> : tensor<2xf32>
// CHECK-NEXT: %c = stablehlo.constant dense<2> : tensor<i32>
// CHECK-NEXT: stablehlo.return %cst, %c : tensor<2xf32>, tensor<i32>
// CHECK-NEXT: }) : (tensor<i1>) -> (tensor<2xf32>, tensor<i32>)
func.func @if_other(%p: tensor<i1>) {
  %0:2 = "stablehlo.if"(%p) ({
    %1 = stablehlo.constant dense<1.000000e+00> : tensor<2xf32>
    %2 = stablehlo.constant dense<1> : tensor<i32>
    stablehlo.return %1, %2 : tensor<2xf32>, tensor<i32>
  }, {
    %1 = stablehlo.constant dense<2.000000e+00> : tensor<2xf32>
    %2 = stablehlo.constant dense<2> : tensor<i32>
    stablehlo.return %1, %2 : tensor<2xf32>, tensor<i32>
  }) : (tensor<i1>) -> (tensor<2xf32>, tensor<i32>)
  return
}

// CHECK-LABEL: func.func @case_of_constants(
// CHECK-NEXT: %0 = "stablehlo.case"(%arg0) ({
// CHECK-NEXT: %cst = stablehlo.constant dense<1.000000e+00> : tensor<2xf32>
// CHECK-NEXT: stablehlo.return %cst : tensor<2xf32>
// CHECK-NEXT: }, {
// CHECK-NEXT: %cst = stablehlo.constant dense<2.000000e+00> : tensor<2xf32>
// CHECK-NEXT: stablehlo.return %cst : tensor<2xf32>
// CHECK-NEXT: }) : (tensor<i32>) -> tensor<2xf32>
func.func @case_of_constants(%i: tensor<i32>) {
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.constant dense<1.000000e+00> : tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }, {
    %1 = stablehlo.constant dense<2.000000e+00> : tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }) : (tensor<i32>) -> tensor<2xf32>
  return
}

// CHECK-LABEL: func.func @while_counts(
// CHECK-NEXT: %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<i32>, tensor<4xf32>
// CHECK-NEXT: cond {
// CHECK-NEXT: %c = stablehlo.constant dense<5> : tensor<i32>
// CHECK-NEXT: %1 = stablehlo.compare LT, %iterArg, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK-NEXT: stablehlo.return %1 : tensor<i1>
// CHECK-NEXT: } do {
// CHECK-NEXT: %c = stablehlo.constant dense<1> : tensor<i32>
// CHECK-NEXT: %1 = stablehlo.add %iterArg, %c : tensor<i32>
// CHECK-NEXT: %2 = stablehlo.multiply %iterArg_0, %iterArg_0 : tensor<4xf32>
// CHECK-NEXT: stablehlo.return %1, %2 : tensor<i32>, tensor<4xf32>
// CHECK-NEXT: }
func.func @while_counts(%i: tensor<i32>, %x: tensor<4xf32>) {
  %0:2 = stablehlo.while(%iterArg = %i, %iterArg_0 = %x) : tensor<i32>, tensor<4xf32>
  cond {
    %c = stablehlo.constant dense<5> : tensor<i32>
    %1 = stablehlo.compare LT, %iterArg, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %iterArg, %c : tensor<i32>
    %2 = stablehlo.multiply %iterArg_0, %iterArg_0 : tensor<4xf32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<4xf32>
  }
  return
}
