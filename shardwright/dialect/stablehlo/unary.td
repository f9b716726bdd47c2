//===- unary.td - elementwise ops of one operand ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "shardwright/dialect/stablehlo/attrs.td"

class SHLO_UnaryOp<string mnemonic, Type operandType, Type resultType = operandType,
                   list<Trait> traits = [SHLO_CompatibleTypes]>
    : SHLO_Op<mnemonic, traits # [NoMemoryEffect, Elementwise, SHLO_Infer, SHLO_Conditional]> {
  let arguments = (ins operandType:$operand);
  let results = (outs resultType:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
  let inferBody = "return inferSameType(location, adaptor.getOperands(), types);";
  let speculationBody = "::shardwright::stablehlo::speculatableIfResultDimsStatic(getOperation())";
}

// Transcendental functions may ask for an accuracy.
class SHLO_UnaryAccuracyOp<string mnemonic> : SHLO_UnaryOp<mnemonic, HLO_FpComplexQuantTensor> {
  let arguments = (ins HLO_FpComplexQuantTensor:$operand,
    DefaultValuedOptionalAttr<SHLO_ResultAccuracy,
        "::shardwright::stablehlo::ResultAccuracyMode::DEFAULT">:$result_accuracy);
}

def SHLO_CbrtOp : SHLO_UnaryAccuracyOp<"cbrt">;
def SHLO_CosineOp : SHLO_UnaryAccuracyOp<"cosine">;
def SHLO_ExpOp : SHLO_UnaryAccuracyOp<"exponential">;
def SHLO_Expm1Op : SHLO_UnaryAccuracyOp<"exponential_minus_one">;
def SHLO_LogOp : SHLO_UnaryAccuracyOp<"log">;
def SHLO_Log1pOp : SHLO_UnaryAccuracyOp<"log_plus_one">;
def SHLO_LogisticOp : SHLO_UnaryAccuracyOp<"logistic">;
def SHLO_RsqrtOp : SHLO_UnaryAccuracyOp<"rsqrt">;
def SHLO_SineOp : SHLO_UnaryAccuracyOp<"sine">;
def SHLO_SqrtOp : SHLO_UnaryAccuracyOp<"sqrt">;
def SHLO_TanOp : SHLO_UnaryAccuracyOp<"tan">;
def SHLO_TanhOp : SHLO_UnaryAccuracyOp<"tanh">;

def SHLO_AbsOp : SHLO_UnaryOp<"abs", HLO_SIntFpComplexQuantTensor, HLO_SIntFpQuantTensor, []> {
  let inferBody = "return inferRealPart(location, adaptor.getOperand(), types);";
}
def SHLO_NegOp : SHLO_UnaryOp<"negate", HLO_IntFpComplexQuantTensor>;
def SHLO_NotOp : SHLO_UnaryOp<"not", HLO_PredOrIntTensor>;
def SHLO_SignOp : SHLO_UnaryOp<"sign", HLO_SIntFpComplexQuantTensor>;
def SHLO_CeilOp : SHLO_UnaryOp<"ceil", HLO_FpQuantTensor>;
def SHLO_FloorOp : SHLO_UnaryOp<"floor", HLO_FpQuantTensor>;
def SHLO_RoundOp : SHLO_UnaryOp<"round_nearest_afz", HLO_FpQuantTensor>;
def SHLO_RoundNearestEvenOp : SHLO_UnaryOp<"round_nearest_even", HLO_FpQuantTensor>;
def SHLO_ClzOp : SHLO_UnaryOp<"count_leading_zeros", HLO_IntTensor>;
def SHLO_PopulationCountOp : SHLO_UnaryOp<"popcnt", HLO_IntTensor>;
def SHLO_RealOp : SHLO_UnaryOp<"real", HLO_FpOrComplexTensor, HLO_FpTensor, []> {
  let inferBody = "return inferRealPart(location, adaptor.getOperand(), types);";
}
def SHLO_ImagOp : SHLO_UnaryOp<"imag", HLO_FpOrComplexTensor, HLO_FpTensor, []> {
  let inferBody = "return inferRealPart(location, adaptor.getOperand(), types);";
}

def SHLO_IsFiniteOp : SHLO_Op<"is_finite",
    [NoMemoryEffect, Elementwise, SHLO_Infer, SHLO_Conditional]> {
  let arguments = (ins HLO_FpQuantTensor:$x);
  let results = (outs HLO_PredTensor:$y);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
  let inferBody = "return inferPredicate(location, adaptor.getOperands(), types);";
  let speculationBody = "::shardwright::stablehlo::speculatableIfResultDimsStatic(getOperation())";
}

def SHLO_ReducePrecisionOp : SHLO_Op<"reduce_precision",
    [NoMemoryEffect, Elementwise, SHLO_CompatibleTypes, SHLO_Infer, SHLO_Conditional]> {
  let arguments = (ins HLO_FpQuantTensor:$operand,
    ConfinedAttr<I32Attr, [IntPositive]>:$exponent_bits,
    ConfinedAttr<I32Attr, [IntNonNegative]>:$mantissa_bits);
  let results = (outs HLO_FpQuantTensor:$output);
  let assemblyFormat = [{
    $operand `,` `format` `=` custom<ExponentMantissa>($exponent_bits, $mantissa_bits)
    attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($output))
  }];
  let inferBody = "return inferSameType(location, adaptor.getOperands(), types);";
  let speculationBody = "::shardwright::stablehlo::speculatableIfResultDimsStatic(getOperation())";
}

// The result's element type cannot be inferred.
class SHLO_ConvertLikeOp<string mnemonic, Type operandType, Type resultType>
    : SHLO_Op<mnemonic, [NoMemoryEffect, SameOperandsAndResultShape, Elementwise,
                         SHLO_Conditional]> {
  let arguments = (ins operandType:$operand);
  let results = (outs resultType:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
  let speculationBody = "::shardwright::stablehlo::speculatableIfResultDimsStatic(getOperation())";
}
def SHLO_ConvertOp
    : SHLO_ConvertLikeOp<"convert", HLO_NonQuantizedTensor, HLO_NonQuantizedTensor> {
  let builders = [OpBuilder<(ins "::mlir::Value":$operand, "::mlir::Type":$elementType), [{
    build($_builder, $_state,
          ::llvm::cast<::mlir::RankedTensorType>(operand.getType()).clone(elementType), operand);
  }]>];
}
def SHLO_UniformQuantizeOp
    : SHLO_ConvertLikeOp<"uniform_quantize", HLO_FpOrQuantPerAxisTensor, HLO_QuantTensor>;
def SHLO_UniformDequantizeOp
    : SHLO_UnaryOp<"uniform_dequantize", HLO_QuantTensor, HLO_FpTensor,
                   [SameOperandsAndResultShape]> {
  let inferBody = "return inferDequantized(location, adaptor.getOperand(), types);";
}
