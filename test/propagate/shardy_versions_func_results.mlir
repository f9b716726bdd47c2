// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(sdy-propagate-to-func-results{sw-shardy=0.10.2})' | FileCheck %s --check-prefix=OLD
// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(sdy-propagate-to-func-results{sw-shardy=0.12.0})' | FileCheck %s --check-prefix=NEW
// RUN: shardwright-opt %s -split-input-file -pass-pipeline='builtin.module(sdy-propagate-to-func-results)' | FileCheck %s --check-prefix=NEW

// Since Shardy of jaxlib 0.11, results of main without a sharding take that of the value.
sdy.mesh @m = <["a"=2, "b"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {}]>}, tensor<8x8xf32>) {
  %0 = stablehlo.negate %x : tensor<8x8xf32>
  %1 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {}], unreduced={"b"}>]>} : tensor<8x8xf32>
  return %x, %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
// OLD: sdy.mesh @m = <["a"=2, "b"=2]>
// OLD-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {}]>}, tensor<8x8xf32>) {
// OLD-NEXT: %0 = stablehlo.negate %arg0 : tensor<8x8xf32>
// OLD-NEXT: %1 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {}], unreduced={"b"}>]>} : tensor<8x8xf32>
// OLD-NEXT: return %arg0, %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
// OLD-NEXT: }
// NEW: sdy.mesh @m = <["a"=2, "b"=2]>
// NEW-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {}], unreduced={"b"}>}) {
// NEW-NEXT: %0 = stablehlo.negate %arg0 : tensor<8x8xf32>
// NEW-NEXT: %1 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {}], unreduced={"b"}>]>} : tensor<8x8xf32>
// NEW-NEXT: return %arg0, %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
// NEW-NEXT: }
