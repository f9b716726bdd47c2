//===- contraction.td - contractions, linear algebra, random numbers ----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "shardwright/dialect/stablehlo/attrs.td"

def SHLO_DotGeneralOp : SHLO_ShapeOp<"dot_general"> {
  let arguments = (ins HLO_Tensor:$lhs, HLO_TensorPerAxis:$rhs,
                       SHLO_DotDimensionNumbers:$dot_dimension_numbers,
                       SHLO_PrecisionConfigAttr:$precision_config,
                       OptionalAttr<SHLO_DotAlgorithm>:$algorithm);
  let results = (outs HLO_TensorPerAxis);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` custom<DotDimensionNumbers>($dot_dimension_numbers)
    `` custom<PrecisionConfigAndAlgorithm>($precision_config, $algorithm)
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def SHLO_DotOp : SHLO_Op<"dot", [Pure]> {
  let arguments = (ins HLO_Tensor:$lhs, HLO_TensorPerAxis:$rhs,
                       SHLO_PrecisionConfigAttr:$precision_config);
  let results = (outs HLO_TensorPerAxis);
  let assemblyFormat = [{
    $lhs `,` $rhs `` custom<PrecisionConfig>($precision_config)
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def SHLO_ConvolutionOp : SHLO_ShapeOp<"convolution"> {
  let arguments = (ins HLO_Tensor:$lhs, HLO_TensorPerAxis:$rhs,
    OptionalAttr<DenseI64ArrayAttr>:$window_strides, OptionalAttr<I64ElementsAttr>:$padding,
    OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation, OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation,
    OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
    SHLO_ConvDimensionNumbers:$dimension_numbers,
    ConfinedAttr<I64Attr, [IntPositive]>:$feature_group_count,
    ConfinedAttr<I64Attr, [IntPositive]>:$batch_group_count,
    SHLO_PrecisionConfigAttr:$precision_config);
  let results = (outs HLO_TensorPerAxis);
  let assemblyFormat = [{
    `(`operands`)` `dim_numbers` `=` custom<ConvolutionDimensions>($dimension_numbers) `,`
    `window` `=` `{` custom<WindowAttributes>($window_strides, $padding, $lhs_dilation,
                                              $rhs_dilation, $window_reversal) `}`
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def SHLO_EinsumOp : SHLO_Op<"einsum", [Pure]> {
  let arguments = (ins HLO_Tensor:$lhs, HLO_Tensor:$rhs, StrAttr:$einsum_config);
  let results = (outs HLO_Tensor);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)
  }];
}

def SHLO_UnaryEinsumOp : SHLO_Op<"unary_einsum", [Pure]> {
  let arguments = (ins HLO_Tensor:$operand, StrAttr:$einsum_config);
  let results = (outs HLO_Tensor);
  let assemblyFormat = [{
    $operand `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)
  }];
}

def SHLO_FftOp : SHLO_ShapeOp<"fft", [SHLO_Infer]> {
  let arguments = (ins HLO_FpOrComplexTensor:$operand, SHLO_FftTypeAttr:$fft_type,
                       DenseI64ArrayAttr:$fft_length);
  let results = (outs HLO_FpOrComplexTensor);
  let assemblyFormat = [{
    $operand `,` `type` `=` `` $fft_type `,` `length` `=` custom<DenseI64Array>($fft_length)
    attr-dict `:` functional-type(operands, results)
  }];
  let inferBody = [{
    return inferFft(location, adaptor.getOperand(), adaptor.getFftType(), adaptor.getFftLength(), types);
  }];
}

def SHLO_CholeskyOp
    : SHLO_Op<"cholesky", [NoMemoryEffect, SHLO_CompatibleElementTypes, SHLO_Infer]> {
  let arguments = (ins HLO_FpComplexQuantTensor:$a,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$lower);
  let results = (outs HLO_FpComplexQuantTensor:$result);
  let assemblyFormat = [{
    $a (`,` `lower` `=` $lower^)? attr-dict
    `:` custom<SameOperandsAndResultType>(type($a), type($result))
  }];
  let inferBody = "return inferCholesky(location, adaptor.getA(), types);";
}

def SHLO_TriangularSolveOp : SHLO_ShapeOp<"triangular_solve", [SHLO_CompatibleElementTypes, SHLO_Infer]> {
  let arguments = (ins HLO_FpOrComplexTensor:$a, HLO_FpOrComplexTensor:$b, BoolAttr:$left_side,
                       BoolAttr:$lower, BoolAttr:$unit_diagonal, SHLO_TransposeAttr:$transpose_a);
  let results = (outs HLO_FpOrComplexTensor);
  let inferBody = [{
    return inferTriangularSolve(location, adaptor.getA(), adaptor.getB(), adaptor.getLeftSide(),
                                adaptor.getTransposeA(), types);
  }];
  let speculationBody = [{
    getUnitDiagonal() ? ::mlir::Speculation::NotSpeculatable
                      : ::shardwright::stablehlo::speculatableIfStatic(getOperation())
  }];
}

class SHLO_BatchNormOp<string mnemonic>
    : SHLO_ShapeOp<mnemonic, [SHLO_CompatibleElementTypes, SHLO_Infer]> {
  let inferBody = [{
    return inferBatchNorm(location, adaptor.getOperand(), adaptor.getOperands().drop_front(),
                          adaptor.getFeatureIndex(), kNumResults, types);
  }];
}
def SHLO_BatchNormTrainingOp : SHLO_BatchNormOp<"batch_norm_training"> {
  let arguments = (ins HLO_FpQuantTensor:$operand, HLO_1DFpQuantTensor:$scale,
                       HLO_1DFpQuantTensor:$offset, F32Attr:$epsilon, ConfinedAttr<I64Attr, [IntNonNegative]>:$feature_index);
  let results = (outs HLO_FpQuantTensor:$output, HLO_1DFpQuantTensor:$batch_mean,
                      HLO_1DFpQuantTensor:$batch_var);
  let extraClassDeclaration = "static constexpr int kNumResults = 3;";
}
def SHLO_BatchNormInferenceOp : SHLO_BatchNormOp<"batch_norm_inference"> {
  let arguments = (ins HLO_FpQuantTensor:$operand, HLO_1DFpQuantTensor:$scale,
                       HLO_1DFpQuantTensor:$offset, HLO_1DFpQuantTensor:$mean,
                       HLO_1DFpQuantTensor:$variance, F32Attr:$epsilon,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$feature_index);
  let results = (outs HLO_FpQuantTensor:$result);
  let extraClassDeclaration = "static constexpr int kNumResults = 1;";
}
def SHLO_BatchNormGradOp : SHLO_BatchNormOp<"batch_norm_grad"> {
  let arguments = (ins HLO_FpQuantTensor:$operand, HLO_1DFpQuantTensor:$scale,
                       HLO_1DFpQuantTensor:$mean, HLO_1DFpQuantTensor:$variance,
                       HLO_FpQuantTensor:$grad_output, F32Attr:$epsilon,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$feature_index);
  let results = (outs HLO_FpQuantTensor:$grad_operand, HLO_1DFpQuantTensor:$grad_scale,
                      HLO_1DFpQuantTensor:$grad_offset);
  let extraClassDeclaration = "static constexpr int kNumResults = 3;";
}

def SHLO_RngOp : SHLO_Op<"rng", [AllElementTypesMatch<["a", "b", "result"]>, SHLO_Infer]> {
  let arguments = (ins HLO_ScalarPredIntFpTensor:$a, HLO_ScalarPredIntFpTensor:$b,
                       HLO_DimensionTensor:$shape, SHLO_RngDistributionAttr:$rng_distribution);
  let results = (outs HLO_PredIntFpTensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $shape `,` `distribution` `=` `` $rng_distribution
    attr-dict `:` functional-type(operands, results)
  }];
  let inferBody = [{
    return inferRng(location, adaptor.getA(), adaptor.getB(), adaptor.getShape(),
                    adaptor.getRngDistribution(), types);
  }];
}

def SHLO_RngBitGeneratorOp : SHLO_ShapeOp<"rng_bit_generator"> {
  let arguments = (ins SHLO_RngAlgorithmAttr:$rng_algorithm, HLO_IntFpTensor:$initial_state);
  let results = (outs HLO_IntFpTensor:$output_state, HLO_StaticIntFpTensor:$output);
  let assemblyFormat = [{
    $initial_state `,` `algorithm` `=` `` $rng_algorithm
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
