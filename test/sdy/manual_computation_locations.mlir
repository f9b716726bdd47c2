// RUN: shardwright-opt %s --mlir-print-debuginfo | shardwright-opt --mlir-print-debuginfo | FileCheck %s

// The arguments of a manual computation keep their locations.

sdy.mesh @mesh = <["x"=2]>

// CHECK: manual_axes={"x"} (%{{.*}}: tensor<4xf32> loc("inside"))
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32> loc("inside")) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
