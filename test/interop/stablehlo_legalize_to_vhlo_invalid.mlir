// RUN: shardwright-opt %s -stablehlo-legalize-to-vhlo --split-input-file --verify-diagnostics

func.func @chlo(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{failed to legalize operation 'chlo.erf' that was explicitly marked illegal}}
  %0 = chlo.erf %x : tensor<2xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// expected-error @+1 {{failed to legalize operation 'func.func' that was explicitly marked illegal: VHLO has no type 'vector<2xf32>'}}
func.func @type(%x: vector<2xf32>) {
  return
}

// -----

// expected-error @+1 {{failed to legalize operation 'func.func' that was explicitly marked illegal: VHLO has no form for its attribute 'a.b'}}
func.func @attribute() attributes {a.b} {
  return
}
