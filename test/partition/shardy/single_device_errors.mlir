// RUN: shardwright-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(sdy-insert-explicit-reshards{enable-full-version=true}, sdy-resolve-single-device-sharding))'

sdy.mesh @m = <["x"=2]>
sdy.mesh @one = <[], device_ids=[1]>
// expected-error@below {{function argument 0 cannot have a single-device (maximal) sharding attribute}}
func.func @argument(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@one, []>}) {
  return
}

// -----

sdy.mesh @m = <["x"=2]>
sdy.mesh @one = <[], device_ids=[1]>
// expected-error@below {{function result 0 cannot have a single-device (maximal) sharding attribute}}
func.func @result(%a: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@one, []>}) {
  return %a : tensor<8xf32>
}

// -----

sdy.mesh @m = <["x"=2]>
sdy.mesh @one = <[], device_ids=[1]>
func.func @no_zeros(%t: !stablehlo.token) {
  // expected-error@below {{is computed on one device, but has a result of type 'tuple<tensor<i32>>', which cannot be sent to the others}}
  %0:2 = stablehlo.custom_call @f(%t) {sdy.sharding = #sdy.sharding_per_value<[<@one, []>, <@one, []>]>} : (!stablehlo.token) -> (tensor<i32>, tuple<tensor<i32>>)
  return
}

// -----

// Without a mesh with axes, too.
sdy.mesh @one = <[], device_ids=[1]>
sdy.mesh @zero = <[], device_ids=[0]>
func.func @two_devices(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@below {{'stablehlo.custom_call' op has conflicting single-device result shardings}}
  %0:2 = stablehlo.custom_call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@one, []>, <@zero, []>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %0#0 : tensor<8xf32>
}
