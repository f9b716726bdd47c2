// RUN: shardwright-opt %s --split-input-file -sdy-convert-global-to-local --verify-diagnostics

sdy.mesh @m = <["x"=2]>

func.func @reshard(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<8xf32> {
  // expected-error @+1 {{failed to legalize operation 'sdy.reshard' that was explicitly marked illegal}}
  %0 = sdy.reshard %a <@m, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @m = <["x"=2]>

func.func @slice(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  // expected-error @+1 {{dimension 0 is sharded but the slice is not a full slice and requires device communication.}}
  %0 = stablehlo.slice %a [3:7] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

sdy.mesh @m = <["x"=2]>

func.func @pad(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<10xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  // expected-error @+1 {{dimension 0 is sharded but needs rows of other devices; run sdy-resolve-permutation-factors first}}
  %0 = stablehlo.pad %a, %c, low = [0], high = [2], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<10xf32>
  return %0 : tensor<10xf32>
}

// -----

sdy.mesh @m = <["x"=2]>

func.func @concatenate(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  // expected-error @+1 {{dimension 0 is sharded but the concatenation is on this dimension.}}
  %0 = stablehlo.concatenate %a, %a, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

sdy.mesh @m = <["x"=2]>

func.func @contraction(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<f32> {
  // expected-error @+1 {{Expected sharded contracting dot_general to have one user and the user is an sdy.all_reduce.}}
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, []>]>} : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

sdy.mesh @m = <["x"=2]>

// expected-error @+1 {{Failed to compute local type due to non-divisible sharding}}
func.func @uneven(%a: tensor<5xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  return
}

// -----

sdy.mesh @m = <["x"=2]>

func.func @gather_of_part(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %i: tensor<3x1xi32>) -> tensor<3x2x4xf32> {
  // expected-error @+1 {{takes 2 of the 4 rows of dimension 0 of its operand, which is sharded; reshard the operand so that this dimension is not sharded}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 4>}> : (tensor<4x4xf32>, tensor<3x1xi32>) -> tensor<3x2x4xf32>
  return %0 : tensor<3x2x4xf32>
}

// -----

sdy.mesh @m = <["x"=2]>

func.func @inserted_but_not_indexed(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %i: tensor<3x1xi32>, %u: tensor<3xf32>) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  // expected-error @+1 {{sharding operand dimension 0 that is not indexed but in inserted window dimension is not supported.}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    stablehlo.return %q : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// The second shard's first row belongs to the first shard's part of the result.
sdy.mesh @m = <["x"=2]>

func.func @interior_pad(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %z: tensor<f32>) -> (tensor<14xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  // expected-error @+1 {{dimension 0 is sharded but needs rows of other devices; run sdy-resolve-permutation-factors first}}
  %0 = stablehlo.pad %a, %z, low = [0], high = [4], interior = [2] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<4xf32>, tensor<f32>) -> tensor<14xf32>
  return %0 : tensor<14xf32>
}

// -----

sdy.mesh @m = <["x"=2]>

func.func @part_of_update(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %u: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %i: tensor<i32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  // expected-error @+1 {{dimension 0 is sharded but the slice is not a full slice and requires device communication.}}
  %0 = stablehlo.dynamic_update_slice %a, %u, %i {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<8xf32>, tensor<4xf32>, tensor<i32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @m = <["x"=2]>
func.func @top_of_shards(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %i: tensor<16xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %f: tensor<f32>, %z: tensor<i32>) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) {
  // expected-error@below {{requires device communication along a dimension of which each device reads all elements; run sdy-resolve-permutation-factors first}}
  %0:2 = stablehlo.custom_call @ApproxTopK(%a, %i, %f, %z) {called_computations = [@top], mhlo.backend_config = {aggregate_to_topk = true, recall_target = 9.5e-01 : f32, reduction_dim = 0 : i64, reduction_input_size_override = -1 : i64, top_k = 4 : i64}, sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>, <@m, [{}]>]>} : (tensor<16xf32>, tensor<16xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
  return %0#0 : tensor<4xf32>
}
func.func private @top(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
