//===- binary.td - elementwise ops of two or three operands -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "shardwright/dialect/stablehlo/attrs.td"

class SHLO_BinaryOp<string mnemonic, Type operandType, Type resultType = operandType,
                    list<Trait> traits = []>
    : SHLO_Op<mnemonic, traits # [NoMemoryEffect, Elementwise, SHLO_Infer, SHLO_Conditional]> {
  let arguments = (ins operandType:$lhs, operandType:$rhs);
  let results = (outs resultType:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict
    `:` custom<SameOperandsAndResultType>(type($lhs), type($rhs), type($result))
  }];
  let inferBody = "return inferSameType(location, adaptor.getOperands(), types);";
  let speculationBody = "::shardwright::stablehlo::speculatableIfStatic(getOperation())";
}

// verify: element types of operands and result agree.
class SHLO_ArithmeticOp<string mnemonic, Type type, list<Trait> traits = []>
    : SHLO_BinaryOp<mnemonic, type, type, [SHLO_CompatibleTypes] # traits>;
// The result is constrained by the operands alone.
class SHLO_LogicalOp<string mnemonic>
    : SHLO_BinaryOp<mnemonic, HLO_PredOrIntTensor, HLO_Tensor,
                    [SHLO_CompatibleTypes, Commutative]>;

def SHLO_AddOp : SHLO_BinaryOp<"add", HLO_TensorPerAxis, HLO_TensorPerAxis,
                               [SameOperandsAndResultShape, Commutative]> {
  let hasVerifier = 1;
}
def SHLO_MulOp : SHLO_ArithmeticOp<"multiply", HLO_Tensor, [Commutative]>;
def SHLO_MaxOp : SHLO_ArithmeticOp<"maximum", HLO_Tensor, [Commutative]>;
def SHLO_MinOp : SHLO_ArithmeticOp<"minimum", HLO_Tensor, [Commutative]>;
def SHLO_SubtractOp : SHLO_ArithmeticOp<"subtract", HLO_IntFpComplexQuantTensor>;
def SHLO_DivOp : SHLO_ArithmeticOp<"divide", HLO_IntFpComplexQuantTensor>;
def SHLO_RemOp : SHLO_ArithmeticOp<"remainder", HLO_IntFpComplexQuantTensor>;
def SHLO_PowOp : SHLO_ArithmeticOp<"power", HLO_IntFpComplexQuantTensor>;
def SHLO_Atan2Op : SHLO_ArithmeticOp<"atan2", HLO_FpComplexQuantTensor>;
def SHLO_AndOp : SHLO_LogicalOp<"and">;
def SHLO_OrOp : SHLO_LogicalOp<"or">;
def SHLO_XorOp : SHLO_LogicalOp<"xor">;
def SHLO_ShiftLeftOp : SHLO_ArithmeticOp<"shift_left", HLO_IntTensor>;
def SHLO_ShiftRightArithmeticOp : SHLO_ArithmeticOp<"shift_right_arithmetic", HLO_IntTensor>;
def SHLO_ShiftRightLogicalOp : SHLO_ArithmeticOp<"shift_right_logical", HLO_IntTensor>;

def SHLO_ComplexOp
    : SHLO_BinaryOp<"complex", HLO_Fp32Or64Tensor, HLO_ComplexTensor,
                    [SameOperandsAndResultShape, SameOperandsElementType]> {
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` custom<ComplexOpType>(type($lhs), type($rhs), type($result))
  }];
  let inferBody = "return inferComplex(location, adaptor.getOperands(), types);";
}

def SHLO_CompareOp : SHLO_Op<"compare",
    [NoMemoryEffect, Elementwise, SHLO_Infer, SHLO_Conditional]> {
  let arguments = (ins HLO_Tensor:$lhs, HLO_Tensor:$rhs,
    SHLO_ComparisonDirectionAttr:$comparison_direction,
    OptionalAttr<SHLO_ComparisonTypeAttr>:$compare_type);
  // Unnamed, as in StableHLO.
  let results = (outs HLO_PredTensor);
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs,
      "::shardwright::stablehlo::ComparisonDirection":$direction), [{
    build($_builder, $_state, lhs, rhs,
          ::shardwright::stablehlo::ComparisonDirectionAttr::get($_builder.getContext(), direction),
          ::shardwright::stablehlo::ComparisonTypeAttr());
  }]>];
  let assemblyFormat = [{
    `` $comparison_direction `,` $lhs `,` $rhs (`,` `` $compare_type^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let inferBody = "return inferPredicate(location, adaptor.getOperands(), types);";
  let speculationBody = "::shardwright::stablehlo::speculatableIfStatic(getOperation())";
}

def SHLO_SelectOp : SHLO_ShapeOp<"select", [SHLO_Infer]> {
  let arguments = (ins HLO_PredTensor:$pred, HLO_Tensor:$on_true, HLO_Tensor:$on_false);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict
    `:` custom<SelectOpType>(type($pred), type($on_true), type($on_false), type($result))
  }];
  let inferBody = [{
    return inferSelect(location, adaptor.getPred(), adaptor.getOnTrue(), adaptor.getOnFalse(), types);
  }];
}

def SHLO_ClampOp : SHLO_ShapeOp<"clamp", [SHLO_CompatibleElementTypes, SHLO_Infer]> {
  let arguments = (ins HLO_Tensor:$min, HLO_Tensor:$operand, HLO_Tensor:$max);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict
    `:` custom<SameOperandsAndResultType>(type($min), type($operand), type($max), type($result))
  }];
  let inferBody = [{
    return inferClamp(location, adaptor.getMin(), adaptor.getOperand(), adaptor.getMax(), types);
  }];
}
