// RUN: shardwright-opt %s -sw-print-program -o /dev/null | FileCheck %s

// Where many slices of one buffer are written, each update reads its position from memory, so that those of equal
// shape share a kernel.
// CHECK:     = constant {{[0-9]+}} i64[]
// CHECK:     kernel 0
// CHECK-NOT: kernel {{[3-9]|[0-9][0-9]}}
// CHECK:     return
func.func @main(%a: tensor<1x3xf32>, %b: tensor<2x3xf32>) -> tensor<99x3xf32> {
  %0 = "stablehlo.concatenate"(%a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b, %a, %b) <{dimension = 0 : i64}> : (tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>) -> tensor<99x3xf32>
  return %0 : tensor<99x3xf32>
}
