// RUN: %python %S/Inputs/lsp_client.py %shardwright_lsp_server_path %s | FileCheck %s

// CHECK: diagnostics: 1
// CHECK: 8:22: use of value '%arg0' expects different type than prior uses: 'tensor<8xf64>' vs 'tensor<8xf32>'

sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.abs %arg0 : tensor<8xf64>
  return %0 : tensor<8xf32>
}
