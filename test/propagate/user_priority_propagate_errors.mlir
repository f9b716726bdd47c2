// RUN: shardwright-opt %s -split-input-file -verify-diagnostics -sdy-user-priority-propagate

func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@below {{Shardy propagation only supports ranked tensors with a static shape. type: 'tensor<?xf32>'}}
  %0 = stablehlo.negate %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<8xf32>) -> tuple<tensor<8xf32>> {
  // expected-error@below {{Shardy propagation doesn't support tuples: 'tuple<tensor<8xf32>>'}}
  %0 = stablehlo.tuple %x : tuple<tensor<8xf32>>
  return %0 : tuple<tensor<8xf32>>
}

// -----

// expected-error@below {{Failed to lookup function: main}}
module {
  func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
  func.func @g(%x: tensor<8xf32>) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}

// -----

// Each kind of unknown op is named once.
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-warning@below {{custom call @unheard_of is unknown to SDY sharding rule registry}}
  %0 = stablehlo.custom_call @unheard_of(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.custom_call @unheard_of(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=2]>
// expected-warning@below {{The initial operand shardings on the sharding groups of groupID: 0 do not match. Inserting an open sharding constraint to all constrained values. This can be caused when shardings from different values are grouped (e.g. from jax.shard_alike) but have separate inconsistent sharding constraints on them.}}
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>}, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}]>}) -> tensor<8xf32> {
  sdy.sharding_group %x group_id=0 : tensor<8xf32>
  sdy.sharding_group %y group_id=0 : tensor<8xf32>
  return %x : tensor<8xf32>
}
