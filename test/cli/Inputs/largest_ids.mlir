// Ids of channels, sharding groups and results that are the largest or smallest numbers of 64 bits.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>, tf.aliasing_output = 0 : i64},
                %b: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  sdy.sharding_group %a group_id=9223372036854775807 : tensor<8x4xf32>
  sdy.sharding_group %b group_id=9223372036854775807 : tensor<8x4xf32>
  %0 = stablehlo.add %a, %b : tensor<8x4xf32>
  sdy.sharding_group %0 group_id=9223372036854775806 : tensor<8x4xf32>
  %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%p: tensor<4x4xf32>) {
    %t = stablehlo.create_token : !stablehlo.token
    %s = "stablehlo.send"(%p, %t) {channel_handle = #stablehlo.channel_handle<handle = 9223372036854775807, type = 1>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>} : (tensor<4x4xf32>, !stablehlo.token) -> !stablehlo.token
    %r:2 = "stablehlo.recv"(%s) {channel_handle = #stablehlo.channel_handle<handle = 9223372036854775807, type = 1>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>} : (!stablehlo.token) -> (tensor<4x4xf32>, !stablehlo.token)
    %s2 = "stablehlo.send"(%r#0, %r#1) {channel_handle = #stablehlo.channel_handle<handle = 9223372036854775806, type = 1>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>} : (tensor<4x4xf32>, !stablehlo.token) -> !stablehlo.token
    %r2:2 = "stablehlo.recv"(%s2) {channel_handle = #stablehlo.channel_handle<handle = 9223372036854775806, type = 1>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>} : (!stablehlo.token) -> (tensor<4x4xf32>, !stablehlo.token)
    sdy.return %r2#0 : tensor<4x4xf32>
  } : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %3 = stablehlo.concatenate %2, %2, dim = 0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  return %0, %1, %3 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}
