// RUN: shardwright-opt %s -sw-insert-collectives | FileCheck %s

// Equal ops share a plan. What tells them apart: the region, an attribute, where
// a value has come to be in the meantime, what is asked of the result.

sdy.mesh @mesh = <["x"=4, "y"=2]>

// CHECK-LABEL: func @regions
func.func @regions(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK: stablehlo.reduce{{.*}} applies stablehlo.add
  // CHECK-NEXT: sdy.all_reduce {"x"} {{.*}} out_sharding
  %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16x8xf32>, tensor<f32>) -> tensor<8xf32>
  // CHECK: stablehlo.reduce{{.*}} applies stablehlo.maximum
  // CHECK-NEXT: sdy.all_reduce max {"x"}
  %1 = stablehlo.reduce(%a init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<16x8xf32>, tensor<f32>) -> tensor<8xf32>
  // CHECK: stablehlo.reduce{{.*}} applies stablehlo.add
  // CHECK-NEXT: sdy.all_reduce {"x"} %{{[0-9]+}} out_sharding
  %2 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func @attributes
func.func @attributes(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // CHECK: stablehlo.transpose %arg0, dims = [0, 1] {{.*}}[{"x"}, {}]
  %0 = stablehlo.transpose %a, dims = [0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK-DAG: stablehlo.transpose %{{.+}}, dims = [1, 0]
  // CHECK-DAG: sdy.all_to_all
  %1 = stablehlo.transpose %a, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: func @operands
func.func @operands(%a: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
                    %b: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // CHECK: stablehlo.negate %arg0 {{.*}}[{}, {"x"}]
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : tensor<64x8xf32>
  // CHECK: stablehlo.negate %arg1 {{.*}}[{"x"}, {}]
  %1 = stablehlo.negate %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<64x8xf32>
  return %0, %1 : tensor<64x8xf32>, tensor<64x8xf32>
}
