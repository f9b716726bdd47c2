// RUN: shardwright-opt %s -sdy-per-instruction-partitioning | FileCheck %s
// RUN: shardwright-opt %s -sdy-per-instruction-partitioning=filter=negate | FileCheck %s --check-prefix=NAME
// RUN: shardwright-opt %s -pass-pipeline='builtin.module(sdy-per-instruction-partitioning{filter=selectLow=1,selectHigh=1})' | FileCheck %s --check-prefix=NAME
// RUN: shardwright-opt %s -pass-pipeline='builtin.module(sdy-export-pipeline{inline-meshes=false enable-per-instruction-partitioning=true per-instruction-partitioning-filter=negate})' | FileCheck %s --check-prefix=NAME
// RUN: shardwright-opt %s -pass-pipeline='builtin.module(sdy-per-instruction-partitioning{filter="selectHigh=1, negate,"})' | FileCheck %s --check-prefix=NAME
// RUN: shardwright-opt %s -pass-pipeline='builtin.module(sdy-per-instruction-partitioning{filter=selectHigh=x,negate})' 2>&1 | FileCheck %s --check-prefixes=BAD,NAME
// RUN: shardwright-opt %s -pass-pipeline='builtin.module(sdy-per-instruction-partitioning{filter=selectLow=4,selectHigh=5})' | FileCheck %s --check-prefix=NUMBER
// RUN: shardwright-opt %s -pass-pipeline='builtin.module(sdy-per-instruction-partitioning{filter=slice sw-shardy=0.10.2})' | FileCheck %s --check-prefix=OLD

// BAD: warning: filter of sdy-per-instruction-partitioning expects a number, and ignores 'selectHigh=x'

sdy.mesh @m = <["x"=2, "y"=2]>

// A contraction is finished inside, and what is uneven is padded outside.

// CHECK-LABEL: func.func @main
// CHECK: %[[DOT:.*]] = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@m, [{}, {"y"}]>, <@m, [{"y"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x", "y"} (%{{.*}}: tensor<5x4xf32>, %{{.*}}: tensor<4x8xf32>)
// CHECK: stablehlo.dot {{.*}} : (tensor<3x4xf32>, tensor<4x8xf32>) -> tensor<3x8xf32>
// CHECK: "stablehlo.all_reduce"{{.*}}handle = [[HANDLE:[0-9]+]],
// CHECK: sdy.return %{{.*}} : tensor<3x8xf32>
// CHECK: } : (tensor<5x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
// CHECK: %[[CUT:.*]] = stablehlo.slice %[[DOT]] [0:5, 0:8] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>}
// CHECK: %[[PAD:.*]] = stablehlo.pad %[[CUT]]
// CHECK: %[[NEG:.*]] = sdy.manual_computation(%[[PAD]])
// CHECK: stablehlo.negate %{{.*}} : tensor<3x8xf32>
// CHECK: sdy.manual_computation
// CHECK: "stablehlo.all_gather"
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

// Ops are numbered over the module, before the filter: a dot, a negation, a reshard
// and a loop are 0 to 3, then come a call and an addition. What is no candidate has
// no number.

// NUMBER-LABEL: func.func @main
// NUMBER-NOT: sdy.manual_computation
// NUMBER-LABEL: func.func @numbers
// NUMBER: sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>]
// NUMBER: call @[[F:.*]](%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
// NUMBER: sdy.sharding_constraint
// NUMBER: sdy.manual_computation(%[[C:.*]], %[[C]]) in_shardings=[<@m, [{"x"}]>, <@m, [{"x"}]>]
// NUMBER: stablehlo.add %{{.*}}, %{{.*}} : tensor<4xf32>
// NUMBER-NOT: sdy.manual_computation
// NUMBER: func.func private @f(%arg0: tensor<8xf32>
// NUMBER-NOT: sdy.manual_computation
// NUMBER: func.func private @[[F]](%arg0: tensor<4xf32>) -> tensor<4xf32>
func.func @numbers(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %r: tensor<8xf32>) -> (tensor<7xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) {
  %0 = stablehlo.negate %r : tensor<8xf32>
  %1 = call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = sdy.sharding_constraint %1 <@m, [{"x"}]> : tensor<8xf32>
  %3 = stablehlo.add %2, %2 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : tensor<8xf32>
  %4 = sdy.all_gather [{"x"}] %3 out_sharding=<@m, [{}]> : tensor<8xf32>
  %5 = stablehlo.slice %3 [1:8] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<7xf32>
  %6 = sdy.all_gather [{"x"}] %5 out_sharding=<@m, [{}]> : tensor<7xf32>
  return %6 : tensor<7xf32>
}
func.func private @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A slice fetches rows, or gathers in 0.10.2.

// CHECK-LABEL: func.func @numbers
// CHECK: stablehlo.slice
// CHECK: "stablehlo.collective_permute"
// OLD-LABEL: func.func @numbers
// OLD: sdy.manual_computation
// OLD: "stablehlo.all_gather"
// OLD-NOT: collective_permute

// Partial sums stay what they are.

// CHECK-LABEL: func.func @unreduced
// CHECK: sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x"}], unreduced=max{"y"}>] out_shardings=[<@m, [{"x"}], unreduced=max{"y"}>]
// CHECK-NEXT: stablehlo.convert %{{.*}} : (tensor<4xf32>) -> tensor<4xf64>
// CHECK-NEXT: sdy.return
func.func @unreduced(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}], unreduced=max{"y"}>}) -> (tensor<8xf64> {sdy.sharding = #sdy.sharding<@m, [{"x"}], unreduced=max{"y"}>}) {
  %0 = stablehlo.convert %a {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}], unreduced=max{"y"}>]>} : (tensor<8xf32>) -> tensor<8xf64>
  return %0 : tensor<8xf64>
}
