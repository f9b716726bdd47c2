// The op states the axes along which its result is a partial sum.
// RUN: shardwright-opt %s -pass-pipeline='builtin.module(func.func(sdy-insert-explicit-reshards{enable-full-version=true mark-partial-result-with-unreduced-axes=true}))' | FileCheck %s
// RUN: shardwright-opt %s -pass-pipeline='builtin.module(func.func(sdy-insert-explicit-reshards{mark-partial-result-with-unreduced-axes=true}))' | FileCheck %s --check-prefix=MINIMAL

sdy.mesh @m = <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @dot
// CHECK-NEXT: %[[D:.*]] = stablehlo.dot_general %arg0, %arg1, {{.*}}[<@m, [{}, {"y"}], unreduced={"x"}>]
// CHECK-NEXT: sdy.all_reduce {"x"} %[[D]] out_sharding=<@m, [{}, {"y"}]>
// MINIMAL-LABEL: func.func @dot
// MINIMAL-NEXT: stablehlo.dot_general {{.*}}[<@m, [{}, {"y"}]>]
// MINIMAL-NEXT: return
func.func @dot(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"y"}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @two_sums
// CHECK: stablehlo.reduce{{.*}}[<@m, [{"y"}], unreduced={"x"}>, <@m, [{"y"}], unreduced={"x"}>]
// CHECK: sdy.all_reduce {"x"} %{{.*}}#0 out_sharding=<@m, [{"y"}]>
// CHECK: sdy.all_reduce {"x"} %{{.*}}#1 out_sharding=<@m, [{"y"}]>
func.func @two_sums(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}, %b: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}) -> (tensor<8xf32>, tensor<8xi32>) {
  %i = stablehlo.constant dense<0.0> : tensor<f32>
  %j = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%a init: %i), (%b init: %j) across dimensions = [1] : (tensor<8x8xf32>, tensor<8x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
    reducer(%p: tensor<f32>, %q: tensor<f32>) (%r: tensor<i32>, %s: tensor<i32>) {
      %u = stablehlo.add %p, %q : tensor<f32>
      %v = stablehlo.add %r, %s : tensor<i32>
      stablehlo.return %u, %v : tensor<f32>, tensor<i32>
    }
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xi32>
}

// A product is no kind of reduction that a sharding can state.
// CHECK-LABEL: func.func @product
// CHECK: applies stablehlo.multiply across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}]>]>}
// CHECK: sdy.all_reduce {"x"}
func.func @product(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}) -> tensor<8xf32> {
  %i = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.multiply across dimensions = [1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
