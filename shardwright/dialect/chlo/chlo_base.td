//===- chlo_base.td - the chlo dialect, its attributes and op bases -----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_CHLO_BASE_TD
#define SHARDWRIGHT_DIALECT_CHLO_BASE_TD

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "shardwright/dialect/stablehlo/base.td"

def Chlo_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::shardwright::chlo";
  let summary = "client operations that are expanded to StableHLO";
  let description = [{
    Mathematical functions and NumPy-style broadcasting operations as JAX 0.10.2 writes
    them. The pass chlo-legalize-to-stablehlo expands them.
  }];
  let dependentDialects = ["::shardwright::stablehlo::StablehloDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    // One per file of ops.
    void registerMathOps();
    void registerBroadcastOps();
  }];
}

class CHLO_I32Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::shardwright::chlo";
}
def CHLO_ComparisonDirection : CHLO_I32Enum<"ComparisonDirection",
    "Which comparison operation to perform.",
    [I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>, I32EnumAttrCase<"GE", 2>,
     I32EnumAttrCase<"GT", 3>, I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def CHLO_ComparisonDirectionAttr
    : EnumAttr<Chlo_Dialect, CHLO_ComparisonDirection, "comparison_direction">;
def CHLO_ComparisonType : CHLO_I32Enum<"ComparisonType", "Which comparison type to use.",
    [I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>, I32EnumAttrCase<"TOTALORDER", 2>,
     I32EnumAttrCase<"SIGNED", 3>, I32EnumAttrCase<"UNSIGNED", 4>]>;
def CHLO_ComparisonTypeAttr : EnumAttr<Chlo_Dialect, CHLO_ComparisonType, "comparison_type">;
def CHLO_Precision : CHLO_I32Enum<"Precision",
    "XLA precision for an operand. Has backend specific meaning.",
    [I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>, I32EnumAttrCase<"HIGHEST", 2>]>;
def CHLO_PrecisionAttr : EnumAttr<Chlo_Dialect, CHLO_Precision, "precision">;
def CHLO_PrecisionConfigAttr
    : OptionalAttr<TypedArrayAttrBase<CHLO_PrecisionAttr, "Precision Config attribute">>;

def ChloDims : ArrayRefParameter<"int64_t">;
def CHLO_RaggedDotDimensionNumbers
    : AttrDef<Chlo_Dialect, "RaggedDotDimensionNumbers"> {
  let mnemonic = "ragged_dot";
  let summary = "Attribute that models the dimension information for ragged dot.";
  let parameters = (ins ChloDims:$lhsBatchingDimensions, ChloDims:$rhsBatchingDimensions,
                        ChloDims:$lhsContractingDimensions, ChloDims:$rhsContractingDimensions,
                        ChloDims:$lhsRaggedDimensions, ChloDims:$rhsGroupDimensions);
  let hasCustomAssemblyFormat = 1;
}

// Values may be unranked.
def CHLO_AnyTensor : TensorOf<AnyElement # [HLO_PerAxisQuantizedInt]>;
def CHLO_FpTensor : TensorOf<[HLO_Float]>;
def CHLO_FpOrComplexTensor : TensorOf<[HLO_Float, HLO_Complex]>;
def CHLO_ComplexTensor : TensorOf<[HLO_Complex]>;
def CHLO_PredTensor : TensorOf<[HLO_Pred]>;
def CHLO_PredOrIntTensor : TensorOf<[HLO_Pred, HLO_Int]>;

class CHLO_Op<string mnemonic, list<Trait> traits = []>
    : Op<Chlo_Dialect, mnemonic, traits> {
  string inferBody = "";
  let extraClassDefinition = !if(!empty(inferBody), "", [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location> location,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      }] # inferBody # [{
    }
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange l, ::mlir::TypeRange r) {
      return ::shardwright::stablehlo::areCompatible(l, r);
    }
  }]);
}

#endif // SHARDWRIGHT_DIALECT_CHLO_BASE_TD
