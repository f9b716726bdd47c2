//===- invalid_attributes.mlir - attribute text that does not parse or verify ===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RUN: shardwright-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{expected '='}}
module attributes {test.x = #sdy<mesh_axis"a">} {
}

// -----

// expected-error@+1 {{expected integer value}}
module attributes {test.x = #sdy<mesh_axis"a"=>} {
}

// -----

// expected-error@+1 {{expected string}}
module attributes {test.x = #sdy<mesh_axis a=2>} {
}

// -----

// expected-error@+1 {{expected 'device_ids'}}
module attributes {test.x = #sdy.mesh<["a"=2], devices=[1]>} {
}

// -----

// expected-error@+1 {{expected '>'}}
module attributes {test.x = #sdy.mesh<["a"=2] device_ids=[0,1]>} {
}

// -----

// expected-error@+1 {{expected '['}}
module attributes {test.x = #sdy.mesh<"a"=2>} {
}

// -----

// expected-error@+1 {{axis size must be at least 1, got: 0}}
module attributes {test.x = #sdy.mesh<["a"=0]>} {
}

// -----

// expected-error@+1 {{axis size must be at least 1, got: -1}}
module attributes {test.x = #sdy.mesh<["a"=-1], device_ids=[0]>} {
}

// -----

// expected-error@+1 {{device id must be non-negative, got: -1}}
module attributes {test.x = #sdy.mesh<["a"=2], device_ids=[-1, 0]>} {
}

// -----

// expected-error@+1 {{axes is empty and device_ids has more than one element}}
module attributes {test.x = #sdy.mesh<[], device_ids=[0, 1]>} {
}

// -----

// expected-error@+1 {{duplicate axis name: "a"}}
module attributes {test.x = #sdy.mesh<["a"=2,"a"=2]>} {
}

// -----

// expected-error@+1 {{total product of axis sizes must match total number of device ids, got: 4 != 2}}
module attributes {test.x = #sdy.mesh<["a"=2,"b"=2], device_ids=[0,1]>} {
}

// -----

// expected-error@+1 {{sorted device ids must be iota(product(axes)), got: 0, 2}}
module attributes {test.x = #sdy.mesh<["a"=2], device_ids=[0,2]>} {
}

// -----

// expected-error@+1 {{integer value too large}}
module attributes {test.x = #sdy.mesh<["a"=99999999999999999999]>} {
}

// -----

// expected-error@+1 {{expected '('}}
module attributes {test.x = #sdy<sub_axis_info 1>} {
}

// -----

// expected-error@+1 {{expected ','}}
module attributes {test.x = #sdy<dimension_sharding{"a" "b"}>} {
}

// -----

// expected-error@+1 {{expected '}'}}
module attributes {test.x = #sdy<dimension_sharding{?, "a"}>} {
}

// -----

// expected-error@+1 {{priorities with leading zeros are not allowed, got: p01}}
module attributes {test.x = #sdy<dimension_sharding{"a"}p01>} {
}

// -----

// expected-error@+1 {{expecting priority in format 'p<number>', got: q1}}
module attributes {test.x = #sdy<dimension_sharding{"a"}q1>} {
}

// -----

// expected-error@+1 {{expecting integer priority, got: p99999999999999999999}}
module attributes {test.x = #sdy<dimension_sharding{"a"}p99999999999999999999>} {
}

// -----

// expected-error@+1 {{expecting priority in format 'p<number>', got: p}}
module attributes {test.x = #sdy<dimension_sharding{"a"}p-1>} {
}

// -----

// expected-error@+1 {{expecting priority in format 'p<number>', got: p1x}}
module attributes {test.x = #sdy<dimension_sharding{"a"}p1x>} {
}

// -----

// expected-error@+1 {{expected '{'}}
module attributes {test.x = #sdy<dimension_sharding"a">} {
}

// -----

// expected-error@+1 {{invalid kind of attribute specified}}
module attributes {test.x = #sdy.sharding<"m", []>} {
}

// -----

// expected-error@+1 {{expected attribute value}}
module attributes {test.x = #sdy.sharding<m, []>} {
}

// -----

// expected-error@+1 {{expected '<'}}
module attributes {test.x = #sdy.sharding<mesh, []>} {
}

// -----

// expected-error@+1 {{failed to parse Sdy_TensorSharding, expected valid named axis list after comma}}
module attributes {test.x = #sdy.sharding<@m, [], replicated={"a"}, replicated={"b"}>} {
}

// -----

// expected-error@+1 {{expected '}' in attribute dictionary}}
module attributes {test.x = #sdy.sharding < @m , [ { "a" , ? } p1 , { } ] , replicated = { "b" : ( 1 ) 2 } >} {
}

// -----

// expected-error@+1 {{expected ']'}}
module attributes {test.x = #sdy<tensor_mapping[1]>} {
}

// -----

// expected-error@+1 {{expected '->'}}
module attributes {test.x = #sdy<all_to_all_param{"a"}:0-1>} {
}

// -----

// expected-error@+1 {{expected valid keyword or string}}
module attributes {test.x = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> []}]}]>} {
}

// -----

// expected-error@+1 {{propagation edges have a source that is the same as a target}}
module attributes {test.x = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [operand-0]}]}]>} {
}

// -----

// expected-error@+1 {{propagation edges have duplicate targets for step index: 0 and axis: a}}
module attributes {test.x = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0, result-0]}]}]>} {
}

// -----

// expected-error@+1 {{propagation edges have duplicate step index: 0}}
module attributes {test.x = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0]}]},{step-0 = [{"a" = operand-0 -> [result-0]}]}]>} {
}

// -----

// expected-error@+1 {{propagation edges have negative step index: -1}}
module attributes {test.x = #sdy.propagation_edges<[{step--1 = [{"a" = operand-0 -> [result-0]}]}]>} {
}

// -----

// expected-error@+1 {{expected ::mlir::sdy::EdgeNodeType to be one of: operand, result}}
module attributes {test.x = #sdy.propagation_edges<[{step-0 = [{"a" = foo-0 -> [result-0]}]}]>} {
}

// -----

// expected-error@+1 {{unknown attribute `foo` in dialect `sdy`}}
module attributes {test.x = #sdy.foo<1>} {
}

// -----

// expected-error@+1 {{expecting factor indices to be ordered like an iota ([0,1,2,...], e.g. {i=#, j=#, ...}). Expecting factor index symbol 'i', received: 'j'}}
module attributes {test.x = #sdy.op_sharding_rule<([i])->([i]) {j=2}>} {
}

// -----

// expected-error@+1 {{expecting single factor symbol: j}}
module attributes {test.x = #sdy.op_sharding_rule<([i])->([i]) {ij=2}>} {
}

// -----

// expected-error@+1 {{expecting single factor symbol: jk}}
module attributes {test.x = #sdy.op_sharding_rule<([i])->([i]) {ijk=2}>} {
}

// -----

// expected-error@+1 {{expecting symbol from 'i' to 'z'. Received: 'h'}}
module attributes {test.x = #sdy.op_sharding_rule<([i])->([i]) {h=2}>} {
}

// -----

// expected-error@+1 {{expecting positive integer without leading zeros. Received: '0'}}
module attributes {test.x = #sdy.op_sharding_rule<([i])->([z_0]) {i=2}>} {
}

// -----

// expected-error@+1 {{expecting integer after 'z_'. Received: 'z_x'}}
module attributes {test.x = #sdy.op_sharding_rule<([i])->([z_x]) {i=2}>} {
}

// -----

// expected-error@+1 {{expecting integer after 'z_'. Received: 'z_'}}
module attributes {test.x = #sdy.op_sharding_rule<([i])->([z_]) {i=2}>} {
}

// -----

// expected-error@+1 {{expected valid keyword}}
module attributes {test.x = #sdy.op_sharding_rule<([i])->([i]) {i=2,}>} {
}

// -----

// expected-error@+1 {{expected 'custom'}}
module attributes {test.x = #sdy.op_sharding_rule<([i])->([i]) {i=2}, foo>} {
}

// -----

// expected-error@+1 {{expecting symbol from 'i' to 'z'. Received: 'I'}}
module attributes {test.x = #sdy.op_sharding_rule<([I])->([i])>} {
}

// -----

// expected-error@+1 {{expecting factor indices to be ordered like an iota ([0,1,2,...], e.g. {i=#, j=#, ...}). Expecting factor index symbol 'j', received: 'i'}}
module attributes {test.x = #sdy.op_sharding_rule<([i])->([i]) {i=2, i=3}>} {
}

// -----

// expected-error@+1 {{expecting factor indices to be ordered like an iota ([0,1,2,...], e.g. {i=#, j=#, ...}). Expecting factor index symbol 'i', received: 'z_1'}}
module attributes {test.x = #sdy.op_sharding_rule<([i])->([i]) {z_1=2}>} {
}

// -----

// expected-error@+1 {{expecting symbol from 'i' to 'z'. Received: '_'}}
module attributes {test.x = #sdy.op_sharding_rule<([i_1])->([i])>} {
}
