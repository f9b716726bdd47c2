// The machine decides what is cheap. Little is gathered and multiplied whole on every device, unless
// devices are slow: then each multiplies its part, and the larger results are added up.
// RUN: split-file %s %t
// RUN: shardwright-opt %t/program.mlir --sw-insert-collectives | FileCheck %t/program.mlir --check-prefix=BYTES
// RUN: shardwright-opt %t/program.mlir --sw-insert-collectives=machine=%t/slow.json | FileCheck %t/program.mlir --check-prefix=SLOW
// RUN: shardwright-opt %t/axes.mlir --sw-insert-collectives=machine=%t/hosts.json | FileCheck %t/axes.mlir
// RUN: shardwright-opt %t/axes.mlir --sw-insert-collectives=machine=%t/even.json | FileCheck %t/axes.mlir --check-prefix=EVEN
// RUN: shardwright-opt %t/rounds.mlir --sw-insert-collectives=machine=%t/even.json | FileCheck %t/rounds.mlir --check-prefix=BYTES
// RUN: shardwright-opt %t/rounds.mlir --sw-insert-collectives=machine=%t/rounds.json | FileCheck %t/rounds.mlir
// RUN: shardwright-opt %t/kernels.mlir --sw-insert-collectives | FileCheck %t/kernels.mlir --check-prefix=BYTES
// RUN: shardwright-opt %t/kernels.mlir --sw-insert-collectives=machine=%t/kernels.json | FileCheck %t/kernels.mlir
// RUN: not shardwright-opt %t/program.mlir --sw-insert-collectives=machine=%t/none.json 2>&1 | FileCheck %t/program.mlir --check-prefix=NONE
// RUN: shardwright-opt %t/exchanges.mlir --sw-localize | FileCheck %t/exchanges.mlir --check-prefix=APART
// RUN: shardwright-opt %t/exchanges.mlir --sw-localize=machine=%t/late.json | FileCheck %t/exchanges.mlir --check-prefix=JOINED
// RUN: not shardwright-opt %t/exchanges.mlir --sw-localize=machine=%t/none.json 2>&1 | FileCheck %t/exchanges.mlir --check-prefix=NONE
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

// An all_reduce sends less, but takes four rounds; a gather takes two.
//--- rounds.json
{"flops_per_second": 1e15, "link": {"bytes_per_second": 1e11, "latency_seconds": 1e-3}}
//--- rounds.mlir
sdy.mesh @mesh = <["x"=4]>
// CHECK-LABEL: @main
// CHECK: sdy.all_gather
// CHECK-NEXT: stablehlo.dot_general
// CHECK-NEXT: return
// BYTES-LABEL: @main
// BYTES: stablehlo.dot_general
// BYTES-NEXT: sdy.all_reduce {"x"}
func.func @main(%a: tensor<64x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<1024x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x1024xf32>, tensor<1024x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// An operand is computed in the kernel of the sum. To move it means to write and to read it besides; by bytes
// both operands cost the same, and the first one stays.
//--- kernels.json
{"memory": {"bytes_per_second": 1e9}, "link": {"bytes_per_second": 1e12, "latency_seconds": 0}}
//--- kernels.mlir
sdy.mesh @mesh = <["x"=4]>
// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = stablehlo.tanh
// CHECK: %[[MOVED:.*]] = sdy.all_to_all [{"x"}: 1->0] %arg1
// CHECK: stablehlo.add %[[MOVED]], %[[X]]
// BYTES-LABEL: @main
// BYTES: %[[X:.*]] = stablehlo.tanh
// BYTES: %[[MOVED:.*]] = sdy.all_to_all [{"x"}: 0->1] %[[X]]
// BYTES: stablehlo.add %arg1, %[[MOVED]]
func.func @main(%a: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<64x64xf32> {
  %0 = stablehlo.tanh %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<64x64xf32>
  %1 = stablehlo.add %b, %0 : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// Collectives are joined while copying them into one message takes less time than a latency: two of
// 400 KB each where a latency is 10 microseconds, not where it is one.
//--- late.json
{"link": {"latency_seconds": 1e-5}}
//--- exchanges.mlir
sdy.mesh @mesh = <["x"=4]>
// APART-LABEL: @main
// APART-COUNT-2: "stablehlo.all_to_all"
// JOINED-LABEL: @main
// JOINED-COUNT-1: "stablehlo.all_to_all"
// JOINED-NOT: stablehlo.all_to_all
// NONE: cannot read '{{.*}}none.json'
func.func @main(%a: tensor<400x1000xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<400x1000xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<400x1000xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<400x1000xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %0 = sdy.all_to_all [{"x"}: 0->1] %a out_sharding=<@mesh, [{}, {"x"}]> : tensor<400x1000xf32>
  %1 = sdy.all_to_all [{"x"}: 0->1] %b out_sharding=<@mesh, [{}, {"x"}]> : tensor<400x1000xf32>
  return %0, %1 : tensor<400x1000xf32>, tensor<400x1000xf32>
}
