//===- invalid_reduction_kinds.mlir - kinds that do not verify ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RUN: shardwright-opt %s --split-input-file --verify-diagnostics

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=max{"x"}>}) {
// expected-error@+1 {{'sdy.reshard' op cannot change the reduction operator of kept unreduced axes from max to sum.}}
%1 = sdy.reshard %0 <@m, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=max{"x"}>}) {
// expected-error@+1 {{'sdy.sharding_constraint' op cannot change the reduction operator of kept unreduced axes from max to sum.}}
%1 = sdy.sharding_constraint %0 <@m, [{}, {}], unreduced={"x", "y"}> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=max{"z"}>}) {
// expected-error@+1 {{'sdy.reshard' op cannot change the reduction operator of kept unreduced axes from max to min.}}
%1 = sdy.reshard %0 <@m, [{}, {}], unreduced=min{"z":(2)2}> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=max{"x"}>}) {
// expected-error@+1 {{'sdy.all_reduce' op cannot reduce 'max' unreduced axes. Expected 'sum'.}}
%1 = sdy.all_reduce {"x"} %0 out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
// expected-error@+1 {{'sdy.all_reduce' op cannot add new unreduced axis 'z'.}}
%1 = sdy.all_reduce {} %0 out_sharding=<@m, [{}, {}], unreduced={"z"}> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @f(%0: tensor<8x8xf32>) {
// expected-error@+1 {{'sdy.all_reduce' op cannot add new unreduced axis 'y'.}}
%1 = sdy.all_reduce max {"x"} %0 out_sharding=<@m, [{}, {}], unreduced=max{"y"}> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=max{"x"}>}) {
// expected-error@+1 {{'sdy.reduce_scatter' op cannot reduce 'max' unreduced axes. Expected 'sum'.}}
%1 = sdy.reduce_scatter [{"x"}, {}] %0 out_sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=max{"x"}>}) {
// expected-error@+1 {{'sdy.reduce_scatter' op cannot reduce 'max' unreduced axes. Expected 'min'.}}
%1 = sdy.reduce_scatter min [{"y"}, {}] %0 out_sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced={"y"}>}) {
// expected-error@+1 {{'sdy.sharded_to_unreduced' op cannot change reduction_op of existing unreduced axes}}
%1 = sdy.sharded_to_unreduced [{"x"}, {}] %0 out_sharding=<@m, [{}, {}], unreduced=max{"x", "y"}> : tensor<8x8xf32>
return
}

// -----

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"y"}>}) {
// expected-error@+1 {{'sdy.replicated_to_unreduced' op cannot change reduction_op of existing unreduced axes}}
%1 = sdy.replicated_to_unreduced {"x"} %0 out_sharding=<@m, [{}, {}], unreduced=min{"x"}> : tensor<8x8xf32>
return
}

// -----

// Through a barrier.
sdy.mesh @m = <["x"=2]>
func.func @f(%0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=min{"x"}>}) {
%1 = sdy.propagation_barrier %0 allowed_direction=NONE : tensor<8xf32>
// expected-error@+1 {{cannot change the reduction operator of kept unreduced axes from min to max.}}
%2 = sdy.reshard %1 <@m, [{}], unreduced=max{"x"}> : tensor<8xf32>
return
}

// -----

// expected-error@+2 {{expected '{'}}
// expected-error@+1 {{failed to parse Sdy_TensorSharding parameter 'unreduced_axes'}}
func.func private @word(tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=mul{"x"}>})

// -----

// expected-error@+2 {{expected '{'}}
// expected-error@+1 {{failed to parse Sdy_TensorSharding parameter 'unreduced_axes'}}
func.func private @word(tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced max{"x"}>})
