// RUN: shardwright-opt %s --split-input-file --sw-print-program --verify-diagnostics -o /dev/null

func.func @fft(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  // expected-error @+1 {{op 'stablehlo.fft' is not supported by the cpu backend yet}}
  %0 = stablehlo.fft %x, type = FFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
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

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @computation(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{the computation of 'stablehlo.all_reduce' is not one that the cpu backend supports yet}}
    %0 = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.subtract %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

func.func @remainder(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  // expected-error @+1 {{op 'stablehlo.remainder' on complex<f32> is not supported by the cpu backend}}
  %0 = stablehlo.remainder %x, %x : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// -----

func.func @bitcast(%x: tensor<4x8xi1>) -> tensor<4xi8> {
  // expected-error @+1 {{bitcast_convert from i1 to i8 is not supported by the cpu backend}}
  %0 = stablehlo.bitcast_convert %x : (tensor<4x8xi1>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}
