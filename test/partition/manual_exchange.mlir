// Inside a manual computation devices that differ along its axes hold other values: what is
// moved along the free axes never comes from them.
// RUN: shardwright-opt %s --sw-partition | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=4]>

// CHECK-LABEL: @main
// CHECK: "stablehlo.collective_permute"
// CHECK-SAME: source_target_pairs = dense<{{\[(\[[0-3], [0-3]\](, )?)+(\[[4-7], [4-7]\](, )?)+\]}}>
// CHECK-NOT: source_target_pairs = dense<{{.*\[[0-3], [4-7]\]}}
// CHECK-NOT: source_target_pairs = dense<{{.*\[[4-7], [0-3]\]}}
// CHECK: return
func.func @main(%arg0: tensor<6x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}) -> (tensor<6x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}, {"x", "y"}]>] out_shardings=[<@mesh, [{}, {"x"}]>] manual_axes={"x"} (%arg1: tensor<6x2xi32>) {
    %1 = sdy.sharding_constraint %arg1 <@mesh, [{"y"}, {}]> : tensor<6x2xi32>
    %2 = stablehlo.add %1, %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : tensor<6x2xi32>
    sdy.return %2 : tensor<6x2xi32>
  } : (tensor<6x4xi32>) -> tensor<6x4xi32>
  return %0 : tensor<6x4xi32>
}
