// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(sdy-insert-explicit-reshards))' | FileCheck %s

// A dot whose result asks for the contracted axes is computed as its operand.
sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8, "e"=3]>
func.func @main(%x: tensor<4x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"a"}]>}, %y: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}) -> (tensor<4x8xf32>) {
  %0 = stablehlo.dot %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"a"}]>]>} : (tensor<4x32xf32>, tensor<32x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<4x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"a"}]>}, %arg1: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}) -> tensor<4x8xf32> {
// CHECK-NEXT: %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"b"}]>]>} : (tensor<4x32xf32>, tensor<32x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: %1 = sdy.reshard %0 <@m, [{}, {"a"}]> : tensor<4x8xf32>
// CHECK-NEXT: return %1 : tensor<4x8xf32>
// CHECK-NEXT: }

// -----

// Unreduced operands are reduced where the result is not unreduced.
sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8, "e"=3]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"a", "b"}>}) -> (tensor<8x8xf32>) {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}], unreduced={"b"}>]>} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"a", "b"}>}) -> tensor<8x8xf32> {
// CHECK-NEXT: %0 = sdy.all_reduce {"a"} %arg0 out_sharding=<@m, [{}, {}], unreduced={"b"}> : tensor<8x8xf32>
// CHECK-NEXT: %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}], unreduced={"b"}>]>} : tensor<8x8xf32>
// CHECK-NEXT: %2 = sdy.all_reduce {"b"} %1 out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: return %2 : tensor<8x8xf32>
// CHECK-NEXT: }

// -----

// An unreduced result takes the axes of the contraction; the rest is reduced.
sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8, "e"=3]>
func.func @main(%x: tensor<4x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"a", "c"}]>}, %y: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "c"}, {}]>}) -> (tensor<4x8xf32>) {
  %0 = stablehlo.dot %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}], unreduced={"a"}>]>} : (tensor<4x32xf32>, tensor<32x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<4x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"a", "c"}]>}, %arg1: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "c"}, {}]>}) -> tensor<4x8xf32> {
// CHECK-NEXT: %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}], unreduced={"a"}>]>} : (tensor<4x32xf32>, tensor<32x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: %1 = sdy.all_reduce {"c"} %0 out_sharding=<@m, [{}, {}], unreduced={"a"}> : tensor<4x8xf32>
// CHECK-NEXT: %2 = sdy.all_reduce {"a"} %1 out_sharding=<@m, [{}, {}]> : tensor<4x8xf32>
// CHECK-NEXT: return %2 : tensor<4x8xf32>
// CHECK-NEXT: }

// -----

// Gaining unreduced axes.
sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8, "e"=3]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a","b"}, {}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a","b"}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = sdy.reshard %x <@m, [{"a"}, {}], unreduced={"b"}> : tensor<8x8xf32>
  %1 = sdy.reshard %y <@m, [{}, {"a"}], unreduced={"b", "c"}> : tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "b"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "b"}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
// CHECK-NEXT: %0 = sdy.sharded_to_unreduced [{"b"}, {}] %arg0 out_sharding=<@m, [{"a"}, {}], unreduced={"b"}> : tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.reshard %arg1 <@m, [{}, {"a"}]> : tensor<8x8xf32>
// CHECK-NEXT: %2 = sdy.replicated_to_unreduced {"b", "c"} %1 out_sharding=<@m, [{}, {"a"}], unreduced={"b", "c"}> : tensor<8x8xf32>
// CHECK-NEXT: %3 = sdy.all_reduce {"b"} %0 out_sharding=<@m, [{"a"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %4 = sdy.all_reduce {"b", "c"} %2 out_sharding=<@m, [{}, {"a"}]> : tensor<8x8xf32>
// CHECK-NEXT: return %3, %4 : tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }

// -----

// A concatenation whose shardings differ.
sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8, "e"=3]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"b"}]>}) -> (tensor<16x8xf32>) {
  %0 = stablehlo.concatenate %x, %y, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"b"}]>}) -> tensor<16x8xf32> {
// CHECK-NEXT: %0 = sdy.reshard %arg0 <@m, [{}, {"b", "a"}]> : tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.reshard %arg1 <@m, [{}, {"b", "a"}]> : tensor<8x8xf32>
// CHECK-NEXT: %2 = stablehlo.concatenate %0, %1, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"b", "a"}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
// CHECK-NEXT: %3 = sdy.reshard %2 <@m, [{"a"}, {}]> : tensor<16x8xf32>
// CHECK-NEXT: return %3 : tensor<16x8xf32>
// CHECK-NEXT: }

// -----

// Operands of calls.
sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8, "e"=3]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"b"}]>}) -> (tensor<8x8xf32>) {
  %0 = call @f(%x, %y) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func private @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"c"}, {}]>}, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
  return %x : tensor<8x8xf32>
}
// CHECK: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"b"}]>}) -> tensor<8x8xf32> {
// CHECK-NEXT: %0 = sdy.reshard %arg1 <@m, [{?}, {?}]> : tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.reshard %arg0 <@m, [{"c"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %2 = call @f(%1, %0) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: return %2 : tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @f(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"c"}, {}]>}, %arg1: tensor<8x8xf32>) -> tensor<8x8xf32> {
// CHECK-NEXT: return %arg0 : tensor<8x8xf32>
// CHECK-NEXT: }
