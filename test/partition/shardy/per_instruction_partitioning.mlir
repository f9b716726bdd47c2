// RUN: shardwright-opt %s -sdy-per-instruction-partitioning | FileCheck %s
// RUN: shardwright-opt %s -sdy-per-instruction-partitioning=filter=negate | FileCheck %s --check-prefix=NAME
// RUN: shardwright-opt %s -pass-pipeline='builtin.module(sdy-per-instruction-partitioning{filter=selectLow=1,selectHigh=1})' | FileCheck %s --check-prefix=NAME
// RUN: shardwright-opt %s -pass-pipeline='builtin.module(sdy-export-pipeline{inline-meshes=false enable-per-instruction-partitioning=true per-instruction-partitioning-filter=negate})' | FileCheck %s --check-prefix=NAME
// RUN: not shardwright-opt %s -sdy-per-instruction-partitioning=filter=selectHigh=x 2>&1 | FileCheck %s --check-prefix=BAD

// BAD: filter of sdy-per-instruction-partitioning wants a number, found 'selectHigh=x'

sdy.mesh @m = <["x"=2, "y"=2]>

// A contraction is finished inside, and what is uneven is padded outside.

// CHECK-LABEL: func.func @main
// CHECK: %[[DOT:.*]] = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@m, [{}, {"y"}]>, <@m, [{"y"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x", "y"} (%{{.*}}: tensor<5x4xf32>, %{{.*}}: tensor<4x8xf32>)
// CHECK: stablehlo.dot {{.*}} : (tensor<3x4xf32>, tensor<4x8xf32>) -> tensor<3x8xf32>
// CHECK: "stablehlo.all_reduce"{{.*}}handle = 1
// CHECK: sdy.return %{{.*}} : tensor<3x8xf32>
// CHECK: } : (tensor<5x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
// CHECK: %[[CUT:.*]] = stablehlo.slice %[[DOT]] [0:5, 0:8] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>}
// CHECK: %[[PAD:.*]] = stablehlo.pad %[[CUT]]
// CHECK: %[[NEG:.*]] = sdy.manual_computation(%[[PAD]])
// CHECK: stablehlo.negate %{{.*}} : tensor<3x8xf32>
// CHECK: sdy.manual_computation
// CHECK: "stablehlo.all_gather"{{.*}}handle = 2
// CHECK: sdy.return %{{.*}} : tensor<5x4xf32>
// CHECK: return

// NAME-LABEL: func.func @main
// NAME: stablehlo.dot {{.*}} : (tensor<5x8xf32>, tensor<8x8xf32>) -> tensor<5x8xf32>
// NAME: sdy.manual_computation
// NAME: stablehlo.negate %{{.*}} : tensor<3x8xf32>
// NAME: sdy.reshard
func.func @main(%a: tensor<5x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}]>}) -> (tensor<5x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}) {
  %0 = stablehlo.dot %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<5x8xf32>, tensor<8x8xf32>) -> tensor<5x8xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<5x8xf32>
  %2 = sdy.reshard %1 <@m, [{}, {"y"}]> : tensor<5x8xf32>
  return %2 : tensor<5x8xf32>
}

// A loop is one op; what it reads from outside comes in.

// CHECK-LABEL: func.func @loop
// CHECK: sdy.manual_computation(%{{.*}}) in_shardings=[<@m, [{"x"}]>, <@m, []>, <@m, [{"x"}]>]
// CHECK: stablehlo.while
// CHECK: stablehlo.add %{{.*}} : tensor<4xf32>
func.func @loop(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %c: tensor<i1>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = stablehlo.while(%y = %a) : tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>}
  cond {
    stablehlo.return %c : tensor<i1>
  } do {
    %1 = stablehlo.add %y, %b {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
