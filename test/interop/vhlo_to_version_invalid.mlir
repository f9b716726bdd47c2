// RUN: shardwright-opt %s -stablehlo-legalize-to-vhlo -vhlo-to-version=target=1.0.0 --split-input-file --verify-diagnostics

// expected-error @+1 {{failed to convert VHLO to v1.0.0}}
module {
  func.func @tan(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{failed to legalize operation 'vhlo.tan_v2' that was explicitly marked illegal: the op exists since version 1.4.0}}
    %0 = stablehlo.tan %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// expected-error @+1 {{failed to convert VHLO to v1.0.0}}
module {
  // expected-error @+1 {{the value of attribute 'function_type' exists since version 1.7.0}}
  func.func @type(%x: tensor<4xf8E4M3>) {
    return
  }
}

// -----

// expected-error @+1 {{failed to convert VHLO to v1.0.0}}
module {
  func.func @accuracy(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{version 1 of the op has no attribute 'result_accuracy'}}
    %0 = stablehlo.exponential %x {result_accuracy = #stablehlo.result_accuracy<ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// expected-error @+1 {{failed to convert VHLO to v1.0.0}}
module {
  func.func @variadic(%x: tensor<2xf32>) {
    // expected-error @+1 {{version 1 of the op has one operand}}
    %0:2 = "stablehlo.all_gather"(%x, %x) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    return
  }
}

// -----

// expected-error @+1 {{failed to convert VHLO to v1.0.0}}
module {
  func.func @typed(%x: tensor<2xf32>) {
    // expected-error @+1 {{typed calls (a dictionary as backend_config) exist since version 1.3.0}}
    %0 = stablehlo.custom_call @f(%x) {api_version = 4 : i32, backend_config = {a = 1 : i32}} : (tensor<2xf32>) -> tensor<2xf32>
    return
  }
}
