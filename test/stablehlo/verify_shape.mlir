// What the verifiers and parsers refuse.
// RUN: shardwright-opt %s --split-input-file --verify-diagnostics

func.func @constant() {
  // expected-error @+1 {{'stablehlo.constant' op result #0 must be statically shaped tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type w}}
  %4 = "stablehlo.constant"() {value = dense<1> : tensor<4xi32>, foo="a"} : () -> tensor<?xi32>
  return
}

// -----

func.func @slice(%a: tensor<4xf32>) {
  // expected-error @+2 {{the number of elements in start_indices (2) does not match the rank of the operand (1)}}
  // expected-error @+1 {{'stablehlo.slice' op failed to infer returned types}}
  %28 = stablehlo.slice %a [0:2, 1:3] {foo} : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @iota() {
  // expected-error @+1 {{iota dimension cannot go beyond the output rank.}}
  %0 = "stablehlo.iota"() {iota_dimension = 1 : i64} : () -> tensor<4xf32>
  return
}

// -----

func.func @iota() {
  // expected-error @+1 {{'stablehlo.iota' op attribute 'iota_dimension' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %0 = "stablehlo.iota"() {iota_dimension = -1 : i64} : () -> tensor<4xf32>
  return
}

// -----

func.func @iota() {
  // expected-error @+1 {{does not support scalars.}}
  %0 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<f32>
  return
}

// -----

func.func @iota() {
  // expected-error @+1 {{'stablehlo.iota' op result #0 must be statically shaped tensor of 2/4/8/16/32/64-bit integer or 4/6/8/16/32/64-bit float or complex type with 32/64-bi}}
  %0 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<4xi1>
  return
}

// -----

func.func @iota() {
  // expected-error @+1 {{'stablehlo.iota' op result #0 must be statically shaped tensor of 2/4/8/16/32/64-bit integer or 4/6/8/16/32/64-bit float or complex type with 32/64-bi}}
  %0 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<?xi32>
  return
}

// -----

func.func @constant() {
  // expected-error @+2 {{'stablehlo.constant' op inferred type(s) 'tensor<4xi32>' are incompatible with return type(s) of operation 'tensor<4xf32>'}}
  // expected-error @+1 {{'stablehlo.constant' op failed to infer returned types}}
  %0 = "stablehlo.constant"() {value = dense<1> : tensor<4xi32>} : () -> tensor<4xf32>
  return
}

// -----

func.func @constant() {
  // expected-error @+1 {{'stablehlo.constant' op attribute 'value' failed to satisfy constraint: constant vector/tensor attribute}}
  %0 = "stablehlo.constant"() {value = 1 : i32} : () -> tensor<4xf32>
  return
}

// -----

func.func @dynamic_slice(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{'stablehlo.dynamic_slice' op operand #1 must be variadic of 0D tensor of 2/4/8/16/32/64-bit integer values, but got 'tensor<f32>'}}
  %0 = "stablehlo.dynamic_slice"(%a, %s) <{slice_sizes = array<i64: 4>}> : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  return
}

// -----

func.func @gather(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.gather' op operand #1 must be ranked tensor of 2/4/8/16/32/64-bit integer values, but got 'tensor<4xf32>'}}
  %0 = "stablehlo.gather"(%a, %a) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 0>, slice_sizes = array<i64: 1>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @concatenate() {
  // expected-error @+1 {{'stablehlo.concatenate' op expected 1 or more operands, but found 0}}
  %0 = "stablehlo.concatenate"() <{dimension = 0 : i64}> : () -> tensor<4xf32>
  return
}

// -----

func.func @concatenate(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.concatenate' op attribute 'dimension' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %0 = "stablehlo.concatenate"(%a) <{dimension = -1 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @get_dimension_size(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.get_dimension_size' op result #0 must be ranked tensor of 32-bit signless integer values, but got 'tensor<i64>'}}
  %0 = "stablehlo.get_dimension_size"(%a) <{dimension = 0 : i64}> : (tensor<4xf32>) -> tensor<i64>
  return
}

// -----

func.func @bitcast_convert(%x: tensor<4xindex>) {
  // expected-error @+1 {{'stablehlo.bitcast_convert' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with}}
  %0 = "stablehlo.bitcast_convert"(%x) : (tensor<4xindex>) -> tensor<4xi64>
  return
}

// -----

func.func @reverse(%x: tensor<4xindex>) {
  // expected-error @+1 {{'stablehlo.reverse' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-b}}
  %0 = "stablehlo.reverse"(%x) {dimensions = array<i64: 0>} : (tensor<4xindex>) -> tensor<4xindex>
  return
}

// -----

func.func @broadcast_in_dim(%a: tensor<4xf32>) {
  // expected-error @+1 {{broadcast_dimensions size (2) does not match operand rank (1)}}
  %0 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = array<i64: 0, 1>} : (tensor<4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @broadcast_in_dim(%a: tensor<4xf32>) {
  // expected-error @+1 {{broadcast_dimensions contains invalid value 2 for result with rank 2}}
  %0 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = array<i64: 2>} : (tensor<4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @broadcast_in_dim(%a: tensor<4xf32>) {
  // expected-error @+1 {{broadcast_dimensions contains invalid value -1 for result with rank 2}}
  %0 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = array<i64: -1>} : (tensor<4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @broadcast_in_dim(%m: tensor<4x6xf32>) {
  // expected-error @+1 {{broadcast_dimensions should not have duplicates}}
  %0 = "stablehlo.broadcast_in_dim"(%m) {broadcast_dimensions = array<i64: 0, 0>} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @broadcast_in_dim(%a: tensor<4xf32>) {
  // expected-error @+1 {{size of operand dimension 0 (4) is not equal to 1 or size of result dimension 0 (5)}}
  %0 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<5x4xf32>
  return
}

// -----

func.func @broadcast_in_dim(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.broadcast_in_dim' op requires compatible element types for all operands and results}}
  %0 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<4x4xf64>
  return
}

// -----

func.func @broadcast_in_dim(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.broadcast_in_dim' op result #0 must be statically shaped or single bounded dimension tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16}}
  %0 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<4x?xf32>
  return
}

// -----

func.func @reshape(%a: tensor<4xf32>) {
  // expected-error @+1 {{number of output elements (5) doesn't match expected number of elements (4)}}
  %0 = stablehlo.reshape %a : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @reshape(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.reshape' op requires compatible element types for all operands and results}}
  %0 = stablehlo.reshape %a : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @reshape(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.reshape' op result #0 must be statically shaped or single bounded dimension tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bi}}
  %0 = stablehlo.reshape %a : (tensor<4xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @reverse(%a: tensor<4xf32>) {
  // expected-error @+1 {{dimensions should be unique. Got: 0, 0}}
  %0 = "stablehlo.reverse"(%a) {dimensions = array<i64: 0, 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reverse(%a: tensor<4xf32>) {
  // expected-error @+1 {{all dimensions should be between [0, 1). Got dimension: 1.}}
  %0 = "stablehlo.reverse"(%a) {dimensions = array<i64: 1>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reverse(%a: tensor<4xf32>) {
  // expected-error @+1 {{all dimensions should be non-negative. Got dimension: -1.}}
  %0 = "stablehlo.reverse"(%a) {dimensions = array<i64: -1>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @bitcast_convert(%a: tensor<4xf32>) {
  // expected-error @+1 {{rank of smaller element type (1) should be 1 more than rank of larger element type (1), but 1 != 1 + 1.}}
  %0 = stablehlo.bitcast_convert %a : (tensor<4xf32>) -> tensor<4xi64>
  return
}

// -----

func.func @bitcast_convert(%a: tensor<4xf32>) {
  // expected-error @+1 {{requires compatible bit widths. Got: 'tensor<4xf32>' and 'tensor<4x4xi16>', but 16 * 4 != 32.}}
  %0 = stablehlo.bitcast_convert %a : (tensor<4xf32>) -> tensor<4x4xi16>
  return
}

// -----

func.func @bitcast_convert(%m: tensor<4x6xf32>) {
  // expected-error @+1 {{operand and result shapes must match except for the innermost dimension of the shape with the smaller element type. Got: 'tensor<4x6xf32>' and 'tensor}}
  %0 = stablehlo.bitcast_convert %m : (tensor<4x6xf32>) -> tensor<6x4xi32>
  return
}

// -----

func.func @bitcast_convert(%a: tensor<4xf32>) {
  // expected-error @+1 {{cannot convert between real and complex types, but got: 'tensor<4xf32>' and 'tensor<4xcomplex<f32>>'}}
  %0 = stablehlo.bitcast_convert %a : (tensor<4xf32>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @dynamic_slice(%m: tensor<4x6xf32>, %si: tensor<i32>) {
  // expected-error @+2 {{has mismatched number of start indices (1) and the rank of operand (2)}}
  // expected-error @+1 {{'stablehlo.dynamic_slice' op failed to infer returned types}}
  %0 = stablehlo.dynamic_slice %m, %si, sizes = [1] : (tensor<4x6xf32>, tensor<i32>) -> tensor<1xf32>
  return
}

// -----

func.func @dynamic_slice(%a: tensor<4xf32>, %si: tensor<i32>) {
  // expected-error @+2 {{has slice size 5 greater than dimension size 4 in dimension 0 of operand}}
  // expected-error @+1 {{'stablehlo.dynamic_slice' op failed to infer returned types}}
  %0 = stablehlo.dynamic_slice %a, %si, sizes = [5] : (tensor<4xf32>, tensor<i32>) -> tensor<5xf32>
  return
}

// -----

func.func @dynamic_update_slice(%a: tensor<4xf32>, %b: tensor<5xf32>, %si: tensor<i32>) {
  // expected-error @+2 {{expects size at dimension 0 of update to be in range [0, 4]. Got: 5.}}
  // expected-error @+1 {{'stablehlo.dynamic_update_slice' op failed to infer returned types}}
  %0 = stablehlo.dynamic_update_slice %a, %b, %si : (tensor<4xf32>, tensor<5xf32>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----

func.func @dynamic_update_slice(%a: tensor<4xf32>) {
  // expected-error @+2 {{expects number of start_indices to match operand rank: 0 vs 1.}}
  // expected-error @+1 {{'stablehlo.dynamic_update_slice' op failed to infer returned types}}
  %0 = stablehlo.dynamic_update_slice %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @concatenate(%a: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'stablehlo.concatenate' op requires the same element type for all operands and results}}
  %0 = stablehlo.concatenate %a, %i, dim = 0 : (tensor<4xf32>, tensor<4xi32>) -> tensor<8xf32>
  return
}

// -----

func.func @concatenate(%m: tensor<4x6xf32>, %n: tensor<6x3xf32>) {
  // expected-error @+2 {{shapes of operand (0) and (1) are not compatible at non-concat index 1: (4, 6) != (6, 3)}}
  // expected-error @+1 {{'stablehlo.concatenate' op failed to infer returned types}}
  %0 = stablehlo.concatenate %m, %n, dim = 0 : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @concatenate(%a: tensor<4xf32>, %m: tensor<4x6xf32>) {
  // expected-error @+2 {{operands (0) and (1) do not match rank}}
  // expected-error @+1 {{'stablehlo.concatenate' op failed to infer returned types}}
  %0 = stablehlo.concatenate %m, %a, dim = 0 : (tensor<4x6xf32>, tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @concatenate(%a: tensor<4xf32>) {
  // expected-error @+2 {{dimension 1 is out-of-bounds for input rank 1}}
  // expected-error @+1 {{'stablehlo.concatenate' op failed to infer returned types}}
  %0 = stablehlo.concatenate %a, %a, dim = 1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @concatenate(%s: tensor<f32>) {
  // expected-error @+2 {{rank-0 values cannot be concatenated}}
  // expected-error @+1 {{'stablehlo.concatenate' op failed to infer returned types}}
  %0 = stablehlo.concatenate %s, dim = 0 : (tensor<f32>) -> tensor<8xf32>
  return
}

// -----

func.func @transpose(%m: tensor<4x6xf32>) {
  // expected-error @+2 {{attribute permutation must be a permutation of [0, 1] but got 0, 0}}
  // expected-error @+1 {{'stablehlo.transpose' op failed to infer returned types}}
  %0 = stablehlo.transpose %m, dims = [0, 0] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @transpose(%m: tensor<4x6xf32>) {
  // expected-error @+2 {{TransposeOp operand rank 2 does not match permutation size 1}}
  // expected-error @+1 {{'stablehlo.transpose' op failed to infer returned types}}
  %0 = stablehlo.transpose %m, dims = [0] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @transpose(%m: tensor<4x6xf32>) {
  // expected-error @+2 {{'stablehlo.transpose' op inferred type(s) 'tensor<6x4xf32>' are incompatible with return type(s) of operation 'tensor<4x6xf32>'}}
  // expected-error @+1 {{'stablehlo.transpose' op failed to infer returned types}}
  %0 = stablehlo.transpose %m, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @pad(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{'stablehlo.pad' op failed to verify that all of {edge_padding_low, edge_padding_high, interior_padding} have same size}}
  %0 = stablehlo.pad %a, %s, low = [0, 1], high = [0], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @pad(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{'stablehlo.pad' op failed to verify that all of {edge_padding_low, edge_padding_high, interior_padding} have same size}}
  %0 = stablehlo.pad %a, %s, low = [0], high = [0, 1], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @pad(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+2 {{Interior padding cannot be negative: -1}}
  // expected-error @+1 {{'stablehlo.pad' op failed to infer returned types}}
  %0 = stablehlo.pad %a, %s, low = [0], high = [0], interior = [-1] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @pad(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+2 {{Padding result in negative size for dimension 0}}
  // expected-error @+1 {{'stablehlo.pad' op failed to infer returned types}}
  %0 = stablehlo.pad %a, %s, low = [-5], high = [0], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @pad(%a: tensor<4xf32>, %si: tensor<i32>) {
  // expected-error @+1 {{'stablehlo.pad' op requires the same element type for all operands and results}}
  %0 = stablehlo.pad %a, %si, low = [0], high = [0], interior = [0] : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----

func.func @slice(%a: tensor<4xf32>) {
  // expected-error @+2 {{limit index 5 is larger than dimension size 4 in dimension 0}}
  // expected-error @+1 {{'stablehlo.slice' op failed to infer returned types}}
  %0 = stablehlo.slice %a [2:5] : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @slice(%a: tensor<4xf32>) {
  // expected-error @+2 {{start index 3 is larger than limit index 2 in dimension 0}}
  // expected-error @+1 {{'stablehlo.slice' op failed to infer returned types}}
  %0 = stablehlo.slice %a [3:2] : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @slice(%a: tensor<4xf32>) {
  // expected-error @+2 {{negative start index -1 in dimension 0}}
  // expected-error @+1 {{'stablehlo.slice' op failed to infer returned types}}
  %0 = stablehlo.slice %a [-1:2] : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @slice(%a: tensor<4xf32>) {
  // expected-error @+2 {{stride must be positive but got 0 in dimension 0}}
  // expected-error @+1 {{'stablehlo.slice' op failed to infer returned types}}
  %0 = stablehlo.slice %a [0:2:0] : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @slice(%a: tensor<4xf32>) {
  // expected-error @+2 {{'stablehlo.slice' op inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error @+1 {{'stablehlo.slice' op failed to infer returned types}}
  %0 = stablehlo.slice %a [0:2] : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @gather(%a: tensor<4xf32>, %idx: tensor<3x1xi32>) {
  // expected-error @+2 {{'stablehlo.gather' op inferred type(s) 'tensor<3x1xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error @+1 {{'stablehlo.gather' op failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %idx) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1>} : (tensor<4xf32>, tensor<3x1xi32>) -> tensor<3xf32>
  return
}

// -----

func.func @gather(%a: tensor<4xf32>, %idx: tensor<3x1xi32>) {
  // expected-error @+2 {{Expects index_vector_dim to be in range [0, rank-of('start_indices')] i.e. [0, 2]. got: 3.}}
  // expected-error @+1 {{'stablehlo.gather' op failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %idx) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 3>, slice_sizes = array<i64: 1>} : (tensor<4xf32>, tensor<3x1xi32>) -> tensor<3xf32>
  return
}

// -----

func.func @gather(%a: tensor<4xf32>, %idx: tensor<3x1xi32>) {
  // expected-error @+2 {{start_index_map size (2) is not equal to size of index dimension (1) of start_indices (1)}}
  // expected-error @+1 {{'stablehlo.gather' op failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %idx) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0, 0], index_vector_dim = 1>, slice_sizes = array<i64: 1>} : (tensor<4xf32>, tensor<3x1xi32>) -> tensor<3xf32>
  return
}

// -----

func.func @gather(%a: tensor<4xf32>, %idx: tensor<3x1xi32>) {
  // expected-error @+2 {{Expects each element of start_index_map to be in range [0, rank-of('operand')) i.e. [0, 1). got: 1.}}
  // expected-error @+1 {{'stablehlo.gather' op failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %idx) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1>} : (tensor<4xf32>, tensor<3x1xi32>) -> tensor<3xf32>
  return
}

// -----

func.func @gather(%a: tensor<4xf32>, %idx: tensor<3x1xi32>) {
  // expected-error @+2 {{Expects that for each dim in collapsed_slice_dims, slice_sizes[dim] should be <= 1, but got 2}}
  // expected-error @+1 {{'stablehlo.gather' op failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %idx) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2>} : (tensor<4xf32>, tensor<3x1xi32>) -> tensor<3xf32>
  return
}

// -----

func.func @gather(%a: tensor<4xf32>, %idx: tensor<3x1xi32>) {
  // expected-error @+2 {{offset_dims size (0) plus collapse_slice_dims size (0) plus operand_batching_dims size (0) is not equal to operand rank (1)}}
  // expected-error @+1 {{'stablehlo.gather' op failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %idx) {dimension_numbers = #stablehlo.gather<start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2>} : (tensor<4xf32>, tensor<3x1xi32>) -> tensor<3xf32>
  return
}

// -----

func.func @gather(%a: tensor<4xf32>, %idx: tensor<3x1xi32>) {
  // expected-error @+2 {{Expects each element of offset_dims to be in range [0, implied-result-rank) i.e. [0, 2). got: 2.}}
  // expected-error @+1 {{'stablehlo.gather' op failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %idx) {dimension_numbers = #stablehlo.gather<offset_dims = [2], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2>} : (tensor<4xf32>, tensor<3x1xi32>) -> tensor<3xf32>
  return
}

// -----

func.func @gather(%a: tensor<4xf32>, %idx: tensor<3x1xi32>) {
  // expected-error @+2 {{slice size (5) is out of bounds for operand dimension (4) at index 0}}
  // expected-error @+1 {{'stablehlo.gather' op failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %idx) {dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 5>} : (tensor<4xf32>, tensor<3x1xi32>) -> tensor<3xf32>
  return
}

// -----

func.func @gather(%a: tensor<4xf32>, %idx: tensor<3x1xi32>) {
  // expected-error @+2 {{slice_sizes size (2) not equal to operand rank (1)}}
  // expected-error @+1 {{'stablehlo.gather' op failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %idx) {dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 2>} : (tensor<4xf32>, tensor<3x1xi32>) -> tensor<3xf32>
  return
}

// -----

func.func @gather(%m: tensor<4x6xf32>, %idx: tensor<3x1xi32>) {
  // expected-error @+2 {{expects offset_dims to be sorted, got: [2, 1]}}
  // expected-error @+1 {{'stablehlo.gather' op failed to infer returned types}}
  %0 = "stablehlo.gather"(%m, %idx) {dimension_numbers = #stablehlo.gather<offset_dims = [2, 1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 2>} : (tensor<4x6xf32>, tensor<3x1xi32>) -> tensor<3xf32>
  return
}

// -----

func.func @gather(%m: tensor<4x6xf32>, %idx: tensor<3x1xi32>) {
  // expected-error @+2 {{expects collapsed_slice_dims to be sorted, got: [1, 0]}}
  // expected-error @+1 {{'stablehlo.gather' op failed to infer returned types}}
  %0 = "stablehlo.gather"(%m, %idx) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1, 0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>} : (tensor<4x6xf32>, tensor<3x1xi32>) -> tensor<3xf32>
  return
}

// -----

func.func @get_dimension_size(%a: tensor<4xf32>) {
  // expected-error @+2 {{requires dimension attribute in range [0, 1); found (1)}}
  // expected-error @+1 {{'stablehlo.get_dimension_size' op failed to infer returned types}}
  %0 = "stablehlo.get_dimension_size"(%a) {dimension = 1 : i64} : (tensor<4xf32>) -> tensor<i32>
  return
}

// -----

func.func @set_dimension_size(%a: tensor<4xf32>, %si: tensor<i32>) {
  // expected-error @+2 {{requires dimension attribute in range [0, 1); found (1)}}
  // expected-error @+1 {{'stablehlo.set_dimension_size' op failed to infer returned types}}
  %0 = "stablehlo.set_dimension_size"(%a, %si) {dimension = 1 : i64} : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32>
  return
}

// -----

func.func @constant() {
  // expected-error @+1 {{Static dimension 0 cannot have a bound, use ShapedType::kDynamic to indicate a missing bound in tensor 'tensor<4xf32>'}}
  %0 = stablehlo.constant dense<1.0> : tensor<4xf32, #stablehlo.bounds<4>>
  return
}

// -----

func.func @size_overflow(%arg0: tensor<4xf32>, %arg1: tensor<f32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<9223372036854775807xf32>' are incompatible with return type(s) of operation 'tensor<4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.pad %arg0, %arg1, low = [9223372036854775807], high = [9223372036854775807], interior = [9223372036854775807] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @vector_constant() {
  // expected-error @+2 {{inferred type(s) 'vector<4xf32>' are incompatible with return type(s) of operation 'tensor<4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.constant"() <{value = dense<1.0> : vector<4xf32>}> : () -> tensor<4xf32>
  return
}
