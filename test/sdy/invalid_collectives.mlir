//===- invalid_collectives.mlir - collectives that do not verify --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RUN: shardwright-opt %s --split-input-file --verify-diagnostics

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_gather' op collective on operand without sharding}}
%9 = sdy.all_gather [{"a"}, {}] %1 out_sharding=<@m, [{}, {"b"}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_gather' op unknown mesh: @q}}
%9 = sdy.all_gather [{"a"}, {}] %0 out_sharding=<@q, [{}, {"b"}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
sdy.mesh @o = <["a"=2, "b"=2, "c"=4, "e"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_gather' op result mesh does not match operand mesh}}
%9 = sdy.all_gather [{"a"}, {}] %0 out_sharding=<@o, [{}, {"b"}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_gather' op sharding doesn't match tensor rank: 1 != 2}}
%9 = sdy.all_gather [{"a"}, {}] %0 out_sharding=<@m, [{}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_gather' op result sharding has rank 2 but collective axes has rank 1}}
%9 = sdy.all_gather [{"a"}] %0 out_sharding=<@m, [{}, {"b"}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_gather' op duplicate axis ref: "a"}}
%9 = sdy.all_gather [{"a"}, {"a"}] %0 out_sharding=<@m, [{}, {"b"}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_gather' op unknown axis name: "z"}}
%9 = sdy.all_gather [{"z"}, {}] %0 out_sharding=<@m, [{}, {"b"}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_gather' op can't apply gathering axis "b" to operand sharding on dimension 0}}
%9 = sdy.all_gather [{"b"}, {}] %0 out_sharding=<@m, [{}, {"b"}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_gather' op result sharding doesn't match expected sharding [] on dimension 0}}
%9 = sdy.all_gather [{"a"}, {}] %0 out_sharding=<@m, [{"a"}, {"b"}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_gather' op result sharding doesn't match expected sharding ["b"] on dimension 1}}
%9 = sdy.all_gather [{"a"}, {}] %0 out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.sharded_to_unreduced' op out_unreduced_axes should be in_unreduced_axes + sharded_to_unreduced_axes}}
%9 = sdy.sharded_to_unreduced [{"a"}, {}] %0 out_sharding=<@m, [{}, {"b"}], unreduced={"c"}> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.sharded_to_unreduced' op can't apply shard-to-unreduce axis "c" to operand sharding on dimension 0}}
%9 = sdy.sharded_to_unreduced [{"c"}, {}] %0 out_sharding=<@m, [{}, {"b"}], unreduced={"c"}> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.sharded_to_unreduced' op collective on operand without sharding}}
%9 = sdy.sharded_to_unreduced [{"a"}, {}] %1 out_sharding=<@m, [{}, {"b"}], unreduced={"a"}> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.sharded_to_unreduced' op result sharding has rank 2 but collective axes has rank 1}}
%9 = sdy.sharded_to_unreduced [{"a"}] %0 out_sharding=<@m, [{}, {"b"}], unreduced={"a"}> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.replicated_to_unreduced' op r2u axes must not be empty}}
%9 = sdy.replicated_to_unreduced {} %0 out_sharding=<@m, [{"a"}, {"b"}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.replicated_to_unreduced' op input and output must share the same dimension shardings}}
%9 = sdy.replicated_to_unreduced {"c"} %0 out_sharding=<@m, [{"a"}, {"b", ?}], unreduced={"c"}> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.replicated_to_unreduced' op out_unreduced_axes should be in_unreduced_axes + r2u_axes}}
%9 = sdy.replicated_to_unreduced {"c"} %0 out_sharding=<@m, [{"a"}, {"b"}], unreduced={"d"}> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.replicated_to_unreduced' op r2u axes are not ordered w.r.t. mesh}}
%9 = sdy.replicated_to_unreduced {"d", "c"} %0 out_sharding=<@m, [{"a"}, {"b"}], unreduced={"d"}> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.replicated_to_unreduced' op duplicate axis ref: "c"}}
%9 = sdy.replicated_to_unreduced {"c", "c"} %0 out_sharding=<@m, [{"a"}, {"b"}], unreduced={"d"}> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.replicated_to_unreduced' op unknown axis name: "z"}}
%9 = sdy.replicated_to_unreduced {"z"} %0 out_sharding=<@m, [{"a"}, {"b"}], unreduced={"d"}> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.replicated_to_unreduced' op r2u axis "b" overlaps with operand dimension sharding}}
%9 = sdy.replicated_to_unreduced {"b"} %0 out_sharding=<@m, [{"a"}, {"b"}], unreduced={"d"}> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.replicated_to_unreduced' op collective on operand without sharding}}
%9 = sdy.replicated_to_unreduced {"c"} %1 out_sharding=<@m, [{}, {}], unreduced={"c"}> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_to_all' op parameter list is empty}}
%9 = sdy.all_to_all [] %0 out_sharding=<@m, [{}, {"b", "a"}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_to_all' op target dimension 2 is out of range [0, 2)}}
%9 = sdy.all_to_all [{"a"}: 0->2] %0 out_sharding=<@m, [{}, {"b", "a"}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_to_all' op unknown axis name: "z"}}
%9 = sdy.all_to_all [{"z"}: 0->2] %0 out_sharding=<@m, [{}, {"b", "a"}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_to_all' op source dimension -1 is out of range [0, 2)}}
%9 = sdy.all_to_all [{"a"}: -1->1] %0 out_sharding=<@m, [{}, {"b", "a"}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_to_all' op overlapping source/target dimensions in all-to-all params: 0}}
%9 = sdy.all_to_all [{"a"}: 0->0] %0 out_sharding=<@m, [{}, {"b", "a"}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_to_all' op duplicate axis ref: "a"}}
%9 = sdy.all_to_all [{"a"}: 0->1, {"a"}: 0->1] %0 out_sharding=<@m, [{}, {"b", "a"}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_to_all' op can't apply all-to-all axis "b" to operand sharding on dimension 0}}
%9 = sdy.all_to_all [{"b"}: 0->1] %0 out_sharding=<@m, [{}, {"b", "a"}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_to_all' op result sharding doesn't match expected sharding ["b", "a"] on dimension 1}}
%9 = sdy.all_to_all [{"a"}: 0->1] %0 out_sharding=<@m, [{}, {"a", "b"}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_to_all' op result sharding doesn't match expected sharding [] on dimension 0}}
%9 = sdy.all_to_all [{"a"}: 0->1] %0 out_sharding=<@m, [{"a"}, {"b"}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_to_all' op collective on operand without sharding}}
%9 = sdy.all_to_all [{"a"}: 0->1] %1 out_sharding=<@m, [{}, {"b", "a"}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.collective_permute' op sharded size of result doesn't match operand on dimension 0: 4 != 2}}
%9 = sdy.collective_permute %0 out_sharding=<@m, [{"c"}, {"a"}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
sdy.mesh @mc = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.collective_permute' op result mesh name is different but same device ids as operand}}
%9 = sdy.collective_permute %0 out_sharding=<@mc, [{"b"}, {"a"}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
sdy.mesh @o = <["a"=2, "b"=2, "c"=4, "e"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.collective_permute' op result mesh has different axes than operand mesh}}
%9 = sdy.collective_permute %0 out_sharding=<@o, [{"b"}, {"a"}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.collective_permute' op collective on operand without sharding}}
%9 = sdy.collective_permute %1 out_sharding=<@m, [{"b"}, {"a"}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
sdy.mesh @x = <[], device_ids=[3]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.collective_permute' op result sharding has rank 0 but operand sharding has rank 2}}
%9 = sdy.collective_permute %0 out_sharding=<@x, []> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_reduce' op operand and result shardings are not equivalent}}
%9 = sdy.all_reduce {"c"} %0 out_sharding=<@m, [{"a"}, {}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_reduce' op reduction axes are not ordered w.r.t. mesh}}
%9 = sdy.all_reduce {"d", "c"} %0 out_sharding=<@m, [{"a"}, {"b"}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_reduce' op duplicate axis ref: "c"}}
%9 = sdy.all_reduce {"c", "c"} %0 out_sharding=<@m, [{"a"}, {"b"}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_reduce' op unknown axis name: "z"}}
%9 = sdy.all_reduce {"z"} %0 out_sharding=<@m, [{"a"}, {"b"}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_reduce' op reduction axis "a" overlaps with operand dimension sharding or replicated axes}}
%9 = sdy.all_reduce {"a"} %0 out_sharding=<@m, [{"a"}, {"b"}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_reduce' op reduction axis "c" overlaps with result unreduced axes}}
%9 = sdy.all_reduce {"c"} %0 out_sharding=<@m, [{"a"}, {"b"}], unreduced={"c"}> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_reduce' op unknown mesh: @q}}
%9 = sdy.all_reduce {"c"} %0 out_sharding=<@q, [{"a"}, {"b"}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "d"}, {}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_gather' op two consecutive sub-axes can be merged: "d":(2)2, "d":(4)2}}
%9 = sdy.all_gather [{"d":(2)2, "d":(4)2}, {}] %0 out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "d"}, {}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_gather' op result sharding doesn't match expected sharding ["a", "d":(1)2] on dimension 0}}
%9 = sdy.all_gather [{"d":(2)4}, {}] %0 out_sharding=<@m, [{"a", "d":(1)4}, {}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"d":(1)4}, {}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_slice' op two consecutive sub-axes can be merged: "d":(1)4, "d":(4)2}}
%9 = sdy.all_slice [{"d":(4)2}, {}] %0 out_sharding=<@m, [{"d":(1)4, "d":(4)2}, {}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"d":(1)4}, {}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_slice' op result sharding doesn't match expected sharding ["d":(1)4, "d":(2)4] on dimension 0}}
%9 = sdy.all_slice [{"d":(2)4}, {}] %0 out_sharding=<@m, [{"d"}, {}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"d":(1)4}, {}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.reduce_scatter' op result sharding doesn't match expected sharding ["d":(1)4, "a"] on dimension 0}}
%9 = sdy.reduce_scatter [{"a"}, {}] %0 out_sharding=<@m, [{"d":(1)4}, {}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"d":(1)4}, {}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.reduce_scatter' op result sharding has rank 2 but collective axes has rank 1}}
%9 = sdy.reduce_scatter [{"a"}] %0 out_sharding=<@m, [{"d":(1)4}, {}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"d":(2)2}, {"b"}], unreduced={"c"}>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.replicated_to_unreduced' op r2u axis "c" overlaps with operand unreduced axes}}
%9 = sdy.replicated_to_unreduced {"c"} %0 out_sharding=<@m, [{"d":(2)2}, {"b"}], unreduced={"c"}> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
sdy.mesh @e = <[]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@e, [{}, {}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_reduce' op result mesh does not match operand mesh}}
%9 = sdy.all_reduce {"c"} %0 out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
sdy.mesh @e = <[]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@e, [{}, {}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_slice' op result mesh does not match operand mesh}}
%9 = sdy.all_slice [{"a"}, {}] %0 out_sharding=<@m, [{"a"}, {}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}, {"c"}, {"d"}]>}) {
// expected-error@+1 {{'sdy.all_to_all' op source dimensions are not sorted in ascending order: 0 appears after 1}}
%9 = sdy.all_to_all [{"b"}: 1->2, {"a"}: 0->3] %0 out_sharding=<@m, [{}, {}, {"c", "b"}, {"d"}]> : tensor<8x8x8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}, {"c"}, {"d"}]>}) {
// expected-error@+1 {{'sdy.all_to_all' op result sharding doesn't match expected sharding ["d"] on dimension 3}}
%9 = sdy.all_to_all [{"a"}: 0->1] %0 out_sharding=<@m, [{}, {"b", "a"}, {"c"}, {}]> : tensor<8x8x8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_slice' op requires attribute 'out_sharding'}}
%2 = "sdy.all_slice"(%0) : (tensor<8x8xf32>) -> tensor<8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{custom op 'sdy.all_gather' expected 'out_sharding'}}
%2 = sdy.all_gather [{"a"}, {}] %0 {foo} out_sharding=<@m, [{}, {"b"}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: i32) {
// expected-error@+1 {{custom op 'sdy.all_slice' invalid kind of type specified}}
%2 = sdy.all_slice [] %0 out_sharding=<@m, []> : i32
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: vector<2xi32>) {
// expected-error@+1 {{'sdy.all_slice' op sharding doesn't match tensor rank: 0 != 1}}
%2 = sdy.all_slice [] %0 out_sharding=<@m, []> : vector<2xi32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<*xf32>) {
// expected-error@+1 {{'sdy.all_reduce' op only ranked tensors can have a sharding. type: 'tensor<*xf32>'}}
%2 = sdy.all_reduce {"c"} %0 out_sharding=<@m, []> : tensor<*xf32>
return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @reduce_scatter_unknown_axis(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'sdy.reduce_scatter' op unknown axis name: "y"}}
  %0 = sdy.reduce_scatter [{"y"}] %a out_sharding=<@mesh, [{"x"}]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}
