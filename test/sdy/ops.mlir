//===- ops.mlir - every sdy op, in both forms and through bytecode ------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RUN: shardwright-opt %s | FileCheck %s
// RUN: shardwright-opt %s | shardwright-opt | FileCheck %s
// RUN: shardwright-opt %s --mlir-print-op-generic | shardwright-opt | FileCheck %s
// RUN: shardwright-opt %s --emit-bytecode | shardwright-opt | FileCheck %s
// RUN: shardwright-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// CHECK: sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]> {stablehlo.mesh = {axes = []}}
// CHECK: sdy.mesh @n = <["a"=2], device_ids=[1, 0]>
// CHECK: func.func private @g() -> tensor<8xf32>
// CHECK: func.func @f(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}], replicated={"c"}, unreduced={"d":(1)2}>}, %arg1: tensor<8xf32>) {
// CHECK: %0 = sdy.reshard %arg0 <@m, [{"a"}, {"b"}]> : tensor<8x8xf32>
// CHECK: %1 = sdy.reshard %arg0 <@m, [{}, {"b"}]> : tensor<8x8xf32>
// CHECK: %2 = call @g() : () -> tensor<8xf32>
// CHECK: %3 = sdy.sharding_constraint %arg0 <@m, [{?}, {?}p0]> {foo} : tensor<8x8xf32>
// CHECK: %4 = sdy.reshard %arg0 <mesh<["x"=2]>, [{"x"}, {}]> : tensor<8x8xf32>
// CHECK: sdy.sharding_group %arg0 group_id=3 : tensor<8x8xf32>
// CHECK: %5 = sdy.propagation_barrier %arg0 allowed_direction=NONE : tensor<8x8xf32>
// CHECK: %6 = sdy.constant dense<1.000000e+00> : tensor<8x8xf32>
// CHECK: %7 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>]>} dense<1> : tensor<8xi32>
// CHECK: %8 = sdy.named_computation<"foo">(%arg0) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] (%arg2: tensor<8x8xf32>) {
// CHECK: sdy.return %arg2 : tensor<8x8xf32>
// CHECK: } {foo} : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK: %9 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"a"}, {"b"}]>] out_shardings=[<@m, [{"a"}, {"b"}]>] manual_axes={"a"} (%arg2: tensor<4x8xf32>) {
// CHECK: sdy.return %arg2 : tensor<4x8xf32>
// CHECK: } : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK: sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
// CHECK: sdy.return
// CHECK: } : () -> ()
// CHECK: %10 = sdy.data_flow_edge %arg1 sharding=<@m, [{"a"}]> : tensor<8xf32>
// CHECK: %11 = sdy.func_data_flow_edge %2 : tensor<8xf32>
// CHECK: %12 = sdy.all_gather [{"a"}, {}] %0 out_sharding=<@m, [{}, {"b"}]> {bar} : tensor<8x8xf32>
// CHECK: %13 = sdy.all_slice [{"a"}, {}] %1 out_sharding=<@m, [{"a"}, {"b"}]> : tensor<8x8xf32>
// CHECK: %14 = sdy.all_to_all [{"a"}: 0->1] %0 out_sharding=<@m, [{}, {"b", "a"}]> : tensor<8x8xf32>
// CHECK: %15 = sdy.collective_permute %0 out_sharding=<@m, [{"b"}, {"a"}]> : tensor<8x8xf32>
// CHECK: %16 = sdy.all_reduce {"c", "d":(2)4} %0 out_sharding=<@m, [{"a"}, {"b"}]> : tensor<8x8xf32>
// CHECK: %17 = sdy.reduce_scatter [{"c"}, {}] %0 out_sharding=<@m, [{"a", "c"}, {"b"}]> : tensor<8x8xf32>
// CHECK: %18 = sdy.sharded_to_unreduced [{"a"}, {}] %0 out_sharding=<@m, [{}, {"b"}], unreduced={"a"}> : tensor<8x8xf32>
// CHECK: %19 = sdy.replicated_to_unreduced {"c"} %0 out_sharding=<@m, [{"a"}, {"b"}], unreduced={"c"}> : tensor<8x8xf32>
// CHECK: %20 = stablehlo.add %arg0, %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([ij, k], [ij, k])->([ij, k]) {i=2, j=4, k=8} need_replication={k} blocked_propagation={i}, custom>} : tensor<8x8xf32>
// CHECK: return

// GENERIC: "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=2, "c"=4, "d"=8]>, sym_name = "m"}>
// GENERIC: "sdy.reshard"(%arg0) <{sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}>
// GENERIC: "sdy.sharding_group"(%arg0) <{group_id = 3 : i64}>
// GENERIC: "sdy.propagation_barrier"(%arg0) <{allowed_direction = 0 : i32}>
// GENERIC: "sdy.constant"() <{value = dense<1> : tensor<8xi32>}> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>]>}
// GENERIC: "sdy.named_computation"(%arg0) <{in_shardings = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>]>, name = "foo", out_shardings = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>]>}>
// GENERIC: "sdy.manual_computation"(%arg0) <{in_shardings = #sdy.sharding_per_value<[<@m, [{"a"}, {"b"}]>]>, manual_axes = #sdy<manual_axes{"a"}>, out_shardings = #sdy.sharding_per_value<[<@m, [{"a"}, {"b"}]>]>}>
// GENERIC: gathering_axes = #sdy<list_of_axis_ref_lists[{"a"}, {}]>
// GENERIC: params = #sdy<all_to_all_param_list[{"a"}: 0->1]>
// GENERIC: reduction_axes = #sdy<axis_ref_list{"c", "d":(2)4}>

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]> {stablehlo.mesh = {axes = []}}
sdy.mesh @n = <["a"=2], device_ids=[1,0]>
func.func private @g() -> tensor<8xf32>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}], replicated={"c"}, unreduced={"d":(1)2}>}, %y : tensor<8xf32>) {
%t = sdy.reshard %0 <@m, [{"a"}, {"b"}]> : tensor<8x8xf32>
%u = sdy.reshard %0 <@m, [{}, {"b"}]> : tensor<8x8xf32>
%z = func.call @g() : () -> tensor<8xf32>
%1 = sdy.sharding_constraint %0 <@m, [{?}, {?}p0]> {foo} : tensor<8x8xf32>
%2 = sdy.reshard %0 <mesh<["x"=2]>, [{"x"}, {}]> : tensor<8x8xf32>
sdy.sharding_group %0 group_id=3 : tensor<8x8xf32>
%3 = sdy.propagation_barrier %0 allowed_direction=NONE : tensor<8x8xf32>
%4 = sdy.constant dense<1.0> : tensor<8x8xf32>
%5 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>]>} dense<1> : tensor<8xi32>
%6 = sdy.named_computation<"foo">(%0) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] (%arg2: tensor<8x8xf32>) {
  sdy.return %arg2 : tensor<8x8xf32>
} {foo} : (tensor<8x8xf32>) -> tensor<8x8xf32>
%7 = sdy.manual_computation(%0) in_shardings=[<@m, [{"a"}, {"b"}]>] out_shardings=[<@m, [{"a"}, {"b"}]>] manual_axes={"a"} (%arg2: tensor<4x8xf32>) {
  sdy.return %arg2 : tensor<4x8xf32>
} : (tensor<8x8xf32>) -> tensor<8x8xf32>
sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () { sdy.return } : () -> ()
%8 = sdy.data_flow_edge %y sharding=<@m, [{"a"}]> : tensor<8xf32>
%9 = sdy.func_data_flow_edge %z : tensor<8xf32>
%a = sdy.all_gather [{"a"}, {}] %t out_sharding=<@m, [{}, {"b"}]> {bar} : tensor<8x8xf32>
%b = sdy.all_slice [{"a"}, {}] %u out_sharding=<@m, [{"a"}, {"b"}]> : tensor<8x8xf32>
%c = sdy.all_to_all [{"a"}: 0->1] %t out_sharding=<@m, [{}, {"b", "a"}]> : tensor<8x8xf32>
%d = sdy.collective_permute %t out_sharding=<@m, [{"b"}, {"a"}]> : tensor<8x8xf32>
%e = sdy.all_reduce {"c", "d":(2)4} %t out_sharding=<@m, [{"a"}, {"b"}]> : tensor<8x8xf32>
%g = sdy.reduce_scatter [{"c"}, {}] %t out_sharding=<@m, [{"a", "c"}, {"b"}]> : tensor<8x8xf32>
%h = sdy.sharded_to_unreduced [{"a"}, {}] %t out_sharding=<@m, [{}, {"b"}], unreduced={"a"}> : tensor<8x8xf32>
%i = sdy.replicated_to_unreduced {"c"} %t out_sharding=<@m, [{"a"}, {"b"}], unreduced={"c"}> : tensor<8x8xf32>
%k = stablehlo.add %0, %0 {sdy.sharding_rule = #sdy.op_sharding_rule<([ij, k], [ij, k])->([ij, k]) {i=2, j=4, k=8} need_replication={k} blocked_propagation={i}, custom>} : tensor<8x8xf32>
return
}
