// Meshes of several sizes in one module: the program is that of @main, on the
// mesh that it and its callees use.
// RUN: shardwright partition %s --stop-after=local | FileCheck %s
// RUN: shardwright run %s --random 1 | FileCheck %s --check-prefix=DEVICES
// RUN: shardwright partition %s --stop-after=propagate | FileCheck %s --check-prefix=PROPAGATE
// RUN: shardwright explain %s --arg arg0 | FileCheck %s --check-prefix=EXPLAIN
// RUN: sed 's/@b, \[{"x"}\]/@a, [{"x"}]/' %s | shardwright partition - --stop-after=local | FileCheck %s --check-prefix=TWO
// RUN: sed 's/sharding<@b, /sharding<mesh<["x"=4]>, /' %s | shardwright partition - --stop-after=local | FileCheck %s
// RUN: sed 's/ {sdy.sharding = #sdy.sharding<@b, \[{"x"}\]>}//' %s | shardwright partition - --stop-after=local | FileCheck %s --check-prefix=NONE
// RUN: sed 's/sharding<@b, \[{"x"}\]>}) -> tensor<f32> {/&\n %%k = sdy.sharding_constraint %%arg0 <@single, [{"x"}]> : tensor<8xf32>/; s/@helper(%%arg0) : /@helper(%%k) : /' %s | shardwright partition - --stop-after=local | FileCheck %s --check-prefix=ONE
// RUN: sed 's/negate %%arg0/negate %%arg0 {sdy.sharding = #sdy.sharding_per_value<[<@a, [{"x"}]>]>}/' %s | not shardwright run - --random 1 2>&1 | FileCheck %s --check-prefix=BOTH

sdy.mesh @a = <["x"=2]>
sdy.mesh @unused = <["x"=3, "y"=5]>
sdy.mesh @one = <[], device_ids=[0]>
sdy.mesh @b = <["x"=4]>
sdy.mesh @single = <["x"=1]>
sdy.mesh @big = <["x"=64]>
// CHECK: mhlo.num_partitions = 4
// CHECK: func.func @main(%arg0: tensor<2xf32>
// CHECK-NOT: func.func @other
// TWO: mhlo.num_partitions = 2
// TWO: func.func @main(%arg0: tensor<4xf32>
// NONE: func.func @main(%arg0: tensor<8xf32>
// Values sharded on a mesh of one device are replicated.
// ONE: mhlo.num_partitions = 4
// ONE: func.func @main(%arg0: tensor<2xf32>
// ONE: stablehlo.all_gather
// DEVICES: 4 devices
// PROPAGATE: func.func private @helper(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@b, [{"x"}]>})
// EXPLAIN: %arg0 : 8xf32
// EXPLAIN-NEXT: sharding {{\[}}{"x"}]
// BOTH: error: mesh @{{.*}} has {{.*}} devices, but mesh @
func.func private @helper(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @other(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@big, [{"x"}]>}) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@b, [{"x"}]>}) -> tensor<f32> {
  %0 = call @helper(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
