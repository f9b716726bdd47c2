// RUN: shardwright-opt %s -sdy-add-data-flow-edges -sdy-basic-propagate | FileCheck %s --check-prefix=ONCE
// RUN: shardwright-opt %s -sdy-add-data-flow-edges -sdy-basic-propagate -sdy-basic-propagate | FileCheck %s --check-prefix=TWICE

// Shardy does not wake the edge into a computation whose operand is an argument
// of a loop's body.
// ONCE: sdy.data_flow_edge %arg2 sharding=<@m, [{?}, {?}]>
// TWICE: sdy.data_flow_edge %arg2 sharding=<@m, [{?}, {"c", ?}]>
sdy.mesh @m = <["a"=2, "c"=4]>
func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"c", ?}]>}, %n: tensor<i32>) -> tensor<4x8xf32> {
  %0:2 = stablehlo.while(%x = %arg0, %i = %n) : tensor<4x8xf32>, tensor<i32>
  cond {
    %r = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
  } do {
    %1 = sdy.manual_computation(%x) in_shardings=[<@m, [{?}, {?}], replicated={"a"}>] out_shardings=[<@m, [{?}, {?}], replicated={"a"}>] manual_axes={"a"} (%u: tensor<4x8xf32>) {
      %r = stablehlo.negate %u : tensor<4x8xf32>
      sdy.return %r : tensor<4x8xf32>
    } : (tensor<4x8xf32>) -> tensor<4x8xf32>
    stablehlo.return %arg0, %i : tensor<4x8xf32>, tensor<i32>
  }
  return %0#0 : tensor<4x8xf32>
}
