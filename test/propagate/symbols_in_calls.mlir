// Functions that custom calls and composites name are not dropped, also after
// passes that copy and erase ops.
// RUN: shardwright-opt %s -sdy-propagation-pipeline 2>/dev/null | FileCheck %s
// RUN: shardwright-opt %s -sdy-import-pipeline 2>/dev/null | FileCheck %s

// CHECK-NOT: func.func private @unused
// CHECK-DAG: func.func private @greater
// CHECK-DAG: func.func private @doubled
// CHECK-NOT: func.func private @unused

func.func private @unused() {
  return
}
func.func private @greater(%a: tensor<f32>, %b: tensor<f32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func private @doubled(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%arg0: tensor<7xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0:2 = stablehlo.custom_call @TopK(%arg0) {called_computations = [@greater]} : (tensor<7xf32>) -> (tensor<4xf32>, tensor<4xi32>)
  %1 = stablehlo.composite "my.double" %0#0 {decomposition = @doubled} : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %0#1 : tensor<4xf32>, tensor<4xi32>
}
