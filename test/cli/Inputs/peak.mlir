sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %state: tensor<32xf32> {tf.aliasing_output = 1 : i32})
    -> (tensor<64x32xf32>, tensor<32xf32>) {
  %0 = stablehlo.custom_call @not_registered(%a) : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %1 = stablehlo.add %state, %state : tensor<32xf32>
  return %0, %1 : tensor<64x32xf32>, tensor<32xf32>
}
