// RUN: shardwright-opt %s -sdy-optimize-collectives | FileCheck %s

sdy.mesh @m = <["x"=2, "y"=2, "z"=4, "u"=2]>

// Each axis of dimension 0 gets a dimension of its own, and moves once.
// CHECK-LABEL: func.func @swap
// CHECK: %[[R:.*]] = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}, {}, {}]>]>} : (tensor<8x8xf32>) -> tensor<2x2x2x8xf32>
// CHECK: %[[A:.*]] = sdy.all_to_all [{"x"}: 0->3] %[[R]] out_sharding=<@m, [{}, {"y"}, {}, {"x"}]>
// CHECK: %[[B:.*]] = sdy.all_to_all [{"y"}: 1->0] %[[A]] out_sharding=<@m, [{"y"}, {}, {}, {"x"}]>
// CHECK: stablehlo.reshape %[[B]] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}, {"x"}]>]>} : (tensor<2x2x2x8xf32>) -> tensor<8x8xf32>
func.func @swap(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.collective_permute %a out_sharding=<@m, [{"y", "x"}, {}]> : tensor<8x8xf32>
  %1 = sdy.all_to_all [{"x"}: 0->1] %0 out_sharding=<@m, [{"y"}, {"x"}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// A chain of all-to-alls, the outer axis first.
// CHECK-LABEL: func.func @chain
// CHECK: sdy.all_to_all [{"x"}: 0->3]
// CHECK-NEXT: sdy.all_to_all [{"y"}: 1->4]
// CHECK-NEXT: sdy.all_to_all [{"u"}: 2->0] {{.*}} out_sharding=<@m, [{"u"}, {}, {}, {"x"}, {"y"}]>
func.func @chain(%a: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y", "u"}, {}, {}]>}) -> tensor<8x8x8xf32> {
  %0 = sdy.collective_permute %a out_sharding=<@m, [{"u", "y", "x"}, {}, {}]> : tensor<8x8x8xf32>
  %1 = sdy.all_to_all [{"x"}: 0->1] %0 out_sharding=<@m, [{"u", "y"}, {"x"}, {}]> : tensor<8x8x8xf32>
  %2 = sdy.all_to_all [{"y"}: 0->2] %1 out_sharding=<@m, [{"u"}, {"x"}, {"y"}]> : tensor<8x8x8xf32>
  return %2 : tensor<8x8x8xf32>
}

// Two axes that leave together move one after the other.
// CHECK-LABEL: func.func @two_at_once
// CHECK: sdy.all_to_all [{"x"}: 0->4]
// CHECK-NEXT: sdy.all_to_all [{"y"}: 1->4]
// CHECK-NEXT: sdy.all_to_all [{"u"}: 2->0] {{.*}} out_sharding=<@m, [{"u"}, {}, {}, {}, {"x", "y"}]> : tensor<2x2x2x2x16xf32>
func.func @two_at_once(%a: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y", "u"}, {}]>}) -> tensor<16x16xf32> {
  %0 = sdy.collective_permute %a out_sharding=<@m, [{"u", "x", "y"}, {}]> : tensor<16x16xf32>
  %1 = sdy.all_to_all [{"x", "y"}: 0->1] %0 out_sharding=<@m, [{"u"}, {"x", "y"}]> : tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}

// An axis stays in front, and the shards are whole: no dimension for the rest.
// CHECK-LABEL: func.func @sub_axes
// CHECK: stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"z":(1)2}, {"z":(2)2}, {"x"}, {}], unreduced={"y"}>]>} : (tensor<8x8xf32>) -> tensor<2x2x2x8xf32>
// CHECK: sdy.all_to_all [{"z":(2)2}: 1->3]
// CHECK: sdy.all_to_all [{"x"}: 2->1]
// CHECK: stablehlo.reshape {{.*}}[{"z":(1)2, "x"}, {"z":(2)2}], unreduced={"y"}>
func.func @sub_axes(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"z", "x"}, {}], unreduced={"y"}>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"z":(1)2, "x"}, {"z":(2)2}], unreduced={"y"}>}) {
  %0 = sdy.collective_permute %a out_sharding=<@m, [{"z":(1)2, "x", "z":(2)2}, {}], unreduced={"y"}> : tensor<8x8xf32>
  %1 = sdy.all_to_all [{"z":(2)2}: 0->1] %0 out_sharding=<@m, [{"z":(1)2, "x"}, {"z":(2)2}], unreduced={"y"}> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// "z" does not fit where "x" was.
// CHECK-LABEL: func.func @too_large
// CHECK-NEXT: sdy.collective_permute
// CHECK-NEXT: sdy.all_to_all
func.func @too_large(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "z"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.collective_permute %a out_sharding=<@m, [{"z", "x"}, {}]> : tensor<16x8xf32>
  %1 = sdy.all_to_all [{"x"}: 0->1] %0 out_sharding=<@m, [{"z"}, {"x"}]> : tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}

// Together "x" and "y" would fit where "z" was, but are not contiguous there.
// CHECK-LABEL: func.func @apart
// CHECK-NEXT: sdy.collective_permute
// CHECK-NEXT: sdy.all_to_all
func.func @apart(%a: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"z", "x", "y"}, {}]>}) -> tensor<16x16xf32> {
  %0 = sdy.collective_permute %a out_sharding=<@m, [{"x", "y", "z"}, {}]> : tensor<16x16xf32>
  %1 = sdy.all_to_all [{"z"}: 0->1] %0 out_sharding=<@m, [{"x", "y"}, {"z"}]> : tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}

// Shards that do not divide, another axis, other uses.
// CHECK-LABEL: func.func @uneven
// CHECK-NEXT: sdy.collective_permute
func.func @uneven(%a: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) -> tensor<6x8xf32> {
  %0 = sdy.collective_permute %a out_sharding=<@m, [{"y", "x"}, {}]> : tensor<6x8xf32>
  %1 = sdy.all_to_all [{"x"}: 0->1] %0 out_sharding=<@m, [{"y"}, {"x"}]> : tensor<6x8xf32>
  return %1 : tensor<6x8xf32>
}
// CHECK-LABEL: func.func @another_axis
// CHECK-NEXT: sdy.collective_permute
func.func @another_axis(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.collective_permute %a out_sharding=<@m, [{"y", "u"}, {}]> : tensor<8x8xf32>
  %1 = sdy.all_to_all [{"u"}: 0->1] %0 out_sharding=<@m, [{"y"}, {"u"}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// CHECK-LABEL: func.func @used_twice
// CHECK-NEXT: sdy.collective_permute
func.func @used_twice(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = sdy.collective_permute %a out_sharding=<@m, [{"y", "x"}, {}]> : tensor<8x8xf32>
  %1 = sdy.all_to_all [{"x"}: 0->1] %0 out_sharding=<@m, [{"y"}, {"x"}]> : tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}
