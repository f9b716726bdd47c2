// RUN: shardwright-opt %s -split-input-file -verify-diagnostics -sdy-sharding-group-import

func.func @shapes(%x: tensor<8x8xf32>, %y: tensor<4x8xf32>) {
  sdy.sharding_group %x group_id=2 : tensor<8x8xf32>
  // expected-error@below {{ShardingGroupOps values must have the same shape for groupId: 2}}
  sdy.sharding_group %y group_id=2 : tensor<4x8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2]>
func.func @across_manual(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  sdy.sharding_group %x group_id=0 : tensor<8x8xf32>
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{}, {}]>] out_shardings=[<@m, [{}, {}]>] manual_axes={} (%y: tensor<8x8xf32>) {
    // expected-error@below {{ShardingGroupOps values cannot cross ManualComputationOp boundaries for groupId: 0}}
    sdy.sharding_group %y group_id=0 : tensor<8x8xf32>
    sdy.return %y : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
