//===- bytecode.cc - vhlo attributes and types in bytecode --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry is a varint code and its fields. Codes and layouts are StableHLO's
// and never change. Input is validated: artifacts may be malformed.
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/bytecode_fields.h"
#include "shardwright/dialect/vhlo/tensor_bytecode.h"
#include "shardwright/dialect/vhlo/vhlo.h"

using namespace mlir;

namespace shardwright::vhlo {
namespace {

enum AttrCode : uint64_t {
  kArray = 1,
  kBoolean = 2,
  kDictionary = 6,
  kFloat = 8,
  kInteger = 9,
  kOutputOperandAlias = 10,
  kString = 14,
  kTensor = 15,
  kType = 17,
  kTypeExtensions = 18,
  kResultAccuracy = 20,
  kSubAxisInfo = 21,
  kAxisRef = 22,
  kReplicaGroupMeshAxes = 23,
  kMeshAxis = 24,
  kMesh = 25,
};

enum TypeCode : uint64_t {
  kComplex = 1,
  kFunction = 8,
  kRankedTensor = 20,
  kRankedTensorWithEncoding = 21,
  kTuple = 23,
  kUniformQuantized = 24,
  kUnrankedTensor = 25,
  kUniformQuantizedPerAxis = 30,
  kRankedBuffer = 41,
  kFuture = 42,
};

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

Attribute readNumber(DialectBytecodeReader &r, MLIRContext *context,
                     bool isFloat) {
  Type type;
  if (failed(r.readType(type)))
    return {};
  Type builtin = builtinElement(type);
  if (isFloat) {
    auto floating = dyn_cast_or_null<FloatType>(builtin);
    if (!floating) {
      r.emitError() << "float_v1 attribute cannot have type " << type;
      return {};
    }
    auto value = r.readAPFloatWithKnownSemantics(floating.getFloatSemantics());
    return succeeded(value) ? FloatV1Attr::get(context, type, *value)
                            : Attribute();
  }
  if (!builtin || !isa<IntegerType, IndexType>(builtin)) {
    r.emitError() << "integer_v1 attribute cannot have type " << type;
    return {};
  }
  auto value = r.readAPIntWithKnownWidth(elementBits(builtin));
  return succeeded(value) ? IntegerV1Attr::get(context, type, *value)
                          : Attribute();
}

/// Reads the fields of an attribute of meshes and axes.
Attribute readMeshAttribute(uint64_t code, DialectBytecodeReader &r,
                            MLIRContext *context) {
  FieldReader get{r};
  switch (code) {
  case kSubAxisInfo: {
    int64_t preSize = 0, size = 0;
    if (failed(get(preSize, size)))
      return {};
    return SubAxisInfoV1Attr::get(context, preSize, size);
  }
  case kAxisRef: {
    Attribute name;
    uint64_t hasSubAxis = 0;
    SubAxisInfoV1Attr subAxis;
    if (failed(get(name, hasSubAxis)) || (hasSubAxis && failed(get(subAxis))))
      return {};
    return AxisRefV1Attr::get(context, name, subAxis);
  }
  case kReplicaGroupMeshAxes: {
    Attribute mesh, axes;
    if (failed(get(mesh, axes)))
      return {};
    return ReplicaGroupMeshAxesV1Attr::get(context, mesh, axes);
  }
  case kMeshAxis: {
    Attribute name;
    int64_t size = 0;
    if (failed(get(name, size)))
      return {};
    return MeshAxisV1Attr::get(context, name, size);
  }
  case kMesh: {
    Attribute axes, ids;
    if (failed(get(axes)) || failed(r.readOptionalAttribute(ids)))
      return {};
    return MeshV1Attr::get(context, axes, ids);
  }
  default:
    llvm_unreachable("not an attribute of a mesh");
  }
}

/// Reads the value of an enum attribute.
Attribute readEnum(const EnumInfo &info, DialectBytecodeReader &r,
                   MLIRContext *context) {
  uint64_t value = 0;
  if (failed(r.readVarInt(value)))
    return {};
  if (!info.isValue(value)) {
    r.emitError() << "unknown value of " << info.mnemonic << ": " << value;
    return {};
  }
  return EnumAttr::get(context, info.kind, value);
}

} // namespace

Attribute readAttribute(DialectBytecodeReader &r, MLIRContext *context) {
  FieldReader get{r};
  uint64_t code = 0;
  if (failed(r.readVarInt(code)))
    return {};
  for (const EnumInfo &info : enumTable())
    if (info.code == code)
      return readEnum(info, r, context);
  switch (code) {
  case kArray: {
    SmallVector<Attribute> list;
    return failed(get(list)) ? Attribute() : ArrayV1Attr::get(context, list);
  }
  case kBoolean: {
    uint64_t value = 0;
    if (failed(get(value)))
      return {};
    if (value > 1) {
      r.emitError() << "unsupported value: " << value;
      return {};
    }
    return BooleanV1Attr::get(context, value == 1);
  }
  case kDictionary: {
    SmallVector<std::pair<Attribute, Attribute>> entries;
    if (failed(get(entries)))
      return {};
    for (auto [name, value] : entries)
      if (!isa<StringV1Attr>(name)) {
        r.emitError() << "the name of a dict_v1 entry cannot be " << name;
        return {};
      }
    return DictionaryV1Attr::get(context, entries);
  }
  case kFloat:
    return readNumber(r, context, /*isFloat=*/true);
  case kInteger:
    return readNumber(r, context, /*isFloat=*/false);
  case kOutputOperandAlias: {
    SmallVector<int64_t> outputs, operands;
    int64_t index = 0;
    if (failed(get(outputs, index, operands)))
      return {};
    return OutputOperandAliasV1Attr::get(context, outputs, index, operands);
  }
  case kString: {
    StringRef value;
    return failed(get(value)) ? Attribute() : StringV1Attr::get(context, value);
  }
  case kTensor:
    return readTensor(r, context);
  case kType: {
    Type value;
    return failed(get(value)) ? Attribute() : TypeV1Attr::get(context, value);
  }
  case kTypeExtensions: {
    SmallVector<int64_t> bounds;
    return failed(get(bounds)) ? Attribute()
                               : TypeExtensionsV1Attr::get(context, bounds);
  }
  case kResultAccuracy: {
    APFloat atol(0.0), rtol(0.0);
    int64_t ulps = 0;
    Attribute mode;
    if (failed(get(atol, rtol, ulps, mode)))
      return {};
    return ResultAccuracyV1Attr::get(context, atol, rtol, ulps, mode);
  }
  case kSubAxisInfo:
  case kAxisRef:
  case kReplicaGroupMeshAxes:
  case kMeshAxis:
  case kMesh:
    return readMeshAttribute(code, r, context);
  default:
    r.emitError() << "unknown vhlo attribute code: " << code;
    return {};
  }
}

LogicalResult writeAttribute(Attribute attr, DialectBytecodeWriter &w) {
  FieldWriter put{w};
  if (auto a = dyn_cast<EnumAttr>(attr))
    return put(infoOf(a.getKind()).code, uint64_t(a.getValue()));
  if (auto a = dyn_cast<ArrayV1Attr>(attr))
    return put(kArray, a.getValue());
  if (auto a = dyn_cast<BooleanV1Attr>(attr))
    return put(kBoolean, uint64_t(a.getValue()));
  if (auto a = dyn_cast<DictionaryV1Attr>(attr))
    return put(kDictionary, a.getValue());
  if (auto a = dyn_cast<FloatV1Attr>(attr))
    return put(kFloat, a.getType(), a.getValue());
  if (auto a = dyn_cast<IntegerV1Attr>(attr)) {
    w.writeVarInt(kInteger);
    w.writeType(a.getType());
    w.writeAPIntWithKnownWidth(a.getValue());
    return success();
  }
  if (auto a = dyn_cast<OutputOperandAliasV1Attr>(attr))
    return put(kOutputOperandAlias, a.getOutputTupleIndices(),
               a.getOperandIndex(), a.getOperandTupleIndices());
  if (auto a = dyn_cast<StringV1Attr>(attr))
    return put(kString, a.getValue());
  if (auto a = dyn_cast<TensorV1Attr>(attr))
    return writeTensor(kTensor, a, w);
  if (auto a = dyn_cast<TypeV1Attr>(attr))
    return put(kType, a.getValue());
  if (auto a = dyn_cast<TypeExtensionsV1Attr>(attr))
    return put(kTypeExtensions, a.getBounds());
  if (auto a = dyn_cast<ResultAccuracyV1Attr>(attr))
    return put(kResultAccuracy, a.getAtol(), a.getRtol(), a.getUlps(),
               a.getMode());
  if (auto a = dyn_cast<SubAxisInfoV1Attr>(attr))
    return put(kSubAxisInfo, a.getPreSize(), a.getSize());
  if (auto a = dyn_cast<AxisRefV1Attr>(attr)) {
    if (a.getSubAxisInfo())
      return put(kAxisRef, a.getName(), uint64_t(1), a.getSubAxisInfo());
    return put(kAxisRef, a.getName(), uint64_t(0));
  }
  if (auto a = dyn_cast<ReplicaGroupMeshAxesV1Attr>(attr))
    return put(kReplicaGroupMeshAxes, a.getMesh(), a.getAxes());
  if (auto a = dyn_cast<MeshAxisV1Attr>(attr))
    return put(kMeshAxis, a.getName(), a.getSize());
  if (auto a = dyn_cast<MeshV1Attr>(attr)) {
    w.writeVarInt(kMesh);
    w.writeAttribute(a.getAxes());
    w.writeOptionalAttribute(a.getDeviceIds());
    return success();
  }
  return failure();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type readType(DialectBytecodeReader &r, MLIRContext *context) {
  FieldReader get{r};
  uint64_t code = 0;
  if (failed(r.readVarInt(code)))
    return {};
  for (const PrimitiveInfo &info : primitiveTable())
    if (info.code == code)
      return PrimitiveType::get(context, info.kind);
  switch (code) {
  case kComplex: {
    Type element;
    return failed(get(element)) ? Type() : ComplexV1Type::get(context, element);
  }
  case kFunction: {
    SmallVector<Type> inputs, outputs;
    if (failed(get(inputs, outputs)))
      return {};
    return FunctionV1Type::get(context, inputs, outputs);
  }
  case kRankedTensor:
  case kRankedTensorWithEncoding: {
    Attribute encoding;
    SmallVector<int64_t> shape;
    Type element;
    if ((code == kRankedTensorWithEncoding && failed(get(encoding))) ||
        failed(get(shape, element)))
      return {};
    return RankedTensorV1Type::get(context, shape, element, encoding);
  }
  case kTuple: {
    SmallVector<Type> types;
    return failed(get(types)) ? Type() : TupleV1Type::get(context, types);
  }
  case kUniformQuantized: {
    uint64_t flags = 0;
    Type storage, expressed;
    APFloat scale(0.0);
    int64_t zero = 0, min = 0, max = 0;
    if (failed(get(flags, storage, expressed, scale, zero, min, max)))
      return {};
    return UniformQuantizedV1Type::get(context, flags, storage, expressed,
                                       scale, zero, min, max);
  }
  case kUnrankedTensor: {
    Type element;
    return failed(get(element)) ? Type()
                                : UnrankedTensorV1Type::get(context, element);
  }
  case kUniformQuantizedPerAxis: {
    uint64_t flags = 0, axis = 0;
    Type storage, expressed;
    int64_t min = 0, max = 0;
    SmallVector<APFloat> scales;
    SmallVector<int64_t> zeros;
    if (failed(get(flags, storage, expressed, axis, min, max, scales, zeros)))
      return {};
    // NaN compares unequal, so types with such a scale could not be uniqued.
    if (llvm::any_of(scales, [](const APFloat &s) { return s.isNaN(); })) {
      r.emitError() << "quantized type with a scale that is not a number";
      return {};
    }
    return UniformQuantizedPerAxisV1Type::get(
        context, flags, storage, expressed, axis, min, max, scales, zeros);
  }
  case kRankedBuffer: {
    SmallVector<int64_t> shape;
    Type element;
    if (failed(get(shape, element)))
      return {};
    return RankedBufferV1Type::get(context, shape, element);
  }
  case kFuture: {
    SmallVector<Type> types;
    return failed(get(types)) ? Type() : FutureV1Type::get(context, types);
  }
  default:
    r.emitError() << "unknown vhlo type code: " << code;
    return {};
  }
}

LogicalResult writeType(Type type, DialectBytecodeWriter &w) {
  FieldWriter put{w};
  if (auto t = dyn_cast<PrimitiveType>(type))
    return put(infoOf(t.getKind()).code);
  if (auto t = dyn_cast<ComplexV1Type>(type))
    return put(kComplex, t.getElementType());
  if (auto t = dyn_cast<FunctionV1Type>(type))
    return put(kFunction, t.getInputs(), t.getOutputs());
  if (auto t = dyn_cast<RankedTensorV1Type>(type)) {
    if (t.getEncoding())
      return put(kRankedTensorWithEncoding, t.getEncoding(), t.getShape(),
                 t.getElementType());
    return put(kRankedTensor, t.getShape(), t.getElementType());
  }
  if (auto t = dyn_cast<TupleV1Type>(type))
    return put(kTuple, t.getTypes());
  if (auto t = dyn_cast<UniformQuantizedV1Type>(type))
    return put(kUniformQuantized, t.getFlags(), t.getStorageType(),
               t.getExpressedType(), t.getScale(), t.getZeroPoint(),
               t.getStorageTypeMin(), t.getStorageTypeMax());
  if (auto t = dyn_cast<UnrankedTensorV1Type>(type))
    return put(kUnrankedTensor, t.getElementType());
  if (auto t = dyn_cast<UniformQuantizedPerAxisV1Type>(type))
    return put(kUniformQuantizedPerAxis, t.getFlags(), t.getStorageType(),
               t.getExpressedType(), t.getQuantizedDimension(),
               t.getStorageTypeMin(), t.getStorageTypeMax(), t.getScales(),
               t.getZeroPoints());
  if (auto t = dyn_cast<RankedBufferV1Type>(type))
    return put(kRankedBuffer, t.getShape(), t.getElementType());
  if (auto t = dyn_cast<FutureV1Type>(type))
    return put(kFuture, t.getTypes());
  return failure();
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

namespace {
struct VhloBytecode : BytecodeDialectInterface {
  VhloBytecode(Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader &r) const override {
    return vhlo::readAttribute(r, getContext());
  }
  Type readType(DialectBytecodeReader &r) const override {
    return vhlo::readType(r, getContext());
  }
  LogicalResult writeAttribute(Attribute attr,
                               DialectBytecodeWriter &w) const override {
    return vhlo::writeAttribute(attr, w);
  }
  LogicalResult writeType(Type type, DialectBytecodeWriter &w) const override {
    return vhlo::writeType(type, w);
  }
};
} // namespace

void VhloDialect::registerBytecode() { addInterfaces<VhloBytecode>(); }

} // namespace shardwright::vhlo
