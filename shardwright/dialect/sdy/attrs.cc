//===- attrs.cc - verifiers and accessors of sdy attributes ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sdy.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

#include "shardwright/dialect/sdy/sdy_enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "shardwright/dialect/sdy/sdy_attrs.cpp.inc"

using namespace mlir;

namespace shardwright::sdy {

void SdyDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "shardwright/dialect/sdy/sdy_attrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Meshes and axes
//===----------------------------------------------------------------------===//

LogicalResult MeshAxisAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   StringRef name, int64_t size) {
  if (size <= 0)
    return emitError() << "axis size must be at least 1, got: " << size;
  return success();
}

LogicalResult MeshAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<MeshAxisAttr> axes,
                               ArrayRef<int64_t> ids) {
  for (int64_t id : ids)
    if (id < 0)
      return emitError() << "device id must be non-negative, got: " << id;
  if (axes.empty()) {
    if (ids.size() > 1)
      return emitError()
             << "axes is empty and device_ids has more than one element";
    return success();
  }

  llvm::SmallSet<StringRef, 4> names;
  int64_t devices = 1;
  for (MeshAxisAttr axis : axes) {
    if (!names.insert(axis.getName()).second)
      return emitError() << "duplicate axis name: \"" << axis.getName() << "\"";
    if (llvm::MulOverflow(devices, axis.getSize(), devices))
      return emitError() << "total product of axis sizes overflows 64 bits at "
                            "axis \""
                         << axis.getName() << "\"=" << axis.getSize();
  }
  if (ids.empty())
    return success();
  if (devices != static_cast<int64_t>(ids.size()))
    return emitError() << "total product of axis sizes must match total number "
                          "of device ids, got: "
                       << devices << " != " << ids.size();
  if (llvm::equal(ids, llvm::seq<int64_t>(0, devices)))
    return emitError() << "if the ordered device ids are the same as "
                          "iota(product(axes)), no need to specify them for "
                          "simplicity";
  SmallVector<int64_t> sorted(ids);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, devices))) {
    InFlightDiagnostic diag =
        emitError() << "sorted device ids must be iota(product(axes)), got: ";
    llvm::interleaveComma(sorted, diag);
    return diag;
  }
  return success();
}

MeshAttr MeshAttr::getEmpty(MLIRContext *context) { return get(context, {}); }

MeshAttr MeshAttr::getMaximal(MLIRContext *context, int64_t deviceId) {
  return get(context, {}, deviceId);
}

std::optional<int64_t> MeshAttr::getMaximalDeviceId() const {
  if (!isMaximal())
    return std::nullopt;
  return getDeviceIds().front();
}

std::optional<int64_t> MeshAttr::findAxis(StringRef name) const {
  for (auto [i, axis] : llvm::enumerate(getAxes()))
    if (axis.getName() == name)
      return i;
  return std::nullopt;
}

int64_t MeshAttr::getAxisSize(StringRef name) const {
  std::optional<int64_t> i = findAxis(name);
  return i ? getAxes()[*i].getSize() : 0;
}

int64_t MeshAttr::getTotalSize() const {
  int64_t devices = 1;
  for (MeshAxisAttr axis : getAxes())
    devices *= axis.getSize();
  return devices;
}

std::string AxisRefAttr::toString() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '"';
  llvm::printEscapedString(getName(), os);
  os << '"';
  if (SubAxisInfoAttr sub = getSubAxisInfo())
    os << ":(" << sub.getPreSize() << ')' << sub.getSize();
  return text;
}

int64_t AxisRefAttr::getSize(MeshAttr mesh) const {
  return getSubAxisInfo() ? getSubAxisInfo().getSize()
                          : mesh.getAxisSize(getName());
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

int64_t DimensionShardingAttr::getShardedSize(MeshAttr mesh) const {
  int64_t size = 1;
  for (AxisRefAttr axis : getAxes())
    size *= axis.getSize(mesh);
  return size;
}

bool TensorShardingAttr::emptyAxes() const {
  return llvm::all_of(getDimShardings(), [](DimensionShardingAttr dim) {
    return dim.emptyAxes();
  });
}

TensorShardingAttr TensorShardingAttr::getFullyClosed(MLIRContext *context,
                                                      int64_t rank,
                                                      Attribute meshOrRef) {
  SmallVector<DimensionShardingAttr> dims(
      rank, DimensionShardingAttr::get(context, {}, /*isClosed=*/true));
  return get(context, meshOrRef, dims, {}, {}, ReductionOp::SUM);
}

TensorShardingAttr TensorShardingAttr::getFullyOpen(MLIRContext *context,
                                                    int64_t rank,
                                                    Attribute meshOrRef) {
  SmallVector<DimensionShardingAttr> dims(
      rank, DimensionShardingAttr::get(context, {}, /*isClosed=*/false));
  return get(context, meshOrRef, dims, {}, {}, ReductionOp::SUM);
}

TensorShardingAttr TensorShardingAttr::withMesh(Attribute meshOrRef) const {
  return get(getContext(), meshOrRef, getDimShardings(), getReplicatedAxes(),
             getUnreducedAxes(), getReductionOp());
}

TensorShardingAttr TensorShardingAttr::withDimShardings(
    ArrayRef<DimensionShardingAttr> dims) const {
  return get(getContext(), getMeshOrRef(), dims, getReplicatedAxes(),
             getUnreducedAxes(), getReductionOp());
}

TensorShardingAttr
TensorShardingAttr::withReplicatedAxes(ArrayRef<AxisRefAttr> axes) const {
  return get(getContext(), getMeshOrRef(), getDimShardings(), axes,
             getUnreducedAxes(), getReductionOp());
}

TensorShardingAttr
TensorShardingAttr::withUnreducedAxes(ArrayRef<AxisRefAttr> axes) const {
  return withUnreducedAxes(axes, getReductionOp());
}

TensorShardingAttr
TensorShardingAttr::withUnreducedAxes(ArrayRef<AxisRefAttr> axes,
                                      ReductionOp kind) const {
  // Text cannot express a kind without axes.
  return get(getContext(), getMeshOrRef(), getDimShardings(),
             getReplicatedAxes(), axes, axes.empty() ? ReductionOp::SUM : kind);
}

TensorShardingAttr TensorShardingAttr::getClosedLike() const {
  SmallVector<DimensionShardingAttr> dims;
  for (DimensionShardingAttr dim : getDimShardings())
    dims.push_back(DimensionShardingAttr::get(
        getContext(), dim.getAxes(), /*is_closed=*/true, dim.getPriority()));
  return get(getContext(), getMeshOrRef(), dims, {}, getUnreducedAxes(),
             getReductionOp());
}

bool TensorShardingAttr::isEquivalent(TensorShardingAttr other,
                                      bool ignoreUnreducedAxes) const {
  auto isReplicated = [&](TensorShardingAttr s) {
    return !s || (s.emptyAxes() &&
                  (ignoreUnreducedAxes || s.getUnreducedAxes().empty()));
  };
  if (isReplicated(*this) || isReplicated(other))
    return isReplicated(*this) && isReplicated(other);
  return getMeshOrRef() == other.getMeshOrRef() &&
         (ignoreUnreducedAxes ||
          getUnreducedAxes() == other.getUnreducedAxes()) &&
         llvm::equal(getDimShardings(), other.getDimShardings(),
                     [](DimensionShardingAttr a, DimensionShardingAttr b) {
                       return a.getAxes() == b.getAxes();
                     });
}

Type TensorShardingAttr::getLocalType(Type type, MeshAttr mesh) const {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() != getRank())
    return type;
  SmallVector<int64_t> shape(tensor.getShape());
  for (auto [size, dim] : llvm::zip_equal(shape, getDimShardings()))
    if (ShapedType::isStatic(size))
      size = llvm::divideCeil(size,
                              std::max<int64_t>(1, dim.getShardedSize(mesh)));
  return tensor.clone(shape);
}

TensorShardingPerValueAttr
TensorShardingPerValueAttr::withSharding(size_t i,
                                         TensorShardingAttr sharding) const {
  SmallVector<TensorShardingAttr> shardings(getShardings());
  shardings[i] = sharding;
  return get(getContext(), shardings);
}

TensorShardingPerValueAttr
TensorShardingPerValueAttr::getFullyOpen(MLIRContext *context, TypeRange types,
                                         Attribute meshOrRef) {
  SmallVector<TensorShardingAttr> shardings;
  for (Type type : types) {
    auto shaped = dyn_cast<ShapedType>(type);
    shardings.push_back(TensorShardingAttr::getFullyOpen(
        context, shaped && shaped.hasRank() ? shaped.getRank() : 0, meshOrRef));
  }
  return get(context, shardings);
}

//===----------------------------------------------------------------------===//
// Debug record of propagation
//===----------------------------------------------------------------------===//

LogicalResult
PropagationEdgesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                             ArrayRef<PropagationOneStepAttr> steps) {
  llvm::SmallSet<int64_t, 8> indices;
  for (PropagationOneStepAttr step : steps) {
    int64_t index = step.getStepIndex();
    if (index < 0)
      return emitError() << "propagation edges have negative step index: "
                         << index;
    if (!indices.insert(index).second)
      return emitError() << "propagation edges have duplicate step index: "
                         << index;
    for (AxisToPropagationDetailsAttr entry : step.getAxisEntries()) {
      ArrayRef<EdgeValueRefAttr> targets = entry.getTargets();
      if (llvm::is_contained(targets, entry.getSource()))
        return emitError() << "propagation edges have a source that is the "
                              "same as a target";
      for (auto [i, target] : llvm::enumerate(targets))
        if (llvm::is_contained(targets.take_front(i), target))
          return emitError()
                 << "propagation edges have duplicate targets for step index: "
                 << index << " and axis: " << entry.getAxisName().getName();
    }
  }
  return success();
}

} // namespace shardwright::sdy
