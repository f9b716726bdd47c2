//===- vhlo.td - the vhlo dialect, its attributes and types -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_VHLO_VHLO_TD
#define SHARDWRIGHT_DIALECT_VHLO_VHLO_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/DialectBase.td"

// The ops are not here: op_table.cc has them as data.
def Vhlo_Dialect : Dialect {
  let name = "vhlo";
  let cppNamespace = "::shardwright::vhlo";
  let summary = "versioned StableHLO, for artifacts that outlive a release";
  let description = [{
    A copy of the opset of StableHLO in which every op, attribute and type has a version in
    its name, nothing is optional and nothing is verified.
  }];
  let useDefaultAttributePrinterParser = 0;
  let useDefaultTypePrinterParser = 0;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
    void registerOps();
    void registerBytecode();
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attr,
                        ::mlir::DialectAsmPrinter &printer) const override;
    ::mlir::Type parseType(::mlir::DialectAsmParser &parser) const override;
    void printType(::mlir::Type type, ::mlir::DialectAsmPrinter &printer) const override;
  }];
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

class VHLO_Attr<string name, string mn> : AttrDef<Vhlo_Dialect, name> {
  let mnemonic = mn;
  let hasCustomAssemblyFormat = 1;
}
def VhloDims : ArrayRefParameter<"int64_t">;

def VHLO_ArrayV1 : VHLO_Attr<"ArrayV1", "array_v1"> {
  let parameters = (ins ArrayRefParameter<"::mlir::Attribute">:$value);
}
def VHLO_BooleanV1 : VHLO_Attr<"BooleanV1", "bool_v1"> {
  let parameters = (ins "bool":$value);
}
def VHLO_DictionaryV1 : VHLO_Attr<"DictionaryV1", "dict_v1"> {
  // Each name is a StringV1Attr.
  let parameters = (ins ArrayRefParameter<
      "::std::pair<::mlir::Attribute, ::mlir::Attribute>">:$value);
}
// All enums; the kind has the mnemonic. Values are those of StableHLO.
def VHLO_Enum : AttrDef<Vhlo_Dialect, "Enum"> {
  let attrName = "vhlo.enum";
  let parameters = (ins "EnumKind":$kind, "uint32_t":$value);
}
// `type` is an element type of this dialect.
def VHLO_FloatV1 : VHLO_Attr<"FloatV1", "float_v1"> {
  let parameters = (ins "::mlir::Type":$type, APFloatParameter<"">:$value);
}
def VHLO_IntegerV1 : VHLO_Attr<"IntegerV1", "integer_v1"> {
  let parameters = (ins "::mlir::Type":$type, APIntParameter<"">:$value);
}
def VHLO_OutputOperandAliasV1
    : VHLO_Attr<"OutputOperandAliasV1", "output_operand_alias_v1"> {
  let parameters = (ins VhloDims:$outputTupleIndices, "int64_t":$operandIndex,
                        VhloDims:$operandTupleIndices);
}
def VHLO_StringV1 : VHLO_Attr<"StringV1", "string_v1"> {
  let parameters = (ins StringRefParameter<"">:$value);
}
// Elements as a builtin attribute, dense or a resource, so that big constants are not copied.
def VHLO_TensorV1 : VHLO_Attr<"TensorV1", "tensor_v1"> {
  let parameters = (ins "::mlir::ElementsAttr":$elements);
  let extraClassDeclaration = [{
    /// Null for a resource, which only the value of a constant is.
    ::mlir::DenseElementsAttr getValue() const {
      return ::llvm::dyn_cast<::mlir::DenseElementsAttr>(getElements());
    }
  }];
}
def VHLO_TypeV1 : VHLO_Attr<"TypeV1", "type_v1"> {
  let parameters = (ins "::mlir::Type":$value);
}
def VHLO_TypeExtensionsV1 : VHLO_Attr<"TypeExtensionsV1", "type_extensions_v1"> {
  let parameters = (ins VhloDims:$bounds);
}
def VHLO_ResultAccuracyV1 : VHLO_Attr<"ResultAccuracyV1", "result_accuracy_v1"> {
  let parameters = (ins APFloatParameter<"">:$atol, APFloatParameter<"">:$rtol,
                        "int64_t":$ulps, "::mlir::Attribute":$mode);
}
def VHLO_SubAxisInfoV1 : VHLO_Attr<"SubAxisInfoV1", "sub_axis_info_v1"> {
  let parameters = (ins "int64_t":$preSize, "int64_t":$size);
}
def VHLO_AxisRefV1 : VHLO_Attr<"AxisRefV1", "axis_ref_v1"> {
  let parameters = (ins "::mlir::Attribute":$name,
                        OptionalParameter<"::mlir::Attribute">:$subAxisInfo);
}
def VHLO_ReplicaGroupMeshAxesV1
    : VHLO_Attr<"ReplicaGroupMeshAxesV1", "replica_group_mesh_axes_v1"> {
  let parameters = (ins "::mlir::Attribute":$mesh, "::mlir::Attribute":$axes);
}
def VHLO_MeshAxisV1 : VHLO_Attr<"MeshAxisV1", "mesh_axis_v1"> {
  let parameters = (ins "::mlir::Attribute":$name, "int64_t":$size);
}
def VHLO_MeshV1 : VHLO_Attr<"MeshV1", "mesh_v1"> {
  let parameters = (ins "::mlir::Attribute":$axes,
                        OptionalParameter<"::mlir::Attribute">:$deviceIds);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class VHLO_Type<string name, string mn, list<Trait> traits = []>
    : TypeDef<Vhlo_Dialect, name, traits> {
  let mnemonic = mn;
  let hasCustomAssemblyFormat = 1;
}
// Every type without parameters; PrimitiveInfo has the mnemonic.
def VHLO_Primitive : TypeDef<Vhlo_Dialect, "Primitive"> {
  let typeName = "vhlo.primitive";
  let parameters = (ins "PrimitiveKind":$kind);
}
def VHLO_ComplexV1 : VHLO_Type<"ComplexV1", "complex_v1"> {
  let parameters = (ins "::mlir::Type":$elementType);
}
def VHLO_FunctionV1 : VHLO_Type<"FunctionV1", "func_v1"> {
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$inputs,
                        ArrayRefParameter<"::mlir::Type">:$outputs);
}
// Shaped, so that shardings on values of mixed modules verify.
def VHLO_RankedTensorV1
    : VHLO_Type<"RankedTensorV1", "tensor_v1", [DeclareTypeInterfaceMethods<ShapedTypeInterface>]> {
  let parameters = (ins VhloDims:$shape, "::mlir::Type":$elementType,
                        OptionalParameter<"::mlir::Attribute">:$encoding);
}
def VHLO_TupleV1 : VHLO_Type<"TupleV1", "tuple_v1"> {
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$types);
}
def VHLO_UniformQuantizedV1 : VHLO_Type<"UniformQuantizedV1", "quant_v1"> {
  let parameters = (ins "uint64_t":$flags, "::mlir::Type":$storageType,
                        "::mlir::Type":$expressedType, APFloatParameter<"">:$scale,
                        "int64_t":$zeroPoint, "int64_t":$storageTypeMin,
                        "int64_t":$storageTypeMax);
}
def VHLO_UniformQuantizedPerAxisV1
    : VHLO_Type<"UniformQuantizedPerAxisV1", "quant_per_axis_v1"> {
  let parameters = (ins "uint64_t":$flags, "::mlir::Type":$storageType,
                        "::mlir::Type":$expressedType, "uint64_t":$quantizedDimension,
                        "int64_t":$storageTypeMin, "int64_t":$storageTypeMax,
                        ArrayRefParameter<"::llvm::APFloat">:$scales, VhloDims:$zeroPoints);
}
def VHLO_UnrankedTensorV1 : VHLO_Type<"UnrankedTensorV1", "unranked_tensor_v1"> {
  let parameters = (ins "::mlir::Type":$elementType);
}
def VHLO_RankedBufferV1 : VHLO_Type<"RankedBufferV1", "buffer_v1"> {
  let parameters = (ins VhloDims:$shape, "::mlir::Type":$elementType);
}
def VHLO_FutureV1 : VHLO_Type<"FutureV1", "future_v1"> {
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$types);
}

#endif // SHARDWRIGHT_DIALECT_VHLO_VHLO_TD
