//===- canonicalize.mlir - canonicalisation of sdy ops, by label --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RUN: shardwright-opt %s --pass-pipeline='builtin.module(canonicalize)' | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: shardwright-opt %s --pass-pipeline='builtin.module(canonicalize{enable-patterns=sdy-collective})' | FileCheck %s --check-prefixes=CHECK,COLLECTIVE
// RUN: shardwright-opt %s --pass-pipeline='builtin.module(canonicalize{enable-patterns=sdy-reshard})' | FileCheck %s --check-prefixes=CHECK,RESHARD

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>

// CHECK-LABEL: func @reduce_scatter
// ALL: %[[S:.*]] = sdy.reduce_scatter [{"d"}, {"c"}] %arg0 out_sharding=<@m, [{"a", "d"}, {"c"}]>
// ALL-NEXT: sdy.all_slice [{}, {"b"}] %[[S]] out_sharding=<@m, [{"a", "d"}, {"c", "b"}]>
// COLLECTIVE: sdy.reduce_scatter
// RESHARD: sdy.all_reduce
// RESHARD-NEXT: sdy.all_slice
func.func @reduce_scatter(%x: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> tensor<64x64xf32> {
  %0 = sdy.all_reduce {"c", "d"} %x out_sharding=<@m, [{"a"}, {}]> : tensor<64x64xf32>
  %1 = sdy.all_slice [{"d"}, {"c", "b"}] %0 out_sharding=<@m, [{"a", "d"}, {"c", "b"}]> : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// One axis of the reduction is not sliced: nothing to fuse.
// CHECK-LABEL: func @reduction_axis_left
// CHECK: sdy.all_reduce
// CHECK-NEXT: sdy.all_slice
func.func @reduction_axis_left(%x: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> tensor<64x64xf32> {
  %0 = sdy.all_reduce {"c", "d"} %x out_sharding=<@m, [{"a"}, {}]> : tensor<64x64xf32>
  %1 = sdy.all_slice [{"d"}, {}] %0 out_sharding=<@m, [{"a", "d"}, {}]> : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// CHECK-LABEL: func @gather_of_what_was_split
// ALL: sdy.all_gather [{"d":(2)4}, {"c"}] %arg0 out_sharding=<@m, [{"a", "d":(1)2}, {}]>
// RESHARD: sdy.all_reduce
func.func @gather_of_what_was_split(%x: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "d"}, {"c"}]>}) -> tensor<64x64xf32> {
  %0 = sdy.sharded_to_unreduced [{"d":(2)4}, {"c"}] %x out_sharding=<@m, [{"a", "d":(1)2}, {}], unreduced={"c", "d":(2)4}> : tensor<64x64xf32>
  %1 = sdy.all_reduce {"c", "d":(2)4} %0 out_sharding=<@m, [{"a", "d":(1)2}, {}]> : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// CHECK-LABEL: func @reduce_of_replicated
// ALL: return %arg0
func.func @reduce_of_replicated(%x: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> tensor<64x64xf32> {
  %0 = sdy.replicated_to_unreduced {"c"} %x out_sharding=<@m, [{"a"}, {}], unreduced={"c"}> : tensor<64x64xf32>
  %1 = sdy.all_reduce {"c"} %0 out_sharding=<@m, [{"a"}, {}]> : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// CHECK-LABEL: func @no_axes
// ALL: return %arg0
// COLLECTIVE: return %arg0
func.func @no_axes(%x: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> tensor<64x64xf32> {
  %0 = sdy.all_gather [{}, {}] %x out_sharding=<@m, [{"a"}, {}]> : tensor<64x64xf32>
  %1 = sdy.all_slice [{}, {}] %0 out_sharding=<@m, [{"a"}, {}]> : tensor<64x64xf32>
  %2 = sdy.reduce_scatter [{}, {}] %1 out_sharding=<@m, [{"a"}, {}]> : tensor<64x64xf32>
  %3 = sdy.all_reduce {} %2 out_sharding=<@m, [{"a"}, {}]> : tensor<64x64xf32>
  %4 = sdy.collective_permute %3 out_sharding=<@m, [{"a"}, {?}], replicated={"b"}> : tensor<64x64xf32>
  return %4 : tensor<64x64xf32>
}

// A permutation cannot reduce, so these are not the same value.
// CHECK-LABEL: func @permute_keeps_unreduced
// CHECK: sdy.collective_permute
func.func @permute_keeps_unreduced(%x: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> tensor<64x64xf32> {
  %0 = sdy.collective_permute %x out_sharding=<@m, [{"a"}, {}], unreduced={"b"}> : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// CHECK-LABEL: func @two_all_to_alls
// ALL: sdy.all_to_all [{"a"}: 0->1, {"b"}: 2->3] %arg0 out_sharding=<@m, [{}, {"a"}, {}, {"b"}]>
func.func @two_all_to_alls(%x: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}, {"b"}, {}]>}) -> tensor<8x8x8x8xf32> {
  %0 = sdy.all_to_all [{"b"}: 2->3] %x out_sharding=<@m, [{"a"}, {}, {}, {"b"}]> : tensor<8x8x8x8xf32>
  %1 = sdy.all_to_all [{"a"}: 0->1] %0 out_sharding=<@m, [{}, {"a"}, {}, {"b"}]> : tensor<8x8x8x8xf32>
  return %1 : tensor<8x8x8x8xf32>
}

// CHECK-LABEL: func @reshard_of_reshard
// RESHARD: %[[R:.*]] = sdy.reshard %arg0 <@m, [{"c"}, {}]>
// RESHARD-NEXT: return %[[R]]
// COLLECTIVE: sdy.reshard
// COLLECTIVE-NEXT: sdy.reshard
func.func @reshard_of_reshard(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.reshard %x <@m, [{"b"}, {}]> : tensor<8x8xf32>
  %1 = sdy.reshard %0 <@m, [{"c"}, {}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// CHECK-LABEL: func @earlier_reshard
// ALL: %[[R:.*]] = sdy.reshard %arg0 <@m, [{"a"}, {}]>
// ALL-NEXT: %[[Y:.*]] = stablehlo.reshape %[[R]] : (tensor<8x8xf32>) -> tensor<64xf32>
// ALL-NEXT: return %[[R]], %[[Y]]
// RESHARD: sdy.reshard
// RESHARD: sdy.reshard
func.func @earlier_reshard(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<64xf32>) {
  %0 = sdy.reshard %x <@m, [{"a"}, {}]> : tensor<8x8xf32>
  %y = stablehlo.reshape %x : (tensor<8x8xf32>) -> tensor<64xf32>
  %1 = sdy.reshard %y <@m, [{"a", ?}]> : tensor<64xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<64xf32>
}

// The later one is behind a transpose; what is between both says where its values
// are now.
// CHECK-LABEL: func @earlier_reshard_through_transpose
// ALL: %[[R:.*]] = sdy.reshard %arg0 <@m, [{}, {"a"}]>
// ALL-NEXT: %[[S:.*]] = stablehlo.reshape %[[R]] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}, {"a"}]>]>} : (tensor<8x4xf32>) -> tensor<2x4x4xf32>
// ALL-NEXT: %[[T:.*]] = stablehlo.transpose %[[S]], dims = [2, 0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {}, {}]>]>}
// ALL-NEXT: %[[U:.*]] = stablehlo.transpose %[[R]], dims = [1, 0] :
// ALL-NEXT: return %[[R]], %[[T]], %[[U]]
// RESHARD-COUNT-3: sdy.reshard
func.func @earlier_reshard_through_transpose(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> (tensor<8x4xf32>, tensor<4x2x4xf32>, tensor<4x8xf32>) {
  %0 = sdy.reshard %x <@m, [{}, {"a"}]> : tensor<8x4xf32>
  %1 = stablehlo.reshape %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {}, {}]>]>} : (tensor<8x4xf32>) -> tensor<2x4x4xf32>
  %2 = stablehlo.transpose %1, dims = [2, 0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"a"}, {}]>]>} : (tensor<2x4x4xf32>) -> tensor<4x2x4xf32>
  %3 = sdy.reshard %2 <@m, [{"a"}, {}, {}]> : tensor<4x2x4xf32>
  %4 = stablehlo.transpose %x, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %5 = sdy.reshard %4 <@m, [{"a", ?}, {}]> : tensor<4x8xf32>
  return %0, %3, %5 : tensor<8x4xf32>, tensor<4x2x4xf32>, tensor<4x8xf32>
}

// Split another way, or behind a reshape that no sharding of the root can say.
// CHECK-LABEL: func @other_layout_behind_transpose
// CHECK-COUNT-3: sdy.reshard
func.func @other_layout_behind_transpose(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> (tensor<8x4xf32>, tensor<4x8xf32>, tensor<16x2xf32>) {
  %0 = sdy.reshard %x <@m, [{}, {"a"}]> : tensor<8x4xf32>
  %1 = stablehlo.transpose %x, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %2 = sdy.reshard %1 <@m, [{}, {"a"}]> : tensor<4x8xf32>
  %3 = stablehlo.reshape %1 : (tensor<4x8xf32>) -> tensor<16x2xf32>
  %4 = sdy.reshard %3 <@m, [{}, {"a"}]> : tensor<16x2xf32>
  return %0, %2, %4 : tensor<8x4xf32>, tensor<4x8xf32>, tensor<16x2xf32>
}

// An axis in two dimensions is one in the dimension that they make.
// CHECK-LABEL: func @earlier_reshard_of_two_dims
// ALL: %[[R:.*]] = sdy.reshard %arg0 <@m, [{"d"}]>
// ALL-NEXT: stablehlo.reshape %[[R]] : (tensor<16xf32>) -> tensor<4x4xf32>
// ALL-NEXT: return
func.func @earlier_reshard_of_two_dims(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<4x4xf32>) {
  %0 = sdy.reshard %x <@m, [{"d"}]> : tensor<16xf32>
  %1 = stablehlo.reshape %x : (tensor<16xf32>) -> tensor<4x4xf32>
  %2 = sdy.reshard %1 <@m, [{"d":(1)4}, {"d":(4)2}]> : tensor<4x4xf32>
  return %0, %2 : tensor<16xf32>, tensor<4x4xf32>
}

// Partial sums are another value: the oracle loses the reduction here.
// CHECK-LABEL: func @unreduced_reshards_differ
// CHECK-COUNT-2: sdy.reshard
func.func @unreduced_reshards_differ(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = sdy.reshard %x <@m, [{"a"}, {}]> : tensor<8x8xf32>
  %1 = sdy.reshard %x <@m, [{"a"}, {}], unreduced={"b"}> : tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: func @manual_computation
// ALL-NEXT: sdy.manual_computation(%arg0) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%arg2: tensor<4x8xf32>)
// ALL-NOT: sdy.manual_computation
// RESHARD-NEXT: sdy.manual_computation(%arg0, %arg1)
func.func @manual_computation(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%x, %y) in_shardings=[<@m, [{"a"}, {}]>, <@m, [{}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%a: tensor<4x8xf32>, %b: tensor<8x8xf32>) {
    sdy.return %a : tensor<4x8xf32>
  } : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[] manual_axes={"a"} (%a: tensor<4x8xf32>) {
    sdy.return
  } : (tensor<8x8xf32>) -> ()
  return %0 : tensor<8x8xf32>
}

// The kind of the all_reduce becomes that of the fused op.
// CHECK-LABEL: func @reduce_scatter_of_maxima
// ALL: sdy.reduce_scatter max [{}, {"b"}] %arg0 out_sharding=<@m, [{}, {"b"}], unreduced=max{"c"}>
func.func @reduce_scatter_of_maxima(%x: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=max{"b", "c"}>}) -> tensor<64x64xf32> {
  %0 = sdy.all_reduce max {"b"} %x out_sharding=<@m, [{}, {}], unreduced=max{"c"}> : tensor<64x64xf32>
  %1 = sdy.all_slice [{}, {"b"}] %0 out_sharding=<@m, [{}, {"b"}], unreduced=max{"c"}> : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// CHECK-LABEL: func @undone_maximum
// ALL: return %arg0
func.func @undone_maximum(%x: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> tensor<64x64xf32> {
  %0 = sdy.replicated_to_unreduced {"c"} %x out_sharding=<@m, [{"a"}, {}], unreduced=max{"c"}> : tensor<64x64xf32>
  %1 = sdy.all_reduce max {"c"} %0 out_sharding=<@m, [{"a"}, {}]> : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// One reshard may not change a kind: these two stay two.
// CHECK-LABEL: func @reshards_change_the_kind
// CHECK: sdy.reshard %arg0 <@m, [{}, {}]>
// CHECK: sdy.reshard {{.*}} <@m, [{}, {}], unreduced={"a"}>
func.func @reshards_change_the_kind(%x: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=max{"a"}>}) -> tensor<64x64xf32> {
  %0 = sdy.reshard %x <@m, [{}, {}]> : tensor<64x64xf32>
  %1 = sdy.reshard %0 <@m, [{}, {}], unreduced={"a"}> : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// Reshards to different kinds are different reshards.
// CHECK-LABEL: func @kinds_are_not_reused
// CHECK: sdy.reshard %arg0 <@m, [{}, {}], unreduced=max{"a"}>
// CHECK: sdy.reshard %arg0 <@m, [{}, {}], unreduced=min{"a"}>
func.func @kinds_are_not_reused(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = sdy.reshard %x <@m, [{}, {}], unreduced=max{"a"}> : tensor<64x64xf32>
  %1 = sdy.reshard %x <@m, [{}, {}], unreduced=min{"a"}> : tensor<64x64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}

// Shards of uneven dimensions count as rounded up: 6 in shards of 2, and 3 rows
// of 2 in shards of one row.
// CHECK-LABEL: func @earlier_reshard_of_uneven_dims
// ALL: %[[R:.*]] = sdy.reshard %arg0 <@m, [{"c"}]>
// ALL-NEXT: %[[Y:.*]] = stablehlo.reshape %[[R]] : (tensor<6xf32>) -> tensor<3x2xf32>
// ALL-NEXT: return %[[R]], %[[Y]]
func.func @earlier_reshard_of_uneven_dims(%x: tensor<6xf32>) -> (tensor<6xf32>, tensor<3x2xf32>) {
  %0 = sdy.reshard %x <@m, [{"c"}]> : tensor<6xf32>
  %1 = stablehlo.reshape %x : (tensor<6xf32>) -> tensor<3x2xf32>
  %2 = sdy.reshard %1 <@m, [{"c"}, {}]> : tensor<3x2xf32>
  return %0, %2 : tensor<6xf32>, tensor<3x2xf32>
}

// 10 in shards of 3, and 5 rows of 2 in shards of 2 rows; a row of 10, whole or in
// parts.
// CHECK-LABEL: func @other_uneven_layout
// CHECK-COUNT-3: sdy.reshard
func.func @other_uneven_layout(%x: tensor<10xf32>) -> (tensor<10xf32>, tensor<5x2xf32>, tensor<1x10xf32>) {
  %0 = sdy.reshard %x <@m, [{"c"}]> : tensor<10xf32>
  %1 = stablehlo.reshape %x : (tensor<10xf32>) -> tensor<5x2xf32>
  %2 = sdy.reshard %1 <@m, [{"c"}, {}]> : tensor<5x2xf32>
  %3 = stablehlo.reshape %x : (tensor<10xf32>) -> tensor<1x10xf32>
  %4 = sdy.reshard %3 <@m, [{"c"}, {}]> : tensor<1x10xf32>
  return %0, %2, %4 : tensor<10xf32>, tensor<5x2xf32>, tensor<1x10xf32>
}

// Two parts of an axis in two dimensions are the axis in one, either way.
// CHECK-LABEL: func @earlier_reshard_in_two_dims
// ALL: %[[R:.*]] = sdy.reshard %{{.*}} <@m, [{"c":(1)2}, {"c":(2)2}]>
// ALL-NEXT: %[[Y:.*]] = stablehlo.reshape %[[R]] : (tensor<2x4xf32>) -> tensor<8xf32>
// ALL-NEXT: return %[[R]], %[[Y]]
func.func @earlier_reshard_in_two_dims(%x: tensor<8xf32>) -> (tensor<2x4xf32>, tensor<8xf32>) {
  %0 = stablehlo.reshape %x : (tensor<8xf32>) -> tensor<2x4xf32>
  %1 = sdy.reshard %0 <@m, [{"c":(1)2}, {"c":(2)2}]> : tensor<2x4xf32>
  %2 = sdy.reshard %x <@m, [{"c"}]> : tensor<8xf32>
  return %1, %2 : tensor<2x4xf32>, tensor<8xf32>
}
