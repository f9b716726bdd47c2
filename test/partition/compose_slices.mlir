// Slices of pads and concatenations along sharded dimensions take their rows
// from what was padded or concatenated.
// RUN: shardwright-opt %s --sw-insert-collectives | FileCheck %s
// RUN: shardwright-opt %s --sw-partition | FileCheck %s --check-prefix=LOCAL

sdy.mesh @mesh = <["x"=4]>

// A stencil: one row each way, in shards that stay what they are.
// CHECK-LABEL: @stencil
// CHECK-DAG: %[[A:.*]] = stablehlo.pad %arg0, {{.*}}low = [1], high = [-1]
// CHECK-DAG: %[[B:.*]] = stablehlo.pad %arg0, {{.*}}low = [-1], high = [1]
// CHECK: stablehlo.add %[[A]], %[[B]]
// CHECK: stablehlo.subtract %{{.*}}, %arg0
// LOCAL-LABEL: @stencil
// LOCAL-COUNT-2: collective_permute"({{.*}} : (tensor<1xf32>)
// LOCAL-NOT: collective_permute
// LOCAL-LABEL: @wrapped
func.func @stencil(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.pad %arg0, %zero, low = [1], high = [1], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<16xf32>, tensor<f32>) -> tensor<18xf32>
  %0 = stablehlo.slice %p [0:16] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<18xf32>) -> tensor<16xf32>
  %1 = stablehlo.slice %p [2:18] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<18xf32>) -> tensor<16xf32>
  %2 = stablehlo.slice %p [1:17] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<18xf32>) -> tensor<16xf32>
  %3 = stablehlo.add %0, %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<16xf32>
  %4 = stablehlo.subtract %3, %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<16xf32>
  return %4 : tensor<16xf32>
}

// Rows from the other end instead of zeros.
// CHECK-LABEL: @wrapped
// CHECK-NOT: concatenate
// LOCAL-COUNT-2: collective_permute"({{.*}} : (tensor<1xf32>)
// LOCAL-NOT: collective_permute
// LOCAL-LABEL: @also_read
func.func @wrapped(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %a = stablehlo.slice %arg0 [15:16] : (tensor<16xf32>) -> tensor<1xf32>
  %b = stablehlo.slice %arg0 [0:1] : (tensor<16xf32>) -> tensor<1xf32>
  %p = stablehlo.concatenate %a, %arg0, %b, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<1xf32>, tensor<16xf32>, tensor<1xf32>) -> tensor<18xf32>
  %0 = stablehlo.slice %p [0:16] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<18xf32>) -> tensor<16xf32>
  %1 = stablehlo.slice %p [2:18] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<18xf32>) -> tensor<16xf32>
  %2 = stablehlo.add %0, %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<16xf32>
  return %2 : tensor<16xf32>
}

// CHECK-LABEL: @also_read
// CHECK: %[[P:.*]] = stablehlo.pad %arg0, {{.*}}low = [1], high = [1]
// CHECK: stablehlo.slice %[[P]]
func.func @also_read(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<18xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.pad %arg0, %zero, low = [1], high = [1], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<16xf32>, tensor<f32>) -> tensor<18xf32>
  %0 = stablehlo.slice %p [0:16] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<18xf32>) -> tensor<16xf32>
  return %0, %p : tensor<16xf32>, tensor<18xf32>
}
