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
// has a separate code, which older readers do not know. Debug attributes have
// no code and are encoded as text.
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/bytecode_fields.h"
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
    return put(kUnreducedTensorSharding, a.getMeshOrRef(), a.getDimShardings(),
               a.getReplicatedAxes(), a.getUnreducedAxes());
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
                       bool hasUnreduced) {
  Attribute meshOrRef;
  SmallVector<DimensionShardingAttr> dims;
  SmallVector<AxisRefAttr> replicated, unreduced;
  FieldReader read{r};
  if (failed(read(meshOrRef, dims, replicated)) ||
      (hasUnreduced && failed(read(unreduced))))
    return {};
  if (!isa<MeshAttr, FlatSymbolRefAttr>(meshOrRef)) {
    r.emitError() << "expecting MeshAttr or FlatSymbolRefAttr, got: "
                  << meshOrRef;
    return {};
  }
  return make<TensorShardingAttr>(r, context, meshOrRef, ArrayRef(dims),
                                  ArrayRef(replicated), ArrayRef(unreduced));
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

struct SdyVersion : DialectVersion {
  uint64_t numbers[3] = {0, 0, 2};
  SdyVersion() = default;
  bool isNewerThan(const SdyVersion &other) const {
    return std::lexicographical_compare(std::begin(other.numbers),
                                        std::end(other.numbers),
                                        std::begin(numbers), std::end(numbers));
  }
};

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
    if (failed(w.getDialectVersion<SdyDialect>()))
      return;
    for (uint64_t number : SdyVersion().numbers)
      w.writeVarInt(number);
  }

  std::unique_ptr<DialectVersion>
  readVersion(DialectBytecodeReader &r) const override {
    auto version = std::make_unique<SdyVersion>();
    for (uint64_t &number : version->numbers)
      if (failed(r.readVarInt(number)))
        return nullptr;
    if (version->isNewerThan(SdyVersion())) {
      r.emitError() << "reading newer dialect than supported";
      return nullptr;
    }
    return version;
  }
};

} // namespace

void SdyDialect::registerBytecode() { addInterfaces<SdyBytecode>(); }

} // namespace shardwright::sdy
