// Each op in the text that JAX prints, with a discardable attribute where one fits.
// RUN: shardwright-opt %s | FileCheck %s
// RUN: shardwright-opt %s --mlir-print-op-generic | shardwright-opt | FileCheck %s

// CHECK-LABEL: func.func @reduce(
// CHECK-NEXT: %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [0] {foo} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
func.func @reduce(%a: tensor<4xf32>, %s: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %s) applies stablehlo.add across dimensions = [0] {foo} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @reduce_1(
// CHECK-NEXT: %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] {foo} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: reducer(%arg2: tensor<f32>, %arg3: tensor<f32>)  {
// CHECK-NEXT: %1 = stablehlo.add %arg3, %arg2 : tensor<f32>
// CHECK-NEXT: stablehlo.return %1 : tensor<f32>
// CHECK-NEXT: }
func.func @reduce_1(%a: tensor<4xf32>, %s: tensor<f32>) {
  %0 = "stablehlo.reduce"(%a, %s) ({
  ^bb0(%aa: tensor<f32>, %bb: tensor<f32>): %z = stablehlo.add %bb, %aa : tensor<f32>
  stablehlo.return %z : tensor<f32> }) {foo, dimensions=array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @reduce_2(
// CHECK-NEXT: %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [0] {foo} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
func.func @reduce_2(%a: tensor<4xf32>, %s: tensor<f32>) {
  %0 = "stablehlo.reduce"(%a, %s) ({
  ^bb0(%aa: tensor<f32>, %bb: tensor<f32>): %z = stablehlo.add %aa, %bb {bar} : tensor<f32>
  stablehlo.return %z : tensor<f32> }) {foo, dimensions=array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @reduce_3(
// CHECK-NEXT: %0:2 = stablehlo.reduce(%arg0 init: %arg1), (%arg0 init: %arg1) across dimensions = [0] {foo} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
// CHECK-NEXT: reducer(%arg2: tensor<f32>, %arg4: tensor<f32>) (%arg3: tensor<f32>, %arg5: tensor<f32>)  {
// CHECK-NEXT: stablehlo.return %arg2, %arg3 : tensor<f32>, tensor<f32>
// CHECK-NEXT: }
func.func @reduce_3(%a: tensor<4xf32>, %s: tensor<f32>) {
  %0:2 = "stablehlo.reduce"(%a, %a, %s, %s) ({
  ^bb0(%aa: tensor<f32>, %bb: tensor<f32>, %a1: tensor<f32>, %b1: tensor<f32>):
  stablehlo.return %aa, %bb : tensor<f32>, tensor<f32> }) {foo, dimensions=array<i64: 0>} : (tensor<4xf32>,tensor<4xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return
}

// CHECK-LABEL: func.func @reduce_4(
// CHECK-NEXT: %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] {foo} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: reducer(%arg2: tensor<f32>, %arg3: tensor<f32>)  {
// CHECK-NEXT: stablehlo.return %arg2 : tensor<f32>
// CHECK-NEXT: }
func.func @reduce_4(%a: tensor<4xf32>, %s: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %s) across dimensions = [0] {foo} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  reducer(%aa: tensor<f32>, %bb: tensor<f32>) { stablehlo.return %aa : tensor<f32> }
  return
}

// CHECK-LABEL: func.func @reduce_5(
// CHECK-NEXT: %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
func.func @reduce_5(%a: tensor<4xf32>, %s: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %s) across dimensions = [] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  reducer(%aa: tensor<f32>, %bb: tensor<f32>) { %ee = stablehlo.add %aa, %bb : tensor<f32>
  stablehlo.return %ee : tensor<f32> }
  return
}

// CHECK-LABEL: func.func @sort(
// CHECK-NEXT: %0 = "stablehlo.sort"(%arg0) ({
// CHECK-NEXT: ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
// CHECK-NEXT: %1 = stablehlo.compare LT, %arg1, %arg2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: stablehlo.return %1 : tensor<i1>
// CHECK-NEXT: }) {foo} : (tensor<4xf32>) -> tensor<4xf32>
func.func @sort(%a: tensor<4xf32>) {
  %0 = "stablehlo.sort"(%a) ({^bb0(%aa: tensor<f32>, %bb: tensor<f32>): %z = stablehlo.compare LT, %aa, %bb : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %z : tensor<i1> }) {foo} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @map(
// CHECK-NEXT: %0 = "stablehlo.map"(%arg0) <{dimensions = array<i64: 0>}> ({
// CHECK-NEXT: ^bb0(%arg1: tensor<f32>):
// CHECK-NEXT: stablehlo.return %arg1 : tensor<f32>
// CHECK-NEXT: }) {foo} : (tensor<4xf32>) -> tensor<4xf32>
func.func @map(%a: tensor<4xf32>) {
  %0 = "stablehlo.map"(%a) ({^bb0(%aa: tensor<f32>): stablehlo.return %aa : tensor<f32>}) {foo, dimensions=array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @reduce_6(
// CHECK-NEXT: %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f64>
// CHECK-NEXT: reducer(%arg2: tensor<f64>, %arg3: tensor<f64>)  {
// CHECK-NEXT: stablehlo.return %arg2 : tensor<f64>
// CHECK-NEXT: }
func.func @reduce_6(%a: tensor<4xf32>, %s: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %s) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f64>
  reducer(%z: tensor<f64>, %y: tensor<f64>) { stablehlo.return %z : tensor<f64> }
  return
}

// CHECK-LABEL: func.func @reduce_7(
// CHECK-NEXT: %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f16>
// CHECK-NEXT: reducer(%arg2: tensor<f16>, %arg3: tensor<f16>)  {
// CHECK-NEXT: stablehlo.return %arg2 : tensor<f16>
// CHECK-NEXT: }
func.func @reduce_7(%a: tensor<4xf32>, %s: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %s) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f16>
  reducer(%z: tensor<f16>, %y: tensor<f16>) { stablehlo.return %z : tensor<f16> }
  return
}

// CHECK-LABEL: func.func @select_and_scatter(
// CHECK-NEXT: %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 1, 1, 1>}> ({
// CHECK-NEXT: ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
// CHECK-NEXT: %1 = stablehlo.compare GE, %arg3, %arg4, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: stablehlo.return %1 : tensor<i1>
// CHECK-NEXT: }, {
// CHECK-NEXT: ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
// CHECK-NEXT: %1 = stablehlo.add %arg3, %arg4 : tensor<f32>
// CHECK-NEXT: stablehlo.return %1 : tensor<f32>
// CHECK-NEXT: }) : (tensor<10x24x24x64xf32>, tensor<10x23x23x64xf32>, tensor<f32>) -> tensor<10x24x24x64xf32>
func.func @select_and_scatter(%a: tensor<10x24x24x64xf32>, %b: tensor<10x23x23x64xf32>, %c: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %b, %c) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 1, 1, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.compare GE, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<10x24x24x64xf32>, tensor<10x23x23x64xf32>, tensor<f32>) -> tensor<10x24x24x64xf32>
  return
}

// CHECK-LABEL: func.func @reduce_window_max(
// CHECK-NEXT: %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
// CHECK-NEXT: ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
// CHECK-NEXT: %1 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
// CHECK-NEXT: stablehlo.return %1 : tensor<f32>
// CHECK-NEXT: }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<2x4xf32>
func.func @reduce_window_max(%a: tensor<4x8xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<2x4xf32>
  return
}

// CHECK-LABEL: func.func @scatter_add(
// CHECK-NEXT: %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
// CHECK-NEXT: ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
// CHECK-NEXT: %1 = stablehlo.add %arg3, %arg4 : tensor<f32>
// CHECK-NEXT: stablehlo.return %1 : tensor<f32>
// CHECK-NEXT: }) : (tensor<4x8xf32>, tensor<3x1xi32>, tensor<3x8xf32>) -> tensor<4x8xf32>
func.func @scatter_add(%a: tensor<4x8xf32>, %i: tensor<3x1xi32>, %u: tensor<3x8xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<3x1xi32>, tensor<3x8xf32>) -> tensor<4x8xf32>
  return
}
