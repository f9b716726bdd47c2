//===- invalid_rules.mlir - rules and propagation edges that do not verify ===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RUN: shardwright-opt %s --split-input-file --verify-diagnostics

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func private @add(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'func.call' op should have a sharding rule attribute of type OpShardingRuleAttr for attr named 'sdy.sharding_rule'}}
%2 = func.call @add(%0, %1) {sdy.sharding_rule = "a"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func private @add(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'func.call' op should have a propagation edges attribute of type PropagationEdgesAttr for attr named 'sdy.propagation_edges'}}
%2 = func.call @add(%0, %1) {sdy.propagation_edges = "a"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func private @add(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'func.call' op should have a propagation edges attribute of type ArrayAttr<PropagationEdgesAttr> for attr named 'sdy.result_propagation_edges' or 'sdy.block_arg_propagation_edges'}}
%2 = func.call @add(%0, %1) {sdy.result_propagation_edges = "a"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func private @add(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'func.call' op expected propagation edges attr to reference a sharding.}}
%2 = func.call @add(%0, %1) {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-2 -> [result-0]}]}]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func private @add(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'func.call' op expected a value ref to have a result index in range [0, 1), got: 2}}
%2 = func.call @add(%0, %1) {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-2]}]}]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func private @add(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'func.call' op expected a value ref to have an operand index in range [0, 2), got: 3}}
%2 = func.call @add(%0, %1) {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0, operand-3]}]}]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func private @add(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'func.call' op expected axis ref to be in one of the meshes}}
%2 = func.call @add(%0, %1) {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"z" = operand-0 -> [result-0]}]}]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
sdy.mesh @o = <["a"=2, "b"=2, "c"=4, "e"=8]>
func.func private @add(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'func.call' op expected a common mesh for propagation edges attr.}}
%2 = func.call @add(%0, %1) {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@o, [{}, {}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func private @add(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'func.call' op number of operands and mappings must match: 2 != 1}}
%2 = func.call @add(%0, %1) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func private @add(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'func.call' op number of results and mappings must match: 1 != 2}}
%2 = func.call @add(%0, %1) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j], [i, j]) {i=8, j=8}>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func private @add(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'func.call' op operand 1 - mapping rank must match: 1 != 2}}
%2 = func.call @add(%0, %1) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i])->([i, j]) {i=8, j=8}>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func private @add(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'func.call' op result - expecting factor indices to be within 0<=...<num_factors; received: 2, num_factors: 2}}
%2 = func.call @add(%0, %1) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, k]) {i=8, j=8}>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func private @add(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'func.call' op operand 1 - cannot reuse factors for the same tensor value}}
%2 = func.call @add(%0, %1) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, i])->([i, j]) {i=8, j=8}>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func private @add(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'func.call' op operand 0 - dim mapping can't have a factor of size 1 if there are multiple factors}}
%2 = func.call @add(%0, %1) {sdy.sharding_rule = #sdy.op_sharding_rule<([ik, j], [ik, j])->([ik, j]) {i=8, j=8, k=1}>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func private @add(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'func.call' op has factor k=2 that isn't used in operand and result mappings}}
%2 = func.call @add(%0, %1) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=8, k=2}>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func private @add(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'func.call' op indices of special factors must be sorted}}
%2 = func.call @add(%0, %1) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=8} reduction={j, i}>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func private @add(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'func.call' op indices of special factors must be unique}}
%2 = func.call @add(%0, %1) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=8} reduction={i, i}>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func private @add(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'func.call' op index must be less than 2, got: 2}}
%2 = func.call @add(%0, %1) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=8} need_replication={k}>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func private @add(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'func.call' op a factor can only be in one of the reduction, need replication, or permutation factor sets}}
%2 = func.call @add(%0, %1) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=8} need_replication={i} permutation={i}>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func private @add(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'func.call' op reduction factor cannot be in result mappings}}
%2 = func.call @add(%0, %1) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=8} reduction={i}>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func private @add(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'func.call' op operand 0 - dim mapping must have at least one factor}}
%2 = func.call @add(%0, %1) {sdy.sharding_rule = #sdy.op_sharding_rule<([i,], [i, j])->([i, j]) {i=8, j=8}>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func private @add(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}, %1: tensor<8x8xf32>) {
// expected-error@+1 {{'func.call' op has factor l=4 that isn't used in operand and result mappings}}
%2 = func.call @add(%0, %1) {sdy.sharding_rule = #sdy.op_sharding_rule<([k, j], [i, k])->([i, j]) {i=8, j=8, k=8, l=4} reduction={k}>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func private @u(tensor<?xf32>) -> tensor<?xf32>
func.func @f(%0: tensor<?xf32>) {
// expected-error@+1 {{'func.call' op operand - expected a ranked tensor with a static shape. type: 'tensor<?xf32>'}}
%2 = func.call @u(%0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : (tensor<?xf32>) -> tensor<?xf32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func private @u(tensor<f32>) -> tensor<f32>
func.func @f(%0: tensor<f32>) {
// expected-error@+1 {{'func.call' op operand - mapping rank must match: 1 != 0}}
%2 = func.call @u(%0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([]) {i=8}>} : (tensor<f32>) -> tensor<f32>
return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
func.func private @u(i32) -> i32
func.func @f(%0: i32) {
// expected-error@+1 {{'func.call' op operand - expected a ranked tensor with a static shape. type: 'i32'}}
%2 = func.call @u(%0) {sdy.sharding_rule = #sdy.op_sharding_rule<([])->([])>} : (i32) -> i32
return
}
