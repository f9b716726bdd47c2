//===- bytecode.cc - stablehlo attributes and types in bytecode ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Codes and layouts are those of jaxlib 0.10.2: every field in storage order,
// as in `bytecode_fields.h`. Lists of attributes (meshes) are encoded as array
// attributes, optional fields after a flag of one byte.
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/ops/bytecode.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "shardwright/dialect/bytecode_fields.h"
#include "shardwright/dialect/stablehlo/dialect.h"

using namespace mlir;

namespace shardwright::stablehlo {

namespace {

enum AttrCode : uint64_t {
  kChannelHandle = 1,
  kComparisonDirection = 2,
  kComparisonType = 3,
  kConvDimensionNumbers = 4,
  kDotDimensionNumbers = 5,
  kFftType = 6,
  kGatherDimensionNumbers = 7,
  kPrecision = 8,
  kRngAlgorithm = 9,
  kRngDistribution = 10,
  kScatterDimensionNumbers = 11,
  kTranspose = 12,
  kTypeExtensions = 13,
  kOutputOperandAlias = 14,
  kDotAlgorithm = 15,
  kResultAccuracyMode = 16,
  kResultAccuracy = 17,
  kReplicaGroupMeshAxes = 18,
  kSubAxisInfo = 19,
  kAxisRef = 20,
  kMeshAxis = 21,
  kMesh = 22,
};

enum TypeCode : uint64_t { kToken = 0, kFuture = 1 };

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

template <typename AttrT>
LogicalResult writeEnum(DialectBytecodeWriter &w, AttrCode code, AttrT attr) {
  w.writeVarInt(code);
  w.writeVarInt(static_cast<uint32_t>(attr.getValue()));
  return success();
}

void writeOptional(DialectBytecodeWriter &w, Attribute attr) {
  w.writeOwnedBool(static_cast<bool>(attr));
  if (attr)
    w.writeAttribute(attr);
}

template <typename AttrT>
ArrayAttr arrayOf(MLIRContext *context, ArrayRef<AttrT> list) {
  return ArrayAttr::get(context,
                        SmallVector<Attribute>(list.begin(), list.end()));
}

LogicalResult write(Attribute attr, DialectBytecodeWriter &w) {
  FieldWriter put{w};
  MLIRContext *context = attr.getContext();
  if (auto a = dyn_cast<ComparisonDirectionAttr>(attr))
    return writeEnum(w, kComparisonDirection, a);
  if (auto a = dyn_cast<ComparisonTypeAttr>(attr))
    return writeEnum(w, kComparisonType, a);
  if (auto a = dyn_cast<FftTypeAttr>(attr))
    return writeEnum(w, kFftType, a);
  if (auto a = dyn_cast<PrecisionAttr>(attr))
    return writeEnum(w, kPrecision, a);
  if (auto a = dyn_cast<RngAlgorithmAttr>(attr))
    return writeEnum(w, kRngAlgorithm, a);
  if (auto a = dyn_cast<RngDistributionAttr>(attr))
    return writeEnum(w, kRngDistribution, a);
  if (auto a = dyn_cast<TransposeAttr>(attr))
    return writeEnum(w, kTranspose, a);
  if (auto a = dyn_cast<ResultAccuracyModeAttr>(attr))
    return writeEnum(w, kResultAccuracyMode, a);
  if (auto a = dyn_cast<ChannelHandleAttr>(attr))
    return put(kChannelHandle, a.getHandle(), a.getType());
  if (auto a = dyn_cast<ConvDimensionNumbersAttr>(attr))
    return put(kConvDimensionNumbers, a.getInputBatchDimension(),
               a.getInputFeatureDimension(), a.getInputSpatialDimensions(),
               a.getKernelInputFeatureDimension(),
               a.getKernelOutputFeatureDimension(),
               a.getKernelSpatialDimensions(), a.getOutputBatchDimension(),
               a.getOutputFeatureDimension(), a.getOutputSpatialDimensions());
  if (auto a = dyn_cast<DotDimensionNumbersAttr>(attr))
    return put(kDotDimensionNumbers, a.getLhsBatchingDimensions(),
               a.getRhsBatchingDimensions(), a.getLhsContractingDimensions(),
               a.getRhsContractingDimensions());
  if (auto a = dyn_cast<GatherDimensionNumbersAttr>(attr))
    return put(kGatherDimensionNumbers, a.getOffsetDims(),
               a.getCollapsedSliceDims(), a.getOperandBatchingDims(),
               a.getStartIndicesBatchingDims(), a.getStartIndexMap(),
               a.getIndexVectorDim());
  if (auto a = dyn_cast<ScatterDimensionNumbersAttr>(attr))
    return put(kScatterDimensionNumbers, a.getUpdateWindowDims(),
               a.getInsertedWindowDims(), a.getInputBatchingDims(),
               a.getScatterIndicesBatchingDims(),
               a.getScatterDimsToOperandDims(), a.getIndexVectorDim());
  if (auto a = dyn_cast<TypeExtensionsAttr>(attr))
    return put(kTypeExtensions, a.getBounds());
  if (auto a = dyn_cast<OutputOperandAliasAttr>(attr))
    return put(kOutputOperandAlias, a.getOutputTupleIndices(),
               a.getOperandIndex(), a.getOperandTupleIndices());
  if (auto a = dyn_cast<DotAlgorithmAttr>(attr))
    return put(kDotAlgorithm, a.getLhsPrecisionType(), a.getRhsPrecisionType(),
               a.getAccumulationType(), a.getLhsComponentCount(),
               a.getRhsComponentCount(), a.getNumPrimitiveOperations(),
               a.getAllowImpreciseAccumulation());
  if (auto a = dyn_cast<ResultAccuracyAttr>(attr))
    return put(kResultAccuracy, a.getAtol(), a.getRtol(), a.getUlps(),
               Attribute(a.getMode()));
  if (auto a = dyn_cast<ReplicaGroupMeshAxesAttr>(attr))
    return put(kReplicaGroupMeshAxes, a.getMesh(), a.getAxes());
  if (auto a = dyn_cast<SubAxisInfoAttr>(attr))
    return put(kSubAxisInfo, a.getPreSize(), a.getSize());
  if (auto a = dyn_cast<MeshAxisAttr>(attr))
    return put(kMeshAxis, a.getName(), a.getSize());
  if (auto a = dyn_cast<AxisRefAttr>(attr)) {
    (void)put(kAxisRef, a.getName());
    writeOptional(w, a.getSubAxisInfo());
    return success();
  }
  if (auto a = dyn_cast<MeshAttr>(attr)) {
    (void)put(kMesh, Attribute(arrayOf(context, a.getAxes())));
    writeOptional(w, a.getDeviceIds());
    return success();
  }
  return failure();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Reads an enum attribute; fails for numbers that `symbolize` does not know.
template <typename AttrT, typename SymbolizeT>
Attribute readEnum(DialectBytecodeReader &r, MLIRContext *context,
                   SymbolizeT symbolize) {
  uint64_t number = 0;
  if (failed(r.readVarInt(number)))
    return {};
  auto value = number <= UINT32_MAX ? symbolize(static_cast<uint32_t>(number))
                                    : std::nullopt;
  if (!value) {
    r.emitError() << "unknown value of " << AttrT::getMnemonic() << ": "
                  << number;
    return {};
  }
  return AttrT::get(context, *value);
}

template <typename AttrT>
LogicalResult readOptional(DialectBytecodeReader &r, AttrT &attr) {
  bool isPresent = false;
  if (failed(r.readBool(isPresent)))
    return failure();
  return isPresent ? r.readAttribute(attr) : success();
}

/// Reads a list that is encoded as an array attribute.
template <typename AttrT>
LogicalResult readArray(DialectBytecodeReader &r, SmallVector<AttrT> &list) {
  ArrayAttr array;
  if (failed(r.readAttribute(array)))
    return failure();
  for (Attribute element : array) {
    auto attr = dyn_cast<AttrT>(element);
    if (!attr)
      return r.emitError() << "expected a list of " << AttrT::getMnemonic()
                           << ", found " << element;
    list.push_back(attr);
  }
  return success();
}

Attribute readAlgorithm(DialectBytecodeReader &r, MLIRContext *context) {
  Type lhs, rhs, accumulation;
  int64_t lhsCount = 0, rhsCount = 0, operations = 0;
  bool isImprecise = false;
  if (failed(FieldReader{r}(lhs, rhs, accumulation, lhsCount, rhsCount,
                            operations, isImprecise)))
    return {};
  return DotAlgorithmAttr::getChecked([&] { return r.emitError(); }, context,
                                      lhs, rhs, accumulation, lhsCount,
                                      rhsCount, operations, isImprecise);
}

Attribute readConvolution(DialectBytecodeReader &r, MLIRContext *context) {
  int64_t numbers[6] = {};
  SmallVector<int64_t> input, kernel, output;
  if (failed(FieldReader{r}(numbers[0], numbers[1], input, numbers[2],
                            numbers[3], kernel, numbers[4], numbers[5],
                            output)))
    return {};
  return ConvDimensionNumbersAttr::get(context, numbers[0], numbers[1], input,
                                       numbers[2], numbers[3], kernel,
                                       numbers[4], numbers[5], output);
}

/// Reads an attribute that consists of five lists and a number.
template <typename AttrT>
Attribute readIndexing(DialectBytecodeReader &r, MLIRContext *context) {
  SmallVector<int64_t> lists[5];
  int64_t indexVectorDim = 0;
  if (failed(FieldReader{r}(lists[0], lists[1], lists[2], lists[3], lists[4],
                            indexVectorDim)))
    return {};
  return AttrT::get(context, lists[0], lists[1], lists[2], lists[3], lists[4],
                    indexVectorDim);
}

Attribute readAccuracy(DialectBytecodeReader &r, MLIRContext *context) {
  APFloat atol(0.0), rtol(0.0);
  int64_t ulps = 0;
  ResultAccuracyModeAttr mode;
  if (failed(FieldReader{r}(atol, rtol, ulps, mode)))
    return {};
  return ResultAccuracyAttr::getChecked([&] { return r.emitError(); }, context,
                                        atol, rtol, ulps, mode);
}

Attribute read(DialectBytecodeReader &r, MLIRContext *context) {
  FieldReader get{r};
  uint64_t code = 0;
  if (failed(r.readVarInt(code)))
    return {};
  SmallVector<int64_t> first, second, third, fourth;
  int64_t number = 0, other = 0;
  switch (code) {
  case kChannelHandle:
    if (failed(get(number, other)))
      return {};
    return ChannelHandleAttr::get(context, number, other);
  case kComparisonDirection:
    return readEnum<ComparisonDirectionAttr>(
        r, context, [](uint32_t n) { return symbolizeComparisonDirection(n); });
  case kComparisonType:
    return readEnum<ComparisonTypeAttr>(
        r, context, [](uint32_t n) { return symbolizeComparisonType(n); });
  case kConvDimensionNumbers:
    return readConvolution(r, context);
  case kDotDimensionNumbers:
    if (failed(get(first, second, third, fourth)))
      return {};
    return DotDimensionNumbersAttr::get(context, first, second, third, fourth);
  case kFftType:
    return readEnum<FftTypeAttr>(
        r, context, [](uint32_t n) { return symbolizeFftType(n); });
  case kGatherDimensionNumbers:
    return readIndexing<GatherDimensionNumbersAttr>(r, context);
  case kPrecision:
    return readEnum<PrecisionAttr>(
        r, context, [](uint32_t n) { return symbolizePrecision(n); });
  case kRngAlgorithm:
    return readEnum<RngAlgorithmAttr>(
        r, context, [](uint32_t n) { return symbolizeRngAlgorithm(n); });
  case kRngDistribution:
    return readEnum<RngDistributionAttr>(
        r, context, [](uint32_t n) { return symbolizeRngDistribution(n); });
  case kScatterDimensionNumbers:
    return readIndexing<ScatterDimensionNumbersAttr>(r, context);
  case kTranspose:
    return readEnum<TransposeAttr>(
        r, context, [](uint32_t n) { return symbolizeTranspose(n); });
  case kTypeExtensions:
    if (failed(get(first)))
      return {};
    return TypeExtensionsAttr::get(context, first);
  case kOutputOperandAlias:
    if (failed(get(first, number, second)))
      return {};
    return OutputOperandAliasAttr::get(context, first, number, second);
  case kDotAlgorithm:
    return readAlgorithm(r, context);
  case kResultAccuracyMode:
    return readEnum<ResultAccuracyModeAttr>(
        r, context, [](uint32_t n) { return symbolizeResultAccuracyMode(n); });
  case kResultAccuracy:
    return readAccuracy(r, context);
  case kReplicaGroupMeshAxes: {
    Attribute mesh;
    SmallVector<AxisRefAttr> axes;
    if (failed(get(mesh, axes)))
      return {};
    return ReplicaGroupMeshAxesAttr::getChecked([&] { return r.emitError(); },
                                                context, mesh, ArrayRef(axes));
  }
  case kSubAxisInfo:
    if (failed(get(number, other)))
      return {};
    return SubAxisInfoAttr::get(context, number, other);
  case kAxisRef: {
    StringRef name;
    SubAxisInfoAttr sub;
    if (failed(get(name)) || failed(readOptional(r, sub)))
      return {};
    return AxisRefAttr::get(context, name, sub);
  }
  case kMeshAxis: {
    StringRef name;
    if (failed(get(name, number)))
      return {};
    return MeshAxisAttr::get(context, name, number);
  }
  case kMesh: {
    SmallVector<MeshAxisAttr> axes;
    DenseIntElementsAttr ids;
    if (failed(readArray(r, axes)) || failed(readOptional(r, ids)))
      return {};
    return MeshAttr::get(context, axes, ids);
  }
  default:
    r.emitError() << "unknown stablehlo attribute code: " << code;
    return {};
  }
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

struct StablehloBytecode : BytecodeDialectInterface {
  StablehloBytecode(Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader &r) const override {
    return read(r, getContext());
  }
  LogicalResult writeAttribute(Attribute attr,
                               DialectBytecodeWriter &w) const override {
    return write(attr, w);
  }
  Type readType(DialectBytecodeReader &r) const override {
    uint64_t code = 0;
    if (failed(r.readVarInt(code)))
      return {};
    if (code == kToken)
      return TokenType::get(getContext());
    if (code == kFuture) {
      SmallVector<Type> types;
      if (failed(FieldReader{r}(types)))
        return {};
      return FutureType::getChecked([&] { return r.emitError(); }, getContext(),
                                    ArrayRef<Type>(types));
    }
    r.emitError() << "unknown stablehlo type code: " << code;
    return {};
  }
  LogicalResult writeType(Type type, DialectBytecodeWriter &w) const override {
    if (isa<TokenType>(type)) {
      w.writeVarInt(kToken);
      return success();
    }
    if (auto future = dyn_cast<FutureType>(type))
      return FieldWriter{w}(kFuture, future.getTypes());
    return failure();
  }
};

} // namespace

void registerBytecode(StablehloDialect &dialect) {
  dialect.addInterface<StablehloBytecode>();
}

} // namespace shardwright::stablehlo
