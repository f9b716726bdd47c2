// Shardings that a search adds to a module, and no op changes.
// RUN: split-file %s %t
// RUN: shardwright-opt %t/mlp.mlir --sw-auto-shard=machine=%t/machine.json | FileCheck %s --check-prefixes=CHECK,FREE
// RUN: shardwright-opt %t/none.mlir --pass-pipeline='builtin.module(sw-auto-shard{mesh=data=2,model=2 machine=%t/machine.json})' | FileCheck %s --check-prefix=NONE

// The hidden dimension is what both products share.
// CHECK-LABEL: func.func @main
// FREE-SAME: %arg1: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}
// FREE-SAME: %arg2: tensor<256x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}
// CHECK: stablehlo.dot_general
// CHECK-NEXT: stablehlo.tanh
// CHECK-NEXT: stablehlo.dot_general
// CHECK-NEXT: stablehlo.add
// CHECK-NEXT: return

// A module without a mesh gets one.
// NONE: sdy.mesh @mesh = <["data"=2, "model"=2]>
// NONE: func.func @main(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{{.*}}]>}
// NONE-NEXT: stablehlo.dot_general
// NONE-NEXT: return

// As Shardy's hook, between propagation and export: what the user has written
// has been propagated, closed dimensions stay, and edges of loops hold the
// shardings.
// RUN: shardwright-opt %t/loop.mlir --sdy-import-pipeline --sdy-user-priority-propagate --sw-auto-shard=machine=%t/machine.json | FileCheck %s --check-prefix=HOOK
// HOOK: func.func @main(%arg0: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}
// HOOK: stablehlo.while
// HOOK: sdy.data_flow_edge {{.*}} sharding=<@mesh
// RUN: shardwright-opt %t/loop.mlir --sdy-import-pipeline --sdy-user-priority-propagate --sw-auto-shard=machine=%t/machine.json --sdy-user-priority-propagate --sdy-export-pipeline | FileCheck %s --check-prefix=EXPORTED
// EXPORTED: func.func @main(%arg0: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=4]>, [{}, {"x"}]>}
// EXPORTED-NOT: data_flow_edge
// EXPORTED: stablehlo.while

// Without annotations there is nothing to propagate but what is found.
// RUN: sed 's/ {sdy.sharding = [^>]*>}//' %t/loop.mlir > %t/free.mlir
// RUN: not grep sdy.sharding %t/free.mlir
// RUN: shardwright-opt %t/free.mlir --sdy-import-pipeline --sdy-user-priority-propagate --sw-auto-shard=machine=%t/machine.json --sdy-user-priority-propagate | FileCheck %s --check-prefix=FOUND
// FOUND: func.func @main(%arg0: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh
// FOUND: sdy.data_flow_edge %{{.*}}#1 sharding=<@mesh, [{{.*}}"x"

// RUN: not shardwright-opt %t/none.mlir --sw-auto-shard 2>&1 | FileCheck %s --check-prefix=NO-MESH
// NO-MESH: error: the module has no mesh, and none is given
// RUN: not shardwright-opt %t/none.mlir --sw-auto-shard=mesh=data 2>&1 | FileCheck %s --check-prefix=BAD-MESH
// BAD-MESH: error: sw-auto-shard: option 'mesh' is 'data', expected axes and sizes as data=4,model=2
// RUN: not shardwright-opt %t/mlp.mlir --sw-auto-shard=mesh=y=4 2>&1 | FileCheck %s --check-prefix=OTHER-MESH
// OTHER-MESH: error: the module has mesh @mesh, and the option `mesh` asks for another one; leave out the option
// RUN: not shardwright-opt %t/mlp.mlir --sw-auto-shard=memory=1KiB 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: error: no shardings fit in 1.0 KiB per device (option `memory`): the least memory found is
// RUN: not shardwright-opt %t/mlp.mlir --sw-auto-shard=effort=3 2>&1 | FileCheck %s --check-prefix=EFFORT
// EFFORT: error: sw-auto-shard: option 'effort' is '3', expected 0, 1 or 2

//--- machine.json
{"name": "small", "flops_per_second": {"default": 1e13}, "memory": {"bytes": 1e9, "bytes_per_second": 2e10},
 "link": {"bytes_per_second": 1e10, "latency_seconds": 1e-7}}

//--- mlp.mlir
sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<8x64xf32>, %w1: tensor<64x256xf32>, %w2: tensor<256x64xf32>) -> tensor<8x64xf32> {
  %0 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x256xf32>) -> tensor<8x256xf32>
  %1 = stablehlo.tanh %0 : tensor<8x256xf32>
  %2 = stablehlo.dot_general %1, %w2, contracting_dims = [1] x [0] : (tensor<8x256xf32>, tensor<256x64xf32>) -> tensor<8x64xf32>
  %3 = stablehlo.add %x, %2 : tensor<8x64xf32>
  return %3 : tensor<8x64xf32>
}

//--- none.mlir
func.func @main(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

//--- loop.mlir
sdy.mesh @mesh = <["x"=4]>
func.func @main(%w: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<10> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %a = %x) : tensor<i32>, tensor<64x64xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %b = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %c = stablehlo.dot_general %y, %b, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    stablehlo.return %next, %c : tensor<i32>, tensor<64x64xf32>
  }
  return %0#1 : tensor<64x64xf32>
}
