// Each op in the text that JAX prints, with a discardable attribute where one fits.
// RUN: shardwright-opt %s | FileCheck %s
// RUN: shardwright-opt %s --mlir-print-op-generic | shardwright-opt | FileCheck %s

// CHECK-LABEL: func.func @replica_id(
// CHECK-NEXT: %0 = stablehlo.replica_id {foo} : tensor<ui32>
func.func @replica_id() {
  %22 = stablehlo.replica_id {foo} : tensor<ui32>
  return
}

// CHECK-LABEL: func.func @partition_id(
// CHECK-NEXT: %0 = stablehlo.partition_id {foo} : tensor<ui32>
func.func @partition_id() {
  %0 = stablehlo.partition_id {foo} : tensor<ui32>
  return
}

// CHECK-LABEL: func.func @all_gather(
// CHECK-NEXT: %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<{{\[\[}}0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> {foo} : (tensor<4xf32>) -> tensor<8xf32>
func.func @all_gather(%a: tensor<4xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim=0:i64, replica_groups=dense<[[0,1]]>:tensor<1x2xi64>, channel_handle=#stablehlo.channel_handle<handle=1,type=0>, use_global_device_ids}> {foo} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// CHECK-LABEL: func.func @all_gather_1(
// CHECK-NEXT: %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>], device_ids=dense<[0, 1]> : tensor<2xi64>>, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>]>}> {foo} : (tensor<4xf32>) -> tensor<8xf32>
func.func @all_gather_1(%a: tensor<4xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim=0:i64, replica_groups=#stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name="x",size=2>],device_ids=dense<[0,1]>:tensor<2xi64>>, axes=[#stablehlo.axis_ref<name="x", sub_axis_info=(1)2>]>}> {foo} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// CHECK-LABEL: func.func @all_gather_2(
// CHECK-NEXT: %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>]>, axes = []>}> {foo} : (tensor<4xf32>) -> tensor<4xf32>
func.func @all_gather_2(%a: tensor<4xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim=0:i64, replica_groups=#stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[#stablehlo.mesh_axis<name="x",size=2>]>, axes=[]>}> {foo} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @infeed(
// CHECK-NEXT: %0 = "stablehlo.infeed"(%arg0) <{infeed_config = ""}> {foo} : (!stablehlo.token) -> !stablehlo.token
func.func @infeed(%t: !stablehlo.token) {
  %0 = "stablehlo.infeed"(%t) {foo} : (!stablehlo.token) -> !stablehlo.token
  return
}

// CHECK-LABEL: func.func @infeed_1(
// CHECK-NEXT: %0:2 = "stablehlo.infeed"(%arg0) <{infeed_config = "a", layout = {{\[\[}}0]]}> {foo} : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
func.func @infeed_1(%t: !stablehlo.token) {
  %0:2 = "stablehlo.infeed"(%t) {foo, layout=[[0]], infeed_config="a"} : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}

// CHECK-LABEL: func.func @outfeed(
// CHECK-NEXT: %0 = "stablehlo.outfeed"(%arg0, %arg1) <{outfeed_config = ""}> {foo} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
func.func @outfeed(%a: tensor<4xf32>, %t: !stablehlo.token) {
  %0 = "stablehlo.outfeed"(%a, %t) {foo} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// CHECK-LABEL: func.func @send(
// CHECK-NEXT: %0 = "stablehlo.send"(%arg0, %arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> {foo} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
func.func @send(%a: tensor<4xf32>, %t: !stablehlo.token) {
  %0 = "stablehlo.send"(%a, %t) {foo, channel_handle=#stablehlo.channel_handle<type=2,handle=1>, is_host_transfer=true} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// CHECK-LABEL: func.func @send_1(
// CHECK-NEXT: %0 = "stablehlo.send"(%arg0, %arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> {foo} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
func.func @send_1(%a: tensor<4xf32>, %t: !stablehlo.token) {
  %0 = "stablehlo.send"(%a, %t) {foo, channel_handle=#stablehlo.channel_handle<handle=1, type=2>, is_host_transfer=true} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// CHECK-LABEL: func.func @cross_replica_sum(
// CHECK-NEXT: %0 = "stablehlo.cross-replica-sum"(%arg0) <{replica_groups = dense<{{\[\[}}0, 1]]> : tensor<1x2xi64>}> {foo} : (tensor<4xf32>) -> tensor<4xf32>
func.func @cross_replica_sum(%a: tensor<4xf32>) {
  %0 = "stablehlo.cross-replica-sum"(%a) {foo, replica_groups=dense<[[0,1]]>:tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @async_start(
// CHECK-NEXT: %0 = "stablehlo.async_start"(%arg0) ({
// CHECK-NEXT: ^bb0(%arg1: tensor<4xf32>):
// CHECK-NEXT: %2 = "stablehlo.all_gather"(%arg1) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<{{\[\[}}0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> {foo} : (tensor<4xf32>) -> tensor<8xf32>
// CHECK-NEXT: stablehlo.return %2 : tensor<8xf32>
// CHECK-NEXT: }) : (tensor<4xf32>) -> !stablehlo.future<tensor<8xf32>>
// CHECK-NEXT: %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<8xf32>>) -> tensor<8xf32>
func.func @async_start(%a: tensor<4xf32>) {
  %0 = "stablehlo.async_start"(%a) ({ ^bb0(%z: tensor<4xf32>): %g = "stablehlo.all_gather"(%z) <{all_gather_dim=0:i64, replica_groups=dense<[[0,1]]>:tensor<1x2xi64>, channel_handle=#stablehlo.channel_handle<handle=1,type=0>, use_global_device_ids}> {foo} : (tensor<4xf32>) -> tensor<8xf32>
  stablehlo.return %g : tensor<8xf32> }) : (tensor<4xf32>) -> !stablehlo.future<tensor<8xf32>>
  %y = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<8xf32>>) -> tensor<8xf32>
  return
}

// CHECK-LABEL: func.func @all_reduce(
// CHECK-NEXT: %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<{{\[\[}}0, -1], [1, 2]]> : tensor<2x2xi64>}> ({
// CHECK-NEXT: ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
// CHECK-NEXT: stablehlo.return %arg1 : tensor<f32>
// CHECK-NEXT: }) : (tensor<4xf32>) -> tensor<4xf32>
func.func @all_reduce(%a: tensor<4xf32>) {
  %0 = "stablehlo.all_reduce"(%a) ({^bb0(%aa: tensor<f32>, %bb: tensor<f32>): stablehlo.return %aa : tensor<f32>}) {replica_groups=dense<[[0,-1],[1,2]]>:tensor<2x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @reduce_scatter(
// CHECK-NEXT: %0 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = dense<{{\[\[}}0, 1, 2]]> : tensor<1x3xi64>, scatter_dimension = 0 : i64}> ({
// CHECK-NEXT: ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
// CHECK-NEXT: stablehlo.return %arg1 : tensor<f32>
// CHECK-NEXT: }) : (tensor<4xf32>) -> tensor<1xf32>
func.func @reduce_scatter(%a: tensor<4xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) ({^bb0(%aa: tensor<f32>, %bb: tensor<f32>): stablehlo.return %aa : tensor<f32>}) {scatter_dimension=0:i64, replica_groups=dense<[[0,1,2]]>:tensor<1x3xi64>} : (tensor<4xf32>) -> tensor<1xf32>
  return
}

// CHECK-LABEL: func.func @all_to_all(
// CHECK-NEXT: %0 = "stablehlo.all_to_all"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<{{\[\[}}0, 1, 2, 3]]> : tensor<1x4xi64>, split_count = 4 : i64, split_dimension = 1 : i64}> : (tensor<4x16xf32>) -> tensor<16x4xf32>
func.func @all_to_all(%a: tensor<4x16xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, split_count = 4 : i64, split_dimension = 1 : i64}> : (tensor<4x16xf32>) -> tensor<16x4xf32>
  return
}

// CHECK-LABEL: func.func @all_to_all_variadic(
// CHECK-NEXT: %0:2 = "stablehlo.all_to_all"(%arg0, %arg1) <{concat_dimension = 0 : i64, replica_groups = dense<{{\[\[}}0, 1], [2, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x16xf32>, tensor<8x8xi32>) -> (tensor<4x16xf32>, tensor<8x8xi32>)
func.func @all_to_all_variadic(%a: tensor<4x16xf32>, %b: tensor<8x8xi32>) {
  %0:2 = "stablehlo.all_to_all"(%a, %b) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x16xf32>, tensor<8x8xi32>) -> (tensor<4x16xf32>, tensor<8x8xi32>)
  return
}

// CHECK-LABEL: func.func @collective_broadcast(
// CHECK-NEXT: %0 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = dense<{{\[\[}}0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
func.func @collective_broadcast(%a: tensor<16x8xf32>) {
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
  return
}

// CHECK-LABEL: func.func @collective_permute(
// CHECK-NEXT: %0 = "stablehlo.collective_permute"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<{{\[\[}}0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
func.func @collective_permute(%a: tensor<16x8xf32>) {
  %0 = "stablehlo.collective_permute"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
  return
}

// CHECK-LABEL: func.func @recv(
// CHECK-NEXT: %0:2 = "stablehlo.recv"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<3x4xi32>, !stablehlo.token)
func.func @recv(%t: !stablehlo.token) {
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<3x4xi32>, !stablehlo.token)
  return
}

// CHECK-LABEL: func.func @async(
// CHECK-NEXT: %0 = "stablehlo.async_start"(%arg0) ({
// CHECK-NEXT: ^bb0(%arg1: tensor<4xf32>):
// CHECK-NEXT: %2 = "stablehlo.collective_permute"(%arg1) <{source_target_pairs = dense<{{\[\[}}0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: stablehlo.return %2 : tensor<4xf32>
// CHECK-NEXT: }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
// CHECK-NEXT: %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
func.func @async(%a: tensor<4xf32>) {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<4xf32>):
    %2 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %2 : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
  return
}
