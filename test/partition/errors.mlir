// What cannot be partitioned is refused where it stands.
// RUN: shardwright-opt %s --sw-partition --split-input-file --verify-diagnostics

func.func @recursive(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{recursive call of 'recursive'; recursion is not supported}}
  %0 = call @recursive(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func private @declared(tensor<8xf32>) -> tensor<8xf32>
func.func @calls(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{callee 'declared' has no body; calls of functions that are only declared are not supported}}
  %0 = call @declared(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @a = <["x"=2]>
sdy.mesh @b = <["x"=4]>
func.func @two_sizes(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}]>}) -> tensor<8xf32> {
  // expected-error @+1 {{is on a mesh of 4 devices, but other values of the program are on one of 2; use meshes of one number of devices}}
  %0 = sdy.reshard %arg0 <@b, [{"x"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @a = <["x"=2]>
sdy.mesh @b = <["x"=4]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}]>}) -> tensor<8xf32> {
  %0 = func.call @callee(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @callee(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{is on a mesh of 4 devices, but other values of the program are on one of 2; use meshes of one number of devices}}
  %0 = sdy.reshard %arg0 <@b, [{"x"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @reduces_whole(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{reduces a value whose sharding has no unreduced axes; give the operand an unreduced sharding}}
  %0 = sdy.all_reduce {"x"} %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
