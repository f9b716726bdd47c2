// A dialect that Shardwright does not know, from its own shared library.
// RUN: shardwright-opt %s --load-dialect-plugin=%build_dir/lib/libtoy_dialect.so -sdy-populate-op-sharding-rules | FileCheck %s --check-prefix=RULES
// RUN: shardwright-opt %s --load-dialect-plugin=%build_dir/lib/libtoy_dialect.so -sdy-propagation-pipeline | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=4]>

// RULES: toy.matmul {{.*}} #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=32, k=16} reduction={k}>
// RULES: toy.normalize {{.*}} #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=32} need_replication={j} blocked_propagation={j}>

// CHECK: func.func @main(
// CHECK-SAME: %arg1: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, {{\[}}{}, {"y"}]>}
func.func @main(
    %a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %b: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>})
    -> (tensor<8x32xf32>, tensor<8x16xf32>, tensor<8x16xf32>) {
  // CHECK: toy.matmul {{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, {{\[}}{"x"}, {"y"}]>]>}
  %0 = toy.matmul %a, %b : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  // CHECK: toy.normalize {{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, {{\[}}{"x"}, {}]>]>}
  %1 = toy.normalize %0 : (tensor<8x32xf32>) -> tensor<8x32xf32>
  // Two uses of one constant need not agree: each has its own.
  // CHECK-DAG: toy.zeros {sdy.sharding = #sdy.sharding_per_value<[<@mesh, {{\[}}{"x"}, {}]>]>}
  // CHECK-DAG: toy.zeros {sdy.sharding = #sdy.sharding_per_value<[<@mesh, {{\[}}{}, {"y"}]>]>}
  %zeros = toy.zeros : tensor<8x16xf32>
  %2 = sdy.sharding_constraint %zeros <@mesh, [{"x"}, {}]> : tensor<8x16xf32>
  %3 = sdy.sharding_constraint %zeros <@mesh, [{}, {"y"}]> : tensor<8x16xf32>
  return %1, %2, %3 : tensor<8x32xf32>, tensor<8x16xf32>, tensor<8x16xf32>
}
