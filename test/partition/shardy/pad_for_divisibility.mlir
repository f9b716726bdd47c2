// RUN: shardwright-opt %s -pass-pipeline='builtin.module(func.func(sdy-pad-for-divisibility))' | FileCheck %s

sdy.mesh @m = <["x"=2, "y"=2]>
sdy.mesh @four = <["z"=4]>

// CHECK-LABEL: func.func @elementwise
// CHECK: stablehlo.pad %arg0, {{.*}}high = [1]
// CHECK: sdy.all_slice [{"x"}] {{.*}} : tensor<6xf32>
// CHECK: stablehlo.exponential {{.*}} : tensor<6xf32>
// CHECK: sdy.all_gather [{"x"}] {{.*}} : tensor<6xf32>
// CHECK: stablehlo.slice {{.*}} [0:5]
func.func @elementwise(%a: tensor<5xf32>) -> tensor<5xf32> {
  %0 = sdy.all_slice [{"x"}] %a out_sharding=<@m, [{"x"}]> : tensor<5xf32>
  %1 = stablehlo.exponential %0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : tensor<5xf32>
  %2 = sdy.all_gather [{"x"}] %1 out_sharding=<@m, [{}]> : tensor<5xf32>
  return %2 : tensor<5xf32>
}

// Shardy adds the rows beyond the end up.

// CHECK-LABEL: func.func @reduce
// CHECK: %[[I:.*]] = stablehlo.iota dim = 0 {{.*}}"x"{{.*}} : tensor<6xi32>
// CHECK: %[[C:.*]] = stablehlo.compare LT, %[[I]]
// CHECK: %[[S:.*]] = stablehlo.select %[[C]]
// CHECK: stablehlo.reduce(%[[S]]
func.func @reduce(%a: tensor<5xf32>) -> tensor<f32> {
  %i = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = sdy.all_slice [{"x"}] %a out_sharding=<@m, [{"x"}]> : tensor<5xf32>
  %1 = stablehlo.exponential %0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : tensor<5xf32>
  %2 = stablehlo.reduce(%1 init: %i) applies stablehlo.add across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, []>]>} : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
  %3 = sdy.all_reduce {"x"} %2 out_sharding=<@m, []> : tensor<f32>
  return %3 : tensor<f32>
}

// 9 rows are 5 and 4, and then 3, 3, 3 and none: rows change their device.

// CHECK-LABEL: func.func @cut_finer
// CHECK: sdy.all_slice [{"x"}] {{.*}} : tensor<10xf32>
// CHECK: sdy.manual_computation
// CHECK: stablehlo.collective_permute
// CHECK: sdy.all_slice [{"y"}] {{.*}} : tensor<12xf32>
func.func @cut_finer(%a: tensor<9xf32>) -> tensor<9xf32> {
  %0 = sdy.all_slice [{"x"}] %a out_sharding=<@m, [{"x"}]> : tensor<9xf32>
  %1 = sdy.all_slice [{"y"}] %0 out_sharding=<@m, [{"x", "y"}]> : tensor<9xf32>
  %2 = sdy.all_gather [{"x", "y"}] %1 out_sharding=<@m, [{}]> : tensor<9xf32>
  return %2 : tensor<9xf32>
}

// Rows that are zeros beyond the end need no mask to be summed up; those that
// hold anything do.
// CHECK-LABEL: func.func @known_zeros
// CHECK-NOT: stablehlo.select
// CHECK: stablehlo.dot_general
// CHECK-LABEL: func.func @unknown_rows
// CHECK: stablehlo.exponential
// CHECK: stablehlo.select
// CHECK-NOT: stablehlo.select
// CHECK: stablehlo.dot_general
func.func @known_zeros(%a: tensor<4x5xf32>, %b: tensor<5x4xf32>) -> tensor<4x4xf32> {
  %0 = sdy.all_slice [{}, {"x"}] %a out_sharding=<@m, [{}, {"x"}]> : tensor<4x5xf32>
  %1 = sdy.all_slice [{"x"}, {}] %b out_sharding=<@m, [{"x"}, {}]> : tensor<5x4xf32>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}]>]>} : (tensor<4x5xf32>, tensor<5x4xf32>) -> tensor<4x4xf32>
  %3 = sdy.all_reduce {"x"} %2 out_sharding=<@m, [{}, {}]> : tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}
func.func @unknown_rows(%a: tensor<4x5xf32>, %b: tensor<5x4xf32>) -> tensor<4x4xf32> {
  %0 = sdy.all_slice [{}, {"x"}] %a out_sharding=<@m, [{}, {"x"}]> : tensor<4x5xf32>
  %1 = sdy.all_slice [{"x"}, {}] %b out_sharding=<@m, [{"x"}, {}]> : tensor<5x4xf32>
  %4 = stablehlo.exponential %1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<5x4xf32>
  %2 = stablehlo.dot_general %0, %4, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}]>]>} : (tensor<4x5xf32>, tensor<5x4xf32>) -> tensor<4x4xf32>
  %3 = sdy.all_reduce {"x"} %2 out_sharding=<@m, [{}, {}]> : tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// A mask is made once, and padding with what a mask would put there makes none.
// CHECK-LABEL: func.func @masked_before
// CHECK: stablehlo.pad %{{.*}}, low = [0, 0], high = [2, 0]
// CHECK-NOT: stablehlo.select
// CHECK: return
func.func @masked_before(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %b: tensor<5x4xf32>) -> tensor<4x4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %a, %z, low = [0, 0], high = [1, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<4x4xf32>, tensor<f32>) -> tensor<5x4xf32>
  %1 = sdy.all_slice [{"x"}, {}] %b out_sharding=<@m, [{"x"}, {}]> : tensor<5x4xf32>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [0] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}]>]>} : (tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<4x4xf32>
  %3 = sdy.all_reduce {"x"} %2 out_sharding=<@m, [{}, {}]> : tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// Quantized rows are added as quantized zeros.
// CHECK-LABEL: func.func @quantized
// CHECK: %[[Z:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK: %[[Q:.*]] = stablehlo.uniform_quantize %[[Z]]
// CHECK: stablehlo.pad %arg0, %[[Q]]
func.func @quantized(%a: tensor<5x!quant.uniform<i8:f32, 0.1:-1>>) -> tensor<5x!quant.uniform<i8:f32, 0.1:-1>> {
  %0 = sdy.all_slice [{"x"}] %a out_sharding=<@m, [{"x"}]> : tensor<5x!quant.uniform<i8:f32, 0.1:-1>>
  %1 = sdy.all_gather [{"x"}] %0 out_sharding=<@m, [{}]> : tensor<5x!quant.uniform<i8:f32, 0.1:-1>>
  return %1 : tensor<5x!quant.uniform<i8:f32, 0.1:-1>>
}

// A barrier passes the rows on.
// CHECK-LABEL: func.func @barrier
// CHECK: sdy.propagation_barrier %{{.*}} : tensor<6xf32>
func.func @barrier(%a: tensor<5xf32>) -> tensor<5xf32> {
  %0 = sdy.all_slice [{"x"}] %a out_sharding=<@m, [{"x"}]> : tensor<5xf32>
  %1 = sdy.propagation_barrier %0 allowed_direction=NONE {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : tensor<5xf32>
  %2 = stablehlo.negate %1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : tensor<5xf32>
  %3 = sdy.all_gather [{"x"}] %2 out_sharding=<@m, [{}]> : tensor<5xf32>
  return %3 : tensor<5xf32>
}

// 8 rows of which a slice leaves 7: the last is no padding, and is masked before a
// pad puts rows after it, also where it cuts some off in front.
// CHECK-LABEL: func.func @row_of_a_slice
// CHECK: %[[S:.*]] = stablehlo.slice %arg0 [0:8]
// CHECK: %[[M:.*]] = stablehlo.select %{{.*}}, %[[S]]
// CHECK: stablehlo.pad %[[M]], %{{.*}}, low = [1], high = [3]
// CHECK: %[[N:.*]] = stablehlo.select %{{.*}}, %[[S]]
// CHECK: stablehlo.pad %[[N]], %{{.*}}, low = [-1], high = [1]
func.func @row_of_a_slice(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@four, [{"z"}]>}, %p: tensor<f32>) -> (tensor<10xf32>, tensor<8xf32>) {
  %0 = stablehlo.slice %a [0:7] {sdy.sharding = #sdy.sharding_per_value<[<@four, [{"z"}]>]>} : (tensor<8xf32>) -> tensor<7xf32>
  %1 = stablehlo.pad %0, %p, low = [1], high = [2], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@four, [{"z"}]>]>} : (tensor<7xf32>, tensor<f32>) -> tensor<10xf32>
  %2 = sdy.all_gather [{"z"}] %1 out_sharding=<@four, [{}]> : tensor<10xf32>
  %3 = stablehlo.pad %0, %p, low = [-1], high = [2], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@four, [{"z"}]>]>} : (tensor<7xf32>, tensor<f32>) -> tensor<8xf32>
  %4 = sdy.all_gather [{"z"}] %3 out_sharding=<@four, [{}]> : tensor<8xf32>
  return %2, %4 : tensor<10xf32>, tensor<8xf32>
}

// What the padding of a value holds is kept by collectives that move it: a product
// masks neither operand. That of a sum is unknown.
// CHECK-LABEL: func.func @zeros_through_collectives
// CHECK-NOT: stablehlo.select
// CHECK: stablehlo.dot_general
// CHECK: stablehlo.select
// CHECK: stablehlo.dot_general
func.func @zeros_through_collectives(%a: tensor<5x8xf32>, %b: tensor<8x5xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = sdy.all_slice [{"x"}, {}] %a out_sharding=<@m, [{"x"}, {}]> : tensor<5x8xf32>
  %1 = sdy.all_slice [{"x"}, {}] %b out_sharding=<@m, [{"x"}, {}]> : tensor<8x5xf32>
  %2 = sdy.all_to_all [{"x"}: 0->1] %1 out_sharding=<@m, [{}, {"x"}]> : tensor<8x5xf32>
  %3 = stablehlo.dot_general %2, %0, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}]>]>} : (tensor<8x5xf32>, tensor<5x8xf32>) -> tensor<8x8xf32>
  %4 = sdy.all_reduce {"x"} %3 out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  %5 = stablehlo.add %2, %2 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"x"}]>]>} : tensor<8x5xf32>
  %6 = stablehlo.dot_general %5, %0, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}]>]>} : (tensor<8x5xf32>, tensor<5x8xf32>) -> tensor<8x8xf32>
  %7 = sdy.all_reduce {"x"} %6 out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  return %4, %7 : tensor<8x8xf32>, tensor<8x8xf32>
}
