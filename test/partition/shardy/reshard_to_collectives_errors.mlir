// RUN: shardwright-opt %s --split-input-file -sdy-reshard-to-collectives --verify-diagnostics

sdy.mesh @mesh = <["x"=2]>

func.func @unreduced(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> tensor<8xf32> {
  // expected-error @+1 {{changes the unreduced axes; run sdy-insert-explicit-reshards first}}
  %0 = sdy.reshard %a <@mesh, [{"x"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
