// RUN: shardwright-opt %s | FileCheck %s
// RUN: shardwright-opt %s --emit-bytecode | shardwright-opt | FileCheck %s

// Sizes of factors have 64 bits.
// CHECK-LABEL: func.func @large_factor
// CHECK: #sdy.op_sharding_rule<([i])->([i]) {i=8589934592}>
func.func @large_factor(%x: tensor<8589934592xi1>) -> tensor<8589934592xi1> {
  %0 = stablehlo.custom_call @f(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8589934592}>} : (tensor<8589934592xi1>) -> tensor<8589934592xi1>
  return %0 : tensor<8589934592xi1>
}

// The edges of an edge of a function may name values of its calls.
// CHECK-LABEL: func.func @edges_of_calls
// CHECK: operand-0 -> [result-0, result-5]
func.func @edges_of_calls(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.func_data_flow_edge %x {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0, result-5]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<mesh<["a"=2]>, [{"a"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
