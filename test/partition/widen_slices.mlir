// Concatenations of slices along a sharded dimension take their rows from the
// values that are sliced.
// RUN: shardwright-opt %s --sw-insert-collectives | FileCheck %s
// RUN: shardwright-opt %s --sw-partition | FileCheck %s --check-prefix=LOCAL

sdy.mesh @mesh = <["x"=4]>

// One row from the device before, and no reduction.
// CHECK-LABEL: @roll
// CHECK: stablehlo.pad %arg0, {{.*}}low = [-7, 0], high = [7, 0]{{.*}}sw.roll = 0
// CHECK-NOT: concatenate
// LOCAL-LABEL: @roll
// LOCAL-NOT: all_reduce
// LOCAL: "stablehlo.collective_permute"({{.*}}{{\[\[}}3, 0], [0, 1], [1, 2], [2, 3]]{{.*}} : (tensor<1x4xf32>)
// LOCAL-NOT: collective_permute
// LOCAL-LABEL: @shift
func.func @roll(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.slice %arg0 [7:8, 0:4] : (tensor<8x4xf32>) -> tensor<1x4xf32>
  %1 = stablehlo.slice %arg0 [0:7, 0:4] : (tensor<8x4xf32>) -> tensor<7x4xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<1x4xf32>, tensor<7x4xf32>) -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// CHECK-LABEL: @shift
// CHECK: stablehlo.pad %arg1, {{.*}}low = [0, 0], high = [7, 0]
// CHECK: stablehlo.pad %arg0, {{.*}}low = [1, 0], high = [-1, 0]
// CHECK: stablehlo.select
func.func @shift(%arg0: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<1x4xi32>) -> (tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %1 = stablehlo.slice %arg0 [0:7, 0:4] : (tensor<8x4xi32>) -> tensor<7x4xi32>
  %2 = stablehlo.concatenate %arg1, %1, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<1x4xi32>, tensor<7x4xi32>) -> tensor<8x4xi32>
  return %2 : tensor<8x4xi32>
}

// CHECK-LABEL: @roll_of_complex
// CHECK: dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
// CHECK: stablehlo.pad %arg0, {{.*}}sw.roll = 0
func.func @roll_of_complex(%arg0: tensor<8xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.slice %arg0 [7:8] : (tensor<8xcomplex<f32>>) -> tensor<1xcomplex<f32>>
  %1 = stablehlo.slice %arg0 [0:7] : (tensor<8xcomplex<f32>>) -> tensor<7xcomplex<f32>>
  %2 = stablehlo.concatenate %0, %1, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<1xcomplex<f32>>, tensor<7xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  return %2 : tensor<8xcomplex<f32>>
}

// The dimension is whole: nothing to gain.
// CHECK-LABEL: @replicated
// CHECK: stablehlo.concatenate
func.func @replicated(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %0 = stablehlo.slice %arg0 [7:8, 0:4] : (tensor<8x4xf32>) -> tensor<1x4xf32>
  %1 = stablehlo.slice %arg0 [0:7, 0:4] : (tensor<8x4xf32>) -> tensor<7x4xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<1x4xf32>, tensor<7x4xf32>) -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// A roll by nothing, as jnp.roll writes one of several dimensions.
// CHECK-LABEL: @empty_part
// CHECK-NOT: all_gather
// CHECK: return %arg0
func.func @empty_part(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %a = stablehlo.slice %arg0 [16:16] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<16xf32>) -> tensor<0xf32>
  %b = stablehlo.slice %arg0 [0:16] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<16xf32>) -> tensor<16xf32>
  %0 = stablehlo.concatenate %a, %b, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<0xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// The same slice at both ends; the sanitizers see whether it is erased once.
// CHECK-LABEL: @twice
// CHECK-COUNT-3: stablehlo.pad %arg0
// CHECK-NOT: stablehlo.concatenate
func.func @twice(%arg0: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<12xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.slice %arg0 [6:8] : (tensor<8xi32>) -> tensor<2xi32>
  %1 = stablehlo.concatenate %0, %arg0, %0, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<2xi32>, tensor<8xi32>, tensor<2xi32>) -> tensor<12xi32>
  return %1 : tensor<12xi32>
}
