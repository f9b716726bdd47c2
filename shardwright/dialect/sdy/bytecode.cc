//===- bytecode.cc - sdy attributes in MLIR bytecode --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// An attribute is a varint code and its fields in storage order: integers as
// zig-zag varints, lists with their length first, nested attributes and strings
// as references. Codes and layouts are Shardy's. A sharding with unreduced axes
// has a separate code, which older readers do not know, and another one if
// their kind is not sum, which readers of dialect version 0.0.1 do not know.
// Debug attributes have no code and are encoded as text.
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/bytecode_fields.h"
#include "shardwright/dialect/sdy/bytecode_version.h"
#include "shardwright/dialect/sdy/sdy.h"

using namespace mlir;

namespace shardwright::sdy {

namespace {

enum Code : uint64_t {
  kManualAxes = 0,
  kMeshAxis = 1,
  kMesh = 2,
  kSubAxisInfo = 3,
  kAxisRef = 4,
  kDimensionSharding = 5,
  kTensorSharding = 6,
  kTensorShardingPerValue = 7,
  kDimMapping = 8,
  kTensorMapping = 9,
  kOpShardingRule = 10,
  kAxisRefList = 11,
  kListOfAxisRefLists = 12,
  kAllToAllParam = 13,
  kAllToAllParamList = 14,
  kUnreducedTensorSharding = 15,
  kUnreducedTensorShardingPerValue = 16,
  kReductionTensorSharding = 17,
};

/// Creates the attribute from its fields, and verifies it if it has a verifier.
template <typename AttrT, typename... Ts>
AttrT make(DialectBytecodeReader &r, MLIRContext *context, Ts... fields) {
  if constexpr (std::is_same_v<AttrT, MeshAttr> ||
                std::is_same_v<AttrT, MeshAxisAttr>)
    return AttrT::getChecked([&] { return r.emitError(); }, context, fields...);
  else
    return AttrT::get(context, fields...);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

bool hasUnreducedAxes(TensorShardingAttr sharding) {
  return !sharding.getUnreducedAxes().empty();
}

/// The version that the writer was given; null if none.
const SdyVersion *targetOf(DialectBytecodeWriter &writer) {
  FailureOr<const DialectVersion *> version =
      writer.getDialectVersion<SdyDialect>();
  return succeeded(version) ? static_cast<const SdyVersion *>(*version)
                            : nullptr;
}

LogicalResult writeKind(TensorShardingAttr sharding,
                        DialectBytecodeWriter &writer) {
  static const SdyVersion firstWithKinds(0, 0, 2);
  if (const SdyVersion *target = targetOf(writer);
      target && target->isOlderThan(firstWithKinds))
    return emitError(UnknownLoc::get(sharding.getContext()))
           << "cannot write " << sharding << " for version " << target->major
           << "." << target->minor << "." << target->patch
           << " of the sdy dialect, in which all unreduced axes are sums; "
              "reduce the value before, or write version 0.0.2";
  return FieldWriter{writer}(kReductionTensorSharding, sharding.getMeshOrRef(),
                             sharding.getDimShardings(),
                             sharding.getReplicatedAxes(),
                             sharding.getUnreducedAxes(),
                             static_cast<int64_t>(sharding.getReductionOp()));
}

LogicalResult write(Attribute attr, DialectBytecodeWriter &writer) {
  FieldWriter put{writer};
  if (auto a = dyn_cast<ManualAxesAttr>(attr))
    return put(kManualAxes, a.getValue());
  if (auto a = dyn_cast<MeshAxisAttr>(attr))
    return put(kMeshAxis, a.getName(), a.getSize());
  if (auto a = dyn_cast<MeshAttr>(attr))
    return put(kMesh, a.getAxes(), a.getDeviceIds());
  if (auto a = dyn_cast<SubAxisInfoAttr>(attr))
    return put(kSubAxisInfo, a.getPreSize(), a.getSize());
  if (auto a = dyn_cast<AxisRefAttr>(attr)) {
    writer.writeVarInt(kAxisRef);
    writer.writeOwnedString(a.getName());
    writer.writeOptionalAttribute(a.getSubAxisInfo());
    return success();
  }
  if (auto a = dyn_cast<DimensionShardingAttr>(attr))
    return put(kDimensionSharding, a.getAxes(), a.getIsClosed(),
               a.getPriority());
  if (auto a = dyn_cast<TensorShardingAttr>(attr)) {
    if (!hasUnreducedAxes(a))
      return put(kTensorSharding, a.getMeshOrRef(), a.getDimShardings(),
                 a.getReplicatedAxes());
    if (a.getReductionOp() == ReductionOp::SUM)
      return put(kUnreducedTensorSharding, a.getMeshOrRef(),
                 a.getDimShardings(), a.getReplicatedAxes(),
                 a.getUnreducedAxes());
    return writeKind(a, writer);
  }
  if (auto a = dyn_cast<TensorShardingPerValueAttr>(attr))
    return put(llvm::any_of(a, hasUnreducedAxes)
                   ? kUnreducedTensorShardingPerValue
                   : kTensorShardingPerValue,
               a.getShardings());
  if (auto a = dyn_cast<DimMappingAttr>(attr))
    return put(kDimMapping, a.getFactorIndices());
  if (auto a = dyn_cast<TensorMappingAttr>(attr))
    return put(kTensorMapping, a.getDimMappings());
  if (auto a = dyn_cast<OpShardingRuleAttr>(attr))
    return put(kOpShardingRule, a.getFactorSizes(), a.getOperandMappings(),
               a.getResultMappings(), a.getReductionFactors(),
               a.getNeedReplicationFactors(), a.getPermutationFactors(),
               a.getBlockedPropagationFactors(), a.getIsCustomRule());
  if (auto a = dyn_cast<AxisRefListAttr>(attr))
    return put(kAxisRefList, a.getValue());
  if (auto a = dyn_cast<ListOfAxisRefListsAttr>(attr))
    return put(kListOfAxisRefLists, a.getValue());
  if (auto a = dyn_cast<AllToAllParamAttr>(attr))
    return put(kAllToAllParam, a.getAxes(), a.getSrcDim(), a.getTgtDim());
  if (auto a = dyn_cast<AllToAllParamListAttr>(attr))
    return put(kAllToAllParamList, a.getValue());
  return failure();
}

/// Reads an attribute that consists of one list.
template <typename AttrT, typename T>
Attribute readList(DialectBytecodeReader &r, MLIRContext *context) {
  SmallVector<T> list;
  if (failed(FieldReader{r}(list)))
    return {};
  return make<AttrT>(r, context, ArrayRef<T>(list));
}

Attribute readSharding(DialectBytecodeReader &r, MLIRContext *context,
                       bool hasUnreduced, bool hasKind = false) {
  Attribute meshOrRef;
  SmallVector<DimensionShardingAttr> dims;
  SmallVector<AxisRefAttr> replicated, unreduced;
  FieldReader read{r};
  if (failed(read(meshOrRef, dims, replicated)) ||
      (hasUnreduced && failed(read(unreduced))))
    return {};
  int64_t number = static_cast<int64_t>(ReductionOp::SUM);
  if (hasKind && failed(read(number)))
    return {};
  std::optional<ReductionOp> kind;
  if (number >= 0 && number <= INT32_MAX)
    kind = symbolizeReductionOp(static_cast<uint32_t>(number));
  if (!kind) {
    r.emitError() << "expected a reduction kind of 0 (sum), 1 (max) or 2 "
                     "(min), got: "
                  << number;
    return {};
  }
  if (unreduced.empty())
    kind = ReductionOp::SUM;
  if (!isa<MeshAttr, FlatSymbolRefAttr>(meshOrRef)) {
    r.emitError() << "expecting MeshAttr or FlatSymbolRefAttr, got: "
                  << meshOrRef;
    return {};
  }
  return make<TensorShardingAttr>(r, context, meshOrRef, ArrayRef(dims),
                                  ArrayRef(replicated), ArrayRef(unreduced),
                                  *kind);
}

Attribute readRule(DialectBytecodeReader &r, MLIRContext *context) {
  SmallVector<int64_t> sizes, reduction, replication, permutation, blocked;
  SmallVector<TensorMappingAttr> operands, results;
  bool isCustom = false;
  if (failed(FieldReader{r}(sizes, operands, results, reduction, replication,
                            permutation, blocked, isCustom)))
    return {};
  return make<OpShardingRuleAttr>(
      r, context, ArrayRef(sizes), ArrayRef(operands), ArrayRef(results),
      ArrayRef(reduction), ArrayRef(replication), ArrayRef(permutation),
      ArrayRef(blocked), isCustom);
}

Attribute read(DialectBytecodeReader &r, MLIRContext *context) {
  FieldReader get{r};
  uint64_t code = 0;
  if (failed(r.readVarInt(code)))
    return {};
  switch (code) {
  case kManualAxes:
    return readList<ManualAxesAttr, StringAttr>(r, context);
  case kMeshAxis: {
    StringRef name;
    int64_t size = 0;
    if (failed(get(name, size)))
      return {};
    return make<MeshAxisAttr>(r, context, name, size);
  }
  case kMesh: {
    SmallVector<MeshAxisAttr> axes;
    SmallVector<int64_t> ids;
    if (failed(get(axes, ids)))
      return {};
    return make<MeshAttr>(r, context, ArrayRef(axes), ArrayRef(ids));
  }
  case kSubAxisInfo: {
    int64_t preSize = 0, size = 0;
    if (failed(get(preSize, size)))
      return {};
    return make<SubAxisInfoAttr>(r, context, preSize, size);
  }
  case kAxisRef: {
    StringRef name;
    SubAxisInfoAttr sub;
    if (failed(get(name)) || failed(r.readOptionalAttribute(sub)))
      return {};
    return make<AxisRefAttr>(r, context, name, sub);
  }
  case kDimensionSharding: {
    SmallVector<AxisRefAttr> axes;
    bool isClosed = false;
    std::optional<int64_t> priority;
    if (failed(get(axes, isClosed, priority)))
      return {};
    return make<DimensionShardingAttr>(r, context, ArrayRef(axes), isClosed,
                                       priority);
  }
  case kTensorSharding:
    return readSharding(r, context, /*hasUnreduced=*/false);
  case kUnreducedTensorSharding:
    return readSharding(r, context, /*hasUnreduced=*/true);
  case kReductionTensorSharding:
    return readSharding(r, context, /*hasUnreduced=*/true, /*hasKind=*/true);
  case kTensorShardingPerValue:
  case kUnreducedTensorShardingPerValue:
    return readList<TensorShardingPerValueAttr, TensorShardingAttr>(r, context);
  case kDimMapping:
    return readList<DimMappingAttr, int64_t>(r, context);
  case kTensorMapping:
    return readList<TensorMappingAttr, DimMappingAttr>(r, context);
  case kOpShardingRule:
    return readRule(r, context);
  case kAxisRefList:
    return readList<AxisRefListAttr, AxisRefAttr>(r, context);
  case kListOfAxisRefLists:
    return readList<ListOfAxisRefListsAttr, AxisRefListAttr>(r, context);
  case kAllToAllParam: {
    SmallVector<AxisRefAttr> axes;
    int64_t source = 0, target = 0;
    if (failed(get(axes, source, target)))
      return {};
    return make<AllToAllParamAttr>(r, context, ArrayRef(axes), source, target);
  }
  case kAllToAllParamList:
    return readList<AllToAllParamListAttr, AllToAllParamAttr>(r, context);
  default:
    r.emitError() << "unknown sdy attribute code: " << code;
    return {};
  }
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

struct SdyBytecode : BytecodeDialectInterface {
  SdyBytecode(Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader &r) const override {
    return read(r, getContext());
  }
  LogicalResult writeAttribute(Attribute attr,
                               DialectBytecodeWriter &w) const override {
    return write(attr, w);
  }

  // Write a version only if the writer targets one.
  void writeVersion(DialectBytecodeWriter &w) const override {
    if (const SdyVersion *version = targetOf(w))
      for (uint64_t number : {version->major, version->minor, version->patch})
        w.writeVarInt(number);
  }

  std::unique_ptr<DialectVersion>
  readVersion(DialectBytecodeReader &r) const override {
    auto version = std::make_unique<SdyVersion>();
    for (uint64_t *number : {&version->major, &version->minor, &version->patch})
      if (failed(r.readVarInt(*number)))
        return nullptr;
    if (SdyVersion().isOlderThan(*version)) {
      r.emitError() << "reading newer dialect than supported";
      return nullptr;
    }
    return version;
  }
};

} // namespace

void SdyDialect::registerBytecode() { addInterfaces<SdyBytecode>(); }

} // namespace shardwright::sdy
