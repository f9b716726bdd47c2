// RUN: shardwright-opt %s -verify-diagnostics -sw-flatten-tuples

// expected-error @+1 {{argument #0 has 2 leaves, but its sharding is "{replicated}"}}
func.func @main(%x: tuple<tensor<2xf32>, tensor<3xf32>> {mhlo.sharding = "{replicated}"}) -> tensor<2xf32> {
  %a = stablehlo.get_tuple_element %x[0] : (tuple<tensor<2xf32>, tensor<3xf32>>) -> tensor<2xf32>
  return %a : tensor<2xf32>
}
