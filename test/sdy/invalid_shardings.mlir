//===- invalid_shardings.mlir - meshes and shardings that do not verify -===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RUN: shardwright-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{'func.func' op result 0 - unknown mesh: @q}}
func.func private @f() -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@q, []>})

// -----

sdy.mesh @m = <["a"=2]>
// expected-error@+1 {{'func.func' op result 1 - should have a sharding attribute of type TensorShardingAttr}}
func.func private @f() -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}, tensor<8xf32> {sdy.sharding = 3})

// -----

// expected-error@+1 {{'func.func' op arg 0 - unknown mesh: @q}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@q, []>})

// -----

// expected-error@+1 {{'func.func' op should have a sharding attribute of type TensorShardingPerValueAttr}}
func.func private @f(tensor<8xf32>) attributes {sdy.sharding = #sdy.sharding<@q, []>}

// -----

sdy.mesh @y = <["a"=2]>
// expected-error@+1 {{'func.func' op arg 0 - unknown mesh: @y}}
module {func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@y, [{}]>})}

// -----

// expected-error@+1 {{'sdy.mesh' op expects parent op 'builtin.module'}}
func.func @f() { sdy.mesh @m = <[]>
return }

// -----

// expected-note@+1 {{see existing symbol definition here}}
sdy.mesh @m = <[]>
// expected-error@+1 {{redefinition of symbol named 'm'}}
sdy.mesh @m = <[]>

// -----

// expected-error@+1 {{custom op 'sdy.mesh' expected valid '@'-identifier for symbol name}}
sdy.mesh private @m = <[]>

// -----

// expected-error@+1 {{'sdy.mesh' op requires attribute 'mesh'}}
"sdy.mesh"() <{sym_name = "m"}> : () -> ()

// -----

// expected-error@+1 {{custom op 'sdy.mesh' total product of axis sizes must match total number of device ids, got: 4 != 2}}
sdy.mesh @m = <["a"=4], device_ids=[0,1]>

// -----

// expected-error@+1 {{custom op 'sdy.mesh' duplicate axis name: "a"}}
sdy.mesh @m = <["a"=4, "a"=2], device_ids=[0,1]>

// -----

// expected-error@+1 {{custom op 'sdy.mesh' axis size must be at least 1, got: 0}}
sdy.mesh @m = <["a"=0]>

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
// expected-error@+1 {{'func.func' op arg 0 - replicated axes are not ordered w.r.t. mesh}}
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], replicated={"z", "a"}>}) {

return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
// expected-error@+1 {{'func.func' op arg 0 - unknown axis name: "z"}}
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], replicated={"a", "z"}>}) {

return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
// expected-error@+1 {{'func.func' op arg 0 - unreduced axes are not ordered w.r.t. mesh}}
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"b", "a"}>}) {

return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
// expected-error@+1 {{'func.func' op arg 0 - both sub-axis and full-axis are used for axis name: "d"}}
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], replicated={"d":(1)2, "d"}>}) {

return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
// expected-error@+1 {{'func.func' op arg 0 - duplicate axis ref: "a"}}
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], replicated={"a", "a"}>}) {

return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
// expected-error@+1 {{'func.func' op arg 0 - two consecutive sub-axes can be merged: "d":(1)2, "d":(2)2}}
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], replicated={"d":(1)2, "d":(2)2}>}) {

return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
// expected-error@+1 {{'func.func' op arg 0 - sub-axis next pre-size 3 doesn't divide the size of the full axis 8: "d":(1)3}}
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"d":(1)3}, {}]>}) {

return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
// expected-error@+1 {{'func.func' op arg 0 - sub-axis sizes must be greater than 1: "c":(1)1}}
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"c":(1)1}, {}]>}) {

return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
// expected-error@+1 {{'func.func' op arg 0 - sub-axis pre-size must be at least 1: "d":(0)2}}
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"d":(0)2}, {}]>}) {

return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
// expected-error@+1 {{'func.func' op arg 0 - sub-axis size is equal to the full axis size: "d":(1)8}}
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"d":(1)8}, {}]>}) {

return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
// expected-error@+1 {{'func.func' op arg 0 - overlapping sub-axes: "d":(1)4, "d":(2)2}}
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"d":(1)4}, {"d":(2)2}]>}) {

return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
// expected-error@+1 {{'func.func' op arg 0 - dim 0 is empty and closed but has a priority}}
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}p1, {}]>}) {

return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
sdy.mesh @x = <[], device_ids=[3]>
// expected-error@+1 {{'func.func' op arg 0 - a maximal sharding can only have a sharding with rank 0 and no replicated or unreduced axes.}}
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@x, [{}]>}) {

return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
// expected-error@+1 {{'func.func' op arg 0 - unknown mesh: @f}}
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@f, [{}, {}]>}) {

return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
// expected-error@+1 {{'func.func' op arg 0 - sharding doesn't match tensor rank: 1 != 2}}
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) {

return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
// expected-error@+1 {{'func.func' op arg 0 - non-shaped tensors can only have a sharding with rank 0 and no replicated or unreduced axes. type: 'i32', sharding: #sdy.sharding<@m, [{}]>}}
func.func @f(%0: i32 {sdy.sharding = #sdy.sharding<@m, [{}]>}) {

return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
// expected-error@+1 {{'func.func' op arg 0 - non-shaped tensors can only have a sharding with rank 0 and no replicated or unreduced axes. type: 'i32', sharding: #sdy.sharding<@m, [], replicated={"a"}>}}
func.func @f(%0: i32 {sdy.sharding = #sdy.sharding<@m, [], replicated={"a"}>}) {

return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
// expected-error@+1 {{'func.func' op arg 0 - ops can only have a sharding for a tuple of size 1: 'tuple<tensor<8xf32>, i32>'}}
func.func @f(%0: tuple<tensor<8xf32>, i32> {sdy.sharding = #sdy.sharding<@m, []>}) {

return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
// expected-error@+1 {{'func.func' op arg 0 - only ranked tensors can have a sharding. type: 'tensor<*xf32>'}}
func.func @f(%0: tensor<*xf32> {sdy.sharding = #sdy.sharding<@m, []>}) {

return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
// expected-error@+1 {{'func.func' op arg 0 - non-shaped tensors can only have a sharding with rank 0 and no replicated or unreduced axes. type: 'tuple<tuple<tensor<8xf32>>>', sharding: #sdy.sharding<@m, [{"a"}]>}}
func.func @f(%0: tuple<tuple<tensor<8xf32>>> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>}) {

return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func private @two() -> (tensor<8x8xf32>, tensor<8x8xf32>)
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'func.call' op result shardings don't match number of values: 1 shardings vs 2 values}}
%2:2 = func.call @two() {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {"b"}]>]>} : () -> (tensor<8x8xf32>, tensor<8x8xf32>)
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func private @two() -> (tensor<8x8xf32>, tensor<8x8xf32>)
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'func.call' op result 1 - unknown mesh: @q}}
%2:2 = func.call @two() {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {"b"}]>, <@q, []>]>} : () -> (tensor<8x8xf32>, tensor<8x8xf32>)
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{custom op 'sdy.foo' is unknown}}
sdy.foo %0
return
}
