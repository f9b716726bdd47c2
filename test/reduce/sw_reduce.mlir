// The exponential in the branch is what shows the failure: all around it goes.

// RUN: shardwright-reduce %s --sw-reduce='test=%S/Inputs/contains.sh test-arg=%shardwright_opt_path,stablehlo.exponential' | FileCheck %s
// RUN: shardwright-reduce %s --reduction-tree='traversal-mode=0 test=%S/Inputs/contains.sh test-arg=%shardwright_opt_path,stablehlo.exponential' 2>/dev/null | FileCheck %s --check-prefix=TREE
// RUN: not shardwright-reduce %s --sw-reduce='test=%S/Inputs/contains.sh test-arg=%shardwright_opt_path,stablehlo.sine' 2>&1 | FileCheck %s --check-prefix=DULL
// RUN: not shardwright-reduce %s --sw-reduce=test=%t.nothing 2>&1 | FileCheck %s --check-prefix=NONE

// CHECK:      module {
// CHECK-NEXT:   func.func @main(%[[X:.*]]: tensor<8x16xf32>) -> tensor<8x16xf32> {
// CHECK-NEXT:     %[[E:.*]] = stablehlo.exponential %[[X]] : tensor<8x16xf32>
// CHECK-NEXT:     return %[[E]]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// TREE-NOT: chlo.
// TREE-NOT: sdy.sharding
// TREE:     stablehlo.exponential
// TREE-NOT: stablehlo.case

// DULL: error: sw-reduce: '{{.*}}contains.sh' does not find the module interesting, expected exit code 1
// NONE: error: sw-reduce: test='{{.*}}.nothing' is not an executable file, expected a script that takes a module's file

module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<i32>)
      -> (tensor<16x8xf32> {jax.result_info = "result"}, tensor<8x16xf32>) {
    %weights = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %first = stablehlo.slice %weights [0:1] : (tensor<4xf32>) -> tensor<1xf32>
    %scalar = stablehlo.reshape %first : (tensor<1xf32>) -> tensor<f32>
    %scale = stablehlo.broadcast_in_dim %scalar, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %scaled = stablehlo.multiply %arg0, %scale : tensor<8x16xf32>
    %placed = sdy.sharding_constraint %scaled <@mesh, [{"x"}, {}]> : tensor<8x16xf32>
    %0 = "stablehlo.case"(%arg1) ({
      %1 = stablehlo.exponential %placed : tensor<8x16xf32>
      stablehlo.return %1 : tensor<8x16xf32>
    }, {
      %1 = chlo.erf %placed : tensor<8x16xf32> -> tensor<8x16xf32>
      stablehlo.return %1 : tensor<8x16xf32>
    }) : (tensor<i32>) -> tensor<8x16xf32>
    %2 = stablehlo.transpose %0, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %3 = func.call @helper(%0) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    return %2, %3 : tensor<16x8xf32>, tensor<8x16xf32>
  }
  func.func private @helper(%arg0: tensor<8x16xf32>) -> tensor<8x16xf32> {
    return %arg0 : tensor<8x16xf32>
  }
}
