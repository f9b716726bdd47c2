// Spoiled operations that jaxlib and ours refuse in the same words, written by
// test/oracle/verifier_agreement.py --save.
// RUN: shardwright-opt %s --split-input-file --verify-diagnostics=only-expected -o /dev/null

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.abs' op requires a single operand}}
  %r:1 = "stablehlo.abs"() {} : () -> (tensor<f16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (f32) -> (), sym_name = "main"}> ({
^bb0(%operand0: f32):
  // expected-error @+1 {{'stablehlo.abs' op operand #0 must be ranked tensor of 2/4/8/16/32/64-bit signless integer or 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'f32'}}
  %r:1 = "stablehlo.abs"(%operand0) {foo} : (f32) -> (tensor<4xui32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xui32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xui32>):
  // expected-error @+1 {{'stablehlo.abs' op requires one result}}
  "stablehlo.abs"(%operand0) {foo} : (tensor<4xui32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<i16>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<i16>):
  // expected-error @+1 {{'stablehlo.add' op expected 2 operands, but found 1}}
  %r:1 = "stablehlo.add"(%operand0) {} : (tensor<i16>) -> (none)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f8E4M3FNUZ>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f8E4M3FNUZ>):
  // expected-error @+1 {{'stablehlo.add' op requires one result}}
  %r:2 = "stablehlo.add"(%operand0) {} : (tensor<f8E4M3FNUZ>) -> (tensor<f8E4M3FNUZ>, tensor<f8E4M3FNUZ>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f64>, tensor<i32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f64>, %operand1: tensor<i32>):
  // expected-error @+1 {{op requires the same element type for all operands and results}}
  %r:1 = "stablehlo.add"(%operand0, %operand1) {} : (tensor<f64>, tensor<i32>) -> (tensor<i32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.after_all' op requires one result}}
  "stablehlo.after_all"() {} : () -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.after_all' op result #0 must be token, but got 'i32'}}
  %r:1 = "stablehlo.after_all"() {} : () -> (i32)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f32>):
  // expected-error @+1 {{'stablehlo.after_all' op operand #0 must be variadic of token, but got 'tensor<f32>'}}
  %r:1 = "stablehlo.after_all"(%operand0) {} : (tensor<f32>) -> (memref<2xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.all_gather' op requires the same number of operands and results}}
  %r:1 = "stablehlo.all_gather"() {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>]>, axes = []>} : () -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (i32) -> (), sym_name = "main"}> ({
^bb0(%operand0: i32):
  // expected-error @+1 {{'stablehlo.all_gather' op operand #0 must be variadic of ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'i32'}}
  %r:1 = "stablehlo.all_gather"(%operand0) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>]>, axes = []>, foo} : (i32) -> (i32)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.all_gather' op attribute 'use_global_device_ids' failed to satisfy constraint: unit attribute}}
  %r:1 = "stablehlo.all_gather"() {all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids = [], foo = @f} : () -> (tensor<8xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.all_reduce' op requires one region}}
  %r:1 = "stablehlo.all_reduce"() {replica_groups = dense<[[0, -1], [1, 2]]> : tensor<2x2xi64>} : () -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'stablehlo.all_reduce' op region #0 ('computation') failed to verify constraint: region with 1 blocks}}
  "stablehlo.all_reduce"(%operand0) ({
}) {replica_groups = dense<[[0, -1], [1, 2]]> : tensor<2x2xi64>} : (tensor<4xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{replica id #1 seen more than once}}
  %r:1 = "stablehlo.all_reduce"() ({
^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
  "stablehlo.return"(%arg1) : (tensor<f32>) -> ()
}) {replica_groups = dense<[[1, -1], [1, 2]]> : tensor<2x2xi64>} : () -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.all_to_all' op requires the same number of operands and results}}
  %r:1 = "stablehlo.all_to_all"() {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, split_count = 4 : i64, split_dimension = 1 : i64} : () -> (tensor<16x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<8x16xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<8x16xf32>):
  // expected-error @+1 {{'stablehlo.all_to_all' op requires attribute 'concat_dimension'}}
  %r:1 = "stablehlo.all_to_all"(%operand0) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, split_count = 4 : i64, split_dimension = 1 : i64} : (tensor<8x16xf32>) -> (tensor<16x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (i32) -> (), sym_name = "main"}> ({
^bb0(%operand0: i32):
  // expected-error @+1 {{'stablehlo.all_to_all' op operand #0 must be variadic of ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'i32'}}
  %r:1 = "stablehlo.all_to_all"(%operand0) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, split_count = 4 : i64, split_dimension = 1 : i64} : (i32) -> (tensor<8x2xi32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xui8>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xui8>):
  // expected-error @+1 {{'stablehlo.and' op expected 2 operands, but found 1}}
  %r:1 = "stablehlo.and"(%operand0) {} : (tensor<4xui8>) -> (tensor<*xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<0xi1>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<0xi1>):
  // expected-error @+1 {{'stablehlo.and' op requires one result}}
  %r:2 = "stablehlo.and"(%operand0) {} : (tensor<0xi1>) -> (tensor<1xi1>, tensor<1xi1>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (i32, tensor<i1>) -> (), sym_name = "main"}> ({
^bb0(%operand0: i32, %operand1: tensor<i1>):
  // expected-error @+1 {{'stablehlo.and' op operand #0 must be ranked tensor of bool or 2/4/8/16/32/64-bit integer values, but got 'i32'}}
  %r:1 = "stablehlo.and"(%operand0, %operand1) {} : (i32, tensor<i1>) -> (tensor<i1>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.async_done' op requires one result}}
  "stablehlo.async_done"() {} : () -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.async_done' op requires a single operand}}
  %r:1 = "stablehlo.async_done"() {} : () -> (tensor<8xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (f32) -> (), sym_name = "main"}> ({
^bb0(%operand0: f32):
  // expected-error @+1 {{'stablehlo.async_done' op operand #0 must be future, but got 'f32'}}
  %r:1 = "stablehlo.async_done"(%operand0) {} : (f32) -> (tensor<8xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'stablehlo.async_start' op requires one region}}
  %r:1 = "stablehlo.async_start"(%operand0) {} : (tensor<4xf32>) -> (!stablehlo.future<tensor<8xf32>>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'stablehlo.async_start' op region #0 ('body') failed to verify constraint: region with 1 blocks}}
  %r:1 = "stablehlo.async_start"(%operand0) ({
}) {} : (tensor<4xf32>) -> (!stablehlo.future<tensor<8xf32>>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.async_start' op result #0 must be future, but got 'tuple<tensor<2xf32>, tensor<f32>>'}}
  %r:1 = "stablehlo.async_start"() ({
^bb0(%arg0: tensor<4xf32>):
  %1 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  "stablehlo.return"(%1) : (tensor<4xf32>) -> ()
}) {} : () -> (tuple<tensor<2xf32>, tensor<f32>>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'stablehlo.atan2' op expected 2 operands, but found 1}}
  %r:1 = "stablehlo.atan2"(%operand0) {} : (tensor<4xf32>) -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>, tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>, %operand1: tensor<4xf32>):
  // expected-error @+1 {{'stablehlo.atan2' op result #0 must be ranked tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'i32'}}
  %r:1 = "stablehlo.atan2"(%operand0, %operand1) {} : (tensor<4xf32>, tensor<4xf32>) -> (i32)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xi1>, tensor<8xi1>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xi1>, %operand1: tensor<8xi1>):
  // expected-error @+1 {{'stablehlo.atan2' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'tensor<4xi1>'}}
  %r:1 = "stablehlo.atan2"(%operand0, %operand1) {} : (tensor<4xi1>, tensor<8xi1>) -> (tensor<4xi1>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<2x3x4xf32>, %operand1: tensor<3xf32>, %operand2: tensor<3xf32>, %operand3: tensor<2x3x4xf32>):
  // expected-error @+1 {{'stablehlo.batch_norm_grad' op expected 5 operands, but found 4}}
  %r:3 = "stablehlo.batch_norm_grad"(%operand0, %operand1, %operand2, %operand3) {epsilon = 0.000000e+00 : f32, feature_index = 0 : i64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf4E2M1FN>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<?x3x4xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<?x3x4xf32>, %operand1: tensor<3xi32>, %operand2: tensor<3xf32>, %operand3: tensor<3xf32>, %operand4: tensor<2x3x4xf32>):
  // expected-error @+1 {{'stablehlo.batch_norm_grad' op requires attribute 'epsilon'}}
  %r:3 = "stablehlo.batch_norm_grad"(%operand0, %operand1, %operand2, %operand3, %operand4) {feature_index = 1 : i64} : (tensor<?x3x4xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<2x3x4xf32>, %operand1: tensor<3xf32>, %operand2: tensor<3xf32>, %operand3: tensor<3xf32>, %operand4: tensor<2x3x4xf32>):
  // expected-error @+1 {{expected '}' in attribute dictionary}}
  %r:3 = "stablehlo.batch_norm_grad"(%operand0, %operand1, %operand2, %operand3, %operand4) {epsilon = 0.000000e+-1 : f32} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xbf16>, %operand1: tensor<4xbf16>, %operand2: tensor<4xbf16>, %operand3: tensor<4xbf16>):
  // expected-error @+1 {{'stablehlo.batch_norm_inference' op expected 5 operands, but found 4}}
  %r:1 = "stablehlo.batch_norm_inference"(%operand0, %operand1, %operand2, %operand3) {epsilon = 1.000000e-03 : f32, feature_index = 2 : i64} : (tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>) -> (tensor<2x3x4xbf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<2x3x4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<2x3x4xbf16>, %operand1: tensor<4xbf16>, %operand2: tensor<4xbf16>, %operand3: tensor<4xbf16>, %operand4: tensor<4xbf16>):
  // expected-error @+1 {{'stablehlo.batch_norm_inference' op requires attribute 'epsilon'}}
  %r:1 = "stablehlo.batch_norm_inference"(%operand0, %operand1, %operand2, %operand3, %operand4) {feature_index = 2 : i64} : (tensor<2x3x4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>) -> (tensor<2x3x4xbf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<2x3x4xbf16>, tensor<4xbf16>, tensor<4xi32>, tensor<4xbf16>, tensor<4xbf16>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<2x3x4xbf16>, %operand1: tensor<4xbf16>, %operand2: tensor<4xi32>, %operand3: tensor<4xbf16>, %operand4: tensor<4xbf16>):
  // expected-error @+1 {{'stablehlo.batch_norm_inference' op requires one result}}
  "stablehlo.batch_norm_inference"(%operand0, %operand1, %operand2, %operand3, %operand4) {epsilon = 1.000000e-03 : f32, feature_index = 2 : i64} : (tensor<2x3x4xbf16>, tensor<4xbf16>, tensor<4xi32>, tensor<4xbf16>, tensor<4xbf16>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<2x3x4xf32>, %operand1: tensor<4xf32>, %operand2: tensor<4xf32>):
  // expected-error @+1 {{'stablehlo.batch_norm_training' op attribute 'epsilon' failed to satisfy constraint: 32-bit float attribute}}
  %r:3 = "stablehlo.batch_norm_training"(%operand0, %operand1, %operand2) {epsilon = {}} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xi64>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<2x3x4xf32>, %operand1: tensor<4xf32>, %operand2: tensor<4xf32>):
  // expected-error @+1 {{'stablehlo.batch_norm_training' op requires attribute 'epsilon'}}
  %r:3 = "stablehlo.batch_norm_training"(%operand0, %operand1, %operand2) {feature_index = 2 : i64} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<2x3x4xf32>, %operand1: tensor<4xf32>, %operand2: tensor<4xf32>):
  // expected-error @+1 {{'stablehlo.batch_norm_training' op expected 3 results}}
  %r:2 = "stablehlo.batch_norm_training"(%operand0, %operand1, %operand2) {epsilon = 1.000000e-03 : f32, feature_index = 2 : i64} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.bitcast_convert' op requires a single operand}}
  %r:1 = "stablehlo.bitcast_convert"() {} : () -> (tensor<10xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (i32) -> (), sym_name = "main"}> ({
^bb0(%operand0: i32):
  // expected-error @+1 {{'stablehlo.bitcast_convert' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized or per-axis integer quantized values, but got 'i32'}}
  %r:1 = "stablehlo.bitcast_convert"(%operand0) {} : (i32) -> (tensor<3xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4x1xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4x1xf32>):
  // expected-error @+1 {{'stablehlo.bitcast_convert' op requires one result}}
  "stablehlo.bitcast_convert"(%operand0) {} : (tensor<4x1xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.broadcast' op requires a single operand}}
  %r:1 = "stablehlo.broadcast"() {broadcast_sizes = array<i64: 4>, foo} : () -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f32>):
  // expected-error @+1 {{'stablehlo.broadcast' op requires attribute 'broadcast_sizes'}}
  %r:1 = "stablehlo.broadcast"(%operand0) {foo} : (tensor<f32>) -> (tensor<f32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<i1>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<i1>):
  // expected-error @+1 {{'stablehlo.broadcast' op requires one result}}
  "stablehlo.broadcast"(%operand0) {broadcast_sizes = array<i64: 4>, foo} : (tensor<i1>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.broadcast_in_dim' op requires a single operand}}
  %r:1 = "stablehlo.broadcast_in_dim"() {broadcast_dimensions = array<i64>} : () -> (tensor<i32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<i32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<i32>):
  // expected-error @+1 {{'stablehlo.broadcast_in_dim' op requires one result}}
  "stablehlo.broadcast_in_dim"(%operand0) {} : (tensor<i32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<i1>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<i1>):
  // expected-error @+1 {{'stablehlo.broadcast_in_dim' op requires attribute 'broadcast_dimensions'}}
  %r:1 = "stablehlo.broadcast_in_dim"(%operand0) {} : (tensor<i1>) -> (tensor<3x2x3x2xi32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<i32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<i32>):
  // expected-error @+1 {{'stablehlo.case' op region #0 ('branches') failed to verify constraint: region with 1 blocks}}
  %r:1 = "stablehlo.case"(%operand0) ({
}, {
  %1 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<2xf32>}> : () -> tensor<2xf32>
  "stablehlo.return"(%1) : (tensor<2xf32>) -> ()
}) {} : (tensor<i32>) -> (tensor<2xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<i32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<i32>):
  // expected-error @+1 {{branch 0 and branch 1 have mismatched return types:  vs 'tensor<2xf32>'}}
  %r:1 = "stablehlo.case"(%operand0) ({
  "stablehlo.return"() : () -> ()
}, {
  %1 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<2xf32>}> : () -> tensor<2xf32>
  "stablehlo.return"(%1) : (tensor<2xf32>) -> ()
}) {} : (tensor<i32>) -> (tensor<2xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<i32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<i32>):
  // expected-error @+1 {{branch 0 and branch 1 have mismatched return types: 'tensor<2xf32>' vs }}
  %r:1 = "stablehlo.case"(%operand0) ({
  %2 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<2xf32>}> : () -> tensor<2xf32>
  "stablehlo.return"(%2) : (tensor<2xf32>) -> ()
}, {
  "stablehlo.return"() : () -> ()
}) {} : (tensor<i32>) -> (tensor<2xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.cbrt' op requires a single operand}}
  %r:1 = "stablehlo.cbrt"() {} : () -> (tensor<4x?xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (i32) -> (), sym_name = "main"}> ({
^bb0(%operand0: i32):
  // expected-error @+1 {{'stablehlo.cbrt' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'i32'}}
  %r:1 = "stablehlo.cbrt"(%operand0) {foo} : (i32) -> (i32)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4x?xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4x?xf32>):
  // expected-error @+1 {{'stablehlo.cbrt' op requires one result}}
  "stablehlo.cbrt"(%operand0) {foo} : (tensor<4x?xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4x?xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4x?xf32>):
  // expected-error @+1 {{'stablehlo.ceil' op requires one result}}
  "stablehlo.ceil"(%operand0) {foo} : (tensor<4x?xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'stablehlo.ceil' op requires compatible types for all operands and results}}
  %r:1 = "stablehlo.ceil"(%operand0) {} : (tensor<4xf32>) -> (tensor<4x?xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<?xi64>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<?xi64>):
  // expected-error @+1 {{'stablehlo.ceil' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or per-tensor integer quantized values, but got 'tensor<?xi64>'}}
  %r:1 = "stablehlo.ceil"(%operand0) {foo} : (tensor<?xi64>) -> (tensor<4x?xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.cholesky' op requires a single operand}}
  %r:1 = "stablehlo.cholesky"() {foo} : () -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (i32) -> (), sym_name = "main"}> ({
^bb0(%operand0: i32):
  // expected-error @+1 {{'stablehlo.cholesky' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'i32'}}
  %r:1 = "stablehlo.cholesky"(%operand0) {} : (i32) -> (tensor<4x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<?x4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<?x4xf32>):
  // expected-error @+1 {{'stablehlo.cholesky' op requires one result}}
  "stablehlo.cholesky"(%operand0) {foo = true} : (tensor<?x4xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (none, none, none) -> (), sym_name = "main"}> ({
^bb0(%operand0: none, %operand1: none, %operand2: none):
  // expected-error @+1 {{'stablehlo.clamp' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'none'}}
  %r:1 = "stablehlo.clamp"(%operand0, %operand1, %operand2) {foo} : (none, none, none) -> (none)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>, tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>, %operand1: tensor<4xf32>):
  // expected-error @+1 {{'stablehlo.clamp' op expected 3 operands, but found 2}}
  %r:1 = "stablehlo.clamp"(%operand0, %operand1) {foo} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>, %operand1: tensor<4xf32>, %operand2: tensor<4xf32>):
  // expected-error @+1 {{'stablehlo.clamp' op requires one result}}
  "stablehlo.clamp"(%operand0, %operand1, %operand2) {foo} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'stablehlo.collective_permute' op requires attribute 'source_target_pairs'}}
  %r:1 = "stablehlo.collective_permute"(%operand0) {} : (tensor<4xf32>) -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'stablehlo.collective_permute' op attribute 'source_target_pairs' failed to satisfy constraint: 64-bit signless integer elements attribute}}
  %r:1 = "stablehlo.collective_permute"(%operand0) {source_target_pairs = 1 : i32} : (tensor<4xf32>) -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'stablehlo.collective_permute' op requires one result}}
  "stablehlo.collective_permute"(%operand0) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<i1>, tensor<i1>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<i1>, %operand1: tensor<i1>):
  // expected-error @+1 {{'stablehlo.compare' op requires attribute 'comparison_direction'}}
  %r:1 = "stablehlo.compare"(%operand0, %operand1) {compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<i1>, tensor<i1>) -> (tensor<i1>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f64>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f64>):
  // expected-error @+1 {{'stablehlo.compare' op expected 2 operands, but found 1}}
  %r:1 = "stablehlo.compare"(%operand0) {compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f64>) -> (tensor<2xi1>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<i32>, tensor<i32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<i32>, %operand1: tensor<i32>):
  // expected-error @+1 {{'stablehlo.compare' op result #0 must be ranked tensor of bool values, but got 'tensor<f64>'}}
  %r:1 = "stablehlo.compare"(%operand0, %operand1) {comparison_direction = #stablehlo<comparison_direction LE>} : (tensor<i32>, tensor<i32>) -> (tensor<f64>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f32>):
  // expected-error @+1 {{'stablehlo.complex' op expected 2 operands, but found 1}}
  %r:1 = "stablehlo.complex"(%operand0) {} : (tensor<f32>) -> (tensor<?xcomplex<f32>>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<i2>, tensor<i2>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<i2>, %operand1: tensor<i2>):
  // expected-error @+1 {{'stablehlo.complex' op operand #0 must be ranked tensor of 32/64-bit float values, but got 'tensor<i2>'}}
  %r:1 = "stablehlo.complex"(%operand0, %operand1) {} : (tensor<i2>, tensor<i2>) -> (tensor<complex<f32>>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<5x5xf32>, tensor<5x5xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<5x5xf32>, %operand1: tensor<5x5xf32>):
  // expected-error @+1 {{'stablehlo.complex' op requires one result}}
  "stablehlo.complex"(%operand0, %operand1) {} : (tensor<5x5xf32>, tensor<5x5xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_name = "double", sym_visibility = "private"}> ({
^bb0(%arg0: tensor<4xf32>):
  %0 = "stablehlo.add"(%arg0, %arg0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  "func.return"(%0) : (tensor<4xf32>) -> ()
}) : () -> ()
"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'stablehlo.composite' op attribute 'decomposition' failed to satisfy constraint: flat symbol reference attribute}}
  %r:1 = "stablehlo.composite"(%operand0) {decomposition = true, name = "my.double"} : (tensor<4xf32>) -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_name = "double", sym_visibility = "private"}> ({
^bb0(%arg0: tensor<4xf32>):
  %0 = "stablehlo.add"(%arg0, %arg0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  "func.return"(%0) : (tensor<4xf32>) -> ()
}) : () -> ()
"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'stablehlo.composite' op attribute 'composite_attributes' failed to satisfy constraint: dictionary of named attribute values}}
  %r:1 = "stablehlo.composite"(%operand0) {composite_attributes = true, decomposition = @double, version = 3 : i32} : (tensor<4xf32>) -> (tensor<4xui32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_name = "double", sym_visibility = "private"}> ({
^bb0(%arg0: tensor<4xf32>):
  %0 = "stablehlo.add"(%arg0, %arg0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  "func.return"(%0) : (tensor<4xf32>) -> ()
}) : () -> ()
"func.func"() <{function_type = (none) -> (), sym_name = "main"}> ({
^bb0(%operand0: none):
  // expected-error @+1 {{'stablehlo.composite' op operand #0 must be variadic of ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized values or ranked tensor of per-axis integer quantized values or token or nested tuple with any combination of ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized values or memref of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized values or ranked tensor of per-axis integer quantized values or token values, but got 'none'}}
  %r:1 = "stablehlo.composite"(%operand0) {composite_attributes = {n = 2 : i64}, decomposition = @double, name = "my.double", version = 3 : i32} : (none) -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3x49xindex>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3x49xindex>):
  // expected-error @+1 {{'stablehlo.concatenate' op operand #0 must be variadic of ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'tensor<3x49xindex>'}}
  %r:1 = "stablehlo.concatenate"(%operand0) {dimension = 1 : i64} : (tensor<3x49xindex>) -> (tensor<3x50xbf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<1xi32>, tensor<1xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<1xi32>, %operand1: tensor<1xi32>):
  // expected-error @+1 {{'stablehlo.concatenate' op requires attribute 'dimension'}}
  %r:1 = "stablehlo.concatenate"(%operand0, %operand1) {} : (tensor<1xi32>, tensor<1xi32>) -> (tensor<3xi32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<1xui32>, tensor<1xui32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<1xui32>, %operand1: tensor<1xui32>):
  // expected-error @+1 {{'stablehlo.concatenate' op requires one result}}
  "stablehlo.concatenate"(%operand0, %operand1) {dimension = 0 : i64} : (tensor<1xui32>, tensor<1xui32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.constant' op requires one result}}
  "stablehlo.constant"() {} : () -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.constant' op requires attribute 'value'}}
  %r:1 = "stablehlo.constant"() {} : () -> (tensor<f16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.constant' op attribute 'value' failed to satisfy constraint: constant vector/tensor attribute}}
  %r:1 = "stablehlo.constant"() {value = i32} : () -> (tensor<f32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.convert' op requires a single operand}}
  %r:1 = "stablehlo.convert"() {} : () -> (tensor<f8E4M3FNUZ>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<i32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<i32>):
  // expected-error @+1 {{'stablehlo.convert' op requires one result}}
  "stablehlo.convert"(%operand0) {} : (tensor<i32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<1xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<1xf32>):
  // expected-error @+1 {{'stablehlo.convert' op result #0 must be ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements values, but got 'i32'}}
  %r:1 = "stablehlo.convert"(%operand0) {} : (tensor<1xf32>) -> (i32)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<1x4x4x2xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<1x4x4x2xf32>):
  // expected-error @+1 {{'stablehlo.convolution' op expected 2 operands, but found 1}}
  %r:1 = "stablehlo.convolution"(%operand0) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64} : (tensor<1x4x4x2xf32>) -> (tensor<1x2x2x5xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3x3x2x5xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3x3x2x5xf32>):
  // expected-error @+1 {{Expected spatial dimensions 1 not specified}}
  %r:1 = "stablehlo.convolution"(%operand0) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 2, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, padding = dense<1> : tensor<2x2xi64>} : (tensor<3x3x2x5xf32>) -> (tensor<1x4x4x5xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4x4xf32>, tensor<4x4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4x4xf32>, %operand1: tensor<4x4xf32>):
  // expected-error @+1 {{'stablehlo.convolution' op attribute 'feature_group_count' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %r:1 = "stablehlo.convolution"(%operand0, %operand1) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f]x[i, o]->[b, f]>, feature_group_count = true, padding = array<i1: true>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.cosine' op requires a single operand}}
  %r:1 = "stablehlo.cosine"() {} : () -> (tensor<?x?xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'stablehlo.cosine' op result #0 must be ranked tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'tensor<4xi1>'}}
  %r:1 = "stablehlo.cosine"(%operand0) {} : (tensor<4xf32>) -> (tensor<4xi1>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'stablehlo.cosine' op requires compatible types for all operands and results}}
  %r:1 = "stablehlo.cosine"(%operand0) {} : (tensor<4xf32>) -> (tensor<8xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.count_leading_zeros' op requires a single operand}}
  %r:1 = "stablehlo.count_leading_zeros"() {} : () -> (tensor<5xi4>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (f32) -> (), sym_name = "main"}> ({
^bb0(%operand0: f32):
  // expected-error @+1 {{'stablehlo.count_leading_zeros' op operand #0 must be ranked tensor of 2/4/8/16/32/64-bit integer values, but got 'f32'}}
  %r:1 = "stablehlo.count_leading_zeros"(%operand0) {} : (f32) -> (tensor<5xi4>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<5xi4>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<5xi4>):
  // expected-error @+1 {{'stablehlo.count_leading_zeros' op requires one result}}
  "stablehlo.count_leading_zeros"(%operand0) {} : (tensor<5xi4>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.create_token' op requires one result}}
  "stablehlo.create_token"() {foo} : () -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.create_token' op result #0 must be token, but got 'none'}}
  %r:1 = "stablehlo.create_token"() {} : () -> (none)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f32>):
  // expected-error @+1 {{'stablehlo.create_token' op requires zero operands}}
  %r:1 = "stablehlo.create_token"(%operand0) {} : (tensor<f32>) -> (!stablehlo.token)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.cross-replica-sum' op requires a single operand}}
  %r:1 = "stablehlo.cross-replica-sum"() {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, foo} : () -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'stablehlo.cross-replica-sum' op requires attribute 'replica_groups'}}
  %r:1 = "stablehlo.cross-replica-sum"(%operand0) {} : (tensor<4xf32>) -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (i32) -> (), sym_name = "main"}> ({
^bb0(%operand0: i32):
  // expected-error @+1 {{'stablehlo.cross-replica-sum' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'i32'}}
  %r:1 = "stablehlo.cross-replica-sum"(%operand0) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, foo} : (i32) -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.custom_call' op requires attribute 'call_target_name'}}
  "stablehlo.custom_call"() {} : () -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.custom_call' op attribute 'call_target_name' failed to satisfy constraint: string attribute}}
  %r:2 = "stablehlo.custom_call"() {call_target_name = array<i64: 1, 1>, a = 1 : i64} : () -> (tensor<4xf32>, tensor<4xbf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<i1>, tensor<ui2>, tensor<ui2>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<i1>, %operand1: tensor<ui2>, %operand2: tensor<ui2>):
  // expected-error @+1 {{'stablehlo.custom_call' op attribute 'has_side_effect' failed to satisfy constraint: bool attribute}}
  "stablehlo.custom_call"(%operand0, %operand1, %operand2) {api_version = 2 : i32, call_target_name = "shape_assertion", has_side_effect = []} : (tensor<i1>, tensor<ui2>, tensor<ui2>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<2x3x3xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<2x3x3xi32>):
  // expected-error @+1 {{'stablehlo.divide' op requires one result}}
  "stablehlo.divide"(%operand0) {} : (tensor<2x3x3xi32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<ui32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<ui32>):
  // expected-error @+1 {{'stablehlo.divide' op expected 2 operands, but found 1}}
  %r:1 = "stablehlo.divide"(%operand0) {} : (tensor<ui32>) -> (tensor<ui32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (none, tensor<3xbf16>) -> (), sym_name = "main"}> ({
^bb0(%operand0: none, %operand1: tensor<3xbf16>):
  // expected-error @+1 {{'stablehlo.divide' op operand #0 must be ranked tensor of 2/4/8/16/32/64-bit integer or 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'none'}}
  %r:1 = "stablehlo.divide"(%operand0, %operand1) {} : (none, tensor<3xbf16>) -> (tensor<1xbf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (f32, f32) -> (), sym_name = "main"}> ({
^bb0(%operand0: f32, %operand1: f32):
  // expected-error @+1 {{'stablehlo.dot' op requires one result}}
  "stablehlo.dot"(%operand0, %operand1) {foo} : (f32, f32) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4x4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4x4xf32>):
  // expected-error @+1 {{'stablehlo.dot' op expected 2 operands, but found 1}}
  %r:1 = "stablehlo.dot"(%operand0) {foo} : (tensor<4x4xf32>) -> (tensor<4x4xi32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4x4xf32>, tensor<4x4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4x4xf32>, %operand1: tensor<4x4xf32>):
  // expected-error @+1 {{'stablehlo.dot' op result #0 must be ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized or per-axis integer quantized values, but got 'f32'}}
  %r:1 = "stablehlo.dot"(%operand0, %operand1) {foo} : (tensor<4x4xf32>, tensor<4x4xf32>) -> (f32)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4x6xf32>, tensor<6x3xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4x6xf32>, %operand1: tensor<6x3xf32>):
  // expected-error @+1 {{'stablehlo.dot_general' op requires one result}}
  "stablehlo.dot_general"(%operand0, %operand1) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<4x6xf32>, tensor<6x3xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (f32) -> (), sym_name = "main"}> ({
^bb0(%operand0: f32):
  // expected-error @+1 {{'stablehlo.dot_general' op expected 2 operands, but found 1}}
  %r:1 = "stablehlo.dot_general"(%operand0) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2, 0], rhs_contracting_dimensions = [1, 0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (f32) -> (tensor<4x5xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<5x1xui32>, tensor<ui32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<5x1xui32>, %operand1: tensor<ui32>):
  // expected-error @+1 {{'stablehlo.dot_general' op attribute 'precision_config' failed to satisfy constraint: Precision Config attribute}}
  %r:1 = "stablehlo.dot_general"(%operand0, %operand1) {dot_dimension_numbers = #stablehlo.dot<>, precision_config = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<5x1xui32>, tensor<ui32>) -> (tensor<5x1xui32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f32>):
  // expected-error @+1 {{'stablehlo.dynamic_broadcast_in_dim' op expected 2 operands, but found 1}}
  %r:1 = "stablehlo.dynamic_broadcast_in_dim"(%operand0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> (tensor<?x?xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>, tensor<2xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f32>, %operand1: tensor<2xi32>):
  // expected-error @+1 {{'stablehlo.dynamic_broadcast_in_dim' op requires one result}}
  "stablehlo.dynamic_broadcast_in_dim"(%operand0, %operand1) {} : (tensor<f32>, tensor<2xi32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>, tensor<2xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f32>, %operand1: tensor<2xi32>):
  // expected-error @+1 {{'stablehlo.dynamic_broadcast_in_dim' op requires attribute 'broadcast_dimensions'}}
  %r:1 = "stablehlo.dynamic_broadcast_in_dim"(%operand0, %operand1) {} : (tensor<f32>, tensor<2xi32>) -> (tensor<?x?xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<1x8x8x207xf32>, tensor<3x3x207x16xi64>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<1x8x8x207xf32>, %operand1: tensor<3x3x207x16xi64>):
  // expected-error @+1 {{'stablehlo.dynamic_conv' op expected 3 operands, but found 2}}
  %r:1 = "stablehlo.dynamic_conv"(%operand0, %operand1) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1>, window_strides = array<i64: 1, 1>} : (tensor<1x8x8x207xf32>, tensor<3x3x207x16xi64>) -> (tensor<1x?x?x16xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<1x8x8x207xf32>, tensor<3x3x207x16xf32>, tensor<2x2xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<1x8x8x207xf32>, %operand1: tensor<3x3x207x16xf32>, %operand2: tensor<2x2xi32>):
  // expected-error @+1 {{'stablehlo.dynamic_conv' op attribute 'dimension_numbers' failed to satisfy constraint: Structure of dimension information for conv op}}
  %r:1 = "stablehlo.dynamic_conv"(%operand0, %operand1, %operand2) {batch_group_count = 1 : i64, dimension_numbers = @f, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_strides = array<i64: 1, 1>} : (tensor<1x8x8x207xf32>, tensor<3x3x207x16xf32>, tensor<2x2xi32>) -> (tensor<1x?x?x16xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<1x8x8x207xf32>, tensor<3x3x207x16xf32>, tensor<2x2xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<1x8x8x207xf32>, %operand1: tensor<3x3x207x16xf32>, %operand2: tensor<2x2xi32>):
  // expected-error @+1 {{Duplicate entries for spatial dimension 1}}
  %r:1 = "stablehlo.dynamic_conv"(%operand0, %operand1, %operand2) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 1, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>} : (tensor<1x8x8x207xf32>, tensor<3x3x207x16xf32>, tensor<2x2xi32>) -> (tensor<1x?x?x16xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<2x4x9xf32>, tensor<1x5x2xi32>, tensor<3xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<2x4x9xf32>, %operand1: tensor<1x5x2xi32>, %operand2: tensor<3xi32>):
  // expected-error @+1 {{'stablehlo.dynamic_gather' op requires attribute 'dimension_numbers'}}
  %r:1 = "stablehlo.dynamic_gather"(%operand0, %operand1, %operand2) {indices_are_sorted = true} : (tensor<2x4x9xf32>, tensor<1x5x2xi32>, tensor<3xi32>) -> (tensor<1x5x?xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<2x4x9xf32>, tensor<1x5x2xi32>, tensor<3xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<2x4x9xf32>, %operand1: tensor<1x5x2xi32>, %operand2: tensor<3xi32>):
  // expected-error @+1 {{'stablehlo.dynamic_gather' op attribute 'dimension_numbers' failed to satisfy constraint: Attribute that models the dimension information for gather}}
  %r:1 = "stablehlo.dynamic_gather"(%operand0, %operand1, %operand2) {dimension_numbers = array<i64: 1, 1>, indices_are_sorted = true} : (tensor<2x4x9xf32>, tensor<1x5x2xi32>, tensor<3xi32>) -> (tensor<1x5x?xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<1x5x2xf16>, tensor<3xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<1x5x2xf16>, %operand1: tensor<3xi32>):
  // expected-error @+1 {{'stablehlo.dynamic_gather' op expected 3 operands, but found 2}}
  %r:1 = "stablehlo.dynamic_gather"(%operand0, %operand1) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = true} : (tensor<1x5x2xf16>, tensor<3xi32>) -> (tensor<1x5x?xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.dynamic_iota' op requires a single operand}}
  %r:1 = "stablehlo.dynamic_iota"() {iota_dimension = 0 : i64} : () -> (tensor<4x?xui64>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.dynamic_iota' op attribute 'iota_dimension' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %r:1 = "stablehlo.dynamic_iota"() {iota_dimension = array<i64>} : () -> (tensor<4x?xui64>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<2xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<2xi32>):
  // expected-error @+1 {{'stablehlo.dynamic_iota' op requires attribute 'iota_dimension'}}
  %r:1 = "stablehlo.dynamic_iota"(%operand0) {} : (tensor<2xi32>) -> (tensor<4x?xui64>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f32>, %operand1: tensor<1xi64>, %operand2: tensor<1xi64>, %operand3: tensor<1xi64>):
  // expected-error @+1 {{'stablehlo.dynamic_pad' op expected 5 operands, but found 4}}
  %r:1 = "stablehlo.dynamic_pad"(%operand0, %operand1, %operand2, %operand3) {} : (tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<?xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>, %operand1: tensor<f32>, %operand2: tensor<1xi64>, %operand3: tensor<1xi64>, %operand4: tensor<1xi64>):
  // expected-error @+1 {{'stablehlo.dynamic_pad' op requires one result}}
  "stablehlo.dynamic_pad"(%operand0, %operand1, %operand2, %operand3, %operand4) {foo} : (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<i64>, tensor<1xi64>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>, %operand1: tensor<f32>, %operand2: tensor<1xi64>, %operand3: tensor<i64>, %operand4: tensor<1xi64>):
  // expected-error @+1 {{'stablehlo.dynamic_pad' op operand #3 must be statically shaped 1-dimensional tensor of index or 2/4/8/16/32/64-bit integer values, but got 'tensor<i64>'}}
  %r:1 = "stablehlo.dynamic_pad"(%operand0, %operand1, %operand2, %operand3, %operand4) {foo} : (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<i64>, tensor<1xi64>) -> (tensor<?xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<2xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<2xi32>):
  // expected-error @+1 {{'stablehlo.dynamic_reshape' op requires one result}}
  "stablehlo.dynamic_reshape"(%operand0) {} : (tensor<2xi32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'stablehlo.dynamic_reshape' op expected 2 operands, but found 1}}
  %r:1 = "stablehlo.dynamic_reshape"(%operand0) {} : (tensor<4xf32>) -> (tensor<2x2xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>, tensor<i32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f32>, %operand1: tensor<i32>):
  // expected-error @+1 {{'stablehlo.dynamic_reshape' op operand #1 must be statically shaped 1-dimensional tensor of index or 2/4/8/16/32/64-bit integer values, but got 'tensor<i32>'}}
  %r:1 = "stablehlo.dynamic_reshape"(%operand0, %operand1) {foo} : (tensor<f32>, tensor<i32>) -> (tensor<1x2xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.dynamic_slice' op expected 1 or more operands, but found 0}}
  %r:1 = "stablehlo.dynamic_slice"() {foo} : () -> (tensor<f32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f32>):
  // expected-error @+1 {{'stablehlo.dynamic_slice' op requires attribute 'slice_sizes'}}
  %r:1 = "stablehlo.dynamic_slice"(%operand0) {foo} : (tensor<f32>) -> (tensor<f32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f32>):
  // expected-error @+1 {{'stablehlo.dynamic_slice' op requires one result}}
  "stablehlo.dynamic_slice"(%operand0) {slice_sizes = array<i64>, foo} : (tensor<f32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f32>):
  // expected-error @+1 {{'stablehlo.dynamic_update_slice' op requires one result}}
  %r:2 = "stablehlo.dynamic_update_slice"(%operand0) {foo} : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>, tensor<i8>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f32>, %operand1: tensor<i8>):
  // expected-error @+1 {{'stablehlo.dynamic_update_slice' op failed to verify that all of {operand, update, result} have same element type}}
  %r:1 = "stablehlo.dynamic_update_slice"(%operand0, %operand1) {} : (tensor<f32>, tensor<i8>) -> (tensor<f32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>, tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f32>, %operand1: tensor<f32>):
  // expected-error @+1 {{'stablehlo.dynamic_update_slice' op result #0 must be ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'tensor<*xf32>'}}
  %r:1 = "stablehlo.dynamic_update_slice"(%operand0, %operand1) {} : (tensor<f32>, tensor<f32>) -> (tensor<*xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4x4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4x4xf32>):
  // expected-error @+1 {{'stablehlo.einsum' op expected 2 operands, but found 1}}
  %r:1 = "stablehlo.einsum"(%operand0) {einsum_config = "ij,jk->ik", foo} : (tensor<4x4xf32>) -> (tensor<4x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4x4xf32>, f32) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4x4xf32>, %operand1: f32):
  // expected-error @+1 {{'stablehlo.einsum' op operand #1 must be ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'f32'}}
  %r:1 = "stablehlo.einsum"(%operand0, %operand1) {einsum_config = "ij,jk->ik", foo} : (tensor<4x4xf32>, f32) -> (tensor<4x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4x4xf32>, tensor<4x4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4x4xf32>, %operand1: tensor<4x4xf32>):
  // expected-error @+1 {{'stablehlo.einsum' op requires attribute 'einsum_config'}}
  %r:1 = "stablehlo.einsum"(%operand0, %operand1) {foo} : (tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.exponential' op requires a single operand}}
  %r:1 = "stablehlo.exponential"() {} : () -> (tensor<4x?xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<5x5xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<5x5xi32>):
  // expected-error @+1 {{'stablehlo.exponential' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'tensor<5x5xi32>'}}
  %r:1 = "stablehlo.exponential"(%operand0) {} : (tensor<5x5xi32>) -> (none)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3x2x5x5xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3x2x5x5xf32>):
  // expected-error @+1 {{'stablehlo.exponential' op requires one result}}
  "stablehlo.exponential"(%operand0) {} : (tensor<3x2x5x5xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.exponential_minus_one' op requires a single operand}}
  %r:1 = "stablehlo.exponential_minus_one"() {} : () -> (none)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (none) -> (), sym_name = "main"}> ({
^bb0(%operand0: none):
  // expected-error @+1 {{'stablehlo.exponential_minus_one' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'none'}}
  %r:1 = "stablehlo.exponential_minus_one"(%operand0) {foo} : (none) -> (tensor<4x1xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4x?xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4x?xf32>):
  // expected-error @+1 {{'stablehlo.exponential_minus_one' op requires one result}}
  "stablehlo.exponential_minus_one"(%operand0) {foo} : (tensor<4x?xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.fft' op requires a single operand}}
  %r:1 = "stablehlo.fft"() {fft_length = array<i64: 4>, fft_type = #stablehlo<fft_type FFT>, foo} : () -> (tensor<4xcomplex<f32>>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xi1>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xi1>):
  // expected-error @+1 {{'stablehlo.fft' op requires one result}}
  "stablehlo.fft"(%operand0) {fft_length = array<i64: 4>, fft_type = #stablehlo<fft_type FFT>, foo} : (tensor<4xi1>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xtf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xtf32>):
  // expected-error @+1 {{'stablehlo.fft' op requires attribute 'fft_length'}}
  %r:1 = "stablehlo.fft"(%operand0) {fft_type = #stablehlo<fft_type IFFT>, foo} : (tensor<4xtf32>) -> (tensor<4xtf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.floor' op requires a single operand}}
  %r:1 = "stablehlo.floor"() {} : () -> (tensor<4x0xbf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (f32) -> (), sym_name = "main"}> ({
^bb0(%operand0: f32):
  // expected-error @+1 {{'stablehlo.floor' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or per-tensor integer quantized values, but got 'f32'}}
  %r:1 = "stablehlo.floor"(%operand0) {foo} : (f32) -> (f32)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<2x1xui2>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<2x1xui2>):
  // expected-error @+1 {{'stablehlo.floor' op requires one result}}
  "stablehlo.floor"(%operand0) {} : (tensor<2x1xui2>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'stablehlo.gather' op expected 2 operands, but found 1}}
  %r:1 = "stablehlo.gather"(%operand0) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0]>, slice_sizes = array<i64: 1>} : (tensor<4xf32>) -> (tensor<f32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<2xi16>, tensor<1xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<2xi16>, %operand1: tensor<1xi32>):
  // expected-error @+1 {{'stablehlo.gather' op requires attribute 'dimension_numbers'}}
  %r:1 = "stablehlo.gather"(%operand0, %operand1) {indices_are_sorted = false, slice_sizes = array<i64: 1>} : (tensor<2xi16>, tensor<1xi32>) -> (tensor<i16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>, tensor<1xi64>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>, %operand1: tensor<1xi64>):
  // expected-error @+1 {{'stablehlo.gather' op attribute 'dimension_numbers' failed to satisfy constraint: Attribute that models the dimension information for gather}}
  %r:1 = "stablehlo.gather"(%operand0, %operand1) {dimension_numbers = array<i64: 0>, slice_sizes = array<i64: 1>} : (tensor<4xf32>, tensor<1xi64>) -> (tensor<f32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.get_dimension_size' op requires a single operand}}
  %r:1 = "stablehlo.get_dimension_size"() {dimension = 0 : i64} : () -> (tensor<i32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (i32) -> (), sym_name = "main"}> ({
^bb0(%operand0: i32):
  // expected-error @+1 {{'stablehlo.get_dimension_size' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized or per-axis integer quantized values, but got 'i32'}}
  %r:1 = "stablehlo.get_dimension_size"(%operand0) {dimension = 2 : i64} : (i32) -> (tensor<i32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'stablehlo.get_dimension_size' op requires attribute 'dimension'}}
  %r:1 = "stablehlo.get_dimension_size"(%operand0) {} : (tensor<4xf32>) -> (tensor<i32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.get_tuple_element' op requires a single operand}}
  %r:1 = "stablehlo.get_tuple_element"() {index = 0 : i32, foo} : () -> (tensor<4xi64>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (f32) -> (), sym_name = "main"}> ({
^bb0(%operand0: f32):
  // expected-error @+1 {{'stablehlo.get_tuple_element' op requires one result}}
  "stablehlo.get_tuple_element"(%operand0) {index = 0 : i32, foo} : (f32) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (f32) -> (), sym_name = "main"}> ({
^bb0(%operand0: f32):
  // expected-error @+1 {{'stablehlo.get_tuple_element' op requires attribute 'index'}}
  %r:1 = "stablehlo.get_tuple_element"(%operand0) {foo} : (f32) -> (tensor<4xi32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<i1>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<i1>):
  // expected-error @+1 {{'stablehlo.if' op expected 2 regions}}
  %r:2 = "stablehlo.if"(%operand0) ({
  %1 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<2xf32>}> : () -> tensor<2xf32>
  %2 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
  "stablehlo.return"(%1, %2) : (tensor<2xf32>, tensor<i32>) -> ()
}) {} : (tensor<i1>) -> (tensor<2xi64>, tensor<i32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<i1>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<i1>):
  // expected-error @+1 {{branch 0 and branch 1 have mismatched return types: 'tensor<2xf32>', 'tensor<i32>' vs }}
  %r:2 = "stablehlo.if"(%operand0) ({
  %3 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<2xf32>}> : () -> tensor<2xf32>
  %4 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
  "stablehlo.return"(%3, %4) : (tensor<2xf32>, tensor<i32>) -> ()
}, {
  "stablehlo.return"() : () -> ()
}) {} : (tensor<i1>) -> (tensor<2xf32>, tensor<i32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.if' op requires a single operand}}
  %r:2 = "stablehlo.if"() ({
  %3 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<2xf32>}> : () -> tensor<2xf32>
  %4 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
  "stablehlo.return"(%3, %4) : (tensor<2xf32>, tensor<i32>) -> ()
}, {
  %1 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<2xf32>}> : () -> tensor<2xf32>
  %2 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
  "stablehlo.return"(%1, %2) : (tensor<2xf32>, tensor<i32>) -> ()
}) {} : () -> (tensor<2xf32>, tensor<i32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.imag' op requires one result}}
  "stablehlo.imag"() {} : () -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.imag' op requires a single operand}}
  %r:1 = "stablehlo.imag"() {} : () -> (f32)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (memref<2xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: memref<2xf32>):
  // expected-error @+1 {{'stablehlo.imag' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements values, but got 'memref<2xf32>'}}
  %r:1 = "stablehlo.imag"(%operand0) {} : (memref<2xf32>) -> (tensor<f32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.infeed' op requires a single operand}}
  %r:1 = "stablehlo.infeed"() {infeed_config = "", foo} : () -> (!stablehlo.token)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (i32) -> (), sym_name = "main"}> ({
^bb0(%operand0: i32):
  // expected-error @+1 {{'stablehlo.infeed' op operand #0 must be token, but got 'i32'}}
  %r:1 = "stablehlo.infeed"(%operand0) {infeed_config = "", foo} : (i32) -> (!stablehlo.token)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (!stablehlo.token) -> (), sym_name = "main"}> ({
^bb0(%operand0: !stablehlo.token):
  // expected-error @+1 {{'stablehlo.infeed' op result #0 must be variadic of statically shaped tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized values or statically shaped tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized or per-axis integer quantized values or token, but got 'f32'}}
  %r:1 = "stablehlo.infeed"(%operand0) {infeed_config = "", foo} : (!stablehlo.token) -> (f32)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.iota' op requires attribute 'iota_dimension'}}
  %r:1 = "stablehlo.iota"() {} : () -> (tensor<ui64>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.iota' op attribute 'iota_dimension' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %r:1 = "stablehlo.iota"() {iota_dimension = @f} : () -> (tensor<49xbf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.iota' op result #0 must be statically shaped tensor of 2/4/8/16/32/64-bit integer or 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'vector<2xf32>'}}
  %r:1 = "stablehlo.iota"() {iota_dimension = 1 : i64} : () -> (vector<2xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.is_finite' op requires a single operand}}
  %r:1 = "stablehlo.is_finite"() {foo} : () -> (tensor<4xi1>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (none) -> (), sym_name = "main"}> ({
^bb0(%operand0: none):
  // expected-error @+1 {{'stablehlo.is_finite' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or per-tensor integer quantized values, but got 'none'}}
  %r:1 = "stablehlo.is_finite"(%operand0) {foo} : (none) -> (tensor<4xi1>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'stablehlo.is_finite' op requires one result}}
  "stablehlo.is_finite"(%operand0) {foo} : (tensor<4xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.log' op requires a single operand}}
  %r:1 = "stablehlo.log"() {} : () -> (tensor<f32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (i32) -> (), sym_name = "main"}> ({
^bb0(%operand0: i32):
  // expected-error @+1 {{'stablehlo.log' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'i32'}}
  %r:1 = "stablehlo.log"(%operand0) {} : (i32) -> (tensor<bf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<2xbf16>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<2xbf16>):
  // expected-error @+1 {{'stablehlo.log' op requires one result}}
  "stablehlo.log"(%operand0) {} : (tensor<2xbf16>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.log_plus_one' op requires a single operand}}
  %r:1 = "stablehlo.log_plus_one"() {} : () -> (tensor<5xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (none) -> (), sym_name = "main"}> ({
^bb0(%operand0: none):
  // expected-error @+1 {{'stablehlo.log_plus_one' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'none'}}
  %r:1 = "stablehlo.log_plus_one"(%operand0) {} : (none) -> (tensor<3x2x5x5xi2>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f32>):
  // expected-error @+1 {{'stablehlo.log_plus_one' op requires compatible types for all operands and results}}
  %r:1 = "stablehlo.log_plus_one"(%operand0) {} : (tensor<f32>) -> (tensor<5xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.logistic' op requires a single operand}}
  %r:1 = "stablehlo.logistic"() {foo} : () -> (tensor<4x?xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (none) -> (), sym_name = "main"}> ({
^bb0(%operand0: none):
  // expected-error @+1 {{'stablehlo.logistic' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'none'}}
  %r:1 = "stablehlo.logistic"(%operand0) {foo} : (none) -> (tensor<4x?xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4x?xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4x?xf32>):
  // expected-error @+1 {{'stablehlo.logistic' op requires one result}}
  "stablehlo.logistic"(%operand0) {foo} : (tensor<4x?xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.map' op region #0 ('computation') failed to verify constraint: region with 1 blocks}}
  %r:1 = "stablehlo.map"() ({
}) {dimensions = array<i64: 0>, foo} : () -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.map' op expected 1 or more operands, but found 0}}
  %r:1 = "stablehlo.map"() ({
^bb0(%arg1: tensor<f32>):
  "stablehlo.return"(%arg1) : (tensor<f32>) -> ()
}) {dimensions = array<i64: 2>, foo} : () -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{expects number of operands to match the arity of map computation, but got: 1 and 0}}
  %r:1 = "stablehlo.map"(%operand0) ({
  "stablehlo.return"() : () -> ()
}) {dimensions = array<i64: 0>, foo} : (tensor<4xf32>) -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<i32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<i32>):
  // expected-error @+1 {{'stablehlo.maximum' op requires one result}}
  "stablehlo.maximum"(%operand0) {} : (tensor<i32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<i64>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<i64>):
  // expected-error @+1 {{'stablehlo.maximum' op expected 2 operands, but found 1}}
  %r:1 = "stablehlo.maximum"(%operand0) {} : (tensor<i64>) -> (tensor<2xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>, none) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f32>, %operand1: none):
  // expected-error @+1 {{'stablehlo.maximum' op operand #1 must be ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'none'}}
  %r:1 = "stablehlo.maximum"(%operand0, %operand1) {} : (tensor<f32>, none) -> (tensor<2xcomplex<f32>>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (vector<2xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: vector<2xf32>):
  // expected-error @+1 {{'stablehlo.minimum' op expected 2 operands, but found 1}}
  %r:1 = "stablehlo.minimum"(%operand0) {} : (vector<2xf32>) -> (vector<2xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (none, none) -> (), sym_name = "main"}> ({
^bb0(%operand0: none, %operand1: none):
  // expected-error @+1 {{'stablehlo.minimum' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'none'}}
  %r:1 = "stablehlo.minimum"(%operand0, %operand1) {} : (none, none) -> (tensor<?xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<i1>, tensor<i32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<i1>, %operand1: tensor<i32>):
  // expected-error @+1 {{'stablehlo.minimum' op requires compatible types for all operands and results}}
  %r:1 = "stablehlo.minimum"(%operand0, %operand1) {} : (tensor<i1>, tensor<i32>) -> (tensor<i32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'stablehlo.multiply' op expected 2 operands, but found 1}}
  %r:1 = "stablehlo.multiply"(%operand0) {} : (tensor<4xf32>) -> (tensor<*xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>, f32) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f32>, %operand1: f32):
  // expected-error @+1 {{'stablehlo.multiply' op operand #1 must be ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'f32'}}
  %r:1 = "stablehlo.multiply"(%operand0, %operand1) {} : (tensor<f32>, f32) -> (tensor<f32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<2xf32>, tensor<bf16>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<2xf32>, %operand1: tensor<bf16>):
  // expected-error @+1 {{'stablehlo.multiply' op requires one result}}
  "stablehlo.multiply"(%operand0, %operand1) {} : (tensor<2xf32>, tensor<bf16>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.negate' op requires a single operand}}
  %r:1 = "stablehlo.negate"() {} : () -> (tensor<5x5xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (memref<2xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: memref<2xf32>):
  // expected-error @+1 {{'stablehlo.negate' op requires one result}}
  "stablehlo.negate"(%operand0) {} : (memref<2xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f32>):
  // expected-error @+1 {{'stablehlo.negate' op requires compatible types for all operands and results}}
  %r:1 = "stablehlo.negate"(%operand0) {} : (tensor<f32>) -> (tensor<ui8>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.not' op requires a single operand}}
  %r:1 = "stablehlo.not"() {} : () -> (tensor<3x2x3xi16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.not' op requires one result}}
  %r:2 = "stablehlo.not"() {} : () -> (tensor<3x2x3xi16>, tensor<3x2x3xui32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (none) -> (), sym_name = "main"}> ({
^bb0(%operand0: none):
  // expected-error @+1 {{'stablehlo.not' op operand #0 must be ranked tensor of bool or 2/4/8/16/32/64-bit integer values, but got 'none'}}
  %r:1 = "stablehlo.not"(%operand0) {} : (none) -> (none)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.optimization_barrier' op requires the same number of operands and results}}
  %r:1 = "stablehlo.optimization_barrier"() {} : () -> (tensor<f32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xi4>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xi4>):
  // expected-error @+1 {{'stablehlo.optimization_barrier' op requires the same type for operand and result at index 0}}
  %r:1 = "stablehlo.optimization_barrier"(%operand0) {foo} : (tensor<4xi4>) -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<*xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<*xf32>):
  // expected-error @+1 {{'stablehlo.optimization_barrier' op operand #0 must be variadic of ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized values or token, but got 'tensor<*xf32>'}}
  %r:1 = "stablehlo.optimization_barrier"(%operand0) {foo = 1 : i32} : (tensor<*xf32>) -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<2xi8>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<2xi8>):
  // expected-error @+1 {{'stablehlo.or' op expected 2 operands, but found 1}}
  %r:1 = "stablehlo.or"(%operand0) {} : (tensor<2xi8>) -> (tensor<4xi16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xui8>, f32) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xui8>, %operand1: f32):
  // expected-error @+1 {{'stablehlo.or' op operand #1 must be ranked tensor of bool or 2/4/8/16/32/64-bit integer values, but got 'f32'}}
  %r:1 = "stablehlo.or"(%operand0, %operand1) {} : (tensor<4xui8>, f32) -> (tensor<4xui8>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<ui64>, tensor<ui64>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<ui64>, %operand1: tensor<ui64>):
  // expected-error @+1 {{'stablehlo.or' op requires one result}}
  "stablehlo.or"(%operand0, %operand1) {} : (tensor<ui64>, tensor<ui64>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (!stablehlo.token) -> (), sym_name = "main"}> ({
^bb0(%operand0: !stablehlo.token):
  // expected-error @+1 {{'stablehlo.outfeed' op result #0 must be token, but got 'tuple<tensor<2xf32>, tensor<f32>>'}}
  %r:1 = "stablehlo.outfeed"(%operand0) {outfeed_config = "", foo} : (!stablehlo.token) -> (tuple<tensor<2xf32>, tensor<f32>>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xbf16>, i32) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xbf16>, %operand1: i32):
  // expected-error @+1 {{'stablehlo.outfeed' op operand #1 must be token, but got 'i32'}}
  %r:1 = "stablehlo.outfeed"(%operand0, %operand1) {outfeed_config = "", foo} : (tensor<4xbf16>, i32) -> (i32)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>, !stablehlo.token) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>, %operand1: !stablehlo.token):
  // expected-error @+1 {{'stablehlo.outfeed' op requires one result}}
  "stablehlo.outfeed"(%operand0, %operand1) {outfeed_config = "", foo} : (tensor<4xf32>, !stablehlo.token) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xi32>, tensor<i1>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xi32>, %operand1: tensor<i1>):
  // expected-error @+1 {{'stablehlo.pad' op requires attribute 'interior_padding'}}
  %r:1 = "stablehlo.pad"(%operand0, %operand1) {edge_padding_high = array<i64: 3>, edge_padding_low = array<i64: -1>, foo} : (tensor<4xi32>, tensor<i1>) -> (tensor<6xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (none, tensor<f8E8M0FNU>) -> (), sym_name = "main"}> ({
^bb0(%operand0: none, %operand1: tensor<f8E8M0FNU>):
  // expected-error @+1 {{'stablehlo.pad' op requires one result}}
  "stablehlo.pad"(%operand0, %operand1) {edge_padding_high = array<i64: -1>, edge_padding_low = array<i64: 0>, interior_padding = array<i64: 0>} : (none, tensor<f8E8M0FNU>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (i32, tensor<f64>) -> (), sym_name = "main"}> ({
^bb0(%operand0: i32, %operand1: tensor<f64>):
  // expected-error @+1 {{'stablehlo.pad' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'i32'}}
  %r:1 = "stablehlo.pad"(%operand0, %operand1) {edge_padding_high = array<i64: 0, 4>, edge_padding_low = array<i64: 0, 1>, interior_padding = array<i64: 0, 0>} : (i32, tensor<f64>) -> (tensor<5x6xf64>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.partition_id' op requires one result}}
  "stablehlo.partition_id"() {} : () -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.partition_id' op result #0 must be ranked tensor of 32-bit unsigned integer values, but got 'tensor<i8>'}}
  %r:1 = "stablehlo.partition_id"() {} : () -> (tensor<i8>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.partition_id' op inferred type(s) 'tensor<ui32>' are incompatible with return type(s) of operation 'tensor<?xui32>'}}
  %r:1 = "stablehlo.partition_id"() {} : () -> (tensor<?xui32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.popcnt' op requires a single operand}}
  %r:1 = "stablehlo.popcnt"() {} : () -> (tensor<4xui8>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (i32) -> (), sym_name = "main"}> ({
^bb0(%operand0: i32):
  // expected-error @+1 {{'stablehlo.popcnt' op operand #0 must be ranked tensor of 2/4/8/16/32/64-bit integer values, but got 'i32'}}
  %r:1 = "stablehlo.popcnt"(%operand0) {} : (i32) -> (tensor<4xui8>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xui8>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xui8>):
  // expected-error @+1 {{'stablehlo.popcnt' op requires one result}}
  "stablehlo.popcnt"(%operand0) {} : (tensor<4xui8>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<8xbf16>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<8xbf16>):
  // expected-error @+1 {{'stablehlo.power' op expected 2 operands, but found 1}}
  %r:1 = "stablehlo.power"(%operand0) {foo} : (tensor<8xbf16>) -> (tensor<4x8xbf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xi64>, tensor<4x8xbf16>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xi64>, %operand1: tensor<4x8xbf16>):
  // expected-error @+1 {{'stablehlo.power' op requires compatible types for all operands and results}}
  %r:1 = "stablehlo.power"(%operand0, %operand1) {} : (tensor<4xi64>, tensor<4x8xbf16>) -> (tensor<1x8xbf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3x50xi1>, tensor<3x50xi1>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3x50xi1>, %operand1: tensor<3x50xi1>):
  // expected-error @+1 {{'stablehlo.power' op operand #0 must be ranked tensor of 2/4/8/16/32/64-bit integer or 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'tensor<3x50xi1>'}}
  %r:1 = "stablehlo.power"(%operand0, %operand1) {} : (tensor<3x50xi1>, tensor<3x50xi1>) -> (tensor<3x50xi1>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.real' op requires a single operand}}
  %r:1 = "stablehlo.real"() {} : () -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (f32) -> (), sym_name = "main"}> ({
^bb0(%operand0: f32):
  // expected-error @+1 {{'stablehlo.real' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements values, but got 'f32'}}
  %r:1 = "stablehlo.real"(%operand0) {} : (f32) -> (tensor<2x3x3xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f32>):
  // expected-error @+1 {{'stablehlo.real' op all non-scalar operands/results must have the same shape and base type}}
  %r:1 = "stablehlo.real"(%operand0) {} : (tensor<f32>) -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>, tensor<1xi1>, tensor<1xi64>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>, %operand1: tensor<1xi1>, %operand2: tensor<1xi64>):
  // expected-error @+1 {{'stablehlo.real_dynamic_slice' op expected 4 operands, but found 3}}
  %r:1 = "stablehlo.real_dynamic_slice"(%operand0, %operand1, %operand2) {foo} : (tensor<4xf32>, tensor<1xi1>, tensor<1xi64>) -> (tensor<?xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>, %operand1: tensor<i64>, %operand2: tensor<i64>, %operand3: tensor<i64>):
  // expected-error @+1 {{'stablehlo.real_dynamic_slice' op operand #1 must be 1D tensor of index or 2/4/8/16/32/64-bit integer values, but got 'tensor<i64>'}}
  %r:1 = "stablehlo.real_dynamic_slice"(%operand0, %operand1, %operand2, %operand3) {} : (tensor<4xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>, %operand1: tensor<1xi64>, %operand2: tensor<1xi64>, %operand3: tensor<1xi64>):
  // expected-error @+1 {{'stablehlo.real_dynamic_slice' op requires one result}}
  "stablehlo.real_dynamic_slice"(%operand0, %operand1, %operand2, %operand3) {foo} : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (!stablehlo.token) -> (), sym_name = "main"}> ({
^bb0(%operand0: !stablehlo.token):
  // expected-error @+1 {{'stablehlo.recv' op requires attribute 'channel_handle'}}
  %r:2 = "stablehlo.recv"(%operand0) {} : (!stablehlo.token) -> (tensor<3x4xi32>, !stablehlo.token)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (i32) -> (), sym_name = "main"}> ({
^bb0(%operand0: i32):
  // expected-error @+1 {{'stablehlo.recv' op operand #0 must be token, but got 'i32'}}
  %r:1 = "stablehlo.recv"(%operand0) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>} : (i32) -> (tensor<3x4xi32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.recv' op requires a single operand}}
  %r:2 = "stablehlo.recv"() {channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true} : () -> (tensor<3x4xi32>, !stablehlo.token)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3x2x3x2xi1>, tensor<i1>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3x2x3x2xi1>, %operand1: tensor<i1>):
  // expected-error @+1 {{'stablehlo.reduce' op requires one region}}
  %r:1 = "stablehlo.reduce"(%operand0, %operand1) {dimensions = array<i64: 1>} : (tensor<3x2x3x2xi1>, tensor<i1>) -> (tensor<3x2x3xi1>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<8x8xf32>, tensor<2xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<8x8xf32>, %operand1: tensor<2xf32>):
  // expected-error @+1 {{'stablehlo.reduce' op region #0 ('body') failed to verify constraint: region with 1 blocks}}
  %r:1 = "stablehlo.reduce"(%operand0, %operand1) ({
}) {dimensions = array<i64: 0, 1>} : (tensor<8x8xf32>, tensor<2xf32>) -> (tensor<f32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3x2x3x2xi1>, tensor<i1>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3x2x3x2xi1>, %operand1: tensor<i1>):
  // expected-error @+1 {{Reduction-region must take 2 parameters, but takes 0 parameter(s)}}
  %r:1 = "stablehlo.reduce"(%operand0, %operand1) ({
  "stablehlo.return"() : () -> ()
}) {dimensions = array<i64: 3>} : (tensor<3x2x3x2xi1>, tensor<i1>) -> (tensor<3x2x3xi1>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.reduce_precision' op requires a single operand}}
  %r:1 = "stablehlo.reduce_precision"() {exponent_bits = 5 : i32, mantissa_bits = 10 : i32, foo} : () -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'stablehlo.reduce_precision' op requires attribute 'exponent_bits'}}
  %r:1 = "stablehlo.reduce_precision"(%operand0) {mantissa_bits = 10 : i32, foo} : (tensor<4xf32>) -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{'stablehlo.reduce_precision' op requires one result}}
  "stablehlo.reduce_precision"(%operand0) {exponent_bits = 5 : i32, mantissa_bits = 10 : i32, foo} : (tensor<4xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>):
  // expected-error @+1 {{inferred shape of elements literal ([1, 2]) does not match type ([1, 3])}}
  %r:1 = "stablehlo.reduce_scatter"(%operand0) {replica_groups = dense<[[0, 1]]> : tensor<1x3xi64>, scatter_dimension = 0 : i64} : (tensor<4xf32>) -> (tensor<1xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<?xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<?xf32>):
  // expected-error @+1 {{'stablehlo.reduce_scatter' op requires one region}}
  %r:1 = "stablehlo.reduce_scatter"(%operand0) {replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>, scatter_dimension = 0 : i64} : (tensor<?xf32>) -> (tensor<1xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.reduce_scatter' op requires a single operand}}
  %r:1 = "stablehlo.reduce_scatter"() ({
^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
  "stablehlo.return"(%arg1) : (tensor<f32>) -> ()
}) {replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : () -> (tensor<1xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>, tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>, %operand1: tensor<f32>):
  // expected-error @+1 {{'stablehlo.reduce_window' op requires one region}}
  %r:1 = "stablehlo.reduce_window"(%operand0, %operand1) {window_strides = array<i64: 2, 2>} : (tensor<4xf32>, tensor<f32>) -> (tensor<2x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4x8xf32>, tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4x8xf32>, %operand1: tensor<f32>):
  // expected-error @+1 {{'stablehlo.reduce_window' op region #0 ('body') failed to verify constraint: region with 1 blocks}}
  %r:1 = "stablehlo.reduce_window"(%operand0, %operand1) ({
}) {window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>} : (tensor<4x8xf32>, tensor<f32>) -> (tensor<2x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4x8xf32>, tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4x8xf32>, %operand1: tensor<f32>):
  // expected-error @+1 {{'stablehlo.reduce_window' op inferred type(s) 'tensor<3x7xf32>' are incompatible with return type(s) of operation 'tensor<2x4xf32>'}}
  %r:1 = "stablehlo.reduce_window"(%operand0, %operand1) ({
^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
  %1 = "stablehlo.maximum"(%arg2, %arg3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  "stablehlo.return"(%1) : (tensor<f32>) -> ()
}) {window_dimensions = array<i64: 2, 2>} : (tensor<4x8xf32>, tensor<f32>) -> (tensor<2x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4x8xi1>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4x8xi1>):
  // expected-error @+1 {{'stablehlo.remainder' op expected 2 operands, but found 1}}
  %r:1 = "stablehlo.remainder"(%operand0) {} : (tensor<4x8xi1>) -> (tensor<4x8xi1>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (f32, tensor<4x1xbf16>) -> (), sym_name = "main"}> ({
^bb0(%operand0: f32, %operand1: tensor<4x1xbf16>):
  // expected-error @+1 {{'stablehlo.remainder' op operand #0 must be ranked tensor of 2/4/8/16/32/64-bit integer or 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'f32'}}
  %r:1 = "stablehlo.remainder"(%operand0, %operand1) {} : (f32, tensor<4x1xbf16>) -> (tensor<4x1xbf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<ui32>, tensor<i32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<ui32>, %operand1: tensor<i32>):
  // expected-error @+1 {{'stablehlo.remainder' op requires compatible types for all operands and results}}
  %r:1 = "stablehlo.remainder"(%operand0, %operand1) {} : (tensor<ui32>, tensor<i32>) -> (tensor<ui32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.replica_id' op requires one result}}
  "stablehlo.replica_id"() {foo} : () -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.replica_id' op result #0 must be ranked tensor of 32-bit unsigned integer values, but got 'tensor<i1>'}}
  %r:1 = "stablehlo.replica_id"() {} : () -> (tensor<i1>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.replica_id' op inferred type(s) 'tensor<ui32>' are incompatible with return type(s) of operation 'tensor<1xui32>'}}
  %r:1 = "stablehlo.replica_id"() {} : () -> (tensor<1xui32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.reshape' op requires a single operand}}
  %r:1 = "stablehlo.reshape"() {} : () -> (tensor<ui32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (i32) -> (), sym_name = "main"}> ({
^bb0(%operand0: i32):
  // expected-error @+1 {{'stablehlo.reshape' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized or per-axis integer quantized values, but got 'i32'}}
  %r:1 = "stablehlo.reshape"(%operand0) {} : (i32) -> (tensor<0xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<?xbf16>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<?xbf16>):
  // expected-error @+1 {{'stablehlo.reshape' op requires one result}}
  "stablehlo.reshape"(%operand0) {} : (tensor<?xbf16>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<6x3xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<6x3xf32>):
  // expected-error @+1 {{'stablehlo.reverse' op requires attribute 'dimensions'}}
  %r:1 = "stablehlo.reverse"(%operand0) {} : (tensor<6x3xf32>) -> (tensor<6x3xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<6x3xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<6x3xf32>):
  // expected-error @+1 {{'stablehlo.reverse' op requires one result}}
  "stablehlo.reverse"(%operand0) {dimensions = array<i64: 3>} : (tensor<6x3xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<6x3xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<6x3xf32>):
  // expected-error @+1 {{'stablehlo.reverse' op attribute 'dimensions' failed to satisfy constraint: i64 dense array attribute}}
  %r:1 = "stablehlo.reverse"(%operand0) {dimensions = false} : (tensor<6x3xf32>) -> (tensor<6x3xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>, tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f32>, %operand1: tensor<f32>):
  // expected-error @+1 {{'stablehlo.rng' op requires one result}}
  "stablehlo.rng"(%operand0, %operand1) {foo} : (tensor<f32>, tensor<f32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>, tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f32>, %operand1: tensor<f32>):
  // expected-error @+1 {{'stablehlo.rng' op attribute 'rng_distribution' failed to satisfy constraint: XLA PRNG distribution to be used.}}
  %r:1 = "stablehlo.rng"(%operand0, %operand1) {rng_distribution = array<i64: 0>, foo} : (tensor<f32>, tensor<f32>) -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>, tensor<1xi64>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f32>, %operand1: tensor<1xi64>):
  // expected-error @+1 {{'stablehlo.rng' op expected 3 operands, but found 2}}
  %r:1 = "stablehlo.rng"(%operand0, %operand1) {rng_distribution = #stablehlo<rng_distribution NORMAL>} : (tensor<f32>, tensor<1xi64>) -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.rng_bit_generator' op requires a single operand}}
  %r:2 = "stablehlo.rng_bit_generator"() {rng_algorithm = #stablehlo<rng_algorithm DEFAULT>} : () -> (tensor<2xui64>, tensor<ui32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xi32>):
  // expected-error @+1 {{'stablehlo.rng_bit_generator' op expected 2 results}}
  %r:1 = "stablehlo.rng_bit_generator"(%operand0) {} : (tensor<4xi32>) -> (tensor<4xui32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<ui64>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<ui64>):
  // expected-error @+1 {{'stablehlo.rng_bit_generator' op requires attribute 'rng_algorithm'}}
  %r:2 = "stablehlo.rng_bit_generator"(%operand0) {} : (tensor<ui64>) -> (tensor<ui64>, tensor<ui32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.round_nearest_afz' op requires a single operand}}
  %r:1 = "stablehlo.round_nearest_afz"() {} : () -> (tensor<4x?xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (none) -> (), sym_name = "main"}> ({
^bb0(%operand0: none):
  // expected-error @+1 {{'stablehlo.round_nearest_afz' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or per-tensor integer quantized values, but got 'none'}}
  %r:1 = "stablehlo.round_nearest_afz"(%operand0) {foo} : (none) -> (tensor<5x?xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4x?xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4x?xf32>):
  // expected-error @+1 {{'stablehlo.round_nearest_afz' op requires one result}}
  "stablehlo.round_nearest_afz"(%operand0) {foo} : (tensor<4x?xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.round_nearest_even' op requires a single operand}}
  %r:1 = "stablehlo.round_nearest_even"() {foo} : () -> (tensor<4x?xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (i32) -> (), sym_name = "main"}> ({
^bb0(%operand0: i32):
  // expected-error @+1 {{'stablehlo.round_nearest_even' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or per-tensor integer quantized values, but got 'i32'}}
  %r:1 = "stablehlo.round_nearest_even"(%operand0) {foo} : (i32) -> (i32)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4x?xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4x?xf32>):
  // expected-error @+1 {{'stablehlo.round_nearest_even' op requires one result}}
  "stablehlo.round_nearest_even"(%operand0) {} : (tensor<4x?xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.rsqrt' op requires a single operand}}
  %r:1 = "stablehlo.rsqrt"() {} : () -> (none)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4x?xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4x?xf32>):
  // expected-error @+1 {{'stablehlo.rsqrt' op requires one result}}
  "stablehlo.rsqrt"(%operand0) {foo} : (tensor<4x?xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<2xi2>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<2xi2>):
  // expected-error @+1 {{'stablehlo.rsqrt' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'tensor<2xi2>'}}
  %r:1 = "stablehlo.rsqrt"(%operand0) {} : (tensor<2xi2>) -> (tensor<2xbf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4x8xf32>, tensor<3x1xi32>, tensor<3x8xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4x8xf32>, %operand1: tensor<3x1xi32>, %operand2: tensor<3x8xf32>):
  // expected-error @+1 {{'stablehlo.scatter' op requires attribute 'scatter_dimension_numbers'}}
  %r:1 = "stablehlo.scatter"(%operand0, %operand1, %operand2) ({
}) {} : (tensor<4x8xf32>, tensor<3x1xi32>, tensor<3x8xf32>) -> (tensor<4x8xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>, tensor<3x1xi32>, tensor<3x1xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>, %operand1: tensor<3x1xi32>, %operand2: tensor<3x1xf32>):
  // expected-error @+1 {{'stablehlo.scatter' op attribute 'scatter_dimension_numbers' failed to satisfy constraint: Attribute that models the dimension information for scatter}}
  %r:1 = "stablehlo.scatter"(%operand0, %operand1, %operand2) ({
}) {indices_are_sorted = false, scatter_dimension_numbers = array<i64: 0, 1>, unique_indices = false} : (tensor<4xf32>, tensor<3x1xi32>, tensor<3x1xf32>) -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<5x8xf32>, tensor<3x1xi32>, tensor<3x8xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<5x8xf32>, %operand1: tensor<3x1xi32>, %operand2: tensor<3x8xf32>):
  // expected-error @+1 {{'stablehlo.scatter' op requires one region}}
  %r:1 = "stablehlo.scatter"(%operand0, %operand1, %operand2) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<5x8xf32>, tensor<3x1xi32>, tensor<3x8xf32>) -> (tensor<5x8xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xi1>, tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xi1>, %operand1: tensor<4xf32>):
  // expected-error @+1 {{'stablehlo.select' op expected 3 operands, but found 2}}
  %r:1 = "stablehlo.select"(%operand0, %operand1) {foo} : (tensor<4xi1>, tensor<4xf32>) -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3x4x5x5xi1>, tensor<3x2x5x5xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3x4x5x5xi1>, %operand1: tensor<3x2x5x5xf32>):
  // expected-error @+1 {{'stablehlo.select' op requires one result}}
  "stablehlo.select"(%operand0, %operand1) {} : (tensor<3x4x5x5xi1>, tensor<3x2x5x5xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<i1>, tensor<i32>, tensor<i32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<i1>, %operand1: tensor<i32>, %operand2: tensor<i32>):
  // expected-error @+1 {{'stablehlo.select' op inferred type(s) 'tensor<i32>' are incompatible with return type(s) of operation 'tensor<f32>'}}
  %r:1 = "stablehlo.select"(%operand0, %operand1, %operand2) {} : (tensor<i1>, tensor<i32>, tensor<i32>) -> (tensor<f32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<10x24x24x64xf32>, tensor<2x10x23x23x64xf32>, tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<10x24x24x64xf32>, %operand1: tensor<2x10x23x23x64xf32>, %operand2: tensor<f32>):
  // expected-error @+1 {{'stablehlo.select_and_scatter' op region #0 ('select') failed to verify constraint: region with 1 blocks}}
  %r:1 = "stablehlo.select_and_scatter"(%operand0, %operand1, %operand2) ({
}, {
^bb0(%arg3: tensor<2xf32>, %arg4: tensor<2xf32>):
  %1 = "stablehlo.add"(%arg3, %arg4) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  "stablehlo.return"(%1) : (tensor<2xf32>) -> ()
}) {padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 1, 1, 1>} : (tensor<10x24x24x64xf32>, tensor<2x10x23x23x64xf32>, tensor<f32>) -> (tensor<10x24x24x64xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<10x24x24x64xf32>, tensor<10x23x23x64xf32>, tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<10x24x24x64xf32>, %operand1: tensor<10x23x23x64xf32>, %operand2: tensor<f32>):
  // expected-error @+1 {{'stablehlo.select_and_scatter' op expected 2 regions}}
  %r:1 = "stablehlo.select_and_scatter"(%operand0, %operand1, %operand2) ({
^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
  %2 = "stablehlo.compare"(%arg5, %arg6) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
  "stablehlo.return"(%2) : (tensor<i1>) -> ()
}) {padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 1, 1, 1>} : (tensor<10x24x24x64xf32>, tensor<10x23x23x64xf32>, tensor<f32>) -> (tensor<10x24x24x64xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3x2x6x6x3xf16>, tensor<ui32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3x2x6x6x3xf16>, %operand1: tensor<ui32>):
  // expected-error @+1 {{'stablehlo.select_and_scatter' op expected 3 operands, but found 2}}
  %r:1 = "stablehlo.select_and_scatter"(%operand0, %operand1) ({
^bb0(%arg3: tensor<f16>, %arg4: tensor<f16>):
  %10 = "stablehlo.compare"(%arg3, %arg4) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f16>, tensor<f16>) -> tensor<i1>
  "stablehlo.return"(%10) : (tensor<i1>) -> ()
}, {
^bb0(%arg1: tensor<f16>, %arg2: tensor<f16>):
  %9 = "stablehlo.add"(%arg1, %arg2) : (tensor<f16>, tensor<f16>) -> tensor<f16>
  "stablehlo.return"(%9) : (tensor<f16>) -> ()
}) {padding = dense<0> : tensor<5x2xi64>, window_dimensions = array<i64: 1, 1, 3, 1, 1>, window_strides = array<i64: 1, 1, 3, 1, 1>} : (tensor<3x2x6x6x3xf16>, tensor<ui32>) -> (tensor<3x2x6x6x3xf16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (!stablehlo.token) -> (), sym_name = "main"}> ({
^bb0(%operand0: !stablehlo.token):
  // expected-error @+1 {{channel_type should be DEVICE_TO_DEVICE when is_host_transfer is false}}
  %r:1 = "stablehlo.send"(%operand0) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, foo} : (!stablehlo.token) -> (!stablehlo.token)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>, !stablehlo.token) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>, %operand1: !stablehlo.token):
  // expected-error @+1 {{'stablehlo.send' op requires attribute 'channel_handle'}}
  %r:1 = "stablehlo.send"(%operand0, %operand1) {is_host_transfer = true, foo} : (tensor<4xf32>, !stablehlo.token) -> (!stablehlo.token)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>, f32) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>, %operand1: f32):
  // expected-error @+1 {{'stablehlo.send' op operand #1 must be token, but got 'f32'}}
  %r:1 = "stablehlo.send"(%operand0, %operand1) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true, foo} : (tensor<4xf32>, f32) -> (f32)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>, tensor<i32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>, %operand1: tensor<i32>):
  // expected-error @+1 {{'stablehlo.set_dimension_size' op requires one result}}
  "stablehlo.set_dimension_size"(%operand0, %operand1) {dimension = 0 : i64, foo} : (tensor<4xf32>, tensor<i32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>, tensor<i32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>, %operand1: tensor<i32>):
  // expected-error @+1 {{'stablehlo.set_dimension_size' op inferred type(s) 'tensor<?xf32, #stablehlo.bounds<4>>' are incompatible with return type(s) of operation 'tensor<f32>'}}
  %r:1 = "stablehlo.set_dimension_size"(%operand0, %operand1) {dimension = 0 : i64, foo} : (tensor<4xf32>, tensor<i32>) -> (tensor<f32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>, f32) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>, %operand1: f32):
  // expected-error @+1 {{'stablehlo.set_dimension_size' op operand #1 must be ranked tensor of 32-bit signless integer values, but got 'f32'}}
  %r:1 = "stablehlo.set_dimension_size"(%operand0, %operand1) {dimension = 0 : i64, foo} : (tensor<4xf32>, f32) -> (tensor<?xf32, #stablehlo.bounds<4>>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<ui64>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<ui64>):
  // expected-error @+1 {{'stablehlo.shift_left' op expected 2 operands, but found 1}}
  %r:1 = "stablehlo.shift_left"(%operand0) {} : (tensor<ui64>) -> (tensor<ui64>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (i32, i32) -> (), sym_name = "main"}> ({
^bb0(%operand0: i32, %operand1: i32):
  // expected-error @+1 {{'stablehlo.shift_left' op operand #0 must be ranked tensor of 2/4/8/16/32/64-bit integer values, but got 'i32'}}
  %r:1 = "stablehlo.shift_left"(%operand0, %operand1) {} : (i32, i32) -> (tensor<4x?xi64, #stablehlo.bounds<?, 4>>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<i4>, tensor<ui64>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<i4>, %operand1: tensor<ui64>):
  // expected-error @+1 {{'stablehlo.shift_left' op requires compatible types for all operands and results}}
  %r:1 = "stablehlo.shift_left"(%operand0, %operand1) {} : (tensor<i4>, tensor<ui64>) -> (tensor<ui64>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<1xi16>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<1xi16>):
  // expected-error @+1 {{'stablehlo.shift_right_arithmetic' op expected 2 operands, but found 1}}
  %r:1 = "stablehlo.shift_right_arithmetic"(%operand0) {} : (tensor<1xi16>) -> (tensor<1xi16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<2x1xi16>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<2x1xi16>):
  // expected-error @+1 {{'stablehlo.shift_right_arithmetic' op requires one result}}
  %r:2 = "stablehlo.shift_right_arithmetic"(%operand0) {} : (tensor<2x1xi16>) -> (tensor<2x1xi16>, tensor<2x1xi16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (f32, tensor<2x1xi16>) -> (), sym_name = "main"}> ({
^bb0(%operand0: f32, %operand1: tensor<2x1xi16>):
  // expected-error @+1 {{'stablehlo.shift_right_arithmetic' op operand #0 must be ranked tensor of 2/4/8/16/32/64-bit integer values, but got 'f32'}}
  %r:1 = "stablehlo.shift_right_arithmetic"(%operand0, %operand1) {} : (f32, tensor<2x1xi16>) -> (tensor<2x1xi64>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<ui64>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<ui64>):
  // expected-error @+1 {{'stablehlo.shift_right_logical' op expected 2 operands, but found 1}}
  %r:1 = "stablehlo.shift_right_logical"(%operand0) {} : (tensor<ui64>) -> (tensor<f16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<ui8>, tensor<4xui8>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<ui8>, %operand1: tensor<4xui8>):
  // expected-error @+1 {{'stablehlo.shift_right_logical' op requires one result}}
  "stablehlo.shift_right_logical"(%operand0, %operand1) {} : (tensor<ui8>, tensor<4xui8>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<i2>, tensor<i2>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<i2>, %operand1: tensor<i2>):
  // expected-error @+1 {{'stablehlo.shift_right_logical' op requires compatible types for all operands and results}}
  %r:1 = "stablehlo.shift_right_logical"(%operand0, %operand1) {} : (tensor<i2>, tensor<i2>) -> (tensor<ui32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.sign' op requires a single operand}}
  %r:1 = "stablehlo.sign"() {} : () -> (tensor<i32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<i1>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<i1>):
  // expected-error @+1 {{'stablehlo.sign' op operand #0 must be ranked tensor of 2/4/8/16/32/64-bit signless integer or 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'tensor<i1>'}}
  %r:1 = "stablehlo.sign"(%operand0) {} : (tensor<i1>) -> (tensor<i32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<i32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<i32>):
  // expected-error @+1 {{'stablehlo.sign' op requires compatible types for all operands and results}}
  %r:1 = "stablehlo.sign"(%operand0) {} : (tensor<i32>) -> (tensor<f16>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.slice' op requires a single operand}}
  %r:1 = "stablehlo.slice"() {limit_indices = array<i64: 3>, start_indices = array<i64: 0>, strides = array<i64: 1>} : () -> (tensor<0xi32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.slice' op attribute 'start_indices' failed to satisfy constraint: i64 dense array attribute}}
  %r:1 = "stablehlo.slice"() {limit_indices = array<i64: 5, 1, 2>, start_indices = 1 : i32, strides = array<i64: 1, 1, 1>} : () -> (tensor<5x1x2xui32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<5x3xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<5x3xf32>):
  // expected-error @+1 {{'stablehlo.slice' op requires one result}}
  "stablehlo.slice"(%operand0) {limit_indices = array<i64: 5, 3>, strides = array<i64: 2, 1>} : (tensor<5x3xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.sort' op requires one region}}
  %r:1 = "stablehlo.sort"() {foo} : () -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xf32>, tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xf32>, %operand1: tensor<4xf32>):
  // expected-error @+1 {{'stablehlo.sort' op region #0 ('comparator') failed to verify constraint: region with 1 blocks}}
  %r:1 = "stablehlo.sort"(%operand0, %operand1) ({
}) {} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.sort' op expected 1 or more operands, but found 0}}
  %r:1 = "stablehlo.sort"() ({
^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
  %1 = "stablehlo.compare"(%arg1, %arg2) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
  "stablehlo.return"(%1) : (tensor<i1>) -> ()
}) {foo} : () -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (none) -> (), sym_name = "main"}> ({
^bb0(%operand0: none):
  // expected-error @+1 {{'stablehlo.sqrt' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'none'}}
  %r:1 = "stablehlo.sqrt"(%operand0) {} : (none) -> (tensor<*xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<5xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<5xf32>):
  // expected-error @+1 {{'stablehlo.sqrt' op requires one result}}
  "stablehlo.sqrt"(%operand0) {} : (tensor<5xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f32>):
  // expected-error @+1 {{'stablehlo.sqrt' op requires compatible types for all operands and results}}
  %r:1 = "stablehlo.sqrt"(%operand0) {} : (tensor<f32>) -> (tensor<5xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f8E4M3FN>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f8E4M3FN>):
  // expected-error @+1 {{'stablehlo.subtract' op expected 2 operands, but found 1}}
  %r:1 = "stablehlo.subtract"(%operand0) {} : (tensor<f8E4M3FN>) -> (tensor<?xf8E4M3FN>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f64>, tensor<*xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f64>, %operand1: tensor<*xf32>):
  // expected-error @+1 {{'stablehlo.subtract' op requires one result}}
  "stablehlo.subtract"(%operand0, %operand1) {} : (tensor<f64>, tensor<*xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f64>, tensor<f64>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f64>, %operand1: tensor<f64>):
  // expected-error @+1 {{'stablehlo.subtract' op result #0 must be ranked tensor of 2/4/8/16/32/64-bit integer or 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'tensor<i1>'}}
  %r:1 = "stablehlo.subtract"(%operand0, %operand1) {} : (tensor<f64>, tensor<f64>) -> (tensor<i1>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.tan' op requires one result}}
  "stablehlo.tan"() {} : () -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.tan' op requires a single operand}}
  %r:1 = "stablehlo.tan"() {} : () -> (tensor<f64>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f64>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f64>):
  // expected-error @+1 {{'stablehlo.tan' op result #0 must be ranked tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'f32'}}
  %r:1 = "stablehlo.tan"(%operand0) {} : (tensor<f64>) -> (f32)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.tanh' op requires a single operand}}
  %r:1 = "stablehlo.tanh"() {foo} : () -> (tensor<4x?xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (i32) -> (), sym_name = "main"}> ({
^bb0(%operand0: i32):
  // expected-error @+1 {{'stablehlo.tanh' op requires one result}}
  "stablehlo.tanh"(%operand0) {} : (i32) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (i32) -> (), sym_name = "main"}> ({
^bb0(%operand0: i32):
  // expected-error @+1 {{'stablehlo.tanh' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'i32'}}
  %r:1 = "stablehlo.tanh"(%operand0) {} : (i32) -> (tensor<3x8x8xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<5x1x5xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<5x1x5xi32>):
  // expected-error @+1 {{'stablehlo.torch_index_select' op expected 2 operands, but found 1}}
  %r:1 = "stablehlo.torch_index_select"(%operand0) {batch_dims = 0 : i64, dim = 0 : i64} : (tensor<5x1x5xi32>) -> (tensor<2x1x5xi32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<5x1x5xi32>, tensor<2xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<5x1x5xi32>, %operand1: tensor<2xi32>):
  // expected-error @+1 {{'stablehlo.torch_index_select' op requires attribute 'batch_dims'}}
  %r:1 = "stablehlo.torch_index_select"(%operand0, %operand1) {} : (tensor<5x1x5xi32>, tensor<2xi32>) -> (tensor<2x1x5xi32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<5x1x5xi32>, tensor<2xi32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<5x1x5xi32>, %operand1: tensor<2xi32>):
  // expected-error @+1 {{'stablehlo.torch_index_select' op requires one result}}
  "stablehlo.torch_index_select"(%operand0, %operand1) {batch_dims = 0 : i64, dim = 0 : i64} : (tensor<5x1x5xi32>, tensor<2xi32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.transpose' op requires a single operand}}
  %r:1 = "stablehlo.transpose"() {permutation = array<i64: 1, 0>, foo} : () -> (tensor<4x4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3x8x16xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3x8x16xf32>):
  // expected-error @+1 {{'stablehlo.transpose' op requires attribute 'permutation'}}
  %r:1 = "stablehlo.transpose"(%operand0) {} : (tensor<3x8x16xf32>) -> (tensor<16x8xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4x4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4x4xf32>):
  // expected-error @+1 {{'stablehlo.transpose' op requires one result}}
  "stablehlo.transpose"(%operand0) {permutation = array<i64: 1, 0>, foo} : (tensor<4x4xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<2x3x3xf32>, tensor<2x3x5xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<2x3x3xf32>, %operand1: tensor<2x3x5xf32>):
  // expected-error @+1 {{'stablehlo.triangular_solve' op requires attribute 'lower'}}
  %r:1 = "stablehlo.triangular_solve"(%operand0, %operand1) {left_side = true, unit_diagonal = false} : (tensor<2x3x3xf32>, tensor<2x3x5xf32>) -> (tensor<2x3x5xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3x3xcomplex<f32>>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<3x3xcomplex<f32>>):
  // expected-error @+1 {{'stablehlo.triangular_solve' op expected 2 operands, but found 1}}
  %r:1 = "stablehlo.triangular_solve"(%operand0) {left_side = false, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true} : (tensor<3x3xcomplex<f32>>) -> (tensor<5x3xcomplex<f32>>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (none, tensor<2x3x5xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: none, %operand1: tensor<2x3x5xf32>):
  // expected-error @+1 {{'stablehlo.triangular_solve' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements values, but got 'none'}}
  %r:1 = "stablehlo.triangular_solve"(%operand0, %operand1) {left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false} : (none, tensor<2x3x5xf32>) -> (tensor<2x3x5xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.tuple' op requires one result}}
  "stablehlo.tuple"() {foo} : () -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.tuple' op result #0 must be nested tuple with any combination of ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized values or memref of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized values or ranked tensor of per-axis integer quantized values or token values, but got 'i32'}}
  %r:1 = "stablehlo.tuple"() {foo} : () -> (i32)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.tuple' op inferred type(s) 'tuple<>' are incompatible with return type(s) of operation 'tuple<tensor<2xf32>, tensor<f32>>'}}
  %r:1 = "stablehlo.tuple"() {} : () -> (tuple<tensor<2xf32>, tensor<f32>>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  // expected-error @+1 {{'stablehlo.unary_einsum' op requires a single operand}}
  %r:1 = "stablehlo.unary_einsum"() {einsum_config = "ij->i", foo} : () -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (i32) -> (), sym_name = "main"}> ({
^bb0(%operand0: i32):
  // expected-error @+1 {{'stablehlo.unary_einsum' op requires attribute 'einsum_config'}}
  %r:1 = "stablehlo.unary_einsum"(%operand0) {foo} : (i32) -> (tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<?x4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<?x4xf32>):
  // expected-error @+1 {{'stablehlo.unary_einsum' op requires one result}}
  "stablehlo.unary_einsum"(%operand0) {foo} : (tensor<?x4xf32>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<i32>, tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<i32>, %operand1: tensor<4xf32>):
  // expected-error @+1 {{'stablehlo.while' op expected 2 regions}}
  %r:1 = "stablehlo.while"(%operand0, %operand1) ({
  "stablehlo.return"() : () -> ()
}) {} : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<i32>, tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<i32>, %operand1: tensor<4xf32>):
  // expected-error @+1 {{'stablehlo.while' op region #0 ('cond') failed to verify constraint: region with 1 blocks}}
  %r:2 = "stablehlo.while"(%operand0, %operand1) ({
}, {
^bb0(%arg2: tensor<i32>, %arg3: tensor<4xf32>):
  %1 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
  %2 = "stablehlo.add"(%arg2, %1) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %3 = "stablehlo.multiply"(%arg3, %arg3) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  "stablehlo.return"(%2, %3) : (tensor<i32>, tensor<4xf32>) -> ()
}) {} : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<i32>, tensor<4xf32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<i32>, %operand1: tensor<4xf32>):
  // expected-error @+1 {{expect operands to be compatible with body block arguments but got 'tensor<i32>', 'tensor<4xf32>' vs }}
  %r:2 = "stablehlo.while"(%operand0, %operand1) ({
^bb0(%arg4: tensor<i32>, %arg5: tensor<4xf32>):
  %4 = "stablehlo.constant"() <{value = dense<5> : tensor<i32>}> : () -> tensor<i32>
  %5 = "stablehlo.compare"(%arg4, %4) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
  "stablehlo.return"(%5) : (tensor<i1>) -> ()
}, {
  "stablehlo.return"() : () -> ()
}) {} : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xi1>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f64>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<f64>):
  // expected-error @+1 {{'stablehlo.xor' op expected 2 operands, but found 1}}
  %r:1 = "stablehlo.xor"(%operand0) {} : (tensor<f64>) -> (tensor<f64>)
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xui8>, tensor<4xui8>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<4xui8>, %operand1: tensor<4xui8>):
  // expected-error @+1 {{'stablehlo.xor' op requires one result}}
  "stablehlo.xor"(%operand0, %operand1) {} : (tensor<4xui8>, tensor<4xui8>) -> ()
  "func.return"() : () -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<ui32>, tensor<f32>) -> (), sym_name = "main"}> ({
^bb0(%operand0: tensor<ui32>, %operand1: tensor<f32>):
  // expected-error @+1 {{'stablehlo.xor' op operand #1 must be ranked tensor of bool or 2/4/8/16/32/64-bit integer values, but got 'tensor<f32>'}}
  %r:1 = "stablehlo.xor"(%operand0, %operand1) {} : (tensor<ui32>, tensor<f32>) -> (tensor<ui32>)
  "func.return"() : () -> ()
}) : () -> ()
