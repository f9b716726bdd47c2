// RUN: shardwright-opt %s -split-input-file -sw-flatten-tuples | FileCheck %s
// RUN: shardwright-opt %s -split-input-file -sw-flatten-tuples -mlir-print-debuginfo | FileCheck %s --check-prefix=LOC

// Nested tuples become leaves in order; aliases count leaves; an empty tuple has none.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[A:[^:]+]]: tensor<2xf32>, %[[B:[^:]+]]: tensor<3xf32>, %[[C:[^:]+]]: tensor<i32>,
// CHECK-SAME: %[[D:[^:]+]]: tensor<4xf32> {tf.aliasing_output = 3 : i32})
// CHECK-SAME: -> (tensor<i32>, tensor<3xf32>, tensor<2xf32>, tensor<4xf32>)
// CHECK-NOT: tuple
// CHECK: return %[[C]], %[[B]], %[[A]], %[[D]]
// LOC: func.func @main(%{{.*}}: tensor<2xf32> loc("x.0"
// LOC-SAME: tensor<3xf32> loc("x.1.0"
// LOC-SAME: tensor<i32> loc("x.1.1"
func.func @main(%x: tuple<tensor<2xf32>, tuple<tensor<3xf32>, tensor<i32>>> loc("x"), %e: tuple<> loc("e"),
                %y: tensor<4xf32> {tf.aliasing_output = 1 : i32} loc("y"))
    -> (tuple<tuple<tensor<i32>, tensor<3xf32>>, tensor<2xf32>>, tensor<4xf32>) {
  %a = stablehlo.get_tuple_element %x[0] : (tuple<tensor<2xf32>, tuple<tensor<3xf32>, tensor<i32>>>) -> tensor<2xf32>
  %t = stablehlo.get_tuple_element %x[1] : (tuple<tensor<2xf32>, tuple<tensor<3xf32>, tensor<i32>>>) -> tuple<tensor<3xf32>, tensor<i32>>
  %b = stablehlo.get_tuple_element %t[0] : (tuple<tensor<3xf32>, tensor<i32>>) -> tensor<3xf32>
  %c = stablehlo.get_tuple_element %t[1] : (tuple<tensor<3xf32>, tensor<i32>>) -> tensor<i32>
  %u = stablehlo.tuple %c, %b : tuple<tensor<i32>, tensor<3xf32>>
  %v = stablehlo.tuple %u, %a : tuple<tuple<tensor<i32>, tensor<3xf32>>, tensor<2xf32>>
  return %v, %y : tuple<tuple<tensor<i32>, tensor<3xf32>>, tensor<2xf32>>, tensor<4xf32>
}

// -----

// Calls, and shardings of tuples.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: tensor<2xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}, %{{.*}}: tensor<3xf32> {mhlo.sharding = "{replicated}"})
// CHECK: %[[R:.*]]:2 = call @swap(%{{.*}}, %{{.*}}) : (tensor<2xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<2xf32>)
// CHECK-NEXT: return %[[R]]#1
func.func @main(%x: tuple<tensor<2xf32>, tensor<3xf32>> {mhlo.sharding = "{{devices=[2]<=[2]}, {replicated}}"}) -> tensor<2xf32> {
  %0 = call @swap(%x) : (tuple<tensor<2xf32>, tensor<3xf32>>) -> tuple<tensor<3xf32>, tensor<2xf32>>
  %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<3xf32>, tensor<2xf32>>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
// CHECK: func.func private @swap(%[[P:.*]]: tensor<2xf32>, %[[Q:.*]]: tensor<3xf32>) -> (tensor<3xf32>, tensor<2xf32>)
// CHECK-NEXT: return %[[Q]], %[[P]]
func.func private @swap(%x: tuple<tensor<2xf32>, tensor<3xf32>>) -> tuple<tensor<3xf32>, tensor<2xf32>> {
  %a = stablehlo.get_tuple_element %x[0] : (tuple<tensor<2xf32>, tensor<3xf32>>) -> tensor<2xf32>
  %b = stablehlo.get_tuple_element %x[1] : (tuple<tensor<2xf32>, tensor<3xf32>>) -> tensor<3xf32>
  %t = stablehlo.tuple %b, %a : tuple<tensor<3xf32>, tensor<2xf32>>
  return %t : tuple<tensor<3xf32>, tensor<2xf32>>
}

// -----

// Tokens of the entry are its own; aliases count what is left.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<2xf32> {tf.aliasing_output = 0 : i32}) -> tensor<2xf32>
// CHECK: %[[T:.*]] = stablehlo.create_token
// CHECK: stablehlo.after_all %[[T]]
// CHECK: return %[[X]] : tensor<2xf32>
func.func @main(%t: !stablehlo.token {jax.token = true}, %x: tensor<2xf32> {tf.aliasing_output = 1 : i32}) -> (!stablehlo.token {jax.token = true}, tensor<2xf32>) {
  %0 = stablehlo.after_all %t : !stablehlo.token
  return %0, %x : !stablehlo.token, tensor<2xf32>
}

// -----

// Calls that give a tuple, as older front ends write those of several results.
// CHECK-LABEL: func.func @main(
// CHECK: %[[R:.*]]:2 = stablehlo.custom_call @lapack_spotrf(%arg0) {output_operand_aliases = [{{.*}}]} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<i32>)
// CHECK-NEXT: return %[[R]]#0, %[[R]]#1
func.func @main(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<i32>) {
  %0 = stablehlo.custom_call @lapack_spotrf(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4x4xf32>) -> tuple<tensor<4x4xf32>, tensor<i32>>
  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<4x4xf32>, tensor<i32>>) -> tensor<4x4xf32>
  %2 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<4x4xf32>, tensor<i32>>) -> tensor<i32>
  return %1, %2 : tensor<4x4xf32>, tensor<i32>
}
