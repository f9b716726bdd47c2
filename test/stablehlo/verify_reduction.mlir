// What the verifiers and parsers refuse.
// RUN: shardwright-opt %s --split-input-file --verify-diagnostics

func.func @reduce(%u: tensor<*xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{'stablehlo.reduce' op operand #0 must be variadic of ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type w}}
  %0 = "stablehlo.reduce"(%u, %s) ({
  ^bb0(%aa: tensor<f32>, %bb: tensor<f32>): %z = stablehlo.add %bb, %aa : tensor<f32>
  stablehlo.return %z : tensor<f32> }) {foo, dimensions=array<i64: 0>} : (tensor<*xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @reduce(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+2 {{Out-of-bounds dimension 1, expected to be in range [0, 1)}}
  // expected-error @+1 {{'stablehlo.reduce' op failed to infer returned types}}
  %0 = stablehlo.reduce(%a init: %s) applies stablehlo.add across dimensions = [1] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @reduce(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+2 {{Out-of-bounds dimension -1, expected to be in range [0, 1)}}
  // expected-error @+1 {{'stablehlo.reduce' op failed to infer returned types}}
  %0 = stablehlo.reduce(%a init: %s) applies stablehlo.add across dimensions = [-1] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @reduce(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+2 {{Duplicate reduction dimension: 0}}
  // expected-error @+1 {{'stablehlo.reduce' op failed to infer returned types}}
  %0 = stablehlo.reduce(%a init: %s) applies stablehlo.add across dimensions = [0, 0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @reduce(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+2 {{'stablehlo.reduce' op inferred type(s) 'tensor<f32>' are incompatible with return type(s) of operation 'tensor<4xf32>'}}
  // expected-error @+1 {{'stablehlo.reduce' op failed to infer returned types}}
  %0 = stablehlo.reduce(%a init: %s) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduce(%a: tensor<4xf32>, %si: tensor<i32>) {
  // expected-error @+2 {{The element-type of reduction-region's result type at index 0 is expected to be promotable from the op's corresponding init-value element-type: 'tenso}}
  // expected-error @+1 {{'stablehlo.reduce' op failed to infer returned types}}
  %0 = stablehlo.reduce(%a init: %si) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<i32>) -> tensor<f32>
  return
}

// -----

func.func @reduce(%a: tensor<4xf32>) {
  // expected-error @+2 {{The shape of reduction-region's result type at index 0 differs from the op's corresponding init-value type: 'tensor<f32>' vs 'tensor<4xf32>'}}
  // expected-error @+1 {{'stablehlo.reduce' op failed to infer returned types}}
  %0 = stablehlo.reduce(%a init: %a) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @reduce(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{custom op 'stablehlo.reduce' expected the inner-op to be a commutative binary-op from the stablehlo dialect, with zero region, producing single result}}
  %0 = stablehlo.reduce(%a init: %s) applies stablehlo.subtract across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @reduce(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+2 {{Reduction-region must take 2 parameters, but takes 4 parameter(s)}}
  // expected-error @+1 {{'stablehlo.reduce' op failed to infer returned types}}
  %0 = stablehlo.reduce(%a init: %s) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  reducer(%z: tensor<f32>, %y: tensor<f32>) (%z1: tensor<f32>, %y1: tensor<f32>) { stablehlo.return %z : tensor<f32> }
  return
}

// -----

func.func @reduce(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+2 {{Reduction-region here must produce 1 tensors, but produces 2 instead}}
  // expected-error @+1 {{'stablehlo.reduce' op failed to infer returned types}}
  %0 = stablehlo.reduce(%a init: %s) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  reducer(%z: tensor<f32>, %y: tensor<f32>) { stablehlo.return %z, %y : tensor<f32>, tensor<f32> }
  return
}

// -----

func.func @reduce(%a: tensor<4xf32>, %s: tensor<f32>, %si: tensor<i32>) {
  // expected-error @+2 {{The type of reduction-region's parameter at index 0 is different than the corresponding result type: 'tensor<f32>' vs 'tensor<i32>'}}
  // expected-error @+1 {{'stablehlo.reduce' op failed to infer returned types}}
  %0 = stablehlo.reduce(%a init: %s) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  reducer(%z: tensor<f32>, %y: tensor<f32>) { stablehlo.return %si : tensor<i32> }
  return
}

// -----

func.func @reduce(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+2 {{The shape of reduction-region's result type at index 0 differs from the op's corresponding init-value type: 'tensor<4xf32>' vs 'tensor<f32>'}}
  // expected-error @+1 {{'stablehlo.reduce' op failed to infer returned types}}
  %0 = stablehlo.reduce(%a init: %s) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  reducer(%z: tensor<4xf32>, %y: tensor<4xf32>) { stablehlo.return %z : tensor<4xf32> }
  return
}

// -----

func.func @reduce(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+2 {{The element-type of reduction-region's result type at index 0 is expected to be promotable from the op's corresponding init-value element-type: 'tenso}}
  // expected-error @+1 {{'stablehlo.reduce' op failed to infer returned types}}
  %0 = stablehlo.reduce(%a init: %s) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  reducer(%z: tensor<i32>, %y: tensor<i32>) { stablehlo.return %z : tensor<i32> }
  return
}

// -----

func.func @reduce(%a: tensor<4xf32>, %b: tensor<5xf32>, %s: tensor<f32>) {
  // expected-error @+2 {{expects all inputs to have compatible shapes. Shape at input-index 1 is not compatible with shape at input-index 0}}
  // expected-error @+1 {{'stablehlo.reduce' op failed to infer returned types}}
  %0:2 = stablehlo.reduce(%a init: %s), (%b init: %s) across dimensions = [0] : (tensor<4xf32>, tensor<5xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  reducer(%z: tensor<f32>, %y: tensor<f32>) (%z1: tensor<f32>, %y1: tensor<f32>) { stablehlo.return %z, %z1 : tensor<f32>, tensor<f32> }
  return
}

// -----

func.func @reduce() {
  // expected-error @+2 {{The reduction-region expected to return some value(s)}}
  // expected-error @+1 {{'stablehlo.reduce' op failed to infer returned types}}
  "stablehlo.reduce"() ({ stablehlo.return }) {dimensions = array<i64>} : () -> ()
  return
}

// -----

func.func @sort(%a: tensor<4xf32>, %sp: tensor<i1>) {
  // expected-error @+1 {{dimension attribute value must be in range [-1, 1), but found 1}}
  %0 = "stablehlo.sort"(%a) ({^bb0(%aa: tensor<f32>, %bb: tensor<f32>):
  stablehlo.return %sp : tensor<i1> }) {dimension = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sort(%a: tensor<4xf32>, %sp: tensor<i1>) {
  // expected-error @+1 {{dimension attribute value must be in range [-1, 1), but found -2}}
  %0 = "stablehlo.sort"(%a) ({^bb0(%aa: tensor<f32>, %bb: tensor<f32>):
  stablehlo.return %sp : tensor<i1> }) {dimension = -2 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sort(%a: tensor<4xf32>, %sp: tensor<i1>) {
  // expected-error @+1 {{comparator block should have 2 arguments}}
  %0 = "stablehlo.sort"(%a) ({^bb0(%aa: tensor<f32>):
  stablehlo.return %sp : tensor<i1> }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sort(%a: tensor<4xf32>, %sp: tensor<i1>) {
  // expected-error @+1 {{comparator block argument #0 should be of type 'tensor<f32>' but got 'tensor<i32>'}}
  %0 = "stablehlo.sort"(%a) ({^bb0(%aa: tensor<i32>, %bb: tensor<f32>):
  stablehlo.return %sp : tensor<i1> }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sort(%a: tensor<4xf32>) {
  // expected-error @+1 {{comparator must return tensor<i1> but got 'tensor<f32>'}}
  %0 = "stablehlo.sort"(%a) ({^bb0(%aa: tensor<f32>, %bb: tensor<f32>):
  stablehlo.return %aa : tensor<f32> }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sort(%a: tensor<4xf32>, %sp: tensor<i1>) {
  // expected-error @+2 {{'stablehlo.sort' op inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<4xi32>'}}
  // expected-error @+1 {{'stablehlo.sort' op failed to infer returned types}}
  %0 = "stablehlo.sort"(%a) ({^bb0(%aa: tensor<f32>, %bb: tensor<f32>):
  stablehlo.return %sp : tensor<i1> }) : (tensor<4xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @sort(%sp: tensor<i1>) {
  // expected-error @+1 {{'stablehlo.sort' op expected 1 or more operands, but found 0}}
  "stablehlo.sort"() ({ stablehlo.return %sp : tensor<i1> }) : () -> ()
  return
}

// -----

func.func @map(%a: tensor<4xf32>) {
  // expected-error @+2 {{requires monotonically increasing dimension numbers, but got: 1}}
  // expected-error @+1 {{'stablehlo.map' op failed to infer returned types}}
  %0 = "stablehlo.map"(%a) ({^bb0(%aa: tensor<f32>): stablehlo.return %aa : tensor<f32>}) {dimensions=array<i64: 1>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @map(%a: tensor<4xf32>) {
  // expected-error @+2 {{expects number of operands to match the arity of map computation, but got: 2 and 1}}
  // expected-error @+1 {{'stablehlo.map' op failed to infer returned types}}
  %0 = "stablehlo.map"(%a, %a) ({^bb0(%aa: tensor<f32>): stablehlo.return %aa : tensor<f32>}) {dimensions=array<i64: 0>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @map(%a: tensor<4xf32>, %si: tensor<i32>) {
  // expected-error @+2 {{'stablehlo.map' op inferred type(s) 'tensor<4xi32>' are incompatible with return type(s) of operation 'tensor<4xf32>'}}
  // expected-error @+1 {{'stablehlo.map' op failed to infer returned types}}
  %0 = "stablehlo.map"(%a) ({^bb0(%aa: tensor<f32>): stablehlo.return %si : tensor<i32>}) {dimensions=array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @map(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+2 {{element type of operands and computation arguments must match, but got: 'f32' and 'i32'}}
  // expected-error @+1 {{'stablehlo.map' op failed to infer returned types}}
  %0 = "stablehlo.map"(%a) ({^bb0(%aa: tensor<i32>): stablehlo.return %s : tensor<f32>}) {dimensions=array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduce_window(%m: tensor<4x6xf32>, %s: tensor<f32>) {
  // expected-error @+2 {{'stablehlo.reduce_window' op inferred type(s) 'tensor<3x5xf32>' are incompatible with return type(s) of operation 'tensor<3x6xf32>'}}
  // expected-error @+1 {{'stablehlo.reduce_window' op failed to infer returned types}}
  %0 = "stablehlo.reduce_window"(%m, %s) ({^bb0(%aa: tensor<f32>, %bb: tensor<f32>): stablehlo.return %aa : tensor<f32>}) {window_dimensions=array<i64: 2, 2>} : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x6xf32>
  return
}

// -----

func.func @reduce_window(%m: tensor<4x6xf32>, %s: tensor<f32>) {
  // expected-error @+2 {{expects window-dimensions size == input rank, but got window-dimensions size: 1 and input: 'tensor<4x6xf32>' with rank = 2.}}
  // expected-error @+1 {{'stablehlo.reduce_window' op failed to infer returned types}}
  %0 = "stablehlo.reduce_window"(%m, %s) ({^bb0(%aa: tensor<f32>, %bb: tensor<f32>): stablehlo.return %aa : tensor<f32>}) {window_dimensions=array<i64: 2>} : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @reduce_window(%m: tensor<4x6xf32>, %s: tensor<f32>) {
  // expected-error @+2 {{expects window to have positive value for 1-th window dimension, but got 0.}}
  // expected-error @+1 {{'stablehlo.reduce_window' op failed to infer returned types}}
  %0 = "stablehlo.reduce_window"(%m, %s) ({^bb0(%aa: tensor<f32>, %bb: tensor<f32>): stablehlo.return %aa : tensor<f32>}) {window_dimensions=array<i64: 2, 0>} : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @reduce_window(%m: tensor<4x6xf32>, %s: tensor<f32>) {
  // expected-error @+2 {{expects window-strides to have same dimension-size as size of window dimensions (2), but got: 3.}}
  // expected-error @+1 {{'stablehlo.reduce_window' op failed to infer returned types}}
  %0 = "stablehlo.reduce_window"(%m, %s) ({^bb0(%aa: tensor<f32>, %bb: tensor<f32>): stablehlo.return %aa : tensor<f32>}) {window_dimensions=array<i64: 2, 2>, window_strides=array<i64: 1, 1, 1>} : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @reduce_window(%m: tensor<4x6xf32>, %s: tensor<f32>) {
  // expected-error @+2 {{expects padding-entries to have same dimension-size as size of window dimensions (2), but got: 1.}}
  // expected-error @+1 {{'stablehlo.reduce_window' op failed to infer returned types}}
  %0 = "stablehlo.reduce_window"(%m, %s) ({^bb0(%aa: tensor<f32>, %bb: tensor<f32>): stablehlo.return %aa : tensor<f32>}) {window_dimensions=array<i64: 2, 2>, padding=dense<1> : tensor<1x2xi64>} : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @reduce_window(%m: tensor<4x6xf32>, %s: tensor<f32>) {
  // expected-error @+2 {{Reduction-region must take 2 parameters, but takes 1 parameter(s)}}
  // expected-error @+1 {{'stablehlo.reduce_window' op failed to infer returned types}}
  %0 = "stablehlo.reduce_window"(%m, %s) ({^bb0(%aa: tensor<f32>): stablehlo.return %aa : tensor<f32>}) {window_dimensions=array<i64: 2, 2>} : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @select_and_scatter(%m: tensor<4x6xf32>, %s: tensor<f32>, %sp: tensor<i1>) {
  // expected-error @+1 {{expects source-type to be 'tensor<2x3xf32>', but got'tensor<4x6xf32>'}}
  %0 = "stablehlo.select_and_scatter"(%m, %m, %s) ({^bb0(%aa: tensor<f32>, %bb: tensor<f32>): stablehlo.return %sp : tensor<i1>}, {^bb0(%aa: tensor<f32>, %bb: tensor<f32>): stablehlo.return %aa : tensor<f32>}) {window_dimensions=array<i64: 2, 2>, window_strides=array<i64: 2, 2>} : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @scatter(%a: tensor<4xf32>, %b: tensor<5xf32>, %idx: tensor<3x1xi32>) {
  // expected-error @+1 {{expects bounds of the scatter dimensions of updates to be same as the bounds of the corresponding dimensions of scatter indices. For scatter dimension}}
  %0 = "stablehlo.scatter"(%a, %idx, %b) ({^bb0(%aa: tensor<f32>, %bb: tensor<f32>): stablehlo.return %aa : tensor<f32>}) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4xf32>, tensor<3x1xi32>, tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @scatter(%a: tensor<4xf32>, %idx: tensor<3x1xi32>) {
  // expected-error @+1 {{Expects index_vector_dim to be in range [0, rank-of('scatter_indices')] i.e. [0, 2]. got: 3.}}
  %0 = "stablehlo.scatter"(%a, %idx, %a) ({^bb0(%aa: tensor<f32>, %bb: tensor<f32>): stablehlo.return %aa : tensor<f32>}) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 3>} : (tensor<4xf32>, tensor<3x1xi32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @scatter(%a: tensor<4xf32>, %m: tensor<4x6xf32>, %idx: tensor<3x1xi32>) {
  // expected-error @+1 {{expects updates tensor must be of rank 3 ( == rank-of('scatter_indices') - 1 + size-of('update_window_dims'), where 'scatter_indices' is expanded by a}}
  %0 = "stablehlo.scatter"(%a, %idx, %m) ({^bb0(%aa: tensor<f32>, %bb: tensor<f32>): stablehlo.return %aa : tensor<f32>}) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4xf32>, tensor<3x1xi32>, tensor<4x6xf32>) -> tensor<4xf32>
  return
}
