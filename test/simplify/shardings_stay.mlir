// RUN: shardwright-opt %s --sw-simplify | FileCheck %s

sdy.mesh @mesh = <["x"=2]>

// Neither rewritten nor looked through; equal ones with equal shardings are one.
// CHECK-LABEL: func @shardings
func.func @shardings(%a: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK: %[[ONE:.*]] = stablehlo.constant {sdy.sharding = {{.*}}} dense<1.000000e+00>
  // CHECK: %[[P:.*]] = stablehlo.multiply %arg0, %[[ONE]] :
  // CHECK: %[[T:.*]] = stablehlo.transpose %arg0, dims = [1, 0] {sdy.sharding = {{.*}}{"x"}, {}
  // CHECK: %[[U:.*]] = stablehlo.transpose %[[T]], dims = [1, 0] :
  // CHECK: %[[V:.*]] = stablehlo.transpose %arg0, dims = [1, 0] {sdy.sharding = {{.*}}{}, {"x"}
  // CHECK: return %[[P]], %[[U]], %[[V]], %[[T]]
  %one = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} dense<1.0> : tensor<4x4xf32>
  %0 = stablehlo.multiply %a, %one : tensor<4x4xf32>
  %1 = stablehlo.transpose %a, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = stablehlo.transpose %a, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = stablehlo.transpose %a, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %2, %3, %4 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// Constants are on the right, also with a sharding, and also if the program has
// ops of a dialect that may have folders.
// CHECK-LABEL: func @constant_left
func.func @constant_left(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK: %[[TWO:.*]] = stablehlo.constant dense<2.000000e+00>
  // CHECK: stablehlo.multiply %arg0, %[[TWO]] {sdy.sharding
  // CHECK: chlo.tan
  // CHECK: stablehlo.add %{{.*}}, %[[TWO]] :
  %two = stablehlo.constant dense<2.0> : tensor<4x4xf32>
  %0 = stablehlo.multiply %two, %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<4x4xf32>
  %1 = chlo.tan %b : tensor<4x4xf32> -> tensor<4x4xf32>
  %2 = stablehlo.add %two, %1 : tensor<4x4xf32>
  return %0, %2 : tensor<4x4xf32>, tensor<4x4xf32>
}

// CHECK-LABEL: func @loop
func.func @loop(%n: tensor<i32>) -> tensor<i32> {
  // CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<i32> attributes {sdy.sharding
  %0:2 = stablehlo.while(%i = %n, %k = %n) : tensor<i32>, tensor<i32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, []>]>}
   cond {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %p = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %k : tensor<i32>
    stablehlo.return %1, %k : tensor<i32>, tensor<i32>
  }
  return %0#0 : tensor<i32>
}
