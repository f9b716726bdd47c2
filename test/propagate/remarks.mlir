// What propagation decided, through MLIR's remark engine.
// RUN: shardwright-opt %s -sdy-propagation-pipeline --remarks-filter=propagate 2>&1 >/dev/null | FileCheck %s
// RUN: shardwright-opt %s -sdy-propagation-pipeline 2>&1 >/dev/null | count 0
// RUN: shardwright partition %s --stop-after=propagate --remarks=missed 2>&1 >/dev/null | FileCheck %s --check-prefix=TOOL
// RUN: shardwright partition %s --stop-after=propagate --warn-replicated=1KiB 2>&1 >/dev/null | FileCheck %s --check-prefix=WARN
// RUN: not shardwright partition %s --warn-replicated=many 2>&1 | FileCheck %s --check-prefix=SIZE

sdy.mesh @mesh = <["x"=2, "y"=4]>

func.func @main(
    %a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %b: tensor<32x32xf32>) -> (tensor<8x16xf32>, tensor<32x32xf32>) {
  %0 = stablehlo.negate %a : tensor<8x16xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{}, {"y"}]> : tensor<8x16xf32>
  %2 = stablehlo.tanh %b : tensor<32x32xf32>
  return %1, %2 : tensor<8x16xf32>, tensor<32x32xf32>
}

// CHECK-DAG: [Passed] AxisPlaced
// CHECK-DAG: [Missed] AxisStopped{{.*}}Category:propagate{{.*}}Function=main{{.*}}Axis="x"{{.*}}annotate the value with
// CHECK-DAG: [Analysis] ValueReplicated{{.*}}Bytes=4096{{.*}}annotate the value with [{"x", "y"}, {}]

// TOOL: remarks.mlir:{{[0-9]+}}: remark: Missed AxisStopped: Axis="x"

// WARN: remarks.mlir:12{{.*}}: warning: argument %b of 4.0 KiB ('tensor<32x32xf32>') is replicated on 8 devices; shardwright explain --arg 1 says why
// WARN: remarks.mlir:15{{.*}}: warning: value %2 of 4.0 KiB ('tensor<32x32xf32>') is replicated on 8 devices; shardwright explain --value %2 says why

// SIZE: error: {{.*}}--warn-replicated: expected a size as in 64MiB, found 'many'
