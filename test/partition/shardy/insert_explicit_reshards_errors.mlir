// RUN: shardwright-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(sdy-insert-explicit-reshards))'

sdy.mesh @m = <["a"=2, "b"=2]>
func.func @neither_contains_the_other(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"a"}>}) -> tensor<8xf32> {
  // expected-error@below {{each has unreduced axes that the other lacks}}
  %0 = sdy.reshard %x <@m, [{}], unreduced={"b"}> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=2]>
func.func @no_result(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"a"}>}) {
  // expected-error@below {{uses a value with unreduced axes, but has no result to say what becomes of them}}
  sdy.sharding_group %x group_id=0 : tensor<8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2]>
func.func @operands_disagree(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"a"}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {}]>}) -> tensor<8x8xf32> {
  // expected-error@below {{has an unreduced result, but its operands disagree on the axes of a reduced dimension}}
  %0 = stablehlo.dot %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}], unreduced={"a"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
