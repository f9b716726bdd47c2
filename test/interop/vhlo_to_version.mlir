// RUN: shardwright-opt %s -stablehlo-legalize-to-vhlo -vhlo-to-version=target=0.9.0 | FileCheck %s --check-prefix=OLD
// RUN: shardwright-opt %s -stablehlo-legalize-to-vhlo -vhlo-to-version=target=0.9.0 -vhlo-to-version=target=current -vhlo-legalize-to-stablehlo | FileCheck %s --check-prefix=BACK
// RUN: not shardwright-opt %s -vhlo-to-version=target=0.8.0 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: not shardwright-opt %s -vhlo-to-version=target=1.99.0 2>&1 | FileCheck %s --check-prefix=ABOVE
// RUN: not shardwright-opt %s -vhlo-to-version=target=x 2>&1 | FileCheck %s --check-prefix=FORM

// BELOW: target version 0.8.0 is less than minimum supported 0.9.0
// ABOVE: target version 1.99.0 is greater than current version 1.20.0
// FORM: Invalid target version argument 'x'
// FORM-NEXT: Target version must be of the form `#.#.#`.

func.func @main(%x: tensor<4xf32>, %i: tensor<2x1xi32>, %t: !stablehlo.token) -> tensor<2xf32> {
  // OLD: "vhlo.tanh_v1"(%arg0) :
  // BACK: stablehlo.tanh %arg0 : tensor<4xf32>
  %0 = stablehlo.tanh %x : tensor<4xf32>
  // OLD: "vhlo.gather_v1"(%{{.*}}) <{collapsed_slice_dims = {{[^}]*}}slice_sizes = #vhlo.tensor_v1<dense<1> : tensor<1xi64>>, start_index_map = #vhlo.tensor_v1<dense<0> : tensor<1xi64>>}>
  // BACK: "stablehlo.gather"(%{{.*}}) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}>
  %1 = "stablehlo.gather"(%0, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<4xf32>, tensor<2x1xi32>) -> tensor<2xf32>
  // OLD: "vhlo.custom_call_v1"(%{{.*}}) <{api_version = {{.*}}, result_layouts = #vhlo.array_v1<[]>}>
  // BACK: stablehlo.custom_call @f(
  %2 = stablehlo.custom_call @f(%1) : (tensor<2xf32>) -> tensor<2xf32>
  // OLD: "vhlo.all_gather_v1"
  // BACK: "stablehlo.all_gather"(%{{.*}}) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}>
  %3 = "stablehlo.all_gather"(%2) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
  return %3 : tensor<2xf32>
}
