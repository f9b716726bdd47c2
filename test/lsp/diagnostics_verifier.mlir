// Errors of verifiers come like those of the parser.

// RUN: %python %S/Inputs/lsp_client.py %shardwright_lsp_server_path %s | FileCheck %s

// CHECK: diagnostics: 1
// CHECK: 9:{{.*}} unknown axis name: "z"

sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}]>}) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
