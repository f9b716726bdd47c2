// RUN: shardwright-opt %s -split-input-file -xla-sdy-round-trip-export-pipeline | FileCheck %s
// RUN: shardwright-opt %s -split-input-file -xla-sdy-round-trip-export-pipeline -xla-sdy-round-trip-import-pipeline | FileCheck %s --check-prefix=BACK

// Everything has a form; what was there before stays.
// CHECK-LABEL: module @all attributes {mhlo.frontend_attributes = {foo = "bar", xla.sdy.meshes = "{ids = #sdy.mesh<[\22x\22=2], device_ids=[1, 0]>, mesh = #sdy.mesh<[\22x\22=2, \22y\22=4]>}"}}
// CHECK: func.func @main(%arg0: tensor<8x16xf32> {mhlo.frontend_attributes = {a = "b", xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22x\22}, {?}p1]>"}, mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"})
// CHECK-SAME: -> (tensor<8x16xf32> {jax.result_info = "r", mhlo.sharding = "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}"})
// CHECK: stablehlo.add {{.*}} {mhlo.frontend_attributes = {xla.sdy.sharding_rule = "#sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=16}>"}}
// CHECK: stablehlo.custom_call @Sharding({{.*}}) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@ids, [{}, {\22x\22, ?}]>]>"}, mhlo.sharding = "{devices=[1,2]1,0}"}
// CHECK: stablehlo.custom_call @xla.sdy.ShardingGroup({{.*}}) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding_group_id = "7 : i64"}} : (tensor<8x16xf32>) -> ()
// CHECK: stablehlo.custom_call @xla.sdy.PropagationBarrier({{.*}}) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.allowed_direction = "2 : i32"}}
// CHECK: %[[E:.*]]:2 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape({{.*}}) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}, {}]>, <@mesh, [{}, {}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>"}} : (tensor<8x16xf32>, tensor<8x16xf32>) -> (tensor<4x16xf32>, tensor<8x16xf32>)
// CHECK: %[[C:.*]] = call @xla.sdy.manual_computation_body(%[[E]]#0, %[[E]]#1) {mhlo.frontend_attributes = {inlineable = "false"}}
// CHECK: stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%[[C]])
// CHECK: %[[R:.*]] = stablehlo.custom_call @xla.sdy.FuncResultSharding({{.*}}) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22y\22}, {}]>]>"}}
// CHECK: return %[[R]]
// BACK-LABEL: module @all attributes {mhlo.frontend_attributes = {foo = "bar"}}
// BACK: sdy.mesh @ids = <["x"=2], device_ids=[1, 0]>
// BACK: sdy.mesh @mesh = <["x"=2, "y"=4]>
// BACK: func.func @main(%arg0: tensor<8x16xf32> {mhlo.frontend_attributes = {a = "b"}, sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}p1]>}) -> (tensor<8x16xf32> {jax.result_info = "r", sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})
// BACK: stablehlo.add {{.*}} {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=16}>}
// BACK: sdy.sharding_constraint {{.*}} <@ids, [{}, {"x", ?}]>
// BACK: sdy.sharding_group {{.*}} group_id=7
// BACK: sdy.propagation_barrier {{.*}} allowed_direction=BACKWARD
// BACK: sdy.manual_computation({{.*}}) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"}
// BACK-NOT: func.func private @xla
module @all attributes {mhlo.frontend_attributes = {foo = "bar"}} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  sdy.mesh @ids = <["x"=2], device_ids=[1, 0]>
  func.func @main(%arg0: tensor<8x16xf32> {mhlo.frontend_attributes = {a = "b"}, sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}p1]>})
      -> (tensor<8x16xf32> {jax.result_info = "r", sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
    %0 = sdy.constant dense<1.0> : tensor<8x16xf32>
    %1 = stablehlo.add %arg0, %0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=16}>} : tensor<8x16xf32>
    %2 = sdy.sharding_constraint %1 <@ids, [{}, {"x", ?}]> : tensor<8x16xf32>
    sdy.sharding_group %2 group_id=7 : tensor<8x16xf32>
    %3 = sdy.propagation_barrier %2 allowed_direction=BACKWARD : tensor<8x16xf32>
    %4 = sdy.manual_computation(%3, %1) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%a: tensor<4x16xf32>, %b: tensor<8x16xf32>) {
      %5 = stablehlo.slice %b [0:4, 0:16] : (tensor<8x16xf32>) -> tensor<4x16xf32>
      %6 = stablehlo.add %a, %5 : tensor<4x16xf32>
      sdy.return %6 : tensor<4x16xf32>
    } : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    return %4 : tensor<8x16xf32>
  }
}

// -----

// The shardings of ops that propagation finds anew are not taken back; a callback's is.
// CHECK-LABEL: module @ops
// CHECK: stablehlo.sine {{.*}} {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}]>]>"}, mhlo.sharding = "{devices=[2]<=[2]}"}
// BACK-LABEL: module @ops
// BACK: %[[S:.*]] = stablehlo.sine %arg0 : tensor<8xf32>
// BACK: stablehlo.custom_call @xla_ffi_python_cpu_callback(%[[S]]) {sdy.sharding = #sdy.sharding_per_value<[<@maximal_mesh_0, []>]>}
module @ops {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @maximal_mesh_0 = <[], device_ids=[0]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.sine %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
    %1 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%0) {sdy.sharding = #sdy.sharding_per_value<[<@maximal_mesh_0, []>]>} : (tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
