// RUN: shardwright-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(sdy-verify-unreduced-axes))'

sdy.mesh @m = <["a"=2, "b"=2]>
func.func private @sum_of(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"a"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"a"}>})
func.func @right(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"a"}]>}, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) {
  %0 = stablehlo.dot %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"a"}>]>} : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"a"}>]>} : tensor<8xf32>
  %2 = call @sum_of(%1) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"a"}>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %3 = sdy.manual_computation(%2) in_shardings=[<@m, [{}], unreduced={"a"}>] out_shardings=[<@m, [{}], unreduced={"a"}>] manual_axes={"a"} (%z: tensor<8xf32>) {
    %5 = stablehlo.negate %z : tensor<8xf32>
    sdy.return %5 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %4 = sdy.reshard %3 <@m, [{}]> : tensor<8xf32>
  return %4 : tensor<8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=2]>
func.func @dropped(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"a", "b"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"a"}>}) {
  // expected-error@below {{dropped unreduced axis 'b' without a blessed operation (e.g., sdy.reshard). This is an invalid transition from unreduced to reduced.}}
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"a"}>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @m = <["a"=4]>
func.func @part_dropped(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"a"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) {
  // expected-error@below {{dropped unreduced axis 'a' without a blessed operation}}
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"a":(1)2}>]>} : tensor<8xf32>
  %1 = sdy.reshard %0 <@m, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

sdy.mesh @m = <["a"=2]>
func.func @at_return(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"a"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) {
  // expected-error@below {{has unreduced axes mismatch for 'a' at return value 0 without a blessed operation (e.g., sdy.reshard). This is an invalid transition from unreduced to reduced.}}
  return %x : tensor<8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=2]>
func.func @in_manual_return(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{}], unreduced={"b"}>] out_shardings=[<@m, [{}]>] manual_axes={"a"} (%z: tensor<8xf32>) {
    // expected-error@below {{has unreduced axes mismatch for 'b' at return value 0 without a blessed operation}}
    sdy.return %z : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @m = <["a"=2]>
func.func private @whole(%x: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"a"}>})
func.func @at_call(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"a"}>}) {
  // expected-error@below {{has unreduced axes mismatch for 'a' at call argument 0.}}
  %0 = call @whole(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2]>
func.func private @whole(%x: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"a"}>})
func.func @at_call_result(%x: tensor<8xf32>) {
  // expected-error@below {{has unreduced axes mismatch for 'a' at call result 0.}}
  %0 = call @whole(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2]>
func.func @maximum(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>}, %i: tensor<f32>) {
  // expected-error@below {{cannot introduce 'sum' unreduced axes. Expected 'max'.}}
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.maximum across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [], unreduced={"a"}>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

sdy.mesh @m = <["a"=2]>
func.func @loop(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"a"}>}, %c: tensor<i1>) {
  // expected-error@below {{dropped unreduced axis 'a' without a blessed operation}}
  %0 = stablehlo.while(%y = %x) : tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>]>}
  cond {
    stablehlo.return %c : tensor<i1>
  } do {
    stablehlo.return %y : tensor<8xf32>
  }
  return
}

// -----

sdy.mesh @m = <["a"=2]>
func.func @collective_adds(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) {
  // expected-error@below {{cannot add new unreduced axis 'a'.}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"a"}>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2]>
func.func @collective_of_another_kind(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"a"}>}) {
  // expected-error@below {{cannot reduce 'sum' unreduced axes. Expected 'max'.}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.maximum %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2]>
func.func @operand_without_sharding(%x: tensor<8xf32>) {
  // expected-error@below {{operand must be sharded.}}
  %0 = sdy.all_reduce {"a"} %x out_sharding=<@m, [{}]> : tensor<8xf32>
  return
}

// -----

// A result that says nothing takes what is returned; so does an axis that is
// dropped at one result and kept at another.
sdy.mesh @m = <["a"=2]>
func.func @result_without_sharding(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"a"}>}) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
func.func @kept_at_one_result(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"a"}>}) {
  %0:2 = stablehlo.custom_call @f(%x) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"a"}>, <@m, [{}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}
func.func @behind_a_barrier(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"a"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) {
  %0 = sdy.reshard %x <@m, [{}]> : tensor<8xf32>
  %1 = sdy.propagation_barrier %0 allowed_direction=NONE : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

sdy.mesh @m = <["a"=2]>
func.func @manual_computation(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"a"}>}) {
  // expected-error@below {{dropped unreduced axis 'a' without a blessed operation}}
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{}], unreduced={"a"}>] out_shardings=[<@m, [{}]>] manual_axes={"a"} (%z: tensor<8xf32>) {
    sdy.return %z : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2]>
func.func @two_axes(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"a"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"b"}>}) {
  // expected-error@below {{has unreduced axes mismatch for 'a, b' at return value 0 without a blessed operation}}
  return %x : tensor<8xf32>
}

// -----

sdy.mesh @m = <["a"=2]>
func.func @product(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>}, %i: tensor<f32>) {
  // expected-error@below {{cannot add new unreduced axis 'a'.}}
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.multiply across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [], unreduced={"a"}>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

// What branches and bodies of loops return is not checked; it is reduced where
// it is returned.
sdy.mesh @m = <["a"=2]>
func.func @branches(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"a"}>}, %c: tensor<i1>) {
  %0 = "stablehlo.if"(%c) ({
    stablehlo.return %x : tensor<8xf32>
  }, {
    stablehlo.return %x : tensor<8xf32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>]>} : (tensor<i1>) -> tensor<8xf32>
  return
}
func.func @body_of_loop(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"a"}>}, %y: tensor<8xf32>, %c: tensor<i1>) {
  %0 = stablehlo.while(%z = %y) : tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>]>}
  cond {
    stablehlo.return %c : tensor<i1>
  } do {
    stablehlo.return %x : tensor<8xf32>
  }
  return
}

// -----

// Ops may make partial values of any kind, contractions only sums.
sdy.mesh @m = <["a"=2]>
func.func @any_kind(%x: tensor<8xf32>) {
  %0 = stablehlo.custom_call @f(%x) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced=max{"a"}>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return
}
func.func @contraction(%x: tensor<8xf32>, %y: tensor<8xf32>) {
  // expected-error@below {{cannot introduce 'max' unreduced axes. Expected 'sum'.}}
  %0 = stablehlo.dot %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@m, [], unreduced=max{"a"}>]>} : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
  return
}

// -----

sdy.mesh @m = <["a"=2]>
func.func @without_results(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"a"}>}) {
  // expected-error@below {{dropped unreduced axis 'a' without a blessed operation}}
  stablehlo.custom_call @f(%x) {has_side_effect = true} : (tensor<8xf32>) -> ()
  return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2]>
func.func @gathered(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}], unreduced={"a"}>}) {
  // expected-error@below {{dropped unreduced axis 'a' without a blessed operation}}
  %0 = sdy.all_gather [{"b"}] %x out_sharding=<@m, [{}]> : tensor<8xf32>
  return
}

// -----

// Values that are returned are compared by the names of axes, on any mesh.
sdy.mesh @m = <["a"=2]>
sdy.mesh @n = <["b"=2]>
func.func @on_another_mesh(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"a"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@n, [{}]>}) {
  // expected-error@below {{has unreduced axes mismatch for 'a' at return value 0}}
  return %x : tensor<8xf32>
}

// -----

sdy.mesh @m = <["a"=2]>
func.func @more_than_the_function(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"a"}>}) {
  stablehlo.return %x : tensor<8xf32>
}
