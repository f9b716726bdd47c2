// RUN: shardwright-opt %s -split-input-file -verify-diagnostics -sdy-flatten-call-graph

func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @even(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @even(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @odd(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @odd(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@below {{recursive calls are not supported: @even calls itself}}
  %0 = call @even(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@below {{recursive calls are not supported: @main calls itself}}
  %0 = call @main(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
