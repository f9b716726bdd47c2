// A composite means what its decomposition computes.
// RUN: shardwright-opt %s --sw-inline-composites --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK-NEXT: %0 = call @relu(%arg0) {mhlo.note} : (tensor<4xf32>) -> tensor<4xf32> loc("composed")
// CHECK-NEXT: return %0
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.composite "my.relu" %a {composite_attributes = {n = 1 : i64}, decomposition = @relu, mhlo.note, version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32> loc("composed")
  return %0 : tensor<4xf32>
}

func.func private @relu(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.abs %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
