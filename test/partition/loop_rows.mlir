// Rows of a sharded dimension that a loop takes one after another: gathered in
// front of it where that takes less time, a message counting as it does on the
// built-in machine.
// RUN: shardwright-opt %s --sw-insert-collectives | FileCheck %s

sdy.mesh @mesh = <["x"=4]>

// CHECK-LABEL: @all_rows
// CHECK: %[[ALL:.*]] = sdy.all_gather [{"x"}, {}, {}] %arg0
// CHECK: stablehlo.while
// CHECK: stablehlo.dynamic_slice %[[ALL]]
// CHECK-NOT: sdy.all_
// CHECK: return
func.func @all_rows(%arg0: tensor<8x64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %arg1: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %h = %arg1) : tensor<i32>, tensor<64x64xf32>
  cond {
    %n = stablehlo.constant dense<8> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %r = stablehlo.dynamic_slice %arg0, %i, %c0, %c0, sizes = [1, 64, 64] : (tensor<8x64x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x64x64xf32>
    %w = stablehlo.reshape %r : (tensor<1x64x64xf32>) -> tensor<64x64xf32>
    %t = stablehlo.tanh %h : tensor<64x64xf32>
    %s = stablehlo.multiply %t, %w : tensor<64x64xf32>
    stablehlo.return %next, %s : tensor<i32>, tensor<64x64xf32>
  }
  return %0#1 : tensor<64x64xf32>
}

// Many short rows: the messages would take longer than all bytes.
// CHECK-LABEL: @short_rows
// CHECK: %[[ALL:.*]] = sdy.all_gather [{"x"}, {}, {}] %arg0
// CHECK: stablehlo.while
// CHECK: stablehlo.dynamic_slice %[[ALL]]
// CHECK-NOT: sdy.all_
// CHECK: return
func.func @short_rows(%arg0: tensor<4096x1x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %arg1: tensor<1x32xf32>) -> tensor<1x32xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %h = %arg1) : tensor<i32>, tensor<1x32xf32>
  cond {
    %n = stablehlo.constant dense<4096> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %r = stablehlo.dynamic_slice %arg0, %i, %c0, %c0, sizes = [1, 1, 32] : (tensor<4096x1x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1x32xf32>
    %w = stablehlo.reshape %r : (tensor<1x1x32xf32>) -> tensor<1x32xf32>
    %t = stablehlo.tanh %h : tensor<1x32xf32>
    %s = stablehlo.multiply %t, %w : tensor<1x32xf32>
    stablehlo.return %next, %s : tensor<i32>, tensor<1x32xf32>
  }
  return %0#1 : tensor<1x32xf32>
}

// Some of them: more bytes, fewer messages.
// CHECK-LABEL: @some_rows
// CHECK: %[[ALL:.*]] = sdy.all_gather [{"x"}, {}, {}] %arg0
// CHECK: stablehlo.while
// CHECK: stablehlo.dynamic_slice %[[ALL]]
// CHECK-NOT: sdy.all_
// CHECK: return
func.func @some_rows(%arg0: tensor<8x64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %arg1: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %h = %arg1) : tensor<i32>, tensor<64x64xf32>
  cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %r = stablehlo.dynamic_slice %arg0, %i, %c0, %c0, sizes = [1, 64, 64] : (tensor<8x64x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x64x64xf32>
    %w = stablehlo.reshape %r : (tensor<1x64x64xf32>) -> tensor<64x64xf32>
    %t = stablehlo.tanh %h : tensor<64x64xf32>
    %s = stablehlo.multiply %t, %w : tensor<64x64xf32>
    stablehlo.return %next, %s : tensor<i32>, tensor<64x64xf32>
  }
  return %0#1 : tensor<64x64xf32>
}

// It is not known how many: all.
// CHECK-LABEL: @unknown
// CHECK: %[[ALL:.*]] = sdy.all_gather [{"x"}, {}, {}] %arg0
// CHECK: stablehlo.while
// CHECK: stablehlo.dynamic_slice %[[ALL]]
// CHECK-NOT: sdy.all_
// CHECK: return
func.func @unknown(%arg0: tensor<8x64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %arg1: tensor<64x64xf32>, %n: tensor<i32>) -> tensor<64x64xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %h = %arg1) : tensor<i32>, tensor<64x64xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %r = stablehlo.dynamic_slice %arg0, %i, %c0, %c0, sizes = [1, 64, 64] : (tensor<8x64x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x64x64xf32>
    %w = stablehlo.reshape %r : (tensor<1x64x64xf32>) -> tensor<64x64xf32>
    %t = stablehlo.tanh %h : tensor<64x64xf32>
    %s = stablehlo.multiply %t, %w : tensor<64x64xf32>
    stablehlo.return %next, %s : tensor<i32>, tensor<64x64xf32>
  }
  return %0#1 : tensor<64x64xf32>
}

// Two rows of many large ones.
// CHECK-LABEL: @few_of_many
// CHECK-NOT: sdy.all_
// CHECK: stablehlo.while
// CHECK: stablehlo.dynamic_slice %arg0
// CHECK: sdy.all_reduce {"x"}
// CHECK-NOT: sdy.all_
// CHECK: return
func.func @few_of_many(%arg0: tensor<64x256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %arg1: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %h = %arg1) : tensor<i32>, tensor<256x256xf32>
  cond {
    %n = stablehlo.constant dense<2> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %r = stablehlo.dynamic_slice %arg0, %i, %c0, %c0, sizes = [1, 256, 256] : (tensor<64x256x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x256xf32>
    %w = stablehlo.reshape %r : (tensor<1x256x256xf32>) -> tensor<256x256xf32>
    %t = stablehlo.tanh %h : tensor<256x256xf32>
    %s = stablehlo.multiply %t, %w : tensor<256x256xf32>
    stablehlo.return %next, %s : tensor<i32>, tensor<256x256xf32>
  }
  return %0#1 : tensor<256x256xf32>
}

// All of them together are more than a device may hold for the sake of a loop.
// CHECK-LABEL: @too_large
// CHECK-NOT: sdy.all_
// CHECK: stablehlo.while
// CHECK: stablehlo.dynamic_slice %arg0
// CHECK: sdy.all_reduce {"x"}
// CHECK-NOT: sdy.all_
// CHECK: return
func.func @too_large(%arg0: tensor<8x16384x16384xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %arg1: tensor<16384x16384xf32>) -> tensor<16384x16384xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %h = %arg1) : tensor<i32>, tensor<16384x16384xf32>
  cond {
    %n = stablehlo.constant dense<8> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %r = stablehlo.dynamic_slice %arg0, %i, %c0, %c0, sizes = [1, 16384, 16384] : (tensor<8x16384x16384xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16384x16384xf32>
    %w = stablehlo.reshape %r : (tensor<1x16384x16384xf32>) -> tensor<16384x16384xf32>
    %t = stablehlo.tanh %h : tensor<16384x16384xf32>
    %s = stablehlo.multiply %t, %w : tensor<16384x16384xf32>
    stablehlo.return %next, %s : tensor<i32>, tensor<16384x16384xf32>
  }
  return %0#1 : tensor<16384x16384xf32>
}

// Where a loop takes rows in no order, as many may be the same: bytes decide.
// CHECK-LABEL: @anywhere
// CHECK-NOT: sdy.all_gather
// CHECK: stablehlo.while
// CHECK: stablehlo.dynamic_slice %arg0
// CHECK: sdy.all_reduce {"x"}
// CHECK: return
func.func @anywhere(%arg0: tensor<64x64xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<i32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %at = %c0) : tensor<i32>, tensor<i32>
  cond {
    %n = stablehlo.constant dense<8> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %r = stablehlo.dynamic_slice %arg0, %at, %i, sizes = [1, 1] : (tensor<64x64xi32>, tensor<i32>, tensor<i32>) -> tensor<1x1xi32>
    %s = stablehlo.reshape %r : (tensor<1x1xi32>) -> tensor<i32>
    stablehlo.return %next, %s : tensor<i32>, tensor<i32>
  }
  return %0#1 : tensor<i32>
}
