module @"</script><script>alert(1)</script>" {
  sdy.mesh @mesh = <["x\22</script>"=2]>
  func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x\22</script>"}, {}]>} loc("</script><img src=x onerror=alert(1)>"),
                  %b: tensor<8x4xf32> loc("\E2\80\A8'\22&<!-- \C3\A9 \FF")) -> tensor<f32> {
    %0 = stablehlo.add %a, %b : tensor<8x4xf32> loc("<!--<script>"("</SCRIPT>.py":1:2))
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
}
