// Each replica has a mesh of its own: groups of devices are those of all
// replicas, groups of partitions are any replica's, and what the program says
// of replicas stays.
// RUN: shardwright-opt %s --sw-partition | FileCheck %s
// RUN: shardwright run %s --random 1 | FileCheck %s --check-prefix=REPORT

// CHECK: mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 2 : i32
// REPORT: on 8 devices, mesh replica=2, x=2, y=2
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 2 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  // CHECK-LABEL: @main
  // REPORT: all_reduce "y"
  // REPORT: all_reduce "replica"
  // REPORT: all_to_all "y"
  func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
                  %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})
      -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
          tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
    // CHECK: stablehlo.dot_general
    // CHECK: all_reduce{{.*}}replica_groups = dense<{{\[\[}}0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids
    %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: all_reduce{{.*}}replica_groups = dense<{{\[\[}}0, 1]]> : tensor<1x2xi64>}>
    %d = "stablehlo.all_reduce"(%c) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %t = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %t : tensor<f32>
    }) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: all_to_all{{.*}}replica_groups = dense<{{\[\[}}0, 1], [2, 3]]> : tensor<2x2xi64>
    %e = sdy.sharding_constraint %b <@mesh, [{}, {"y"}]> : tensor<8x8xf32>
    return %d, %e : tensor<8x8xf32>, tensor<8x8xf32>
  }
}
