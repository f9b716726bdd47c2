// Inside of a manual computation nothing is unreduced along its manual axes: each device has its own summand there.
// RUN: shardwright-opt %s -sdy-propagation-pipeline | FileCheck %s

sdy.mesh @m = <["a"=2, "b"=2]>

// CHECK-LABEL: @main
// CHECK: out_shardings=[<@m, [{"b"}, {}], unreduced={"a"}>] manual_axes={"a"}
// CHECK: stablehlo.negate %{{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"b"}, {}]>]>}
func.func @main(%x: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {}], unreduced={"a"}>}) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{?}, {}], replicated={"a"}>] out_shardings=[<@m, [{?}, {}], unreduced={"a"}>] manual_axes={"a"} (%t: tensor<8x8xf32>) {
    %1 = stablehlo.negate %t : tensor<8x8xf32>
    sdy.return %1 : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
