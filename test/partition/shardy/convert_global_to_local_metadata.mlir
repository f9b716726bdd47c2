// The module keeps how main's arguments and results were sharded, with the meshes
// themselves; what has no sharding is replicated on the module's mesh.
// RUN: shardwright-opt %s -split-input-file -sdy-convert-global-to-local | FileCheck %s
// RUN: shardwright-opt %s -split-input-file -sdy-convert-global-to-local=sw-shardy=0.10.2 | FileCheck %s --check-prefix=OLD
// RUN: shardwright-opt %s -split-input-file -sdy-convert-global-to-local -sdy-drop-sharding-and-mesh | FileCheck %s --check-prefix=DROP

// CHECK: module attributes {sdy.output_shardings = #sdy.sharding_per_value<[<mesh<["x"=2, "y"=4]>, [{}]>, <mesh<["z"=8], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>, [{"z"}]>]>, sdy.parameters_shardings = #sdy.sharding_per_value<[<mesh<["x"=2, "y"=4]>, [{"x", ?}p1], replicated={"y"}>, <mesh<["x"=2, "y"=4]>, []>, <mesh<["z"=8], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>, [{"z"}]>]>}
// OLD-NOT: _shardings
// DROP-NOT: sdy.
sdy.mesh @one = <[], device_ids=[1]>
sdy.mesh @m = <["x"=2, "y"=4]>
sdy.mesh @n = <["z"=8], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}p1], replicated={"y"}>}, %t: !stablehlo.token, %c: tensor<8xf32> {sdy.sharding = #sdy.sharding<@n, [{"z"}]>}) -> (tensor<2xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@n, [{"z"}]>}) {
  %0 = stablehlo.constant dense<0.0> : tensor<2xf32>
  return %0, %c : tensor<2xf32>, tensor<8xf32>
}

// -----

// No mesh: the empty one. No main: nothing to say.
// CHECK: module attributes {sdy.output_shardings = #sdy.sharding_per_value<[]>, sdy.parameters_shardings = #sdy.sharding_per_value<[<mesh<[]>, [{}, {}]>]>}
func.func @main(%a: tensor<8x8xf32>) {
  return
}

// -----

// CHECK: module {
// CHECK-NEXT: sdy.mesh @m
sdy.mesh @m = <["x"=2]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  return
}
