sdy.mesh @mesh = <["x"=4, "y"=2]>

func.func @main(%a: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>} loc("a"))
    -> (tensor<60x8xf32>,
        tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>},
        tensor<8xf32>, tensor<8xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.slice %a [4:64, 0:8] : (tensor<64x8xf32>) -> tensor<60x8xf32>
  %w = stablehlo.custom_call @unknown(%s) : (tensor<60x8xf32>) -> tensor<60x8xf32>
  %n = stablehlo.negate %a : tensor<64x8xf32>
  %p = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<64x8xf32>, tensor<f32>) -> tensor<8xf32>
  %q = stablehlo.reduce(%n init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<64x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %w, %a, %p, %q : tensor<60x8xf32>, tensor<64x8xf32>, tensor<8xf32>, tensor<8xf32>
}
