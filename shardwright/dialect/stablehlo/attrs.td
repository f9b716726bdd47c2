//===- attrs.td - enums, structured attributes and types ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_STABLEHLO_ATTRS_TD
#define SHARDWRIGHT_DIALECT_STABLEHLO_ATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"
include "shardwright/dialect/stablehlo/base.td"

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

class SHLO_I32Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::shardwright::stablehlo";
}
class SHLO_EnumAttr<EnumInfo info, string mnemonic>
    : EnumAttr<Stablehlo_Dialect, info, mnemonic>;

def SHLO_Precision : SHLO_I32Enum<"Precision",
    "XLA precision for an operand. Has backend specific meaning.",
    [I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>, I32EnumAttrCase<"HIGHEST", 2>]>;
def SHLO_PrecisionAttr : SHLO_EnumAttr<SHLO_Precision, "precision">;
def SHLO_ComparisonDirection : SHLO_I32Enum<"ComparisonDirection",
    "Which comparison operation to perform.",
    [I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>, I32EnumAttrCase<"GE", 2>,
     I32EnumAttrCase<"GT", 3>, I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def SHLO_ComparisonDirectionAttr : SHLO_EnumAttr<SHLO_ComparisonDirection, "comparison_direction">;
def SHLO_ComparisonType : SHLO_I32Enum<"ComparisonType", "Which comparison type to use.",
    [I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>, I32EnumAttrCase<"TOTALORDER", 2>,
     I32EnumAttrCase<"SIGNED", 3>, I32EnumAttrCase<"UNSIGNED", 4>]>;
def SHLO_ComparisonTypeAttr : SHLO_EnumAttr<SHLO_ComparisonType, "comparison_type">;
def SHLO_FftType : SHLO_I32Enum<"FftType", "XLA fast fourier transform type.",
    [I32EnumAttrCase<"FFT", 0>, I32EnumAttrCase<"IFFT", 1>, I32EnumAttrCase<"RFFT", 2>,
     I32EnumAttrCase<"IRFFT", 3>]>;
def SHLO_FftTypeAttr : SHLO_EnumAttr<SHLO_FftType, "fft_type">;
def SHLO_Transpose : SHLO_I32Enum<"Transpose", "Transpose options",
    [I32EnumAttrCase<"TRANSPOSE_INVALID", 0>, I32EnumAttrCase<"NO_TRANSPOSE", 1>,
     I32EnumAttrCase<"TRANSPOSE", 2>, I32EnumAttrCase<"ADJOINT", 3>]>;
def SHLO_TransposeAttr : SHLO_EnumAttr<SHLO_Transpose, "transpose">;
def SHLO_RngDistribution : SHLO_I32Enum<"RngDistribution",
    "XLA PRNG distribution to be used.",
    [I32EnumAttrCase<"UNIFORM", 1>, I32EnumAttrCase<"NORMAL", 2>]>;
def SHLO_RngDistributionAttr : SHLO_EnumAttr<SHLO_RngDistribution, "rng_distribution">;
def SHLO_RngAlgorithm : SHLO_I32Enum<"RngAlgorithm", "XLA PRNG algorithm to be used.",
    [I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"THREE_FRY", 1>,
     I32EnumAttrCase<"PHILOX", 2>]>;
def SHLO_RngAlgorithmAttr : SHLO_EnumAttr<SHLO_RngAlgorithm, "rng_algorithm">;
def SHLO_ResultAccuracyMode : SHLO_I32Enum<"ResultAccuracyMode", "XLA result accuracy mode.",
    [I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGHEST", 1>,
     I32EnumAttrCase<"TOLERANCE", 2>]>;
def SHLO_ResultAccuracyModeAttr
    : SHLO_EnumAttr<SHLO_ResultAccuracyMode, "result_accuracy_mode"> {
  let assemblyFormat = "`<` $value `>`";
}
// Stored and printed as a plain i32.
def SHLO_CustomCallApiVersionAttr : I32EnumAttr<"CustomCallApiVersion",
    "Custom call API version",
    [I32EnumAttrCase<"API_VERSION_UNSPECIFIED", 0>, I32EnumAttrCase<"API_VERSION_ORIGINAL", 1>,
     I32EnumAttrCase<"API_VERSION_STATUS_RETURNING", 2>,
     I32EnumAttrCase<"API_VERSION_STATUS_RETURNING_UNIFIED", 3>,
     I32EnumAttrCase<"API_VERSION_TYPED_FFI", 4>]> {
  let cppNamespace = "::shardwright::stablehlo";
}

//===----------------------------------------------------------------------===//
// Structured attributes
//===----------------------------------------------------------------------===//

class SHLO_AttrDef<string name, string mn, string text, list<Trait> traits = []>
    : AttrDef<Stablehlo_Dialect, name, traits> {
  let mnemonic = mn;
  let summary = text;
  let hasCustomAssemblyFormat = 1;
}
def Dims : ArrayRefParameter<"int64_t">;
class AttrList<string name>
    : ArrayRefParameter<"::shardwright::stablehlo::" # name>;

def SHLO_ScatterDimensionNumbers : SHLO_AttrDef<"ScatterDimensionNumbers", "scatter",
    "Attribute that models the dimension information for scatter"> {
  let parameters = (ins Dims:$updateWindowDims, Dims:$insertedWindowDims,
                        Dims:$inputBatchingDims, Dims:$scatterIndicesBatchingDims,
                        Dims:$scatterDimsToOperandDims, "int64_t":$indexVectorDim);
}
def SHLO_GatherDimensionNumbers : SHLO_AttrDef<"GatherDimensionNumbers", "gather",
    "Attribute that models the dimension information for gather"> {
  let parameters = (ins Dims:$offsetDims, Dims:$collapsedSliceDims, Dims:$operandBatchingDims,
                        Dims:$startIndicesBatchingDims, Dims:$startIndexMap,
                        "int64_t":$indexVectorDim);
}
def SHLO_DotDimensionNumbers : SHLO_AttrDef<"DotDimensionNumbers", "dot",
    "Attribute that models the dimension information for dot."> {
  let parameters = (ins Dims:$lhsBatchingDimensions, Dims:$rhsBatchingDimensions,
                        Dims:$lhsContractingDimensions, Dims:$rhsContractingDimensions);
}
def SHLO_ConvDimensionNumbers : SHLO_AttrDef<"ConvDimensionNumbers", "conv",
    "Structure of dimension information for conv op"> {
  let parameters = (ins "int64_t":$inputBatchDimension, "int64_t":$inputFeatureDimension,
                        Dims:$inputSpatialDimensions, "int64_t":$kernelInputFeatureDimension,
                        "int64_t":$kernelOutputFeatureDimension, Dims:$kernelSpatialDimensions,
                        "int64_t":$outputBatchDimension, "int64_t":$outputFeatureDimension,
                        Dims:$outputSpatialDimensions);
}
def SHLO_ChannelHandle : SHLO_AttrDef<"ChannelHandle", "channel_handle",
    "two 64-bit integers 'handle' and 'type'"> {
  let parameters = (ins "int64_t":$handle, "int64_t":$type);
  let hasCustomAssemblyFormat = 0;
  let assemblyFormat = "`<` struct(params) `>`";
}
def SHLO_OutputOperandAlias : SHLO_AttrDef<"OutputOperandAlias", "output_operand_alias",
    "Attribute that models the alias relationship of output and operand of a CustomCall op"> {
  let parameters = (ins Dims:$outputTupleIndices, "int64_t":$operandIndex,
                        Dims:$operandTupleIndices);
}
def SHLO_DotAlgorithm : SHLO_AttrDef<"DotAlgorithm", "dot_algorithm",
    "Attribute that models the algorithm constraints to use for computing dot."> {
  let parameters = (ins "::mlir::Type":$lhsPrecisionType, "::mlir::Type":$rhsPrecisionType,
                        "::mlir::Type":$accumulationType, "int64_t":$lhsComponentCount,
                        "int64_t":$rhsComponentCount, "int64_t":$numPrimitiveOperations,
                        "bool":$allowImpreciseAccumulation);
  let hasCustomAssemblyFormat = 0;
  let assemblyFormat = [{
    `<` `lhs_precision_type` `=` $lhsPrecisionType `,`
        `rhs_precision_type` `=` $rhsPrecisionType `,`
        `accumulation_type` `=` $accumulationType `,`
        `lhs_component_count` `=` $lhsComponentCount `,`
        `rhs_component_count` `=` $rhsComponentCount `,`
        `num_primitive_operations` `=` $numPrimitiveOperations `,`
        `allow_imprecise_accumulation` `=` $allowImpreciseAccumulation `>`
  }];
  let genVerifyDecl = 1;
}
def SHLO_ResultAccuracy : SHLO_AttrDef<"ResultAccuracy", "result_accuracy",
    "The requested accuracy for transcendental unary ops."> {
  let parameters = (ins APFloatParameter<"">:$atol, APFloatParameter<"">:$rtol,
                        "int64_t":$ulps,
                        "::shardwright::stablehlo::ResultAccuracyModeAttr":$mode);
  let constBuilderCall = "::shardwright::stablehlo::defaultResultAccuracy($_builder.getContext(), $0)";
  let genVerifyDecl = 1;
}
def SHLO_MeshAxis : SHLO_AttrDef<"MeshAxis", "mesh_axis", "Mesh axis with name and size"> {
  let parameters = (ins StringRefParameter<"">:$name, "int64_t":$size);
}
def SHLO_Mesh : SHLO_AttrDef<"Mesh", "mesh", "Mesh of axes and optional device ids"> {
  let parameters = (ins AttrList<"MeshAxisAttr">:$axes,
                        OptionalParameter<"::mlir::DenseIntElementsAttr">:$deviceIds);
}
def SHLO_SubAxisInfo : SHLO_AttrDef<"SubAxisInfo", "sub_axis_info",
    "How a sub-axis is cut out of its axis: the product of the sizes before it, its size"> {
  let parameters = (ins "int64_t":$preSize, "int64_t":$size);
}
def SHLO_AxisRef : SHLO_AttrDef<"AxisRef", "axis_ref", "A mesh axis or a part of one"> {
  let parameters = (ins StringRefParameter<"">:$name,
                        OptionalParameter<"::shardwright::stablehlo::SubAxisInfoAttr">:$subAxisInfo);
}
def SHLO_ReplicaGroupMeshAxes : SHLO_AttrDef<"ReplicaGroupMeshAxes", "replica_group_mesh_axes",
    "mesh and axes based replica groups representation."> {
  // mesh: a FlatSymbolRefAttr or a MeshAttr.
  let parameters = (ins "::mlir::Attribute":$mesh, AttrList<"AxisRefAttr">:$axes);
  let genVerifyDecl = 1;
}
// Tensor encoding: a bound for each dimension (ShapedType::kDynamic = no bound).
def SHLO_TypeExtensions : SHLO_AttrDef<"TypeExtensions", "bounds",
    "Attribute that extends tensor type with StableHLO type properties.",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let parameters = (ins Dims:$bounds);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def SHLO_TokenType : SHLO_TypeDef<"Token", "token">;
def SHLO_FutureType : SHLO_TypeDef<"Future", "future"> {
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$types);
  let assemblyFormat = "`<` $types `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Attribute constraints of ops
//===----------------------------------------------------------------------===//

def SHLO_PrecisionConfigAttr
    : OptionalAttr<TypedArrayAttrBase<SHLO_PrecisionAttr, "Precision Config attribute">>;
def SHLO_ReplicaGroups : Attr<
    CPred<"::shardwright::stablehlo::isReplicaGroups($_self)">,
    "64-bit signless integer elements attribute or mesh and axes based replica groups representation."> {
  let storageType = "::mlir::Attribute";
  let returnType = "::mlir::Attribute";
  let convertFromStorage = "$_self";
}
def SHLO_BackendConfig : AnyAttrOf<[StrAttr, DictionaryAttr]>;
def SHLO_FlatSymbolRefArrayAttr
    : TypedArrayAttrBase<FlatSymbolRefAttr, "flat symbol ref array attribute">;
def SHLO_LayoutAttr
    : Attr<CPred<"::shardwright::stablehlo::isLayout($_self)">,
           "A 1D tensor of index type (layout)">;
def SHLO_ArrayOfLayoutAttr : TypedArrayAttrBase<SHLO_LayoutAttr, "Array of layout (1D tensor of index type) attributes">;

#endif // SHARDWRIGHT_DIALECT_STABLEHLO_ATTRS_TD
