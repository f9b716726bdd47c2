// RUN: shardwright-opt %s -sdy-convert-global-to-local=enable-rgv3=false | FileCheck %s
// RUN: shardwright-opt %s -sdy-convert-global-to-local='per-dim-all-gather=true combine-multi-dimension-reduce-scatter=false enable-rgv3=true' | FileCheck %s --check-prefix=OTHER
// RUN: shardwright-opt %s -sdy-convert-global-to-local='replica-count=8 enable-rgv3=false' | FileCheck %s --check-prefix=REPLICA
// RUN: shardwright-opt %s -sdy-convert-global-to-local=enable-rgv3=false -sdy-drop-sharding-and-mesh | FileCheck %s --check-prefix=DROP

// DROP-NOT: sdy.

sdy.mesh @m = <["x"=2, "y"=2, "z"=2]>

// CHECK-LABEL: func.func @slice(%arg0: tensor<8x8xf32>) -> (tensor<4x2xf32>
// CHECK: stablehlo.partition_id
// CHECK-DAG: dense<[0, 0, 0, 0, 4, 4, 4, 4]>
// CHECK-DAG: dense<[0, 4, 2, 6, 0, 4, 2, 6]>
// CHECK: stablehlo.dynamic_slice %arg0, {{.*}}, sizes = [4, 2]
// REPLICA-LABEL: @slice
// REPLICA: stablehlo.replica_id
func.func @slice(%a: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"z", "y"}]>}) {
  %0 = sdy.all_slice [{"x"}, {"z", "y"}] %a out_sharding=<@m, [{"x"}, {"z", "y"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @gather_together
// CHECK: stablehlo.reshape %arg0 : (tensor<4x2xf32>) -> tensor<1x4x2xf32>
// CHECK: all_gather_dim = 0 : i64, {{.*}}replica_groups = dense<{{\[\[}}0, 2, 1, 3, 4, 6, 5, 7]]>
// CHECK: stablehlo.transpose {{.*}}, dims = [0, 2, 1, 3]
// OTHER-LABEL: func.func @gather_together
// OTHER: all_gather_dim = 1 : i64, {{.*}}#stablehlo.replica_group_mesh_axes<mesh = @m, axes = [{{.*}}"z"{{.*}}"y"
// OTHER: all_gather_dim = 0 : i64
func.func @gather_together(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"z", "y"}]>}) -> tensor<8x8xf32> {
  %0 = sdy.all_gather [{"x"}, {"z", "y"}] %a out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @scatter_together
// CHECK: "stablehlo.reduce_scatter"{{.*}}scatter_dimension = 0
// OTHER-LABEL: func.func @scatter_together
// OTHER: "stablehlo.all_reduce"
// OTHER: stablehlo.dynamic_slice {{.*}}, sizes = [4, 2]
func.func @scatter_together(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"z", "y"}]>}) {
  %0 = sdy.reduce_scatter [{"x"}, {"z", "y"}] %a out_sharding=<@m, [{"x"}, {"z", "y"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// The parts of a maximum are combined by maximum, which Shardy adds up; what the
// reduction starts from counts once.

// CHECK-LABEL: func.func @by_its_own_reducer
// CHECK: "stablehlo.all_reduce"
// CHECK: stablehlo.maximum
func.func @by_its_own_reducer(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<f32> {
  %i = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.maximum across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, []>]>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@m, []> : tensor<f32>
  return %1 : tensor<f32>
}

// CHECK-LABEL: func.func @starts_once
// CHECK: %[[L:.*]] = stablehlo.reduce({{.*}}applies stablehlo.add
// CHECK: stablehlo.select {{.*}} : tensor<i1>, tensor<f32>
// CHECK: "stablehlo.all_reduce"
func.func @starts_once(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<f32> {
  %i = stablehlo.constant dense<5.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, []>]>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@m, []> : tensor<f32>
  return %1 : tensor<f32>
}

// CHECK-LABEL: func.func @constant
// CHECK: stablehlo.dynamic_slice {{.*}}, sizes = [2]
// CHECK-LABEL: func.func @iota
// CHECK: stablehlo.iota dim = 0 {{.*}} : tensor<2x4xi32>
// CHECK: stablehlo.add
func.func @constant() -> (tensor<4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} dense<[1, 2, 3, 4]> : tensor<4xi32>
  return %0 : tensor<4xi32>
}
func.func @iota() -> (tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<4x4xi32>
  return %0 : tensor<4x4xi32>
}

// CHECK-LABEL: func.func @loop
// CHECK: stablehlo.while(%{{.*}} = %arg0) : tensor<4xf32>
func.func @loop(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = stablehlo.while(%i = %a) : tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>}
  cond {
    %c = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %1 = stablehlo.negate %i {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @call
// CHECK: call @callee(%arg0) {{.*}}: (tensor<4xf32>) -> tensor<4xf32>
// CHECK-LABEL: func.func private @callee(%arg0: tensor<4xf32>
func.func @call(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = call @callee(%a) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @callee(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @random
// CHECK: stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY {{.*}} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>)
// CHECK: stablehlo.dynamic_slice {{.*}}, sizes = [4]
func.func @random(%s: tensor<2xui64>) -> (tensor<8xui32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>, <@m, [{"x"}]>]>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>)
  return %1 : tensor<8xui32>
}

// What a reduction of partial sums starts from counts once, too.
// CHECK-LABEL: func.func @starts_once_of_sums
// CHECK: %[[F:.*]] = stablehlo.compare EQ
// CHECK: %[[I:.*]] = stablehlo.select %[[F]], %cst, %{{.*}} : tensor<i1>, tensor<f32>
// CHECK: %[[A:.*]] = stablehlo.add %[[I]], %{{.*}} : tensor<f32>
// CHECK: "stablehlo.all_reduce"(%[[A]])
func.func @starts_once_of_sums(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x"}>}) -> tensor<f32> {
  %i = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [], unreduced={"x"}>]>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@m, []> : tensor<f32>
  return %1 : tensor<f32>
}
