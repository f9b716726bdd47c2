// An edge on an argument of a loop's body, which belongs on the loop's result: it carries no sharding, and nothing ends.
// RUN: shardwright-opt %s -sdy-aggressive-propagate | FileCheck %s

sdy.mesh @m = <["a"=2, "b"=2]>
// CHECK-LABEL: @main
// CHECK: sdy.data_flow_edge %{{.*}} sharding=<@m, [{"a"}]>
// CHECK: sdy.data_flow_edge %{{.*}} sharding=<@m, [{"b"}]>
func.func @main(%x: tensor<8xf32>, %c: tensor<i1>) -> tensor<8xf32> {
  %0 = stablehlo.while(%y = %x) : tensor<8xf32> cond {
    stablehlo.return %c : tensor<i1>
  } do {
    %1 = sdy.data_flow_edge %y sharding=<@m, [{"a"}]> : tensor<8xf32>
    %2 = stablehlo.negate %1 : tensor<8xf32>
    stablehlo.return %2 : tensor<8xf32>
  }
  %3 = sdy.data_flow_edge %0 sharding=<@m, [{"b"}]> : tensor<8xf32>
  return %3 : tensor<8xf32>
}
