// The machine decides what is cheap. Little is gathered and multiplied whole on every device, unless
// devices are slow: then each multiplies its part, and the larger results are added up.
// RUN: split-file %s %t
// RUN: shardwright-opt %t/program.mlir --sw-insert-collectives | FileCheck %t/program.mlir --check-prefix=BYTES
// RUN: shardwright-opt %t/program.mlir --sw-insert-collectives=machine=%t/slow.json | FileCheck %t/program.mlir --check-prefix=SLOW
// RUN: not shardwright-opt %t/program.mlir --sw-insert-collectives=machine=%t/none.json 2>&1 | FileCheck %t/program.mlir --check-prefix=NONE

//--- slow.json
{"flops_per_second": 1e6, "link": {"bytes_per_second": 1e12, "latency_seconds": 0}}
//--- program.mlir
sdy.mesh @mesh = <["x"=4]>
// BYTES-LABEL: @main
// BYTES: sdy.all_gather
// BYTES-NEXT: stablehlo.dot_general
// BYTES-NEXT: return
// SLOW-LABEL: @main
// SLOW: sdy.all_slice
// SLOW-NEXT: stablehlo.dot_general
// SLOW-NEXT: sdy.all_reduce
// NONE: cannot read '{{.*}}none.json'
func.func @main(%a: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<64x256xf32>) -> tensor<64x256xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  return %0 : tensor<64x256xf32>
}
