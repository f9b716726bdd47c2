//===- chlo_broadcast.td - elementwise ops with NumPy-style broadcasting ===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "shardwright/dialect/chlo/chlo_base.td"

class CHLO_BroadcastBinaryOp<string mnemonic, Type operandType, Type resultType = operandType,
                             list<Trait> traits = [SameOperandsAndResultElementType]>
    : CHLO_Op<mnemonic, traits # [Pure, SHLO_Infer]> {
  let arguments = (ins operandType:$lhs, operandType:$rhs,
                       OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions);
  let results = (outs resultType);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type(results)
  }];
  let inferBody = [{
    return inferBroadcastBinary(location, adaptor.getLhs(), adaptor.getRhs(),
                                adaptor.getBroadcastDimensions(), ::mlir::Type(), types);
  }];
}

class CHLO_BroadcastLogicalOp<string mnemonic>
    : CHLO_BroadcastBinaryOp<mnemonic, CHLO_PredOrIntTensor, CHLO_AnyTensor, []>;

def CHLO_BroadcastAddOp
    : CHLO_BroadcastBinaryOp<"broadcast_add", CHLO_AnyTensor, CHLO_AnyTensor,
                             [SHLO_CompatibleElementTypes]>;
def CHLO_BroadcastAtan2Op : CHLO_BroadcastBinaryOp<"broadcast_atan2", CHLO_AnyTensor>;
def CHLO_BroadcastDivOp : CHLO_BroadcastBinaryOp<"broadcast_divide", CHLO_AnyTensor>;
def CHLO_BroadcastMaxOp
    : CHLO_BroadcastBinaryOp<"broadcast_maximum", CHLO_AnyTensor, CHLO_AnyTensor,
                             [SHLO_CompatibleElementTypes]>;
def CHLO_BroadcastMinOp
    : CHLO_BroadcastBinaryOp<"broadcast_minimum", CHLO_AnyTensor, CHLO_AnyTensor,
                             [SHLO_CompatibleElementTypes]>;
def CHLO_BroadcastMulOp : CHLO_BroadcastBinaryOp<"broadcast_multiply", CHLO_AnyTensor>;
def CHLO_BroadcastNextAfterOp : CHLO_BroadcastBinaryOp<"broadcast_next_after", CHLO_AnyTensor>;
def CHLO_BroadcastPolygammaOp : CHLO_BroadcastBinaryOp<"broadcast_polygamma", CHLO_AnyTensor>;
def CHLO_BroadcastPowOp : CHLO_BroadcastBinaryOp<"broadcast_power", CHLO_AnyTensor>;
def CHLO_BroadcastRemOp : CHLO_BroadcastBinaryOp<"broadcast_remainder", CHLO_AnyTensor>;
def CHLO_BroadcastShiftLeftOp
    : CHLO_BroadcastBinaryOp<"broadcast_shift_left", CHLO_AnyTensor>;
def CHLO_BroadcastShiftRightArithmeticOp
    : CHLO_BroadcastBinaryOp<"broadcast_shift_right_arithmetic", CHLO_AnyTensor>;
def CHLO_BroadcastShiftRightLogicalOp
    : CHLO_BroadcastBinaryOp<"broadcast_shift_right_logical", CHLO_AnyTensor>;
def CHLO_BroadcastSubOp : CHLO_BroadcastBinaryOp<"broadcast_subtract", CHLO_AnyTensor>;
def CHLO_BroadcastZetaOp : CHLO_BroadcastBinaryOp<"broadcast_zeta", CHLO_FpTensor>;
def CHLO_BroadcastAndOp : CHLO_BroadcastLogicalOp<"broadcast_and">;
def CHLO_BroadcastOrOp : CHLO_BroadcastLogicalOp<"broadcast_or">;
def CHLO_BroadcastXorOp : CHLO_BroadcastLogicalOp<"broadcast_xor">;

def CHLO_BroadcastComplexOp
    : CHLO_BroadcastBinaryOp<"broadcast_complex", CHLO_FpTensor, CHLO_ComplexTensor, []> {
  let inferBody = [{
    ::mlir::Type element = ::mlir::getElementTypeOrSelf(adaptor.getLhs().getType());
    return inferBroadcastBinary(location, adaptor.getLhs(), adaptor.getRhs(),
                                adaptor.getBroadcastDimensions(),
                                ::mlir::ComplexType::get(element), types);
  }];
}

def CHLO_BroadcastCompareOp
    : CHLO_BroadcastBinaryOp<"broadcast_compare", CHLO_AnyTensor, CHLO_PredTensor, []> {
  let arguments = (ins CHLO_AnyTensor:$lhs, CHLO_AnyTensor:$rhs,
                       OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions,
                       CHLO_ComparisonDirectionAttr:$comparison_direction,
                       OptionalAttr<CHLO_ComparisonTypeAttr>:$compare_type);
  let inferBody = [{
    return inferBroadcastBinary(location, adaptor.getLhs(), adaptor.getRhs(),
                                adaptor.getBroadcastDimensions(),
                                ::mlir::IntegerType::get(context, 1), types);
  }];
}

def CHLO_BroadcastSelectOp : CHLO_Op<"broadcast_select", [Pure, SHLO_Infer]> {
  let arguments = (ins HLO_PredTensor:$pred, CHLO_AnyTensor:$on_true, CHLO_AnyTensor:$on_false);
  let results = (outs CHLO_AnyTensor);
  let assemblyFormat = [{
    $pred `,` $on_true `,` $on_false attr-dict
    `:` `(` type($pred) `,` type($on_true) `,` type($on_false) `)` `->` type(results)
  }];
  let inferBody = [{
    return inferBroadcastSelect(location, adaptor.getPred(), adaptor.getOnTrue(),
                                adaptor.getOnFalse(), types);
  }];
}
