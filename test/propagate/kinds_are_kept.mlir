// The kind of unreduced axes stays wherever a sharding is changed otherwise.
// RUN: shardwright-opt %s -sdy-remove-size-one-axes | FileCheck %s --check-prefix=SIZE-ONE
// RUN: shardwright-opt %s -sdy-inline-meshes | FileCheck %s --check-prefix=INLINE
// RUN: shardwright-opt %s -sdy-inline-meshes -sdy-lift-inlined-meshes | FileCheck %s --check-prefix=LIFT
// RUN: shardwright-opt %s -sdy-update-non-divisible-input-output-shardings | FileCheck %s --check-prefix=DIVISIBLE
// RUN: shardwright-opt %s -sdy-remove-sub-axes-in-input-output-shardings | FileCheck %s --check-prefix=SUB-AXES
// RUN: shardwright-opt %s -sdy-user-priority-propagate | FileCheck %s --check-prefix=PROPAGATE
// RUN: shardwright-opt %s -sdy-manual-axes-cleanup | FileCheck %s --check-prefix=MANUAL
// RUN: shardwright-opt %s -sdy-user-priority-propagate -sdy-close-shardings | FileCheck %s --check-prefix=CLOSE

sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "one"=1]>

// SIZE-ONE: func.func @main(%arg0: tensor<8x7xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", ?}p1, {"c":(1)2, ?}], unreduced=max{"b"}>})
// SIZE-ONE-SAME: -> (tensor<8x7xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {?}], unreduced=max{"b"}>})
// SIZE-ONE: stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {?}p2], unreduced=max{"b"}>]>}
// SIZE-ONE: sdy.manual_computation(%{{.*}}) in_shardings=[<@m, [{"a", ?}, {?}], unreduced=max{"b"}>] out_shardings=[<@m, [{"a", ?}, {?}], unreduced=max{"b"}>]
// SIZE-ONE-NEXT: stablehlo.abs %{{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {?}], unreduced=max{"b"}>]>}
// INLINE-COUNT-6: unreduced=max{"b"}
// LIFT-COUNT-6: unreduced=max{"b"}
// DIVISIBLE: func.func @main(%arg0: tensor<8x7xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", ?}p1, {?}], replicated={"one"}, unreduced=max{"b"}>})
// Shardy makes a sum of this maximum.
// DIVISIBLE: sdy.manual_computation(%{{.*}}) in_shardings=[<@m, [{"a", ?}, {?}], unreduced=max{"b"}>]
// SUB-AXES: func.func @main(%arg0: tensor<8x7xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", ?}p1, {?}], replicated={"one"}, unreduced=max{"b"}>})
// PROPAGATE: func.func @main(%arg0: tensor<8x7xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", ?}, {"c":(1)2, ?}], replicated={"one"}, unreduced=max{"b"}>})
// PROPAGATE: stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a", ?}, {"c":(1)2, ?}], unreduced=max{"b"}>]>}
// MANUAL: sdy.manual_computation(%{{.*}}) in_shardings=[<@m, [{"a", ?}, {?}], unreduced=max{"b"}>] out_shardings=[<@m, [{"a", ?}, {?}], unreduced=max{"b"}>]
// CLOSE: func.func @main(%arg0: tensor<8x7xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"c":(1)2}], unreduced=max{"b"}>})
// CLOSE: stablehlo.abs %{{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}], unreduced=max{"b"}>]>}
func.func @main(%x: tensor<8x7xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", ?}p1, {"c":(1)2, ?}], replicated={"one"}, unreduced=max{"b"}>}) -> (tensor<8x7xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {?}], unreduced=max{"b"}>}) {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {?}p2], unreduced=max{"b"}>]>} : tensor<8x7xf32>
  %1 = sdy.manual_computation(%0) in_shardings=[<@m, [{"a", ?}, {?}], unreduced=max{"b"}>] out_shardings=[<@m, [{"a", ?}, {?}], unreduced=max{"b"}>] manual_axes={"a"} (%y: tensor<4x7xf32>) {
    %2 = stablehlo.abs %y {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {?}], unreduced=max{"b"}>]>} : tensor<4x7xf32>
    sdy.return %2 : tensor<4x7xf32>
  } : (tensor<8x7xf32>) -> tensor<8x7xf32>
  return %1 : tensor<8x7xf32>
}
