//===- invalid_bodies.mlir - manual and named computations that do not verify ===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RUN: shardwright-opt %s --split-input-file --verify-diagnostics

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.manual_computation' op operand shardings don't match number of values: 2 shardings vs 1 values}}
%9 = sdy.manual_computation(%0) in_shardings=[<@m, [{"a"}, {"b"}]>,<@m, [{"a"}, {"b"}]>] out_shardings=[<@m, [{"a"}, {"b"}]>] manual_axes={"a"} (%a: tensor<4x8xf32>) {
sdy.return %a : tensor<4x8xf32>
} : (tensor<8x8xf32>) -> (tensor<8x8xf32>)
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.manual_computation' op result shardings don't match number of values: 2 shardings vs 1 values}}
%9 = sdy.manual_computation(%0) in_shardings=[<@m, [{"a"}, {"b"}]>] out_shardings=[<@m, [{"a"}, {"b"}]>,<@m, [{"a"}, {"b"}]>] manual_axes={"a"} (%a: tensor<4x8xf32>) {
sdy.return %a : tensor<4x8xf32>
} : (tensor<8x8xf32>) -> (tensor<8x8xf32>)
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.manual_computation' op operand - unknown mesh: @q}}
%9 = sdy.manual_computation(%0) in_shardings=[<@q, [{}]>] out_shardings=[<@m, [{"a"}, {"b"}]>] manual_axes={"a"} (%a: tensor<4x8xf32>) {
sdy.return %a : tensor<4x8xf32>
} : (tensor<8x8xf32>) -> (tensor<8x8xf32>)
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.manual_computation' op result - unknown mesh: @q}}
%9 = sdy.manual_computation(%0) in_shardings=[<@m, [{"a"}, {"b"}]>] out_shardings=[<@q, [{}]>] manual_axes={"a"} (%a: tensor<4x8xf32>) {
sdy.return %a : tensor<4x8xf32>
} : (tensor<8x8xf32>) -> (tensor<8x8xf32>)
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.manual_computation' op result - sharding doesn't match tensor rank: 1 != 2}}
%9 = sdy.manual_computation(%0) in_shardings=[<@m, [{"a"}, {"b"}]>] out_shardings=[<@m, [{}]>] manual_axes={"a"} (%a: tensor<4x8xf32>) {
sdy.return %a : tensor<4x8xf32>
} : (tensor<8x8xf32>) -> (tensor<8x8xf32>)
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.manual_computation' op operand sharding at index 0 must have all manual axes come before free axes in its dimension sharding at index 0. Saw manual axis "a" after free axis "b"}}
%9 = sdy.manual_computation(%0) in_shardings=[<@m, [{"b","a"},{}]>] out_shardings=[<@m, [{"a"}, {"b"}]>] manual_axes={"a"} (%a: tensor<4x8xf32>) {
sdy.return %a : tensor<4x8xf32>
} : (tensor<8x8xf32>) -> (tensor<8x8xf32>)
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.manual_computation' op operand shape, corresponding sharding, and region operand shape at index 0 must match. Expected local shape 'tensor<2x8xf32>', actual local shape 'tensor<4x8xf32>'}}
%9 = sdy.manual_computation(%0) in_shardings=[<@m, [{"a","b"},{}]>] out_shardings=[<@m, [{"a"}, {"b"}]>] manual_axes={"a","b"} (%a: tensor<4x8xf32>) {
sdy.return %a : tensor<4x8xf32>
} : (tensor<8x8xf32>) -> (tensor<8x8xf32>)
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
sdy.mesh @o = <["a"=2, "b"=2, "c"=4, "e"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.manual_computation' op all in and out shardings must be bound to the same mesh or an empty mesh.}}
%9 = sdy.manual_computation(%0) in_shardings=[<@o, [{"a"},{}]>] out_shardings=[<@m, [{"a"}, {"b"}]>] manual_axes={"a"} (%a: tensor<4x8xf32>) {
sdy.return %a : tensor<4x8xf32>
} : (tensor<8x8xf32>) -> (tensor<8x8xf32>)
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.manual_computation' op unknown manual axis: "z"}}
%9 = sdy.manual_computation(%0) in_shardings=[<@m, [{"a"}, {"b"}]>] out_shardings=[<@m, [{"a"}, {"b"}]>] manual_axes={"a","z"} (%a: tensor<4x8xf32>) {
sdy.return %a : tensor<4x8xf32>
} : (tensor<8x8xf32>) -> (tensor<8x8xf32>)
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.manual_computation' op result shape, corresponding sharding, and region result shape at index 0 must match. Expected local shape 'tensor<8x8xf32>', actual local shape 'tensor<4x8xf32>'}}
%9 = sdy.manual_computation(%0) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{},{}]>] manual_axes={"a"} (%a: tensor<4x8xf32>) {
sdy.return %a : tensor<4x8xf32>
} : (tensor<8x8xf32>) -> (tensor<8x8xf32>)
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.manual_computation' op number of op operands and region operands must match. Op has 2 op operands and 1 region operands}}
%9 = sdy.manual_computation(%0, %1) in_shardings=[<@m, [{"a"}, {"b"}]>,<@m, [{"a"}, {"b"}]>] out_shardings=[<@m, [{"a"}, {"b"}]>] manual_axes={"a"} (%a: tensor<4x8xf32>) {
sdy.return %a : tensor<4x8xf32>
} : (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>)
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.manual_computation' op operand 1 - unknown mesh: @q}}
%9 = sdy.manual_computation(%0, %1) in_shardings=[<@m, [{"a"}, {"b"}]>,<@q, []>] out_shardings=[<@m, [{"a"}, {"b"}]>] manual_axes={"a"} (%a: tensor<4x8xf32>) {
sdy.return %a : tensor<4x8xf32>
} : (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>)
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{cannot name an operation with no results}}
%9 = sdy.manual_computation(%0) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[] manual_axes={"a"} (%a: tensor<4x8xf32>) {
sdy.return
} : (tensor<8x8xf32>) -> ()
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
%9 = sdy.manual_computation(%0) in_shardings=[<@m, [{}, {}]>] out_shardings=[<@m, [{}, {}]>] manual_axes={"a"} (%a: tensor<8x8xf32>) {
// expected-error@+1 {{'func.return' op expects parent op 'func.func'}}
func.return %a : tensor<8x8xf32>
} : (tensor<8x8xf32>) -> (tensor<8x8xf32>)
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-note@+1 {{parent bounding this axis as manual}}
%9 = sdy.manual_computation(%0) in_shardings=[<@m, [{"a"}, {"b"}]>] out_shardings=[<@m, [{"a"}, {"b"}]>] manual_axes={"a"} (%a: tensor<4x8xf32>) {
// expected-error@+1 {{'sdy.manual_computation' op operates on axis "a" which is already bound by a parent sdy.manual_computation op}}
%9 = sdy.manual_computation(%a) in_shardings=[<@m, [{"b"}, {}]>] out_shardings=[<@m, [{"b"}, {}]>] manual_axes={"b","a"} (%c: tensor<2x8xf32>) {
sdy.return %c : tensor<2x8xf32>
} : (tensor<4x8xf32>) -> (tensor<4x8xf32>)
sdy.return %a : tensor<4x8xf32>
} : (tensor<8x8xf32>) -> (tensor<8x8xf32>)
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-note@+1 {{parent bounding this axis as manual}}
%9 = sdy.manual_computation(%0) in_shardings=[<@m, [{"a"}, {"b"}]>] out_shardings=[<@m, [{"a"}, {"b"}]>] manual_axes={"a"} (%a: tensor<4x8xf32>) {
// expected-error@+1 {{'sdy.sharding_constraint' op operates on axis "a" which is already bound by a parent sdy.manual_computation op}}
%c = sdy.sharding_constraint %a <@m, [{"a"}, {}]> : tensor<4x8xf32>
sdy.return %a : tensor<4x8xf32>
} : (tensor<8x8xf32>) -> (tensor<8x8xf32>)
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-note@+1 {{parent bounding this axis as manual}}
%9 = sdy.manual_computation(%0) in_shardings=[<@m, [{"a"}, {"b"}]>] out_shardings=[<@m, [{"a"}, {"b"}]>] manual_axes={"a"} (%a: tensor<4x8xf32>) {
// expected-error@+1 {{'sdy.reshard' op operates on axis "a" which is already bound by a parent sdy.manual_computation op}}
%c = sdy.reshard %a <@m, [{}, {}], unreduced={"a"}> : tensor<4x8xf32>
sdy.return %a : tensor<4x8xf32>
} : (tensor<8x8xf32>) -> (tensor<8x8xf32>)
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.manual_computation' op region #0 ('body') failed to verify constraint: region with 1 blocks}}
sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () { } : () -> ()
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.manual_computation' op expects a non-empty block}}
sdy.manual_computation(%0) in_shardings=[] out_shardings=[] manual_axes={} (%a: tensor<4xf32>) { } : (tensor<8x8xf32>) -> ()
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.named_computation' op in_shardings - unknown mesh: @q}}
%9 = sdy.named_computation<"foo">(%0) in_shardings=[<@q, []>] (%a: tensor<8x8xf32>) {
sdy.return %a : tensor<8x8xf32>
} {bar} : (tensor<8x8xf32>) -> (tensor<8x8xf32>)
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.named_computation' op out_shardings - unknown mesh: @q}}
%9 = sdy.named_computation<"foo">(%0) out_shardings=[<@q, []>] (%a: tensor<8x8xf32>) {
sdy.return %a : tensor<8x8xf32>
} {bar} : (tensor<8x8xf32>) -> (tensor<8x8xf32>)
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.named_computation' op in_shardings shardings don't match number of values: 2 shardings vs 1 values}}
%9 = sdy.named_computation<"foo">(%0) in_shardings=[<@m, [{"a"}, {"b"}]>, <@m, [{"a"}, {"b"}]>] (%a: tensor<8x8xf32>) {
sdy.return %a : tensor<8x8xf32>
} {bar} : (tensor<8x8xf32>) -> (tensor<8x8xf32>)
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.named_computation' op out_shardings shardings don't match number of values: 0 shardings vs 1 values}}
%9 = sdy.named_computation<"foo">(%0) out_shardings=[] (%a: tensor<8x8xf32>) {
sdy.return %a : tensor<8x8xf32>
} {bar} : (tensor<8x8xf32>) -> (tensor<8x8xf32>)
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{number of block arguments must match the number of operands: 1 != 0}}
%9 = sdy.named_computation<"foo">() in_shardings=[<@m, [{"a"}, {"b"}]>] (%a: tensor<8x8xf32>) {
sdy.return %a : tensor<8x8xf32>
} {bar} : () -> (tensor<8x8xf32>)
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{expected the type of the 0'th block argument to match the type of the corresponding operand: 'tensor<8x8xf64>' vs 'tensor<8x8xf32>'}}
%9 = sdy.named_computation<"foo">(%0)  (%a: tensor<8x8xf64>) {
sdy.return %a: tensor<8x8xf64>
} {bar} : (tensor<8x8xf32>) -> (tensor<8x8xf64>)
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.named_computation' op in_shardings 1 - unknown mesh: @q}}
%9 = sdy.named_computation<"foo">(%0, %1) in_shardings=[<@m, [{"a"}, {"b"}]>, <@q, []>] (%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) {
sdy.return %a : tensor<8x8xf32>
} {bar} : (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>)
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+2 {{'sdy.named_computation' op inferred type(s) 'tensor<8x8xf32>' are incompatible with return type(s) of operation 'tensor<8xf32>'}}
// expected-error@+1 {{failed to infer returned types}}
%9 = sdy.named_computation<"foo">(%0)  (%a: tensor<8x8xf32>) {
sdy.return %a : tensor<8x8xf32>
} {bar} : (tensor<8x8xf32>) -> (tensor<8xf32>)
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.named_computation' op region #0 ('body') failed to verify constraint: region with 1 blocks}}
sdy.named_computation<"foo">()  () {

} {bar} : () -> ()
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.named_computation' op expects a non-empty block}}
%9 = sdy.named_computation<"foo">(%0)  (%a: tensor<8x8xf32>) {

} {bar} : (tensor<8x8xf32>) -> (tensor<8x8xf32>)
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.named_computation' op out_shardings 1 - unknown mesh: @q}}
%9:2 = sdy.named_computation<"foo">(%0) out_shardings=[<@m, [{"a"}, {"b"}]>, <@q, []>] (%a: tensor<8x8xf32>) {
sdy.return %a, %a : tensor<8x8xf32>, tensor<8x8xf32>
} {bar} : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.func_data_flow_edge' op expected operand of sdy.func_data_flow_edge to be a block argument of a func op.}}
%2 = sdy.named_computation<"foo">(%0) (%a: tensor<8x8xf32>) {%3 = sdy.func_data_flow_edge %a : tensor<8x8xf32>
sdy.return %3 : tensor<8x8xf32>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+2 {{'sdy.named_computation' op inferred type(s)  are incompatible with return type(s) of operation 'tensor<8xf32>'}}
// expected-error@+1 {{failed to infer returned types}}
%2 = "sdy.named_computation"(%0) <{name = "foo"}> ({
^bb0:
"sdy.return"() : () -> ()}) : (tensor<8x8xf32>) -> tensor<8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<12xf32>) {
// expected-error@+1 {{'sdy.manual_computation' op operand dimension size 12 is not divisible by the manual axes size 8}}
%9 = sdy.manual_computation(%0) in_shardings=[<@m, [{"d"}]>] out_shardings=[<@m, [{"d"}]>] manual_axes={"d"} (%a: tensor<1xf32>) {
sdy.return %a : tensor<1xf32>
} : (tensor<12xf32>) -> (tensor<12xf32>)
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<16xf32>) {
// expected-error@+1 {{'sdy.manual_computation' op operand shape, corresponding sharding, and region operand shape at index 0 must match. Expected local shape 'tensor<2xf32>', actual local shape 'tensor<2xf64>'}}
%9 = sdy.manual_computation(%0) in_shardings=[<@m, [{"d"}]>] out_shardings=[<@m, [{"d"}]>] manual_axes={"d"} (%a: tensor<2xf64>) {
sdy.return %a : tensor<2xf64>
} : (tensor<16xf32>) -> (tensor<16xf32>)
return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @return_with_result(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = sdy.named_computation<"f">(%a) (%b: tensor<4xf32>) {
    // expected-error @+1 {{'sdy.return' op requires zero results}}
    %1 = "sdy.return"(%b) : (tensor<4xf32>) -> tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
