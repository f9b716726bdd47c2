// A group and a barrier as XLA's calls, without meshes in frontend attributes.
func.func @main(%a: tensor<8x4xf32> {mhlo.sharding = "{devices=[2,1]<=[2]}"}, %b: tensor<8x4xf32>) -> tensor<8x4xf32> {
  stablehlo.custom_call @xla.sdy.ShardingGroup(%a) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding_group_id = "9223372036854775807 : i64"}} : (tensor<8x4xf32>) -> ()
  stablehlo.custom_call @xla.sdy.ShardingGroup(%b) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding_group_id = "9223372036854775807 : i64"}} : (tensor<8x4xf32>) -> ()
  %0 = stablehlo.custom_call @xla.sdy.PropagationBarrier(%b) {mhlo.frontend_attributes = {xla.sdy.allowed_direction = "1 : i32"}} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
