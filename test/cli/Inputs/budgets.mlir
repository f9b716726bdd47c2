sdy.mesh @mesh = <["x"=4, "y"=2]>

func.func @main(%a: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>} loc("a"),
                %w: tensor<64x16xf32> loc("w"))
    -> (tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %loop:2 = stablehlo.while(%i = %zero, %v = %a) : tensor<i32>, tensor<64x64xf32>
  cond {
    %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %square = func.call @square(%v) : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %square : tensor<i32>, tensor<64x64xf32>
  }
  %d = stablehlo.dot_general %loop#1, %w, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  return %d : tensor<64x16xf32>
}

func.func private @square(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %h = stablehlo.tanh %x : tensor<64x64xf32>
  %y = stablehlo.dot_general %x, %h, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}
