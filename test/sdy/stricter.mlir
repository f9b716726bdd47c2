//===- stricter.mlir - what the oracle accepts, or dies of, and we refuse 
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RUN: shardwright-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{total product of axis sizes overflows 64 bits at axis "b"=4294967296}}
sdy.mesh @m = <["a"=4294967296, "b"=4294967296]>

// -----

sdy.mesh @m = <["a"=8]>
// expected-error@+1 {{'func.func' op arg 0 - sub-axis next pre-size overflows 64 bits: "a":(4294967296)4294967296}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a":(4294967296)4294967296}]>})

// -----

sdy.mesh @m = <["a"=8]>
func.func @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) {
  // expected-error@+1 {{'sdy.all_slice' op sub-axis next pre-size overflows 64 bits: "a":(4294967296)4294967296}}
  %0 = sdy.all_slice [{"a":(4294967296)4294967296}] %x out_sharding=<@m, [{}]> : tensor<8xf32>
  return
}

// -----

// expected-error@+1 {{expecting single factor symbol: j}}
module attributes {x = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=2, j=2} reduction={ij}>} {}

// -----

// expected-error@+1 {{factor number does not fit in 64 bits: '99999999999999999999'}}
module attributes {x = #sdy.op_sharding_rule<([i])->([z_99999999999999999999])>} {}

// -----

// A maximal mesh gives a manual computation no dimensions to divide.
sdy.mesh @x = <[], device_ids=[3]>
func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{'sdy.manual_computation' op unknown manual axis: "a"}}
  %0 = sdy.manual_computation(%x) in_shardings=[<@x, []>] out_shardings=[<@x, []>] manual_axes={"a"} (%a: tensor<8xf32>) {
    sdy.return %a : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=8]>
func.func @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) {
  // expected-error@+1 {{expected a value ref to have an operand index in range [0, 1), got: -2}}
  %0 = sdy.reshard %x <@m, [{"a"}]> {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand--2 -> [result-0]}]}]>} : tensor<8xf32>
  return
}
