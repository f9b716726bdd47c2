// RUN: %python %S/Inputs/lsp_client.py %shardwright_lsp_server_path %s | FileCheck %s

// CHECK: provides:{{.*}} definitionProvider{{.*}} hoverProvider
// CHECK: diagnostics: 0

sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.abs %arg0 : tensor<8xf32>
  //     ^hover
  // CHECK: hover:{{.*}}"stablehlo.abs"
  // CHECK: tensor<8xf32>
  %1 = chlo.erf %0 : tensor<8xf32> -> tensor<8xf32>
  //            ^definition
  // CHECK: definition: 8:3
  %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}]> : tensor<8xf32>
  //     ^hover
  // CHECK: hover:{{.*}}"sdy.sharding_constraint"
  // CHECK: #sdy.sharding<@mesh, [{"x"}]>
  return %2 : tensor<8xf32>
  //     ^definition
  // CHECK: definition: 15:3
}
