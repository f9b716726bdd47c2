//===- verify_sharding.cc - verification of shardings -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/verify_sharding.h"

#include "shardwright/dialect/sdy/sharding_access.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace shardwright::sdy {

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

/// Orders sub-axes by position on their axis. Must not be called for full axes.
static bool subAxisLess(AxisRefAttr a, AxisRefAttr b) {
  SubAxisInfoAttr x = a.getSubAxisInfo(), y = b.getSubAxisInfo();
  return std::pair(x.getPreSize(), x.getSize()) <
         std::pair(y.getPreSize(), y.getSize());
}

/// Orders by name; within a name, leading sub-axes, the full axis, other
/// sub-axes.
static bool naturalLess(AxisRefAttr a, AxisRefAttr b) {
  if (a.getName() != b.getName())
    return a.getName() < b.getName();
  SubAxisInfoAttr x = a.getSubAxisInfo(), y = b.getSubAxisInfo();
  if (x && y)
    return subAxisLess(a, b);
  if (x)
    return x.getPreSize() == 1;
  return y && y.getPreSize() != 1;
}

bool isInMeshOrder(ArrayRef<AxisRefAttr> axes, MeshAttr mesh) {
  auto position = [&](AxisRefAttr axis) -> int64_t {
    return mesh.findAxis(axis.getName()).value_or(mesh.getAxes().size());
  };
  return llvm::is_sorted(axes, [&](AxisRefAttr a, AxisRefAttr b) {
    int64_t i = position(a), j = position(b);
    return i != j ? i < j : naturalLess(a, b);
  });
}

/// preSize * size; none on overflow.
static std::optional<int64_t> nextPreSize(SubAxisInfoAttr sub) {
  int64_t next = 0;
  if (llvm::MulOverflow(sub.getPreSize(), sub.getSize(), next))
    return std::nullopt;
  return next;
}

static bool continues(AxisRefAttr axis, AxisRefAttr previous) {
  return axis.getName() == previous.getName() && axis.getSubAxisInfo() &&
         previous.getSubAxisInfo() &&
         nextPreSize(previous.getSubAxisInfo()) ==
             axis.getSubAxisInfo().getPreSize();
}

LogicalResult verifyAxisList(ArrayRef<AxisRefAttr> axes, MeshAttr mesh,
                             SeenAxes &seen, EmitError emitError) {
  AxisRefAttr previous;
  for (AxisRefAttr axis : axes) {
    if (!mesh.hasAxis(axis.getName()))
      return emitError() << "unknown axis name: \"" << axis.getName() << "\"";
    if (!seen.insert(axis).second)
      return emitError() << "duplicate axis ref: " << axis.toString();
    if (previous && continues(axis, previous))
      return emitError() << "two consecutive sub-axes can be merged: "
                         << previous.toString() << ", " << axis.toString();
    previous = axis;
  }
  return success();
}

static LogicalResult verifySubAxis(AxisRefAttr axis, int64_t axisSize,
                                   EmitError emitError) {
  SubAxisInfoAttr sub = axis.getSubAxisInfo();
  if (sub.getPreSize() < 1)
    return emitError() << "sub-axis pre-size must be at least 1: "
                       << axis.toString();
  if (sub.getSize() <= 1)
    return emitError() << "sub-axis sizes must be greater than 1: "
                       << axis.toString();
  std::optional<int64_t> next = nextPreSize(sub);
  if (!next) // our check: Shardy wraps around
    return emitError() << "sub-axis next pre-size overflows 64 bits: "
                       << axis.toString();
  if (axisSize % *next != 0)
    return emitError() << "sub-axis next pre-size " << *next
                       << " doesn't divide the size of the full axis "
                       << axisSize << ": " << axis.toString();
  if (sub.getSize() == axisSize)
    return emitError() << "sub-axis size is equal to the full axis size: "
                       << axis.toString();
  return success();
}

LogicalResult verifySubAxes(ArrayRef<AxisRefAttr> axes, MeshAttr mesh,
                            EmitError emitError) {
  llvm::MapVector<StringRef, SmallVector<AxisRefAttr>> subAxes;
  for (AxisRefAttr axis : axes)
    if (axis.getSubAxisInfo())
      subAxes[axis.getName()].push_back(axis);
  for (auto &[name, refs] : subAxes) {
    if (llvm::any_of(axes, [&](AxisRefAttr axis) {
          return axis.isFullAxis() && axis.getName() == name;
        }))
      return emitError()
             << "both sub-axis and full-axis are used for axis name: \"" << name
             << "\"";
    llvm::sort(refs, subAxisLess);
    AxisRefAttr previous;
    for (AxisRefAttr axis : refs) {
      if (failed(verifySubAxis(axis, mesh.getAxisSize(name), emitError)))
        return failure();
      if (previous && previous.getSubAxisInfo().getNextPreSize() >
                          axis.getSubAxisInfo().getPreSize())
        return emitError() << "overlapping sub-axes: " << previous.toString()
                           << ", " << axis.toString();
      previous = axis;
    }
  }
  return success();
}

LogicalResult verifyNotManual(ArrayRef<StringRef> names, Operation *op,
                              EmitError emitError) {
  if (names.empty())
    return success();
  for (auto parent = op->getParentOfType<ManualComputationOp>(); parent;
       parent = parent->getParentOfType<ManualComputationOp>())
    for (StringRef name : names)
      if (parent.isManualAxis(name)) {
        InFlightDiagnostic diag =
            emitError() << "operates on axis \"" << name
                        << "\" which is already bound by a parent "
                        << ManualComputationOp::getOperationName() << " op";
        diag.attachNote(parent.getLoc())
            << "parent bounding this axis as manual";
        return diag;
      }
  return success();
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

static bool isRankZeroWithoutAxes(TensorShardingAttr sharding) {
  return sharding.getRank() == 0 && sharding.getReplicatedAxes().empty() &&
         sharding.getUnreducedAxes().empty();
}

LogicalResult verifySharding(TensorShardingAttr sharding, Type type,
                             Operation *op, EmitError emitError) {
  MeshAttr mesh = getMeshAttr(op, sharding);
  if (!mesh)
    return emitError() << "unknown mesh: " << sharding.getMeshOrRef();
  // An op without results can only have a sharding that names its device.
  if (mesh.isMaximal() || !type) {
    if (!isRankZeroWithoutAxes(sharding))
      return emitError()
             << "a maximal sharding can only have a sharding with rank 0 and "
                "no replicated or unreduced axes.";
    return success();
  }

  Type valueType = type;
  if (auto tuple = dyn_cast<TupleType>(type)) {
    if (tuple.size() != 1)
      return emitError()
             << "ops can only have a sharding for a tuple of size 1: " << type;
    valueType = tuple.getType(0);
  }
  auto shaped = dyn_cast<ShapedType>(valueType);
  if (!shaped) {
    if (!isRankZeroWithoutAxes(sharding))
      return emitError() << "non-shaped tensors can only have a sharding with "
                            "rank 0 and no replicated or unreduced axes. type: "
                         << type << ", sharding: " << sharding;
    return success();
  }
  if (!shaped.hasRank())
    return emitError() << "only ranked tensors can have a sharding. type: "
                       << type;
  if (shaped.getRank() != sharding.getRank())
    return emitError() << "sharding doesn't match tensor rank: "
                       << sharding.getRank() << " != " << shaped.getRank();

  SeenAxes seen;
  SmallVector<AxisRefAttr> all;
  for (auto [i, dim] : llvm::enumerate(sharding.getDimShardings())) {
    if (dim.getPriority()) {
      if (*dim.getPriority() < 0)
        return emitError() << "dim " << i << " has a negative priority";
      if (dim.getIsClosed() && dim.emptyAxes())
        return emitError() << "dim " << i
                           << " is empty and closed but has a priority";
    }
    if (failed(verifyAxisList(dim.getAxes(), mesh, seen, emitError)))
      return failure();
    llvm::append_range(all, dim.getAxes());
  }
  auto verifyOrdered = [&](ArrayRef<AxisRefAttr> axes,
                           StringRef kind) -> LogicalResult {
    if (!isInMeshOrder(axes, mesh))
      return emitError() << kind << " axes are not ordered w.r.t. mesh";
    llvm::append_range(all, axes);
    return verifyAxisList(axes, mesh, seen, emitError);
  };
  if (failed(verifyOrdered(sharding.getReplicatedAxes(), "replicated")) ||
      failed(verifyOrdered(sharding.getUnreducedAxes(), "unreduced")) ||
      failed(verifySubAxes(all, mesh, emitError)))
    return failure();
  // The op's own manual axes are verified elsewhere.
  auto manual = dyn_cast<ManualComputationOp>(op);
  SmallVector<StringRef> names;
  for (AxisRefAttr axis : all)
    if (!manual || !manual.isManualAxis(axis.getName()))
      names.push_back(axis.getName());
  return verifyNotManual(names, op, emitError);
}

LogicalResult verifyShardings(TensorShardingPerValueAttr shardings,
                              TypeRange types, Operation *op, StringRef kind) {
  // An op without results may have one sharding that names its device.
  if (types.empty() && shardings.size() == 1 && kind == "result" &&
      !isa<ManualComputationOp>(op))
    return verifySharding(shardings.getSharding(0), Type(), op,
                          [&] { return op->emitOpError("result 0 - "); });
  if (shardings.size() != types.size())
    return op->emitOpError()
           << kind
           << " shardings don't match number of values: " << shardings.size()
           << " shardings vs " << types.size() << " values";
  for (auto [i, sharding, type] : llvm::enumerate(shardings, types)) {
    auto emitError = [&, i = i] {
      InFlightDiagnostic diag = op->emitOpError() << kind << " ";
      if (types.size() > 1)
        diag << i << " ";
      return std::move(diag << "- ");
    };
    if (failed(verifySharding(sharding, type, op, emitError)))
      return failure();
  }
  return success();
}

} // namespace shardwright::sdy
