// A dimension that both shardings pad to different sizes is gathered before it is
// sliced: its shards do not begin at the same rows.
// RUN: shardwright-opt %s -sdy-reshard-to-collectives | FileCheck %s
// RUN: shardwright-opt %s -sdy-reshard-to-collectives=sw-shardy=0.10.2 | FileCheck %s --check-prefix=OLD

sdy.mesh @m = <["a"=2, "b"=2, "c"=4]>
sdy.mesh @wide = <["a"=2, "b"=2, "c"=4, "e"=8]>
sdy.mesh @n = <["a"=2, "b"=2, "c"=4], device_ids=[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]>

// CHECK-LABEL: func.func @more_shards
// CHECK-NEXT: %[[G:.*]] = sdy.all_gather [{"a"}] %arg0 out_sharding=<@m, [{}]> : tensor<5xf32>
// CHECK-NEXT: sdy.all_slice [{"a", "b"}] %[[G]] out_sharding=<@m, [{"a", "b"}]>
// OLD-LABEL: func.func @more_shards
// OLD-NEXT: sdy.all_slice [{"b"}] %arg0 out_sharding=<@m, [{"a", "b"}]>
func.func @more_shards(%a: tensor<5xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>}) -> tensor<5xf32> {
  %0 = sdy.reshard %a <@m, [{"a", "b"}]> : tensor<5xf32>
  return %0 : tensor<5xf32>
}

// 3 rows take 4 by two shards and by four.
// CHECK-LABEL: func.func @same_padding
// CHECK-NEXT: sdy.all_slice [{"b"}] %arg0 out_sharding=<@m, [{"a", "b"}]>
func.func @same_padding(%a: tensor<3xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>}) -> tensor<3xf32> {
  %0 = sdy.reshard %a <@m, [{"a", "b"}]> : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// What is gathered anyway is in the same all_gather.
// CHECK-LABEL: func.func @with_another
// CHECK-NEXT: %[[G:.*]] = sdy.all_gather [{"b"}, {"c"}] %arg0 out_sharding=<@m, [{}, {}]> : tensor<3x5xf32>
// CHECK-NEXT: sdy.all_slice [{}, {"b"}] %[[G]] out_sharding=<@m, [{}, {"b"}]>
// OLD-LABEL: func.func @with_another
// OLD: sdy.all_gather
func.func @with_another(%a: tensor<3x5xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {"c"}]>}) -> tensor<3x5xf32> {
  %0 = sdy.reshard %a <@m, [{}, {"b"}]> : tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// The order of devices changes first.
// CHECK-LABEL: func.func @other_order
// CHECK-NEXT: %[[P:.*]] = sdy.collective_permute %arg0 out_sharding=<@n, [{"a"}]>
// CHECK-NEXT: %[[G:.*]] = sdy.all_gather [{"a"}] %[[P]] out_sharding=<@n, [{}]> : tensor<5xf32>
// CHECK-NEXT: sdy.all_slice [{"c"}] %[[G]] out_sharding=<@n, [{"c"}]>
func.func @other_order(%a: tensor<5xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>}) -> tensor<5xf32> {
  %0 = sdy.reshard %a <@n, [{"c"}]> : tensor<5xf32>
  return %0 : tensor<5xf32>
}

// A dimension that is gathered still has "e" when the rounds would place a part of
// it: each step must name an axis once.
// CHECK-LABEL: func.func @part_of_a_gathered_axis
// CHECK-NOT: sdy.reshard
// CHECK: out_sharding=<@wide, [{"b"}, {"e", "c"}, {}]>
// CHECK-NEXT: return
func.func @part_of_a_gathered_axis(%a: tensor<6x6x6xf32> {sdy.sharding = #sdy.sharding<@wide, [{"e", "c":(1)2}, {}, {}]>}) -> tensor<6x6x6xf32> {
  %0 = sdy.reshard %a <@wide, [{"b"}, {"e", "c"}, {}]> : tensor<6x6x6xf32>
  return %0 : tensor<6x6x6xf32>
}
