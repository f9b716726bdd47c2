sdy.mesh @mesh = <["data"=2, "model"=4]>
func.func @main(
    %x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>} loc("a"),
    %w: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>} loc("b"),
    %v: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model", ?}, {?}]>},
    %s: tensor<6x8xf32>)
    -> (tensor<8x16xf32>, tensor<16x32xf32>) {
  %dot = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.tanh %dot : tensor<8x32xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{?}, {}]> : tensor<8x32xf32>
  %3 = stablehlo.dot_general %2, %v, contracting_dims = [1] x [0]
      : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  %4 = stablehlo.negate %w : tensor<16x32xf32>
  %5 = chlo.erf %4 : tensor<16x32xf32> -> tensor<16x32xf32>
  return %3, %5 : tensor<8x16xf32>, tensor<16x32xf32>
}
