// A collective whose locations have numbers of reasons that no run of ours gave.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%p: tensor<4x4xf32>) {
    %1 = "stablehlo.all_reduce"(%p) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %2 = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<4x4xf32>) -> tensor<4x4xf32> loc(#all)
    sdy.return %1 : tensor<4x4xf32>
  } : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
#t1 = loc(fused<{sw.reason = 9223372036854775807}>["a"])
#t2 = loc(fused<{sw.reason = 9223372036854775806}>["b"])
#t3 = loc(fused<{sw.reason = -1}>["c"])
#t4 = loc(fused<{sw.reason = 1001}>["d"])
#t5 = loc(fused<{sw.reason = 1002}>["e"])
#t6 = loc(fused<{sw.reason = 1003}>["f"])
#all = loc(fused[#t3, #t4, #t5, #t6, #t1, #t2])
