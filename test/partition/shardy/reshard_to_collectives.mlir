// RUN: shardwright-opt %s -sdy-reshard-to-collectives | FileCheck %s
// RUN: shardwright-opt %s -sdy-reshard-to-collectives=keep-redundant-reshards=true | FileCheck %s --check-prefix=KEEP

sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @other = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
sdy.mesh @wide = <["x"=4, "y"=2]>
sdy.mesh @odd = <["x"=2, "y"=3, "z"=2]>
sdy.mesh @flat = <["d"=4]>

// CHECK-LABEL: func.func @order_then_all_to_all
// CHECK: %[[P:.*]] = sdy.collective_permute %arg0 out_sharding=<@mesh, [{"x", "y"}, {}]>
// CHECK: sdy.all_to_all [{"x", "y"}: 0->1] %[[P]] out_sharding=<@mesh, [{}, {"x", "y"}]>
func.func @order_then_all_to_all(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.reshard %a <@mesh, [{}, {"x", "y"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @slice_then_gather
// CHECK: %[[S:.*]] = sdy.all_slice [{}, {"y"}] %arg0 out_sharding=<@mesh, [{"x"}, {"y"}]>
// CHECK: sdy.all_gather [{"x"}, {}] %[[S]] out_sharding=<@mesh, [{}, {"y"}]>
func.func @slice_then_gather(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.reshard %a <@mesh, [{}, {"y"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @parts_of_axes
// CHECK: %[[P:.*]] = sdy.collective_permute %arg0 out_sharding=<@wide, [{"y", "x":(2)2}, {"x":(1)2}]>
// CHECK: sdy.all_to_all [{"x":(2)2}: 0->1] %[[P]] out_sharding=<@wide, [{"y"}, {"x"}]>
func.func @parts_of_axes(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@wide, [{"x"}, {"y"}]>}) -> tensor<8x8xf32> {
  %0 = sdy.reshard %a <@wide, [{"y"}, {"x"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Upstream's rounds end in [{"x", "y"}, {"z"}] here.

// CHECK-LABEL: func.func @ends_where_asked
// CHECK: out_sharding=<@odd, [{"y", "x"}, {"z"}]> : tensor<36x36xf32>
// CHECK-NEXT: return
func.func @ends_where_asked(%a: tensor<36x36xf32> {sdy.sharding = #sdy.sharding<@odd, [{"x", "z"}, {"y"}]>}) -> tensor<36x36xf32> {
  %0 = sdy.reshard %a <@odd, [{"y", "x"}, {"z"}]> : tensor<36x36xf32>
  return %0 : tensor<36x36xf32>
}

// CHECK-LABEL: func.func @other_device_order
// CHECK: sdy.collective_permute %arg0 out_sharding=<@other, [{"x"}, {}]>
func.func @other_device_order(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.reshard %a <@other, [{"x"}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @other_axes_stay
// CHECK: sdy.reshard %arg0 <@flat, [{"d"}, {}]>
func.func @other_axes_stay(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.reshard %a <@flat, [{"d"}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @nothing_to_do
// CHECK-NEXT: return %arg0
// KEEP-LABEL: func.func @nothing_to_do
// KEEP-NEXT: sdy.reshard %arg0
func.func @nothing_to_do(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}) -> tensor<8x8xf32> {
  %0 = sdy.reshard %a <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// A reshard that changes nothing goes, but not the barrier before it.

// CHECK-LABEL: func.func @barrier
// CHECK-NEXT: %[[B:.*]] = sdy.propagation_barrier %arg0
// CHECK-NEXT: return %[[B]]
func.func @barrier(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = sdy.propagation_barrier %a allowed_direction=FORWARD {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : tensor<8x8xf32>
  %1 = sdy.reshard %0 <@mesh, [{}, {}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// What is whole becomes unreduced on one device of each group; the others have
// zeros. A value without a sharding is whole.
// CHECK-LABEL: func.func @whole_to_unreduced
// CHECK: %[[A:.*]] = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>}
// CHECK-NEXT: %[[B:.*]] = sdy.replicated_to_unreduced {"x"} %[[A]] out_sharding=<@mesh, [{}], unreduced={"x"}>
// CHECK-NEXT: %[[C:.*]] = sdy.all_slice [{"y"}] %arg1 out_sharding=<@mesh, [{"y"}]>
// CHECK-NEXT: %[[D:.*]] = sdy.replicated_to_unreduced {"x"} %[[C]] out_sharding=<@mesh, [{"y"}], unreduced={"x"}>
// CHECK-NEXT: return %[[B]], %[[D]]
func.func @whole_to_unreduced(%a: tensor<8xf32>, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.reshard %a <@mesh, [{}], unreduced={"x"}> : tensor<8xf32>
  %1 = sdy.reshard %b <@mesh, [{"y"}], unreduced={"x"}> : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
