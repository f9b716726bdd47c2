// RUN: shardwright-opt %s -split-input-file -sw-export-gspmd -verify-diagnostics | FileCheck %s
// RUN: shardwright-opt %s -split-input-file -xla-sdy-stablehlo-export-pipeline -verify-diagnostics | FileCheck %s --check-prefix=AFTER

// Signature, ops, constraints; open dimensions stay unspecified, attributes stay.
// CHECK-LABEL: module @ops attributes {mhlo.num_partitions = 8 : i32, test.foo = 1 : i32}
// CHECK-NOT: sdy
// CHECK: func.func @main(%arg0: tensor<8x16xf32> {jax.buffer_donor = true, mhlo.sharding = "{devices=[2,4]<=[8]}"},
// CHECK-SAME: %arg1: tensor<8x16xf32> {mhlo.sharding = "{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}"},
// CHECK-SAME: %arg2: tensor<f32> {mhlo.sharding = "{maximal device=3}"})
// CHECK-SAME: -> (tensor<8x16xf32> {jax.result_info = "r", mhlo.sharding = "{replicated}"}, tensor<8x16xf32>)
// AFTER-LABEL: module @ops
module @ops attributes {test.foo = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  sdy.mesh @ids = <["x"=2, "y"=2], device_ids=[3, 2, 0, 1]>
  sdy.mesh @maximal_mesh_3 = <[], device_ids=[3]>
  func.func @main(%arg0: tensor<8x16xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
                  %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(2)2, ?}p1, {?}], replicated={"x"}>},
                  %arg2: tensor<f32> {sdy.sharding = #sdy.sharding<@maximal_mesh_3, []>})
      -> (tensor<8x16xf32> {jax.result_info = "r", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<8x16xf32>) {
    // CHECK: stablehlo.constant dense<1.000000e+00>
    %0 = sdy.constant dense<1.0> : tensor<8x16xf32>
    // CHECK: stablehlo.add %arg0, {{.*}} {mhlo.sharding = "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}"}
    %1 = stablehlo.add %arg0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=16}>} : tensor<8x16xf32>
    // CHECK: %[[C:.*]] = stablehlo.custom_call @Sharding(%{{.*}}) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"}
    %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}, {?}]> : tensor<8x16xf32>
    // CHECK: stablehlo.custom_call @Sharding(%[[C]]) {mhlo.sharding = "{devices=[2,2]3,2,0,1}"}
    %3 = sdy.reshard %2 <@ids, [{"x"}, {"y"}]> : tensor<8x16xf32>
    // CHECK: %[[G:.*]] = stablehlo.custom_call @Sharding({{.*}}) {has_side_effect = true, mhlo.sharding = "{unknown shard_as 7}"}
    sdy.sharding_group %3 group_id=7 : tensor<8x16xf32>
    // CHECK: stablehlo.optimization_barrier {mhlo.sharding = "{{[{][{]}}devices=[2,4]<=[8]}, {replicated}}"} %[[G]], %arg1
    %4 = sdy.propagation_barrier %3 allowed_direction=NONE : tensor<8x16xf32>
    %5:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{}, {}]>]>} %4, %arg1 : tensor<8x16xf32>, tensor<8x16xf32>
    // CHECK: call @f(
    %6 = sdy.named_computation<"f">(%5#0) out_shardings=[<@mesh, [{"x"}, {}]>] (%a: tensor<8x16xf32>) {
      %7 = stablehlo.sine %a : tensor<8x16xf32>
      sdy.return %7 : tensor<8x16xf32>
    } : (tensor<8x16xf32>) -> tensor<8x16xf32>
    return %6, %5#1 : tensor<8x16xf32>, tensor<8x16xf32>
  }
}

// -----

// In part manual: what GSPMD propagates stays free, after propagation everything says where it is.
// CHECK-LABEL: module @manual
// CHECK: %[[A:.*]] = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{devices=[2,4]<=[8]}"}
// CHECK: %[[B:.*]] = stablehlo.custom_call @SPMDFullToShardShape(%[[A]]) {mhlo.sharding = "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dims={manual}}"} : (tensor<8x16xf32>) -> tensor<4x16xf32>
// CHECK: %[[C:.*]] = call @xla.sdy.inlinable_manual_computation_body_0(%[[B]]) {mhlo.sharding = "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dims={manual}}"}
// CHECK: %[[D:.*]] = stablehlo.custom_call @Sharding(%[[C]]) {mhlo.sharding = "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dims={manual}}"}
// CHECK: stablehlo.custom_call @SPMDShardToFullShape(%[[D]]) {mhlo.sharding = "{devices=[2,4]<=[8]}"} : (tensor<4x16xf32>) -> tensor<8x16xf32>
// CHECK: func.func private @xla.sdy.inlinable_manual_computation_body(%arg0: tensor<4x4xf32> {mhlo.sharding = "{manual}"}) -> (tensor<4x4xf32> {mhlo.sharding = "{manual}"})
// CHECK: stablehlo.sine %arg0 {mhlo.sharding = "{manual}"}
// CHECK: func.func private @xla.sdy.inlinable_manual_computation_body_0(
// CHECK: stablehlo.constant {mhlo.sharding = "{devices=[2,4]<=[8] last_tile_dims={manual, replicated}}"} dense<2.0
// CHECK: stablehlo.broadcast_in_dim {{.*}}dims = [] : (
// AFTER-LABEL: module @manual
// AFTER: stablehlo.broadcast_in_dim {{.*}}dims = [] {mhlo.sharding = "{devices=[1,1,2,4]<=[8] last_tile_dims={manual, replicated}}"}
// AFTER: stablehlo.custom_call @SPMDFullToShardShape({{.*}}) {mhlo.sharding = "{manual}"} : (tensor<4x16xf32>) -> tensor<4x4xf32>
module @manual {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x16xf32>) -> tensor<8x16xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x"} (%a: tensor<4x16xf32>) {
      %c = stablehlo.constant dense<2.0> : tensor<f32>
      %b = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
      %s = stablehlo.multiply %a, %b : tensor<4x16xf32>
      %1 = sdy.manual_computation(%s) in_shardings=[<@mesh, [{}, {"y"}]>] out_shardings=[<@mesh, [{}, {"y"}]>] manual_axes={"y"} (%d: tensor<4x4xf32>) {
        %e = stablehlo.sine %d : tensor<4x4xf32>
        sdy.return %e : tensor<4x4xf32>
      } : (tensor<4x16xf32>) -> tensor<4x16xf32>
      sdy.return %1 : tensor<4x16xf32>
    } : (tensor<8x16xf32>) -> tensor<8x16xf32>
    return %0 : tensor<8x16xf32>
  }
}

// -----

// Collectives are what GSPMD does on its own; partial sums it is told to add.
// CHECK-LABEL: module @collectives
// CHECK: %[[D:.*]] = stablehlo.dot_general {{.*}}mhlo.sharding = "{devices=[1,1,2,4]<=[8] last_tile_dims={unreduced, replicated}}"
// CHECK: %[[A:.*]] = stablehlo.custom_call @Sharding(%[[D]])
// CHECK: %[[B:.*]] = stablehlo.custom_call @SPMDFullToShardShape(%[[A]]) {mhlo.sharding = "{manual}"}
// CHECK: %[[R:.*]] = "stablehlo.all_reduce"(%[[B]]) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<{{\[\[}}0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}>
// CHECK: %[[E:.*]] = stablehlo.custom_call @Sharding(%[[R]]) {mhlo.sharding = "{manual}"}
// CHECK: %[[F:.*]] = stablehlo.custom_call @SPMDShardToFullShape(%[[E]]) {mhlo.sharding = "{replicated}"}
// CHECK: %[[H:.*]] = stablehlo.custom_call @Sharding(%[[F]]) {mhlo.sharding = "{replicated}"}
// CHECK: stablehlo.custom_call @Sharding(%[[H]]) {mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"}
// AFTER-LABEL: module @collectives
module @collectives {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
    %2 = sdy.all_slice [{"x"}, {}] %1 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    return %2 : tensor<8x8xf32>
  }
}

// -----

// After propagation a loop without a sharding is replicated.
// CHECK-LABEL: module @loop
// CHECK: stablehlo.while(%iterArg = %arg0) : tensor<8xf32>{{$}}
// AFTER-LABEL: module @loop
// AFTER: stablehlo.while(%iterArg = %arg0) : tensor<8xf32> attributes {mhlo.sharding = "{replicated}"}
module @loop {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.while(%i = %arg0) : tensor<8xf32>
    cond {
      %c = stablehlo.constant dense<false> : tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      stablehlo.return %i : tensor<8xf32>
    }
    return %0 : tensor<8xf32>
  }
}

// -----

// A function that is called inside and outside of manual axes is two.
// CHECK-LABEL: module @two_contexts
// CHECK: func.func private @f(
// CHECK-NEXT: stablehlo.sine %arg0 : tensor<8xf32>
// CHECK: func.func private @f_0(
// CHECK-NEXT: stablehlo.sine %arg0 {mhlo.sharding = "{manual}"} : tensor<8xf32>
// AFTER-LABEL: module @two_contexts
module @two_contexts {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<16xf32>) -> (tensor<8xf32>, tensor<16xf32>) {
    %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = sdy.manual_computation(%arg1) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%a: tensor<8xf32>) {
      %2 = func.call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
      sdy.return %2 : tensor<8xf32>
    } : (tensor<16xf32>) -> tensor<16xf32>
    return %0, %1 : tensor<8xf32>, tensor<16xf32>
  }
  func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.sine %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

module @uneven {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}], unreduced={"x"}>}) -> tensor<8xf32> {
    // expected-error@+1 {{cannot reduce #sdy.sharding<@mesh, [{"y"}], unreduced={"x"}> of 'tensor<8xf32>': the shards are not of equal size}}
    %0 = sdy.all_reduce {"x"} %arg0 out_sharding=<@mesh, [{"y"}]> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
