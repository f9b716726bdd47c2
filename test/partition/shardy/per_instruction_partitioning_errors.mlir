// RUN: shardwright-opt %s -split-input-file -verify-diagnostics -sdy-per-instruction-partitioning

sdy.mesh @m = <["x"=2, "y"=2]>
sdy.mesh @n = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
func.func @two_meshes(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@n, [{"x"}]>}) {
  // expected-error@below {{'stablehlo.add' op has operands and results on several meshes}}
  %0 = stablehlo.add %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=2]>
sdy.mesh @one = <[], device_ids=[1]>
func.func @on_one_device(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  // expected-error@below {{'stablehlo.negate' op has operands and results on several meshes}}
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : tensor<8xf32>
  return
}
