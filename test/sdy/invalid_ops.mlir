//===- invalid_ops.mlir - ops that do not verify ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RUN: shardwright-opt %s --split-input-file --verify-diagnostics

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func private @add(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'func.call' op should have a sharding attribute of type TensorShardingPerValueAttr}}
%2 = func.call @add(%0, %1) {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func private @add(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'func.call' op result - unknown mesh: @q}}
%2 = func.call @add(%0, %1) {sdy.sharding = #sdy.sharding_per_value<[<@q, []>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func private @none()
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'func.call' op result 0 - a maximal sharding can only have a sharding with rank 0 and no replicated or unreduced axes.}}
func.call @none() {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>]>} : () -> ()
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.sharding_constraint' op unknown mesh: @q}}
%2 = sdy.sharding_constraint %0 <@q, []> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.reshard' op sharding doesn't match tensor rank: 0 != 2}}
%2 = sdy.reshard %0 <@m, []> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
sdy.mesh @x = <[], device_ids=[3]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.sharding_constraint' op result - unknown mesh: @q}}
%2 = sdy.sharding_constraint %0 <@x, []> {sdy.sharding = #sdy.sharding_per_value<[<@q, []>]>} : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.propagation_barrier' op result - unknown mesh: @q}}
%2 = sdy.propagation_barrier %0 allowed_direction=NONE {sdy.sharding = #sdy.sharding_per_value<[<@q, []>]>} : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.propagation_barrier' op cannot specify `BOTH` as the direction. Not blocking propagation direction makes the op redundant.}}
%2 = sdy.propagation_barrier %0 allowed_direction=BOTH : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{custom op 'sdy.propagation_barrier' expected string or keyword containing one of the following enum values for attribute 'allowed_direction' [NONE, FORWARD, BACKWARD, BOTH]}}
%2 = sdy.propagation_barrier %0 allowed_direction=none : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{custom op 'sdy.sharding_group' invalid kind of type specified: expected builtin.tensor, but found 'i64'}}
sdy.sharding_group %0 group_id=3 : i64 : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+2 {{'sdy.constant' op inferred type(s) 'tensor<i32>' are incompatible with return type(s) of operation 'tensor<i64>'}}
// expected-error@+1 {{failed to infer returned types}}
%2 = sdy.constant() {value = dense<1> : tensor<i32>} : () -> tensor<i64>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.constant' op requires attribute 'value'}}
%2 = "sdy.constant"() : () -> tensor<i64>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{invalid properties {value = 3 : i32} for op sdy.constant: Invalid attribute `value` in property conversion: 3 : i32}}
%2 = "sdy.constant"() <{value = 3 : i32}> : () -> tensor<i64>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.constant' op result #0 must be statically shaped tensor of any non-token type values, but got 'vector<2xi32>'}}
%2 = sdy.constant dense<1> : vector<2xi32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{custom op 'sdy.constant' attribute 'value' occurs more than once in the attribute list}}
%2 = sdy.constant {value = dense<1> : tensor<i32>} dense<1> : tensor<2xi32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{custom op 'sdy.constant' invalid kind of attribute specified}}
%2 = sdy.constant 1 : i32
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.data_flow_edge' op unknown mesh: @q}}
%2 = sdy.data_flow_edge %0 sharding=<@q, [{}, {}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.data_flow_edge' op expected input of sdy.data_flow_edge to have a single user}}
%2 = sdy.data_flow_edge %0 : tensor<8x8xf32>
%3 = sdy.data_flow_edge %0 : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-note@+1 {{sdy op defining the input of the sdy.data_flow_edge}}
%2 = sdy.reshard %0 <@m, [{},{}]> : tensor<8x8xf32>
// expected-error@+1 {{'sdy.data_flow_edge' op expected input of sdy.data_flow_edge to not be defined by an SdyDialect op (other than an sdy.named_computation).}}
%3 = sdy.data_flow_edge %2 : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.func_data_flow_edge' op result - unknown mesh: @q}}
%2 = sdy.func_data_flow_edge %0 {sdy.sharding = #sdy.sharding_per_value<[<@q, []>]>} : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.func_data_flow_edge' op expected operand of sdy.func_data_flow_edge to have a single user}}
%2 = sdy.func_data_flow_edge %0 : tensor<8x8xf32>
%3 = sdy.func_data_flow_edge %0 : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
%2 = sdy.constant dense<1.0> : tensor<8x8xf32>
// expected-error@+1 {{'sdy.func_data_flow_edge' op expected operand of sdy.func_data_flow_edge to be a result of call op.}}
%3 = sdy.func_data_flow_edge %2 : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.reshard' op requires the same type for all operands and results}}
%2 = "sdy.reshard"(%0) <{sharding = #sdy.sharding<@m, [{}, {}]>}> : (tensor<8x8xf32>) -> tensor<8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.data_flow_edge' op requires the same type for all operands and results}}
%2 = "sdy.data_flow_edge"(%0) : (tensor<8x8xf32>) -> tensor<8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<?xf32>) {
// expected-error@+1 {{'sdy.data_flow_edge' op expected sdy.data_flow_edge to have a static-shaped result. type: 'tensor<?xf32>'}}
%2 = sdy.data_flow_edge %0 : tensor<?xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<*xf32>) {
// expected-error@+1 {{'sdy.data_flow_edge' op expected sdy.data_flow_edge to have a static-shaped result. type: 'tensor<*xf32>'}}
%2 = sdy.data_flow_edge %0 : tensor<*xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: tensor<?xf32>) {
// expected-error@+1 {{'sdy.func_data_flow_edge' op expected sdy.func_data_flow_edge to have a static-shaped result. type: 'tensor<?xf32>'}}
%2 = sdy.func_data_flow_edge %0 : tensor<?xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: i32) {
// expected-error@+1 {{custom op 'sdy.data_flow_edge' invalid kind of type specified}}
%2 = sdy.data_flow_edge %0 : i32
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: i32) {
// expected-error@+1 {{custom op 'sdy.func_data_flow_edge' invalid kind of type specified}}
%2 = sdy.func_data_flow_edge %0 : i32
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: i32) {
// expected-error@+1 {{custom op 'sdy.propagation_barrier' invalid kind of type specified: expected builtin.tensor, but found 'i32'}}
%2 = sdy.propagation_barrier %0 allowed_direction=NONE : i32
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func @f(%0: i32) {
// expected-error@+1 {{'sdy.sharding_constraint' op non-shaped tensors can only have a sharding with rank 0 and no replicated or unreduced axes. type: 'i32', sharding: #sdy.sharding<@m, [{}]>}}
%2 = sdy.sharding_constraint %0 <@m, [{}]> : i32
return
}

// -----

func.func @sharding_group_without_id(%a: tensor<4xf32>) {
  // expected-error @+1 {{'sdy.sharding_group' op requires attribute 'group_id'}}
  "sdy.sharding_group"(%a) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @sharding_group_of_scalar(%a: i32) {
  // expected-error @+1 {{'sdy.sharding_group' op operand #0 must be ranked tensor of}}
  "sdy.sharding_group"(%a) <{group_id = 1 : i64}> : (i32) -> ()
  return
}
