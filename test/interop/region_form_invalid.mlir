// RUN: shardwright-opt %s -split-input-file -verify-diagnostics -sw-region-form

// expected-error@+1 {{result #0 is a token that the program makes, expected a token argument}}
func.func @main() -> !stablehlo.token {
  %0 = stablehlo.create_token : !stablehlo.token
  return %0 : !stablehlo.token
}

// -----

func.func @main(%t: !stablehlo.token, %a: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{'stablehlo.after_all' op uses the token argument #0, expected that the entry function only returns it}}
  %0 = stablehlo.after_all %t, %t : !stablehlo.token
  return %a : tensor<f32>
}

// -----

// expected-error@+1 {{argument #0 has type 'tensor<?xf32>', expected a tensor of static shape or a token}}
func.func @main(%a: tensor<?xf32>) {
  return
}

// -----

sdy.mesh @one = <["x"=2, "y"=3]>
sdy.mesh @two = <["a"=3, "b"=2]>
// expected-error@+1 {{the arguments and results use 2 meshes, whose axes have no common refinement: }}
func.func @main(%a: tensor<1xf32> {sdy.sharding = #sdy.sharding<@one, [{"x"}]>}) -> (tensor<1xf32> {sdy.sharding = #sdy.sharding<@two, [{"a"}]>}) {
  return %a : tensor<1xf32>
}

// -----

sdy.mesh @mesh = <["x"=4611686018427387904]>
// expected-error@+1 {{argument #0 of type 'tensor<4xf32>' has too large a global shape}}
func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return
}

// -----

// expected-error@+1 {{Failed to lookup function: main}}
module {
}
