// What MLIR's passes know of branches and loops, of effects and of speculation.
// RUN: shardwright-opt %s --split-input-file --sccp | FileCheck %s --check-prefix=SCCP
// RUN: shardwright-opt %s --split-input-file --loop-invariant-code-motion | FileCheck %s --check-prefix=LICM
// RUN: shardwright-opt %s --split-input-file --cse | FileCheck %s --check-prefix=CSE
// RUN: shardwright-opt %s --split-input-file --remove-dead-values | FileCheck %s --check-prefix=DEAD

// SCCP-LABEL: func.func @branches_agree
// SCCP-DAG: %[[THREE:.*]] = stablehlo.constant dense<3> : tensor<i32>
// SCCP-DAG: %[[SECOND:.*]] = stablehlo.constant dense<2> : tensor<i32>
// SCCP-DAG: %[[LAST:.*]] = stablehlo.constant dense<9> : tensor<i32>
// SCCP: return %[[THREE]], %[[SECOND]], %[[LAST]], %{{.*}}#0
func.func @branches_agree(%p: tensor<i1>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  %false = stablehlo.constant dense<false> : tensor<i1>
  %seven = stablehlo.constant dense<7> : tensor<i32>
  %0 = "stablehlo.if"(%p) ({
    %c = stablehlo.constant dense<3> : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }, {
    %c = stablehlo.constant dense<3> : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  %1 = "stablehlo.if"(%false) ({
    %c = stablehlo.constant dense<1> : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }, {
    %c = stablehlo.constant dense<2> : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  // An index that names no branch means the last one.
  %2 = "stablehlo.case"(%seven) ({
    %c = stablehlo.constant dense<8> : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }, {
    %c = stablehlo.constant dense<9> : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  // Not known, whatever else is.
  %3:2 = "stablehlo.if"(%p) ({
    %c = stablehlo.constant dense<1> : tensor<i32>
    stablehlo.return %c, %c : tensor<i32>, tensor<i32>
  }, {
    %c = stablehlo.constant dense<2> : tensor<i32>
    stablehlo.return %c, %c : tensor<i32>, tensor<i32>
  }) : (tensor<i1>) -> (tensor<i32>, tensor<i32>)
  return %0, %1, %2, %3#0 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
}

// -----

// The second value never changes, the first does.
// SCCP-LABEL: func.func @loop
// SCCP-DAG: %[[FIVE:.*]] = stablehlo.constant dense<5> : tensor<i32>
// SCCP: %[[W:.*]]:2 = stablehlo.while
// SCCP: stablehlo.add %{{.*}}, %[[FIVE]]
// SCCP: return %[[W]]#0, %[[FIVE]]
func.func @loop(%n: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %w:2 = stablehlo.while(%i = %zero, %k = %five) : tensor<i32>, tensor<i32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.add %i, %k : tensor<i32>
      stablehlo.return %j, %k : tensor<i32>, tensor<i32>
    }
  return %w#0, %w#1 : tensor<i32>, tensor<i32>
}

// -----

// What nobody needs is no longer computed, and the loop stays valid.
// DEAD-LABEL: func.func @dead_values
// DEAD: stablehlo.while(
// DEAD: stablehlo.add
// DEAD-NOT: stablehlo.tanh
// DEAD: return %{{.*}}#0 : tensor<i32>
func.func @dead_values(%n: tensor<i32>, %x: tensor<f32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %w:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<f32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      %t = stablehlo.tanh %y : tensor<f32>
      stablehlo.return %j, %t : tensor<i32>, tensor<f32>
    }
  return %w#0 : tensor<i32>
}

// -----

// LICM-LABEL: func.func @invariant
// LICM: stablehlo.add %arg0, %arg0 : tensor<4x4xf32>
// LICM-NEXT: stablehlo.if
// LICM: stablehlo.reduce(
// LICM: stablehlo.while
// LICM: stablehlo.all_reduce
// LICM: stablehlo.cholesky
// LICM: stablehlo.rng
// LICM: stablehlo.custom_call @f
// LICM: stablehlo.custom_call @g
// LICM: stablehlo.add %arg1, %arg1 : tensor<?xf32>
// LICM: indices_are_sorted = true
func.func @invariant(%a: tensor<4x4xf32>, %d: tensor<?xf32>, %n: tensor<i32>, %p: tensor<i1>, %z: tensor<f32>, %ix: tensor<2x1xi32>) -> tensor<i32> {
  %shape = stablehlo.constant dense<[2]> : tensor<1xi64>
  %w = stablehlo.while(%i = %n) : tensor<i32>
    cond {
      stablehlo.return %p : tensor<i1>
    } do {
      %0 = stablehlo.add %a, %a : tensor<4x4xf32>
      %1 = "stablehlo.if"(%p) ({
        stablehlo.return %0 : tensor<4x4xf32>
      }, {
        stablehlo.return %a : tensor<4x4xf32>
      }) : (tensor<i1>) -> tensor<4x4xf32>
      %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %3 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %s = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %4 = stablehlo.cholesky %a : tensor<4x4xf32>
      %5 = stablehlo.rng %z, %z, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2xf32>
      %6 = stablehlo.custom_call @f(%a) {has_side_effect = true} : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %7 = stablehlo.custom_call @g(%a) : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %8 = stablehlo.add %d, %d : tensor<?xf32>
      %9 = "stablehlo.gather"(%a, %ix) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 4>}> : (tensor<4x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
      stablehlo.custom_call @use(%2, %3, %4, %5, %6, %7, %8, %9) {has_side_effect = true} : (tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<2xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<?xf32>, tensor<2x4xf32>) -> ()
      stablehlo.return %i : tensor<i32>
    }
  return %w : tensor<i32>
}

// -----

// CSE-LABEL: func.func @effects
// CSE-COUNT-1: stablehlo.add %arg0
// CSE-NOT: stablehlo.add %arg0
// CSE-COUNT-1: "stablehlo.sort"
// CSE-COUNT-2: stablehlo.rng
// CSE-COUNT-2: "stablehlo.collective_permute"
// CSE-COUNT-1: stablehlo.custom_call @pure
// CSE-NOT: stablehlo.custom_call @pure
// CSE-COUNT-2: stablehlo.custom_call @effect
// CSE-COUNT-1: "stablehlo.outfeed"
// CSE-NOT: unused
func.func @effects(%a: tensor<4xf32>, %z: tensor<f32>) {
  %shape = stablehlo.constant dense<[2]> : tensor<1xi64>
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  %1 = stablehlo.add %a, %a : tensor<4xf32>
  stablehlo.custom_call @use(%0, %1) {has_side_effect = true} : (tensor<4xf32>, tensor<4xf32>) -> ()
  %2 = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  stablehlo.custom_call @use(%2, %3) {has_side_effect = true} : (tensor<4xf32>, tensor<4xf32>) -> ()
  %4 = stablehlo.rng %z, %z, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2xf32>
  %5 = stablehlo.rng %z, %z, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2xf32>
  %6 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<0> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  %7 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<0> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  %8 = stablehlo.custom_call @pure(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %9 = stablehlo.custom_call @pure(%a) : (tensor<4xf32>) -> tensor<4xf32>
  stablehlo.custom_call @use(%8, %9) {has_side_effect = true} : (tensor<4xf32>, tensor<4xf32>) -> ()
  %10 = stablehlo.custom_call @effect(%a) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  %11 = stablehlo.custom_call @effect(%a) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  %token = stablehlo.create_token : !stablehlo.token
  %12 = "stablehlo.outfeed"(%a, %token) <{outfeed_config = ""}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %13 = stablehlo.custom_call @unused(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %14 = stablehlo.sine %a {unused} : tensor<4xf32>
  return
}
