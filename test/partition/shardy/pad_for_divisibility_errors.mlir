// RUN: shardwright-opt %s --split-input-file -sdy-pad-for-divisibility --verify-diagnostics

sdy.mesh @m = <["x"=2]>

// expected-error @+1 {{argument #0 has a non-divisible sharding. Shardy expects function IO to be divisible.}}
func.func @argument(%a: tensor<5xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  return
}

// -----

sdy.mesh @m = <["x"=2]>

// expected-error @+1 {{result #0 has a non-divisible sharding. Shardy expects function IO to be divisible.}}
func.func @result(%a: tensor<5xf32>) -> (tensor<5xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  return %a : tensor<5xf32>
}
