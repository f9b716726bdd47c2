//===- bounded_calls.cc - collectives and custom calls --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/bounded/bounded_ops.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace shardwright::bounded {

/// Members of a group, from the groups or the bounds; 0 if unknown.
static int64_t groupSize(stablehlo::AllGatherOp op, int64_t part,
                         int64_t whole) {
  if (auto groups =
          dyn_cast_or_null<DenseIntElementsAttr>(op.getReplicaGroupsAttr()))
    if (groups.getType().getRank() == 2 && groups.getNumElements() > 0)
      return groups.getType().getDimSize(1);
  return part > 0 && whole % part == 0 ? whole / part : 0;
}

/// Along a bounded dimension, members may use different parts of the bound: the
/// sizes are gathered with the data, and each part is written over the unused
/// end of the one before.
LogicalResult padAllGather(stablehlo::AllGatherOp op, Values &values) {
  BoundedBuilder m(op);
  int64_t dim = op.getAllGatherDim();
  for (auto [operand, result] :
       llvm::zip_equal(op.getOperands(), op.getResults())) {
    Extents to = values.of(operand);
    RankedTensorType declared = BoundedBuilder::typeOf(result);
    if (!to[dim].used) {
      if (declared.isDynamicDim(dim))
        return op.emitError("has a result of bounded size along its dimension, "
                            "but no operand of bounded size");
      to[dim].bound = declared.getDimSize(dim);
      values.set(result, to);
      continue;
    }
    auto room = declaredExtents(declared);
    int64_t part = to[dim].bound,
            n = failed(room) ? 0 : groupSize(op, part, (*room)[dim].bound);
    if (n == 0)
      return op.emitError("along a dimension of bounded size is not supported "
                          "in groups of unknown size");
    m.b.setInsertionPoint(op);
    auto line = RankedTensorType::get({1}, m.b.getI32Type());
    Value own = stablehlo::ReshapeOp::create(m.b, m.loc, line, to[dim].used);
    auto sizes = stablehlo::AllGatherOp::create(
        m.b, m.loc, TypeRange(line.clone(Dims{n})), ValueRange(own), 0,
        op.getReplicaGroupsAttr(), op.getChannelHandleAttr(),
        op.getUseGlobalDeviceIds());
    Value all = sizes->getResult(0);

    m.b.setInsertionPointAfter(op);
    to[dim] = {part * n, nullptr};
    Value gathered = result;
    values.set(gathered, to);
    Value joined = m.zeros(BoundedBuilder::typeOf(gathered)), end = m.number(0),
          zero = m.number(0);
    SmallVector<Operation *> pieces;
    for (int64_t i = 0; i < n; ++i) {
      SmallVector<int64_t> from(to.size(), 0), limit = bounds(to),
                                               steps(to.size(), 1);
      from[dim] = i * part;
      limit[dim] = (i + 1) * part;
      Value piece =
          stablehlo::SliceOp::create(m.b, m.loc, gathered, from, limit, steps);
      pieces.push_back(piece.getDefiningOp());
      SmallVector<Value> at(to.size(), zero);
      at[dim] = end;
      joined = stablehlo::DynamicUpdateSliceOp::create(
          m.b, m.loc, joined.getType(), joined, piece, at);
      end = m.add(end, m.element(all, i));
    }
    to[dim].used = end;
    gathered.replaceUsesWithIf(joined, [&](OpOperand &use) {
      return !llvm::is_contained(pieces, use.getOwner());
    });
    values.set(joined, to);
  }
  return success();
}

LogicalResult padDividing(Operation *op, ArrayRef<int64_t> changed,
                          Values &values) {
  for (auto [operand, result] :
       llvm::zip(op->getOperands(), op->getResults())) {
    Extents to = values.of(operand);
    for (int64_t d : changed) {
      if (to[d].used || BoundedBuilder::typeOf(result).isDynamicDim(d))
        return op->emitError("along a dimension of bounded size is not "
                             "supported: the parts would not be equal");
      to[d].bound = BoundedBuilder::typeOf(result).getDimSize(d);
    }
    values.set(result, to);
  }
  return success();
}

/// Returns a bounded tensor padded to its bounds, and its sizes.
static LogicalResult padToStatic(stablehlo::CustomCallOp op, Values &values) {
  BoundedBuilder m(op);
  Extents from =
      op.getNumOperands() == 1 ? values.of(op.getOperand(0)) : Extents();
  if (op.getNumOperands() != 1 || op.getNumResults() != from.size() + 1)
    return op.emitError("custom call @PadToStatic expects one operand, and "
                        "results for it and each of its dimensions");
  op.getResult(0).replaceAllUsesWith(stablehlo::ReshapeOp::create(
      m.b, m.loc, op.getOperand(0).getType(), op.getOperand(0)));
  for (auto [result, e] : llvm::zip(op.getResults().drop_front(), from))
    result.replaceAllUsesWith(
        m.convert(m.used(e), BoundedBuilder::typeOf(result).getElementType()));
  op.erase();
  return success();
}

/// The inverse: a padded tensor and its sizes become a bounded tensor.
static LogicalResult sliceToDynamic(stablehlo::CustomCallOp op,
                                    Values &values) {
  BoundedBuilder m(op);
  Extents to = op.getNumOperands() ? values.of(op.getOperand(0)) : Extents();
  if (op.getNumResults() != 1 || op.getNumOperands() != to.size() + 1)
    return op.emitError("custom call @SliceToDynamic expects a tensor and the "
                        "size of each of its dimensions, and one result");
  auto declared = declaredResult(op);
  if (failed(declared))
    return failure();
  for (auto [d, e] : llvm::enumerate(to)) {
    Value size = op.getOperand(d + 1);
    if (BoundedBuilder::typeOf(size).getRank() != 0)
      return op.emitError(
          "custom call @SliceToDynamic expects sizes that are scalars");
    if (BoundedBuilder::typeOf(op.getResult(0)).isDynamicDim(d))
      e.used = m.convert(size, m.b.getI32Type());
    e.bound = std::min(e.bound, (*declared)[d].bound);
  }
  Value x = m.resized(op.getOperand(0), bounds(to));
  if (x == op.getOperand(0))
    x = stablehlo::ReshapeOp::create(m.b, m.loc, x.getType(), x);
  values.set(x, to);
  replace(op, x);
  return success();
}

/// Number of the last dimensions of the first operand that the library function
/// reads; those before are batch dimensions. 0 for other calls.
static int64_t matrixRank(StringRef target) {
  if (target.starts_with("lapack_") && target.ends_with("_ffi"))
    return target.contains("gtsv") ? 1 : 2;
  return target == "Qr" || target == "ProductOfElementaryHouseholderReflectors"
             ? 2
             : 0;
}

LogicalResult padCustomCall(stablehlo::CustomCallOp op, Values &values) {
  StringRef target = op.getCallTargetName();
  if (target == "PadToStatic")
    return padToStatic(op, values);
  if (target == "SliceToDynamic")
    return sliceToDynamic(op, values);
  auto refuse = [&](StringRef what) {
    return op.emitError() << "custom call @" << target
                          << " on dimensions of bounded size is not supported"
                          << what;
  };
  int64_t rank = matrixRank(target);
  if (rank == 0)
    return refuse("");
  // Fill the unused part of the batch with zero matrices.
  BoundedBuilder m(op);
  Extents batch;
  for (OpOperand &operand : op->getOpOperands()) {
    Extents own = values.of(operand.get());
    if (operand.getOperandNumber() == 0) {
      if (int64_t(own.size()) < rank)
        return refuse("");
      batch = Extents(ArrayRef(own).drop_back(rank));
    }
    if (own.size() < batch.size())
      return refuse(": an operand has no batch dimensions");
    for (auto [d, e] : llvm::enumerate(own))
      if (d < batch.size() && e.used && !batch[d].used)
        batch[d] = e;
      else if (d >= batch.size() && e.used)
        return refuse(", except for batch dimensions");
    operand.set(m.maskedByZero(operand.get(), own, allDims(operand.get())));
  }
  for (Value result : op.getResults()) {
    RankedTensorType type = BoundedBuilder::typeOf(result);
    Extents to = batch;
    if (type.getRank() < int64_t(batch.size()))
      return refuse(": a result has no batch dimensions");
    for (int64_t size : type.getShape().drop_front(batch.size())) {
      if (ShapedType::isDynamic(size))
        return refuse(", except for batch dimensions");
      to.push_back({size, nullptr});
    }
    values.set(result, to);
  }
  return success();
}

} // namespace shardwright::bounded
