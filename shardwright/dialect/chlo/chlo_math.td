//===- chlo_math.td - mathematical functions, top_k, ragged_dot, scan ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "shardwright/dialect/chlo/chlo_base.td"

class CHLO_UnaryOp<string mnemonic, Type operandType, Type resultType = operandType>
    : CHLO_Op<mnemonic, !if(!eq(operandType, resultType),
                            [SHLO_CompatibleTypes, Pure, Elementwise, SHLO_Infer],
                            [Pure, Elementwise, SameOperandsAndResultShape, SHLO_Infer])> {
  let arguments = (ins operandType:$operand);
  let results = (outs resultType:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let inferBody = "types.push_back(adaptor.getOperand().getType()); return ::mlir::success();";
}
class CHLO_PredicateOp<string mnemonic> : CHLO_UnaryOp<mnemonic, CHLO_FpTensor, CHLO_PredTensor> {
  let inferBody = [{
    types.push_back(::llvm::cast<::mlir::ShapedType>(adaptor.getOperand().getType())
                        .clone(::mlir::IntegerType::get(context, 1)));
    return ::mlir::success();
  }];
}

def CHLO_AcosOp : CHLO_UnaryOp<"acos", CHLO_FpOrComplexTensor>;
def CHLO_AcoshOp : CHLO_UnaryOp<"acosh", CHLO_FpOrComplexTensor>;
def CHLO_AsinOp : CHLO_UnaryOp<"asin", CHLO_FpOrComplexTensor>;
def CHLO_AsinhOp : CHLO_UnaryOp<"asinh", CHLO_FpOrComplexTensor>;
def CHLO_AsinAcosKernelOp : CHLO_UnaryOp<"_asin_acos_kernel", CHLO_ComplexTensor>;
def CHLO_AtanOp : CHLO_UnaryOp<"atan", CHLO_FpOrComplexTensor>;
def CHLO_AtanhOp : CHLO_UnaryOp<"atanh", CHLO_FpOrComplexTensor>;
def CHLO_BesselI1eOp : CHLO_UnaryOp<"bessel_i1e", CHLO_FpOrComplexTensor>;
def CHLO_ConjOp : CHLO_UnaryOp<"conj", CHLO_FpOrComplexTensor>;
def CHLO_CoshOp : CHLO_UnaryOp<"cosh", CHLO_FpOrComplexTensor>;
def CHLO_DigammaOp : CHLO_UnaryOp<"digamma", CHLO_FpTensor>;
def CHLO_ErfOp : CHLO_UnaryOp<"erf", CHLO_FpTensor>;
def CHLO_ErfcOp : CHLO_UnaryOp<"erfc", CHLO_FpTensor>;
def CHLO_ErfInvOp : CHLO_UnaryOp<"erf_inv", CHLO_FpTensor>;
def CHLO_LgammaOp : CHLO_UnaryOp<"lgamma", CHLO_FpTensor>;
def CHLO_SinhOp : CHLO_UnaryOp<"sinh", CHLO_FpOrComplexTensor>;
def CHLO_SquareOp : CHLO_UnaryOp<"square", CHLO_FpOrComplexTensor>;
def CHLO_TanOp : CHLO_UnaryOp<"tan", CHLO_FpOrComplexTensor>;
def CHLO_IsInfOp : CHLO_PredicateOp<"is_inf">;
def CHLO_IsNegInfOp : CHLO_PredicateOp<"is_neg_inf">;
def CHLO_IsPosInfOp : CHLO_PredicateOp<"is_pos_inf">;

class CHLO_BinaryMathOp<string mnemonic, Type type, string first, string second>
    : CHLO_Op<mnemonic, [SHLO_CompatibleTypes, Pure, Elementwise, SHLO_Infer]> {
  let arguments = !dag(ins, [type, type], [first, second]);
  let results = (outs type:$result);
  let assemblyFormat = "$" # first # " `,` $" # second # " attr-dict `:` type($" # first #
                       ") `,` type($" # second # ") `->` type($result)";
  let inferBody = "return inferSameTypeOrUnranked(location, adaptor.getOperands(), types);";
}
def CHLO_NextAfterOp : CHLO_BinaryMathOp<"next_after", CHLO_FpTensor, "x", "y">;
def CHLO_PolygammaOp : CHLO_BinaryMathOp<"polygamma", CHLO_FpTensor, "n", "x">;
def CHLO_ZetaOp : CHLO_BinaryMathOp<"zeta", CHLO_FpTensor, "x", "q">;
def CHLO_MulhiOp : CHLO_BinaryMathOp<"mulhi", HLO_IntTensor, "lhs", "rhs">;

def CHLO_ConstantOp : CHLO_Op<"constant", [Pure, ConstantLike, SHLO_Infer]> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs StaticShapeTensorOf<AnyElement>:$output);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
  let inferBody = "types.push_back(adaptor.getValue().getType()); return ::mlir::success();";
}

def CHLO_ConstantLikeOp : CHLO_Op<"constant_like",
    [Pure, SameOperandsAndResultShape, SHLO_Infer]> {
  let arguments = (ins TypedAttrInterface:$value, CHLO_AnyTensor:$operand);
  let results = (outs CHLO_AnyTensor);
  let hasVerifier = 1;
  let inferBody = [{
    types.push_back(::llvm::cast<::mlir::ShapedType>(adaptor.getOperand().getType())
                        .clone(adaptor.getValue().getType()));
    return ::mlir::success();
  }];
}

def CHLO_TopKOp : CHLO_Op<"top_k", [Pure, SHLO_Infer]> {
  let arguments = (ins CHLO_AnyTensor:$operand, I64Attr:$k,
                       DefaultValuedOptionalAttr<BoolAttr, "true">:$is_stable);
  let useCustomPropertiesEncoding = 1; // is_stable is newer than 1.17
  let results = (outs CHLO_AnyTensor:$values, CHLO_AnyTensor:$indices);
  let assemblyFormat = [{
    `(`$operand `,` `k` `=` $k (`,` `is_stable` `=` $is_stable^)?`)` attr-dict
    `:` type($operand) `->` `(` type($values) `,` type($indices) `)`
  }];
  let inferBody = "return inferTopK(location, adaptor.getOperand(), adaptor.getK(), types);";
}

def CHLO_RaggedDotOp : CHLO_Op<"ragged_dot", [Pure]> {
  let arguments = (ins CHLO_AnyTensor:$lhs, CHLO_AnyTensor:$rhs, HLO_IntTensor:$group_sizes,
                       CHLO_RaggedDotDimensionNumbers:$ragged_dot_dimension_numbers,
                       CHLO_PrecisionConfigAttr:$precision_config);
  let results = (outs CHLO_AnyTensor:$result);
  let hasVerifier = 1;
}

def CHLO_ScanOp : CHLO_Op<"scan", [AttrSizedOperandSegments, AttrSizedResultSegments,
    RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"::shardwright::stablehlo::ReturnOp">,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let arguments = (ins Variadic<CHLO_AnyTensor>:$inputs, Variadic<CHLO_AnyTensor>:$inits,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$dimension,
                       OptionalAttr<I64Attr>:$scan_dim_size,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$is_reverse,
                       OptionalAttr<BoolAttr>:$is_associative);
  let results = (outs Variadic<CHLO_AnyTensor>:$outputs, Variadic<CHLO_AnyTensor>:$carries);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
