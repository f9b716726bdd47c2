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

// What is padded at one end and cut at the other is shifted, a reshard between
// the two or not.
// CHECK-LABEL: @padded_and_cut
// CHECK-SAME: %[[X:.*]]: tensor<16xf32>
// CHECK-NOT: all_gather
// CHECK: stablehlo.pad %[[X]], {{.*}}low = [-1], high = [1]
// CHECK-NOT: tensor<17xf32>
// CHECK: return
// LOCAL-LABEL: @padded_and_cut
// LOCAL: collective_permute"({{.*}} : (tensor<1xf32>)
func.func @padded_and_cut(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %other = stablehlo.constant dense<1.0> : tensor<f32>
  %p = stablehlo.pad %arg0, %zero, low = [0], high = [1], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<16xf32>, tensor<f32>) -> tensor<17xf32>
  %r = sdy.reshard %p <@mesh, [{}]> : tensor<17xf32>
  %0 = stablehlo.pad %r, %other, low = [-1], high = [0], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<17xf32>, tensor<f32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// The value that is cut off does not come back, and a pad has one padding.
// CHECK-LABEL: @two_pads
// CHECK-DAG: stablehlo.pad %arg0, {{.*}}low = [-1], high = [0]
// CHECK-DAG: stablehlo.pad %arg0, {{.*}}low = [2], high = [0]
// CHECK-DAG: stablehlo.pad %{{.*}}low = [1], high = [0]
// CHECK-DAG: stablehlo.pad %{{.*}}low = [2], high = [0]
func.func @two_pads(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<20xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %cut = stablehlo.pad %arg0, %zero, low = [-1], high = [0], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<16xf32>, tensor<f32>) -> tensor<15xf32>
  %0 = stablehlo.pad %cut, %zero, low = [1], high = [0], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<15xf32>, tensor<f32>) -> tensor<16xf32>
  %p = stablehlo.pad %arg0, %zero, low = [2], high = [0], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<16xf32>, tensor<f32>) -> tensor<18xf32>
  %1 = stablehlo.pad %p, %one, low = [2], high = [0], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<18xf32>, tensor<f32>) -> tensor<20xf32>
  return %0, %1 : tensor<16xf32>, tensor<20xf32>
}

// A piece of a roll, of rows that are slices already; slices of another
// dimension do not undo the roll.
// CHECK-LABEL: @pieces_of_rolls
// CHECK-NOT: all_gather
// CHECK-NOT: all_reduce
// CHECK: stablehlo.pad %arg0, {{.*}}low = [-3, 0], high = [3, 0], {{.*}}sw.roll = 0
// CHECK: return
// LOCAL-LABEL: @pieces_of_rolls
// LOCAL-NOT: all_gather
// LOCAL-NOT: all_reduce
// LOCAL: return
func.func @pieces_of_rolls(%arg0: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<16x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %a = stablehlo.slice %arg0 [3:16, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<13x4xf32>
  %b = stablehlo.slice %arg0 [0:3, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<3x4xf32>
  %r = stablehlo.concatenate %a, %b, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<13x4xf32>, tensor<3x4xf32>) -> tensor<16x4xf32>
  %0 = stablehlo.slice %r [7:15, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<8x4xf32>
  %s = stablehlo.concatenate %a, %b, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<13x4xf32>, tensor<3x4xf32>) -> tensor<16x4xf32>
  %1 = stablehlo.slice %s [0:16, 1:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<16x2xf32>
  return %0, %1 : tensor<8x4xf32>, tensor<16x2xf32>
}
