//===- base.td - dialect, type constraints and op base classes ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_STABLEHLO_BASE_TD
#define SHARDWRIGHT_DIALECT_STABLEHLO_BASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Stablehlo_Dialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::shardwright::stablehlo";
  let summary = "portable tensor operations of machine learning programs";
  let description = [{
    Compatible in text and meaning with StableHLO 1.17 (jaxlib 0.10.2).
  }];
  let dependentDialects = ["::mlir::quant::QuantDialect"];
  let useDefaultAttributePrinterParser = 0;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  // Defined in ../../simplify: what -canonicalize does with the ops of this dialect.
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
    // One per family of ops; each lives beside that family's generated code.
    void registerUnaryOps();
    void registerBinaryOps();
    void registerShapeOps();
    void registerContractionOps();
    void registerReductionOps();
    void registerControlFlowOps();
    void registerCollectiveOps();
    void registerDynamicOps();
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attr,
                        ::mlir::DialectAsmPrinter &printer) const override;
  }];
}

class SHLO_TypeDef<string cppName, string mn, list<Trait> traits = []>
    : TypeDef<Stablehlo_Dialect, cppName, traits> {
  let mnemonic = mn;
}

//===----------------------------------------------------------------------===//
// Element types. The summaries are part of the error texts.
//===----------------------------------------------------------------------===//

def HLO_Pred : TypeAlias<I1, "bool">;
def HLO_SignedInt : SignlessIntOfWidths<[2, 4, 8, 16, 32, 64]>;
def HLO_UnsignedInt : UnsignedIntOfWidths<[2, 4, 8, 16, 32, 64]>;
def HLO_Int : AnyTypeOf<[HLO_SignedInt, HLO_UnsignedInt],
                        "2/4/8/16/32/64-bit integer">;
def HLO_Float : AnyTypeOf<[F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E3M4, F8E4M3, F8E4M3FN,
                           F8E4M3FNUZ, F8E4M3B11FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU,
                           F16, F32, F64, BF16], "4/6/8/16/32/64-bit float">;
def HLO_Float32Or64 : FloatOfWidths<[32, 64]>;
def HLO_Complex : Type<CPred<"::shardwright::stablehlo::isComplexOfF32OrF64($_self)">,
                       "complex type with 32/64-bit float elements">;
def HLO_QuantizedInt : Type<CPred<"::llvm::isa<::mlir::quant::UniformQuantizedType>($_self)">,
                            "per-tensor integer quantized">;
def HLO_PerAxisQuantizedInt
    : Type<CPred<"::llvm::isa<::mlir::quant::UniformQuantizedPerAxisType>($_self)">,
           "per-axis integer quantized">;

//===----------------------------------------------------------------------===//
// Value types
//===----------------------------------------------------------------------===//

class HLO_TensorOf<list<Type> t> : RankedTensorOf<t>;
class HLO_0DTensorOf<list<Type> t> : TensorRankOf<t, [0]>;
class HLO_1DTensorOf<list<Type> t> : TensorRankOf<t, [1]>;
// A static tensor of the given rank; its summary is part of error texts.
class HLO_StaticIntTensor<int rank>
    : Type<And<[RankedTensorOf<[HLO_Int]>.predicate, HasStaticShapePred,
                HasAnyRankOfPred<[rank]>]>,
           "statically shaped " # rank # "-dimensional integer tensor of " #
               "2/4/8/16/32/64-bit integer values",
           "::mlir::RankedTensorType">;

defvar AnyElement = [HLO_Float, HLO_Pred, HLO_Int, HLO_Complex, HLO_QuantizedInt];
def HLO_Tensor : HLO_TensorOf<AnyElement>;
def HLO_TensorPerAxis : HLO_TensorOf<AnyElement # [HLO_PerAxisQuantizedInt]>;
def HLO_ScalarTensor : HLO_0DTensorOf<AnyElement>;
def HLO_NonQuantizedTensor : HLO_TensorOf<[HLO_Float, HLO_Pred, HLO_Int, HLO_Complex]>;
def HLO_StaticTensor : StaticShapeTensorOf<AnyElement # [HLO_PerAxisQuantizedInt]>;
def HLO_PredTensor : HLO_TensorOf<[HLO_Pred]>;
def HLO_IntTensor : HLO_TensorOf<[HLO_Int]>;
def HLO_PredOrIntTensor : HLO_TensorOf<[HLO_Pred, HLO_Int]>;
def HLO_FpTensor : HLO_TensorOf<[HLO_Float]>;
def HLO_FpQuantTensor : HLO_TensorOf<[HLO_Float, HLO_QuantizedInt]>;
def HLO_1DFpQuantTensor : HLO_1DTensorOf<[HLO_Float, HLO_QuantizedInt]>;
def HLO_Fp32Or64Tensor : HLO_TensorOf<[HLO_Float32Or64]>;
def HLO_ComplexTensor : HLO_TensorOf<[HLO_Complex]>;
def HLO_FpOrComplexTensor : HLO_TensorOf<[HLO_Float, HLO_Complex]>;
def HLO_FpComplexQuantTensor : HLO_TensorOf<[HLO_Float, HLO_Complex, HLO_QuantizedInt]>;
def HLO_QuantTensor : HLO_TensorOf<[HLO_QuantizedInt, HLO_PerAxisQuantizedInt]>;
def HLO_IntFpTensor : HLO_TensorOf<[HLO_Int, HLO_Float]>;
def HLO_IntFpComplexQuantTensor
    : HLO_TensorOf<[HLO_Int, HLO_Float, HLO_Complex, HLO_QuantizedInt]>;
def HLO_SIntFpComplexQuantTensor
    : HLO_TensorOf<[HLO_SignedInt, HLO_Float, HLO_Complex, HLO_QuantizedInt]>;
def HLO_SIntFpQuantTensor : HLO_TensorOf<[HLO_SignedInt, HLO_Float, HLO_QuantizedInt]>;
def HLO_StaticIntFpTensor : StaticShapeTensorOf<[HLO_Int, HLO_Float]>;
def HLO_StaticIotaTensor
    : StaticShapeTensorOf<[HLO_Int, HLO_Float, HLO_Complex, HLO_QuantizedInt]>;
def HLO_ScalarIntTensor : HLO_0DTensorOf<[HLO_Int]>;
def HLO_ScalarPredIntFpTensor : HLO_0DTensorOf<[HLO_Pred, HLO_Int, HLO_Float]>;
def HLO_PredIntFpTensor : HLO_TensorOf<[HLO_Pred, HLO_Int, HLO_Float]>;
def HLO_FpOrQuantPerAxisTensor
    : HLO_TensorOf<[HLO_Float, HLO_QuantizedInt, HLO_PerAxisQuantizedInt]>;
def HLO_Sint32Tensor : HLO_TensorOf<[I32]>;
def HLO_Ui32Tensor : HLO_TensorOf<[UI32]>;
// Shapes that a result may have when nothing infers it.
def HLO_StaticOrOneBoundedTensor
    : Type<And<[HLO_TensorPerAxis.predicate,
                CPred<"::shardwright::stablehlo::isStaticOrHasOneBoundedDim($_self)">]>,
           "statically shaped or single bounded dimension " #
               !substr(HLO_TensorPerAxis.summary, 7),
           "::mlir::RankedTensorType">;
// A shape given as a value: one integer per dimension.
def HLO_DimensionTensor
    : Type<And<[HLO_TensorOf<[Index, HLO_Int]>.predicate, HasStaticShapePred,
                HasAnyRankOfPred<[1]>]>,
           "statically shaped 1-dimensional tensor of index or 2/4/8/16/32/64-bit integer values",
           "::mlir::RankedTensorType">;

def HLO_Token : Type<CPred<"::llvm::isa<::shardwright::stablehlo::TokenType>($_self)">, "token",
                     "::shardwright::stablehlo::TokenType">,
                BuildableType<"$_builder.getType<::shardwright::stablehlo::TokenType>()">;
def HLO_Future : Type<CPred<"::llvm::isa<::shardwright::stablehlo::FutureType>($_self)">,
                      "future", "::shardwright::stablehlo::FutureType">;
def HLO_TensorPerAxisOnly : HLO_TensorOf<[HLO_PerAxisQuantizedInt]>;
def HLO_Buffer : MemRefOf<AnyElement>;
def HLO_TensorOrToken : AnyTypeOf<[HLO_Tensor, HLO_TensorPerAxisOnly, HLO_Token]>;
def HLO_PerTensorOrToken : AnyTypeOf<[HLO_Tensor, HLO_Token]>;
def HLO_StaticTensorOrToken
    : AnyTypeOf<[StaticShapeTensorOf<AnyElement>, HLO_StaticTensor, HLO_Token]>;
def HLO_TensorOrTokenOrBuffer
    : AnyTypeOf<[HLO_Tensor, HLO_TensorPerAxisOnly, HLO_Token, HLO_Buffer]>;
def HLO_Tuple : NestedTupleOf<[HLO_Tensor, HLO_Buffer, HLO_TensorPerAxisOnly, HLO_Token]>;
def HLO_TensorOrTokenOrTuple
    : AnyTypeOf<[HLO_Tensor, HLO_TensorPerAxisOnly, HLO_Token, HLO_Tuple]>;
def HLO_TensorOrTokenOrTupleOrBuffer
    : AnyTypeOf<[HLO_Tensor, HLO_TensorPerAxisOnly, HLO_Token, HLO_Tuple, HLO_Buffer]>;
// A custom call takes tensors without a rank too.
defvar CustomCallLeaves
    = [TensorOf<AnyElement # [HLO_PerAxisQuantizedInt]>, HLO_Buffer, HLO_Token];
def HLO_CustomCallValue
    : AnyTypeOf<CustomCallLeaves # [NestedTupleOf<CustomCallLeaves>, HLO_Future]>;

def SHLO_CompatibleElementTypes : NativeOpTrait<"CompatibleElementTypes"> {
  let cppNamespace = "::shardwright::stablehlo";
}
def SHLO_CompatibleTypes : NativeOpTrait<"CompatibleTypes"> {
  let cppNamespace = "::shardwright::stablehlo";
}

// Quantized operands and results fit their tensors and each other.
def SHLO_ConsistentQuantization : NativeOpTrait<"ConsistentQuantization"> {
  let cppNamespace = "::shardwright::stablehlo";
}
// As many results as operands, each with the (element) type of its operand.
def SHLO_PairwiseSameType : NativeOpTrait<"PairwiseSameType"> {
  let cppNamespace = "::shardwright::stablehlo";
}
def SHLO_PairwiseSameElementType : NativeOpTrait<"PairwiseSameElementType"> {
  let cppNamespace = "::shardwright::stablehlo";
}

//===----------------------------------------------------------------------===//
// Op bases
//===----------------------------------------------------------------------===//

// inferBody: statements that fill `types` (the result types) from `adaptor`, or fail;
// `location` may be absent. speculationBody: an expression over `getOperation()`.
class SHLO_Op<string mnemonic, list<Trait> traits = []>
    : Op<Stablehlo_Dialect, mnemonic, traits # [SHLO_ConsistentQuantization]> {
  string inferBody = "";
  string speculationBody = "";
  let extraClassDefinition = !if(!empty(inferBody), "", [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location> location,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      }] # inferBody # [{
    }
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange l, ::mlir::TypeRange r) {
      return ::shardwright::stablehlo::areCompatible(l, r);
    }
  }]) # !if(!empty(speculationBody), "", [{
    ::mlir::Speculation::Speculatability $cppClass::getSpeculatability() {
      return }] # speculationBody # [{;
    }
  }]);
}

def SHLO_Infer : TraitList<[InferTypeOpAdaptorWithIsCompatible]>;
def SHLO_Conditional
    : TraitList<[DeclareOpInterfaceMethods<ConditionallySpeculatable>]>;

// No effects; may be hoisted when no shape is known only at run time.
class SHLO_ShapeOp<string mnemonic, list<Trait> traits = []>
    : SHLO_Op<mnemonic, traits # [NoMemoryEffect, SHLO_Conditional]> {
  let speculationBody = "::shardwright::stablehlo::speculatableIfStatic(getOperation())";
}

// Effects are those of the regions.
class SHLO_RegionOp<string mnemonic, list<Trait> traits = []>
    : SHLO_Op<mnemonic, traits # [RecursiveMemoryEffects,
                                  SingleBlockImplicitTerminator<"ReturnOp">,
                                  SHLO_Conditional]> {
  let speculationBody = "::shardwright::stablehlo::recursivelySpeculatableIfStatic(getOperation())";
}

#endif // SHARDWRIGHT_DIALECT_STABLEHLO_BASE_TD
