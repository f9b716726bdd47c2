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
