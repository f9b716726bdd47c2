// Shardy of jaxlib 0.10.2 knows no edges of stablehlo.if; since 0.12, and with
// sw-extra-rules, it is like case.
// RUN: shardwright-opt %s -sdy-propagation-pipeline=sw-shardy=0.10.2 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: shardwright-opt %s -sdy-propagation-pipeline 2>&1 | FileCheck %s
// RUN: shardwright-opt %s -sdy-propagation-pipeline='sw-extra-rules=true sw-shardy=0.10.2' 2>&1 | FileCheck %s
// RUN: shardwright-opt %s -sdy-add-data-flow-edges=sw-shardy=0.10.2 | FileCheck %s --check-prefix=NOEDGE
// RUN: shardwright-opt %s -sdy-add-data-flow-edges | FileCheck %s --check-prefix=EDGE
// RUN: shardwright-opt %s -sdy-add-data-flow-edges='sw-extra-rules=true sw-shardy=0.10.2' | FileCheck %s --check-prefix=EDGE

// PLAIN: warning: op 'stablehlo.if' is unknown to SDY sharding rule registry
// CHECK-NOT: warning
// NOEDGE-NOT: data_flow_edge
// EDGE: %[[IF:.*]] = "stablehlo.if"
// EDGE: sdy.data_flow_edge %[[IF]]
sdy.mesh @m = <["a"=2, "b"=2]>
// CHECK: func.func @main(
// CHECK-SAME: %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>},
                %p: tensor<i1>, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // PLAIN: }) : (tensor<i1>) -> tensor<8x8xf32>
  // CHECK: }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>]>} : (tensor<i1>) -> tensor<8x8xf32>
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.negate %x : tensor<8x8xf32>
    stablehlo.return %1 : tensor<8x8xf32>
  }, {
    stablehlo.return %y : tensor<8x8xf32>
  }) : (tensor<i1>) -> tensor<8x8xf32>
  // PLAIN: stablehlo.tanh %{{.*}} : tensor<8x8xf32>
  // CHECK: stablehlo.tanh {{.*}}{"a"}, {}
  %2 = stablehlo.tanh %0 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
