// RUN: shardwright-opt %s --split-input-file --sw-print-program --verify-diagnostics -o /dev/null

func.func @custom(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{custom call 'nobody': the cpu has no target of this name; shardwright::registerCustomCall registers one}}
  %0 = stablehlo.custom_call @nobody(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @infeed() -> tensor<4xf32> {
  %token = stablehlo.create_token : !stablehlo.token
  // expected-error @+1 {{custom call 'infeed': the cpu has no target of this name; shardwright::registerCustomCall registers one}}
  %0:2 = "stablehlo.infeed"(%token) : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return %0#0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{shape of 'tensor<?xf32>' is not static, which the cpu backend needs}}
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{recursive call of 'f'; recursion is not supported}}
  %0 = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{the module has no function @main and 2 others}}
module {
  func.func @a() {
    return
  }
  func.func @b() {
    return
  }
}

// -----

func.func @groups(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{replica id 1 is not one of the program's 1}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
