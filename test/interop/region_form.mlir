// RUN: shardwright-opt %s -split-input-file -sw-region-form | FileCheck %s
// RUN: shardwright-opt %s -split-input-file -sw-region-form | shardwright-opt -split-input-file | FileCheck %s

// Shards become whole values; tokens stay outside; other attributes stay.
// CHECK: sdy.mesh @mesh = <["data"=4, "model"=2]>
// CHECK-LABEL: func.func public @main(
// CHECK-SAME: %[[T:[^:]+]]: !stablehlo.token {jax.token = true},
// CHECK-SAME: %[[A:[^:]+]]: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>, tf.aliasing_output = 1 : i32},
// CHECK-SAME: %[[B:[^:]+]]: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>})
// CHECK-SAME: -> (!stablehlo.token {jax.token = true}, tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>})
// CHECK: %[[R:.*]]:2 = sdy.manual_computation(%[[A]], %[[B]])
// CHECK-SAME: in_shardings=[<@mesh, [{"data"}, {}]>, <@mesh, [{}, {"model"}]>]
// CHECK-SAME: out_shardings=[<@mesh, [{"data"}, {}]>, <@mesh, [{"data"}, {"model"}]>]
// CHECK-SAME: manual_axes={"data", "model"} (%[[X:[^:]+]]: tensor<4x32xf32>, %[[Y:[^:]+]]: tensor<32x4xf32>)
// CHECK: stablehlo.dot_general %[[X]], %[[Y]]
// CHECK: sdy.return %[[X]], %
// CHECK: return %[[T]], %[[R]]#0, %[[R]]#1
sdy.mesh @mesh = <["data"=4, "model"=2]>
func.func public @main(%t: !stablehlo.token {jax.token = true},
                       %a: tensor<4x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>, tf.aliasing_output = 1 : i32},
                       %b: tensor<32x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>})
    -> (!stablehlo.token {jax.token = true}, tensor<4x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
        tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x32xf32>, tensor<32x4xf32>) -> tensor<4x4xf32>
  return %t, %a, %0 : !stablehlo.token, tensor<4x32xf32>, tensor<4x4xf32>
}

// -----

// Without a mesh everything is replicated on the module's partitions.
// CHECK: module attributes {mhlo.num_partitions = 8 : i32}
// CHECK: sdy.mesh @mesh = <["devices"=8]>
// CHECK: func.func @main(%[[A:[^:]+]]: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
// CHECK: sdy.manual_computation(%[[A]]) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"devices"}
module attributes {mhlo.num_partitions = 8 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.cosine %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// Meshes of different axes: the coarsest mesh that has the axes of both. An open dimension is closed; axes in use as
// partial sums stay.
// CHECK: sdy.mesh @mesh = <["_axis_0"=2, "_axis_1"=2, "_axis_2"=2]>
// CHECK: func.func @main(
// CHECK-SAME: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_0", "_axis_1"}, {"_axis_2"}]>}
// CHECK-SAME: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_0"}]>}
// CHECK-SAME: -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_1", "_axis_2"}]>}
// CHECK-SAME: tensor<2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"_axis_0", "_axis_1"}>})
// CHECK: manual_axes={"_axis_0", "_axis_1", "_axis_2"}
sdy.mesh @first = <["x"=4, "y"=2]>
sdy.mesh @second = <["a"=2, "b"=4]>
func.func @main(%a: tensor<2x4xf32> {sdy.sharding = #sdy.sharding<@first, [{"x", ?}, {"y"}]>},
                %b: tensor<4xf32> {sdy.sharding = #sdy.sharding<@second, [{"a"}p1]>})
    -> (tensor<1xf32> {sdy.sharding = #sdy.sharding<@second, [{"b"}]>},
        tensor<2x4xf32> {sdy.sharding = #sdy.sharding<@first, [{}, {}], unreduced={"x"}>}) {
  %0 = stablehlo.slice %b [0:1] : (tensor<4xf32>) -> tensor<1xf32>
  return %0, %a : tensor<1xf32>, tensor<2x4xf32>
}

// -----

// Scatters of one index are kept from what made their operand; those of several are not.
// CHECK: func.func @main(%{{.*}}: tensor<9xi16>
// CHECK: %[[S:.*]] = stablehlo.dynamic_slice
// CHECK: %[[G:.*]] = stablehlo.optimization_barrier %[[S]] : tensor<3xi16>
// CHECK: "stablehlo.scatter"(%[[G]], %{{.*}}, %{{.*}})
// CHECK-NOT: optimization_barrier
// CHECK: "stablehlo.scatter"(%[[S]], %{{.*}}, %{{.*}})
module attributes {mhlo.num_partitions = 8 : i32} {
  func.func @main(%a: tensor<9xi16>, %o: tensor<i32>, %i: tensor<1xi32>, %u: tensor<i16>, %j: tensor<2x1xi32>,
                  %v: tensor<2xi16>) -> (tensor<3xi16>, tensor<3xi16>) {
    %s = stablehlo.dynamic_slice %a, %o, sizes = [3] : (tensor<9xi16>, tensor<i32>) -> tensor<3xi16>
    %0 = "stablehlo.scatter"(%s, %i, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = false}> ({
    ^bb0(%x: tensor<i16>, %y: tensor<i16>):
      %z = stablehlo.add %x, %y : tensor<i16>
      stablehlo.return %z : tensor<i16>
    }) : (tensor<3xi16>, tensor<1xi32>, tensor<i16>) -> tensor<3xi16>
    %1 = "stablehlo.scatter"(%s, %j, %v) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%x: tensor<i16>, %y: tensor<i16>):
      %z = stablehlo.add %x, %y : tensor<i16>
      stablehlo.return %z : tensor<i16>
    }) : (tensor<3xi16>, tensor<2x1xi32>, tensor<2xi16>) -> tensor<3xi16>
    return %0, %1 : tensor<3xi16>, tensor<3xi16>
  }
}

// -----

// Parts of parts have clamped indices, one part alone has not.
// CHECK: func.func @main(%{{.*}}: tensor<16xf32>
// CHECK: sdy.manual_computation{{.*}} (%[[A:[^:]+]]: tensor<16xf32>, %[[I:[^:]+]]: tensor<i32>, %[[O:[^:]+]]: tensor<ui8>)
// CHECK-DAG: %[[I1:.*]] = stablehlo.clamp %{{.*}}, %[[I]], %{{.*}} : tensor<i32>
// CHECK-DAG: %[[I2:.*]] = stablehlo.optimization_barrier %[[I1]] : tensor<i32>
// CHECK: %[[S:.*]] = stablehlo.dynamic_slice %[[A]], %[[I2]], sizes = [8]
// CHECK: %[[D:.*]] = stablehlo.add %[[S]], %[[S]]
// CHECK: %[[O1:.*]] = stablehlo.clamp %{{.*}}, %[[O]], %{{.*}} : tensor<ui8>
// CHECK: %[[O2:.*]] = stablehlo.optimization_barrier %[[O1]] : tensor<ui8>
// CHECK: stablehlo.dynamic_slice %[[D]], %[[O2]], sizes = [2]
// CHECK: stablehlo.dynamic_slice %[[A]], %[[I]], sizes = [3]
module attributes {mhlo.num_partitions = 8 : i32} {
  func.func @main(%a: tensor<16xf32>, %i: tensor<i32>, %o: tensor<ui8>) -> (tensor<2xf32>, tensor<3xf32>) {
    %s = stablehlo.dynamic_slice %a, %i, sizes = [8] : (tensor<16xf32>, tensor<i32>) -> tensor<8xf32>
    %d = stablehlo.add %s, %s : tensor<8xf32>
    %0 = stablehlo.dynamic_slice %d, %o, sizes = [2] : (tensor<8xf32>, tensor<ui8>) -> tensor<2xf32>
    %1 = stablehlo.dynamic_slice %a, %i, sizes = [3] : (tensor<16xf32>, tensor<i32>) -> tensor<3xf32>
    return %0, %1 : tensor<2xf32>, tensor<3xf32>
  }
}
