// RUN: shardwright-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(sdy-resolve-single-device-sharding))'

sdy.mesh @m = <["x"=2]>
sdy.mesh @one = <[], device_ids=[1]>
sdy.mesh @zero = <[], device_ids=[0]>
func.func @two_devices(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@below {{'stablehlo.custom_call' op has conflicting single-device result shardings}}
  %0:2 = stablehlo.custom_call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@one, []>, <@zero, []>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %0#0 : tensor<8xf32>
}

// -----

sdy.mesh @m = <["x"=2]>
sdy.mesh @one = <[], device_ids=[1]>
func.func @sharded_result(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@below {{has a result on a single device and one with sharding #sdy.sharding<@m, [{"x"}]>; run sdy-insert-explicit-reshards first}}
  %0:2 = stablehlo.custom_call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@one, []>, <@m, [{"x"}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %0#0 : tensor<8xf32>
}

// -----

// Without a mesh with axes nothing happens.
sdy.mesh @one = <[], device_ids=[1]>
func.func @no_mesh(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
