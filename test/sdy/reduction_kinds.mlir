//===- reduction_kinds.mlir - kinds of unreduced axes ---------------------===//
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

sdy.mesh @m = <["a"=2, "b"=2, "c"=4]>

// A sum has no word; the `=` may be missing without a word.
// CHECK: func.func private @texts(tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"a"}>},
// CHECK-SAME: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"a"}>},
// CHECK-SAME: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"a"}>},
// CHECK-SAME: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], replicated={"b"}, unreduced=max{"a"}>},
// CHECK-SAME: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=min{"c":(1)2}>})
func.func private @texts(tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"a"}>},
                         tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=sum{"a"}>},
                         tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced{"a"}>},
                         tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=max{"a"}, replicated={"b"}>},
                         tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=min {"c":(1)2}>})

// CHECK-LABEL: func.func @collectives
// CHECK: sdy.all_reduce max {"a"} %arg0 out_sharding=<@m, [{}, {}], unreduced=max{"b"}>
// CHECK: sdy.all_reduce {"a"} %arg1 out_sharding=<@m, [{}, {}]>
// CHECK: sdy.reduce_scatter min [{}, {"b"}] %arg2 out_sharding=<@m, [{}, {"b"}]>
// CHECK: sdy.reduce_scatter [{"a"}, {}] %arg1 out_sharding=<@m, [{"a"}, {}]>
// CHECK: sdy.replicated_to_unreduced {"c"} %arg0 out_sharding=<@m, [{}, {}], unreduced=max{"a", "b", "c"}>
// CHECK: %{{.*}}:2 = stablehlo.custom_call @f() {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}], unreduced=max{"a"}>, <@m, [{"a"}, {}]>]>}
// GENERIC: "sdy.all_reduce"({{.*}}reduction_op = 1 : i32
// GENERIC: "sdy.reduce_scatter"({{.*}}reduction_op = 2 : i32
func.func @collectives(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=max{"a", "b"}>},
                       %1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"a"}>},
                       %2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=min{"b"}>}) {
  %3 = sdy.all_reduce max {"a"} %0 out_sharding=<@m, [{}, {}], unreduced=max{"b"}> : tensor<8x8xf32>
  %4 = sdy.all_reduce sum {"a"} %1 out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  %5 = sdy.reduce_scatter min [{}, {"b"}] %2 out_sharding=<@m, [{}, {"b"}]> : tensor<8x8xf32>
  %6 = sdy.reduce_scatter sum [{"a"}, {}] %1 out_sharding=<@m, [{"a"}, {}]> : tensor<8x8xf32>
  %7 = sdy.replicated_to_unreduced {"c"} %0 out_sharding=<@m, [{}, {}], unreduced=max{"a", "b", "c"}> : tensor<8x8xf32>
  %8:2 = stablehlo.custom_call @f() {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}], unreduced=max{"a"}>, <@m, [{"a"}, {}]>]>} : () -> (tensor<8x8xf32>, tensor<8x8xf32>)
  return
}

// A reshard may add and drop axes of any kind, of different kinds too.
// CHECK-LABEL: func.func @reshards
func.func @reshards(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=max{"a"}>},
                    %1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) {
  %2 = sdy.reshard %0 <@m, [{"b"}, {}]> : tensor<8x8xf32>
  %3 = sdy.reshard %0 <@m, [{}, {}], unreduced=min{"c"}> : tensor<8x8xf32>
  %4 = sdy.sharding_constraint %1 <@m, [{}, {}], unreduced=min{"a"}> : tensor<8x8xf32>
  return
}
