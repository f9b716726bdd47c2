// RUN: not shardwright-opt %s 2>&1 | FileCheck %s

// CHECK: syntax_error.mlir:[[# @LINE + 1]]:{{[0-9]+}}: error:
func.func @broken(
