// A module without any function.
// RUN: %python %S/../Inputs/bad_input.py shardwright partition %s | FileCheck %s

// CHECK: no_function.mlir:{{[0-9]+}}:{{[0-9]+}}: error:
module {
}
