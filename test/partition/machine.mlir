// The machine decides what is cheap. Little is gathered and multiplied whole on every device, unless
// devices are slow: then each multiplies its part, and the larger results are added up.
// RUN: split-file %s %t
// RUN: shardwright-opt %t/program.mlir --sw-insert-collectives | FileCheck %t/program.mlir --check-prefix=BYTES
// RUN: shardwright-opt %t/program.mlir --sw-insert-collectives=machine=%t/slow.json | FileCheck %t/program.mlir --check-prefix=SLOW
// RUN: shardwright-opt %t/axes.mlir --sw-insert-collectives=machine=%t/hosts.json | FileCheck %t/axes.mlir
// RUN: shardwright-opt %t/axes.mlir --sw-insert-collectives=machine=%t/even.json | FileCheck %t/axes.mlir --check-prefix=EVEN
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

// Each axis has its own link. By bytes the contraction stays sharded and parts of the result are added;
// over slow links the operands are gathered, before they are gathered over fast ones.
//--- hosts.json
{"flops_per_second": 1e15, "link": {"bytes_per_second": 1e11, "latency_seconds": 0},
 "links": {"hosts": {"bytes_per_second": 1e9}}}
//--- even.json
{"flops_per_second": 1e15, "link": {"bytes_per_second": 1e11, "latency_seconds": 0}}
//--- axes.mlir
sdy.mesh @mesh = <["chips"=4, "hosts"=4]>
// CHECK-LABEL: @main
// CHECK-DAG: %[[A:.*]] = sdy.all_gather [{}, {"hosts"}] %arg0
// CHECK-DAG: sdy.all_gather [{"chips"}, {}] %[[A]]
// CHECK-DAG: %[[B:.*]] = sdy.all_gather [{"hosts"}, {}] %arg1
// CHECK: stablehlo.dot_general %{{.*}}, %[[B]]
// CHECK-NOT: sdy.all_reduce
// CHECK: return
// EVEN-LABEL: @main
// EVEN: sdy.all_gather [{}, {"chips"}] %arg1
// EVEN-NEXT: stablehlo.dot_general
// EVEN-NEXT: sdy.all_reduce {"hosts"}
func.func @main(
    %a: tensor<128x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"chips"}, {"hosts"}]>},
    %b: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"hosts"}, {"chips"}]>})
    -> (tensor<128x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"chips"}, {}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"chips"}, {}]>]>} : (tensor<128x64xf32>, tensor<64x256xf32>) -> tensor<128x256xf32>
  return %0 : tensor<128x256xf32>
}
