// What the verifiers and parsers refuse.
// RUN: shardwright-opt %s --split-input-file --verify-diagnostics

func.func @all_gather(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.all_gather' op attribute 'replica_groups' failed to satisfy constraint: 64-bit signless integer elements attribute or mesh and axes based r}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim=0:i64, replica_groups=3}> {foo} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @replica_id() {
  // expected-error @+1 {{'stablehlo.replica_id' op result #0 must be ranked tensor of 32-bit unsigned integer values, but got 'tensor<i32>'}}
  %0 = "stablehlo.replica_id"() : () -> tensor<i32>
  return
}

// -----

func.func @all_gather(%a: tensor<4xf32>) {
  // expected-error @+1 {{all_gather_dim must be a valid index of operand}}
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim=1:i64, replica_groups=dense<[[0,1]]>:tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @all_gather(%a: tensor<4xf32>) {
  // expected-error @+1 {{result gather dimension has size 9, expected to be a multiple of operand gather dimension size 4}}
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim=0:i64, replica_groups=dense<[[0,1]]>:tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<9xf32>
  return
}

// -----

func.func @all_gather(%m: tensor<4x6xf32>) {
  // expected-error @+1 {{operand and result should have the same shape except for the dimension size at 'all_gather_dim'}}
  %0 = "stablehlo.all_gather"(%m) {all_gather_dim=0:i64, replica_groups=dense<[[0,1]]>:tensor<1x2xi64>} : (tensor<4x6xf32>) -> tensor<8x5xf32>
  return
}

// -----

func.func @all_gather(%a: tensor<4xf32>) {
  // expected-error @+1 {{replica groups should be a rank 2 tensor}}
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim=0:i64, replica_groups=dense<[0,1]>:tensor<2xi64>} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @all_gather(%a: tensor<4xf32>) {
  // expected-error @+1 {{replica id #0 seen more than once}}
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim=0:i64, replica_groups=dense<[[0,0]]>:tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @all_gather(%a: tensor<4xf32>) {
  // expected-error @+1 {{replica id #1 not seen in replica groups}}
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim=0:i64, replica_groups=dense<[[0,2]]>:tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @all_gather(%a: tensor<4xf32>) {
  // expected-error @+1 {{Invalid replica id -1}}
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim=0:i64, replica_groups=dense<[[0,-1]]>:tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @all_gather(%a: tensor<4xf32>) {
  // expected-error @+1 {{if `use_global_device_ids` is set, the replica groups cannot be empty}}
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim=0:i64, replica_groups=dense<>:tensor<0x0xi64>, use_global_device_ids} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @all_reduce(%a: tensor<4xf32>) {
  // expected-error @+1 {{replica id #3 not seen in replica groups}}
  %0 = "stablehlo.all_reduce"(%a) ({^bb0(%aa: tensor<f32>, %bb: tensor<f32>): stablehlo.return %aa : tensor<f32>}) {replica_groups=dense<[[0,-2],[1,2]]>:tensor<2x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @all_reduce(%a: tensor<4xf32>) {
  // expected-error @+2 {{'stablehlo.all_reduce' op inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<5xf32>'}}
  // expected-error @+1 {{'stablehlo.all_reduce' op failed to infer returned types}}
  %0 = "stablehlo.all_reduce"(%a) ({^bb0(%aa: tensor<f32>, %bb: tensor<f32>): stablehlo.return %aa : tensor<f32>}) {replica_groups=dense<[[0,1]]>:tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @all_reduce(%a: tensor<4xf32>) {
  // expected-error @+2 {{Reduction-region must take 2 parameters, but takes 1 parameter(s)}}
  // expected-error @+1 {{'stablehlo.all_reduce' op failed to infer returned types}}
  %0 = "stablehlo.all_reduce"(%a) ({^bb0(%aa: tensor<f32>): stablehlo.return %aa : tensor<f32>}) {replica_groups=dense<[[0,1]]>:tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @all_reduce(%a: tensor<4xf32>) {
  // expected-error @+2 {{The element-type of reduction-region's result type at index 0 is expected to be promotable from the op's corresponding init-value element-type: 'tenso}}
  // expected-error @+1 {{'stablehlo.all_reduce' op failed to infer returned types}}
  %0 = "stablehlo.all_reduce"(%a) ({^bb0(%aa: tensor<i32>, %bb: tensor<i32>): stablehlo.return %aa : tensor<i32>}) {replica_groups=dense<[[0,1]]>:tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @reduce_scatter(%a: tensor<4xf32>) {
  // expected-error @+1 {{operand scatter dimension has size 4, expected to be a multiple of result scatter dimension size 3}}
  %0 = "stablehlo.reduce_scatter"(%a) ({^bb0(%aa: tensor<f32>, %bb: tensor<f32>): stablehlo.return %aa : tensor<f32>}) {scatter_dimension=0:i64, replica_groups=dense<[[0,1]]>:tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_scatter(%a: tensor<4xf32>) {
  // expected-error @+1 {{scatter dim should be less than operand/result rank}}
  %0 = "stablehlo.reduce_scatter"(%a) ({^bb0(%aa: tensor<f32>, %bb: tensor<f32>): stablehlo.return %aa : tensor<f32>}) {scatter_dimension=1:i64, replica_groups=dense<[[0,1]]>:tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_scatter(%m: tensor<4x6xf32>) {
  // expected-error @+1 {{non scatter dimensions should be same for operand (6) and result (5)}}
  %0 = "stablehlo.reduce_scatter"(%m) ({^bb0(%aa: tensor<f32>, %bb: tensor<f32>): stablehlo.return %aa : tensor<f32>}) {scatter_dimension=0:i64, replica_groups=dense<[[0,1]]>:tensor<1x2xi64>} : (tensor<4x6xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @all_to_all(%a: tensor<4xf32>) {
  // expected-error @+1 {{group size of replica_groups must be 2}}
  %0 = "stablehlo.all_to_all"(%a) {split_dimension=0:i64, concat_dimension=0:i64, split_count=2:i64, replica_groups=dense<[[0,1,2]]>:tensor<1x3xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @all_to_all(%a: tensor<4xf32>) {
  // expected-error @+2 {{split dimension has size 4, expected to be a multiple of split_count 3}}
  // expected-error @+1 {{'stablehlo.all_to_all' op failed to infer returned types}}
  %0 = "stablehlo.all_to_all"(%a) {split_dimension=0:i64, concat_dimension=0:i64, split_count=3:i64, replica_groups=dense<[[0,1,2]]>:tensor<1x3xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @all_to_all(%a: tensor<4xf32>) {
  // expected-error @+2 {{AllToAll split_dimension 1 is out-of-bounds for input rank 1}}
  // expected-error @+1 {{'stablehlo.all_to_all' op failed to infer returned types}}
  %0 = "stablehlo.all_to_all"(%a) {split_dimension=1:i64, concat_dimension=0:i64, split_count=2:i64, replica_groups=dense<[[0,1]]>:tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @all_to_all(%a: tensor<4xf32>) {
  // expected-error @+2 {{AllToAll concat_dimension 1 is out-of-bounds for input rank 1}}
  // expected-error @+1 {{'stablehlo.all_to_all' op failed to infer returned types}}
  %0 = "stablehlo.all_to_all"(%a) {split_dimension=0:i64, concat_dimension=1:i64, split_count=2:i64, replica_groups=dense<[[0,1]]>:tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// The largest and the smallest number.
func.func @collective_permute(%a: tensor<4xf32>) {
  // expected-error @+1 {{duplicate sources not allowed.}}
  %0 = "stablehlo.collective_permute"(%a) {source_target_pairs=dense<[[9223372036854775807,1],[9223372036854775807,2]]>:tensor<2x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @all_gather(%a: tensor<4xf32>) {
  // expected-error @+1 {{replica id #9223372036854775807 seen more than once}}
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim=0:i64, replica_groups=dense<[[9223372036854775807,9223372036854775807]]>:tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @all_reduce(%a: tensor<4xf32>) {
  // expected-error @+1 {{replica id #-9223372036854775808 seen more than once}}
  %0 = "stablehlo.all_reduce"(%a) ({^bb0(%aa: tensor<f32>, %bb: tensor<f32>): stablehlo.return %aa : tensor<f32>}) {replica_groups=dense<[[-9223372036854775808,-9223372036854775808]]>:tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @collective_permute(%a: tensor<4xf32>) {
  // expected-error @+1 {{duplicate sources not allowed.}}
  %0 = "stablehlo.collective_permute"(%a) {source_target_pairs=dense<[[0,1],[0,2]]>:tensor<2x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @collective_permute(%a: tensor<4xf32>) {
  // expected-error @+1 {{duplicate targets not allowed.}}
  %0 = "stablehlo.collective_permute"(%a) {source_target_pairs=dense<[[0,1],[1,1]]>:tensor<2x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @collective_permute(%a: tensor<4xf32>) {
  // expected-error @+1 {{expect source_target_pairs attribute of shape (N, 2), but got (2, 3)}}
  %0 = "stablehlo.collective_permute"(%a) {source_target_pairs=dense<[[0,1,2],[1,1,2]]>:tensor<2x3xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @collective_permute(%a: tensor<4xf32>) {
  // expected-error @+1 {{expect source_target_pairs attribute to be of rank 2, but got rank 1}}
  %0 = "stablehlo.collective_permute"(%a) {source_target_pairs=dense<[0,1]>:tensor<2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @collective_permute(%a: tensor<4xf32>) {
  // expected-error @+1 {{replica ids in source_target_pairs must be >= 0.}}
  %0 = "stablehlo.collective_permute"(%a) {source_target_pairs=dense<[[0,-1]]>:tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @collective_broadcast(%a: tensor<4xf32>) {
  // expected-error @+1 {{replica_groups values must be positive, but was given -1}}
  %0 = "stablehlo.collective_broadcast"(%a) {replica_groups=dense<[[0,-1]]>:tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @collective_broadcast(%a: tensor<4xf32>) {
  // expected-error @+1 {{replica id #0 seen more than once}}
  %0 = "stablehlo.collective_broadcast"(%a) {replica_groups=dense<[[0,0]]>:tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @infeed(%t: !stablehlo.token) {
  // expected-error @+1 {{last element of result types is expected to be of token type, but got 'tensor<4xf32>'}}
  %0 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> tensor<4xf32>
  return
}

// -----

func.func @infeed(%t: !stablehlo.token) {
  // expected-error @+1 {{result is expected to be at least of size 1, but got 0}}
  "stablehlo.infeed"(%t) : (!stablehlo.token) -> ()
  return
}

// -----

func.func @send(%a: tensor<4xf32>, %t: !stablehlo.token) {
  // expected-error @+1 {{channel_type should be DEVICE_TO_HOST when is_host_transfer is true}}
  %0 = "stablehlo.send"(%a, %t) {channel_handle=#stablehlo.channel_handle<type=1,handle=1>, is_host_transfer=true} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

func.func @send(%a: tensor<4xf32>, %t: !stablehlo.token) {
  // expected-error @+1 {{channel_type should be DEVICE_TO_DEVICE when is_host_transfer is false}}
  %0 = "stablehlo.send"(%a, %t) {channel_handle=#stablehlo.channel_handle<type=2,handle=1>, is_host_transfer=false} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

func.func @recv(%t: !stablehlo.token) {
  // expected-error @+1 {{channel_type should be HOST_TO_DEVICE when is_host_transfer is true}}
  %0 = "stablehlo.recv"(%t) {channel_handle=#stablehlo.channel_handle<type=1,handle=1>, is_host_transfer=true} : (!stablehlo.token) -> !stablehlo.token
  return
}

// -----

func.func @recv(%t: !stablehlo.token) {
  // expected-error @+1 {{last element of result types is expected to be of token type, but got 'tensor<4xf32>'}}
  %0 = "stablehlo.recv"(%t) {channel_handle=#stablehlo.channel_handle<type=1,handle=1>} : (!stablehlo.token) -> tensor<4xf32>
  return
}
