// RUN: shardwright-opt %s -verify-diagnostics -sdy-manual-axes-cleanup

sdy.mesh @m = <["a"=2]>
func.func @no_values() {
  // expected-error@below {{op has manual_axes when there are no in/out shardings and the body is not empty. This isn't allowed at this stage, please contact the Shardy team or file a bug.}}
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"a"} () {
    %0 = stablehlo.constant dense<0.0> : tensor<8xf32>
    sdy.return
  } : () -> ()
  return
}
