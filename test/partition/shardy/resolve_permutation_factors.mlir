// RUN: shardwright-opt %s -sdy-resolve-permutation-factors | FileCheck %s
// RUN: shardwright-opt %s -sdy-resolve-permutation-factors=enable-halo-exchange=false | FileCheck %s --check-prefix=WHOLE

// CHECK: sdy.mesh @m_reversed = <["x"=2, "y"=2], device_ids=[2, 3, 0, 1]>
sdy.mesh @m = <["x"=2, "y"=2]>

// Only one row of each neighbour travels.

// CHECK-LABEL: func.func @pad
// CHECK: sdy.manual_computation(%arg0, %cst) {{.*}} manual_axes={"x"}
// CHECK-SAME: tensor<4x8xf32>
// CHECK: "stablehlo.collective_permute"{{.*}}source_target_pairs = dense<{{\[\[}}0, 2], [1, 3]]>{{.*}}-> tensor<1x8xf32>
// CHECK-NOT: collective_permute
// CHECK: sdy.return {{.*}} : tensor<5x8xf32>
// WHOLE-LABEL: func.func @pad
// WHOLE: sdy.reshard %arg0 <@m, [{}, {}]>
// WHOLE: stablehlo.pad
// WHOLE: sdy.reshard {{.*}} <@m, [{"x"}, {}]>
func.func @pad(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<10x8xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.pad %a, %c, low = [2, 0], high = [0, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<10x8xf32>
  return %0 : tensor<10x8xf32>
}

// CHECK-LABEL: func.func @local_slice
// CHECK-NEXT: stablehlo.slice
// CHECK-NEXT: return
// WHOLE-LABEL: func.func @local_slice
// WHOLE-NEXT: stablehlo.slice
func.func @local_slice(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<7xf32> {
  %0 = stablehlo.slice %a [0:7] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// CHECK-LABEL: func.func @reverse
// CHECK: %[[R:.*]] = stablehlo.reverse %arg0, dims = [0] {{.*}}@m_reversed
// CHECK: sdy.reshard %[[R]] <@m, [{"x"}, {"y"}]>
// WHOLE-LABEL: func.func @reverse
// WHOLE: sdy.reshard %arg0 <@m, [{}, {"y"}]>
// WHOLE: stablehlo.reverse
func.func @reverse(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.reverse %a, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @window
// CHECK: sdy.reshard %arg0 <@m, [{}, {"y"}]>
// CHECK: stablehlo.reduce_window
// CHECK: sdy.reshard {{.*}} <@m, [{"x"}, {"y"}]>
func.func @window(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> tensor<4x8xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%a, %c) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// 5 rows in shards of 3, of which each device then has 3 of a padded 6.

// CHECK-LABEL: func.func @uneven_split
// CHECK: sdy.manual_computation
// CHECK: stablehlo.reshape {{.*}} : (tensor<12xf32>) -> tensor<6x2xf32>
// CHECK: stablehlo.slice {{.*}} [0:5, 0:2]
// WHOLE-LABEL: func.func @uneven_split
// WHOLE: sdy.reshard %arg0 <@m, [{}]>
func.func @uneven_split(%a: tensor<10xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<5x2xf32> {
  %0 = stablehlo.reshape %a {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<10xf32>) -> tensor<5x2xf32>
  return %0 : tensor<5x2xf32>
}
