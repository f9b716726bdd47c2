// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(sdy-remove-size-one-axes)' | FileCheck %s

// Refs to axes of size 1 go; the mesh and manual axes stay.
sdy.mesh @m = <["a"=2, "one"=1, "b"=1]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"one", "a"}, {"b"}p1]>}) -> (tensor<8x8xf32>) {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"one", ?}p2, {}], replicated={"b"}>]>} : tensor<8x8xf32>
  %1 = sdy.manual_computation(%0) in_shardings=[<@m, [{"one"}, {}]>] out_shardings=[<@m, [{"one"}, {}]>] manual_axes={"one"} (%y: tensor<8x8xf32>) {
    sdy.return %y : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> tensor<8x8xf32> {
// CHECK-NEXT: %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}p2, {}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.manual_computation(%0) in_shardings=[<@m, [{}, {}]>] out_shardings=[<@m, [{}, {}]>] manual_axes={"one"} (%arg1: tensor<8x8xf32>) {
// CHECK-NEXT: sdy.return %arg1 : tensor<8x8xf32>
// CHECK-NEXT: } : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: return %1 : tensor<8x8xf32>
// CHECK-NEXT: }

// -----

// An axis of size 1 between two parts of an axis: the parts become the axis.
sdy.mesh @m = <["a"=4, "one"=1]>
func.func @merge(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a":(1)2, "one", "a":(2)2}]>}) {
  return
}
// CHECK: func.func @merge(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>})

// -----

// Collectives no longer name them; one that names no other axis goes.
sdy.mesh @m = <["a"=2, "one"=1]>
func.func @collectives(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "one"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.all_gather [{"one"}, {}] %x out_sharding=<@m, [{"a"}, {}]> : tensor<8x8xf32>
  %1 = sdy.replicated_to_unreduced {"one"} %0 out_sharding=<@m, [{"a"}, {}], unreduced={"one"}> : tensor<8x8xf32>
  %2 = sdy.reduce_scatter [{}, {"one"}] %1 out_sharding=<@m, [{"a"}, {"one"}]> : tensor<8x8xf32>
  %3 = sdy.all_to_all [{"one"}: 1->0] %2 out_sharding=<@m, [{"a", "one"}, {}]> : tensor<8x8xf32>
  %4 = sdy.sharded_to_unreduced [{"a", "one"}, {}] %3 out_sharding=<@m, [{}, {}], unreduced={"a", "one"}> : tensor<8x8xf32>
  %5 = sdy.all_reduce {"a", "one"} %4 out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  %6 = sdy.all_slice [{"one"}, {"a"}] %5 out_sharding=<@m, [{"one"}, {"a"}]> : tensor<8x8xf32>
  return %6 : tensor<8x8xf32>
}
// CHECK-LABEL: func.func @collectives
// CHECK-NEXT: %0 = sdy.sharded_to_unreduced [{"a"}, {}] %arg0 out_sharding=<@m, [{}, {}], unreduced={"a"}> : tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.all_reduce {"a"} %0 out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %2 = sdy.all_slice [{}, {"a"}] %1 out_sharding=<@m, [{}, {"a"}]> : tensor<8x8xf32>
// CHECK-NEXT: return %2 : tensor<8x8xf32>
