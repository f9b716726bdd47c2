// An argument that is constrained to one device is on all of them at the border.
// RUN: shardwright run %s --random 0 | FileCheck %s
// CHECK: arg0 {{.*}}2x3xi32

module {
  sdy.mesh @mesh = <["x"=1, "y"=4], device_ids=[2, 3, 1, 0]>
  sdy.mesh @one = <[], device_ids=[0]>
  func.func @main(%arg0: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
    %0 = sdy.sharding_constraint %arg0 <@one, []> : tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
}
