// RUN: shardwright-opt %s -split-input-file -xla-sdy-round-trip-import-pipeline -verify-diagnostics

// expected-error@+1 {{xla.sdy.meshes: unbalanced '[' character in pretty dialect name, in '{mesh = #sdy.mesh<["x"=2'}}
module @text attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=2"}} {
}

// -----

// expected-error@+1 {{xla.sdy.meshes: "mesh" is 1 : i64, expected a mesh}}
module @kind attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = 1}"}} {
}

// -----

// expected-error@+1 {{xla.sdy.tuple_args_shardings has 2 shardings, @main 1 values}}
module @count attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{m = #sdy.mesh<[\22x\22=2]>}", xla.sdy.tuple_args_shardings = "#sdy.sharding_per_value<[<@m, [{}]>, <@m, [{}]>]>"}} {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
}

// -----

module @no_sharding {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error@+1 {{expected CustomCallOp with a sharding attribute}}
    %0 = stablehlo.custom_call @Sharding(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

module @no_group {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error@+1 {{expected CustomCallOp with a sharding group id.}}
    stablehlo.custom_call @xla.sdy.ShardingGroup(%arg0) {has_side_effect = true} : (tensor<8xf32>) -> ()
    return %arg0 : tensor<8xf32>
  }
}

// -----

module @used_group {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error@+1 {{xla.sdy.ShardingGroup CustomCallOp should have no uses.}}
    %0 = stablehlo.custom_call @xla.sdy.ShardingGroup(%arg0) {mhlo.frontend_attributes = {xla.sdy.sharding_group_id = "7 : i64"}} : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

module @no_direction {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error@+1 {{expected PropagationBarrier CustomCall Op with a propagation direction.}}
    %0 = stablehlo.custom_call @xla.sdy.PropagationBarrier(%arg0) {mhlo.frontend_attributes = {xla.sdy.allowed_direction = "9 : i32"}} : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

module @no_enter {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error@+1 {{expected at least one operand of @xla.sdy.manual_computation_body to be produced by a xla.sdy.GlobalToLocalShape CustomCallOp}}
    %0 = call @xla.sdy.manual_computation_body(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @xla.sdy.manual_computation_body(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
}

// -----

module @no_leave {
  func.func @main() -> tensor<8xf32> {
    // expected-error@+1 {{expected the first use of @xla.sdy.manual_computation_body_1 to be by a xla.sdy.LocalToGlobalShape CustomCallOp}}
    %0 = call @xla.sdy.manual_computation_body_1() : () -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @xla.sdy.manual_computation_body_1() -> tensor<8xf32> {
    %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
