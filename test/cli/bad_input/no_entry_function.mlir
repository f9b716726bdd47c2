// Two functions and no @main.
// RUN: %python %S/../Inputs/bad_input.py shardwright partition %s | FileCheck %s

// CHECK: no_entry_function.mlir:{{[0-9]+}}:{{[0-9]+}}: error: {{.*}}main
module {
  func.func @first(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
  func.func @second(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
}
