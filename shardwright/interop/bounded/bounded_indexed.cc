//===- bounded_indexed.cc - gathers and scatters ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/bounded/bounded_ops.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace shardwright::bounded {

LogicalResult padGather(stablehlo::GatherOp op, Values &values) {
  auto numbers = op.getDimensionNumbers();
  Extents from = values.of(op.getOperand()),
          indices = values.of(op.getStartIndices());
  RankedTensorType type = BoundedBuilder::typeOf(op.getResult());
  Extents batch, offset, to;
  for (auto [d, e] : llvm::enumerate(indices))
    if (int64_t(d) != numbers.getIndexVectorDim())
      batch.push_back(e);
  for (auto [d, e] : llvm::enumerate(from))
    if (!llvm::is_contained(numbers.getCollapsedSliceDims(), d) &&
        !llvm::is_contained(numbers.getOperandBatchingDims(), d)) {
      int64_t size = op.getSliceSizes()[d];
      offset.push_back(size == e.bound ? e : Extent{size, nullptr});
    }
  size_t nextBatch = 0, nextOffset = 0;
  for (int64_t d = 0; d < type.getRank(); ++d)
    to.push_back(llvm::is_contained(numbers.getOffsetDims(), d)
                     ? offset[nextOffset++]
                     : batch[nextBatch++]);
  values.set(op.getResult(), to);
  return success();
}

/// A slice of dynamic size gets the size of its bound, from the start of its
/// dimension.
LogicalResult padDynamicGather(stablehlo::DynamicGatherOp op, Values &values) {
  BoundedBuilder m(op);
  auto numbers = op.getDimensionNumbers();
  auto declared = declaredResult(op);
  if (failed(declared))
    return failure();
  RankedTensorType type = BoundedBuilder::typeOf(op.getResult());
  auto known = constantIntegers(op.getSliceSizes());
  SmallVector<int64_t> sizes;
  SmallVector<std::pair<int64_t, Value>> used;
  Dims offset = numbers.getOffsetDims();
  for (int64_t d = 0; d < BoundedBuilder::typeOf(op.getOperand()).getRank();
       ++d) {
    if (llvm::is_contained(numbers.getCollapsedSliceDims(), d) ||
        llvm::is_contained(numbers.getOperandBatchingDims(), d)) {
      sizes.push_back(known ? (*known)[d] : 1);
      continue;
    }
    int64_t at = offset.front();
    offset = offset.drop_front();
    sizes.push_back(known ? (*known)[d] : (*declared)[at].bound);
    if (known || !type.isDynamicDim(at))
      continue;
    if (llvm::is_contained(numbers.getStartIndexMap(), d))
      return op.emitError("of slices of bounded size that start anywhere is "
                          "not supported");
    used.push_back({at, m.element(op.getSliceSizes(), d)});
  }
  auto gather = stablehlo::GatherOp::create(m.b, m.loc, type, op.getOperand(),
                                            op.getStartIndices(), numbers,
                                            sizes, op.getIndicesAreSorted());
  replace(op, gather);
  if (failed(padGather(gather, values)))
    return failure();
  Extents to = values.of(gather);
  for (auto [d, size] : used)
    to[d].used = size;
  values.set(gather, to);
  return success();
}

/// Adds an operand to the scatter that flags the used updates; the other
/// updates change nothing.
static stablehlo::ScatterOp withFlags(stablehlo::ScatterOp op, Value flags) {
  BoundedBuilder m(op);
  size_t n = op.getInputs().size();
  SmallVector<Value> inputs(op.getInputs()), updates(op.getUpdates());
  inputs.push_back(
      m.zeros(BoundedBuilder::typeOf(inputs.front()).clone(m.b.getI1Type())));
  updates.push_back(flags);
  SmallVector<Type> types;
  for (Value input : inputs)
    types.push_back(input.getType());
  auto wider = stablehlo::ScatterOp::create(
      m.b, m.loc, types, inputs, op.getScatterIndices(), updates,
      op.getScatterDimensionNumbers(), op.getIndicesAreSorted(),
      op.getUniqueIndices());
  wider.getUpdateComputation().takeBody(op.getUpdateComputation());
  Block &body = wider.getUpdateComputation().front();
  auto scalar = RankedTensorType::get({}, m.b.getI1Type());
  Value old = body.insertArgument(n, scalar, m.loc),
        flag = body.addArgument(scalar, m.loc);
  Operation *end = body.getTerminator();
  BoundedBuilder inner(end);
  SmallVector<Value> returned;
  for (size_t i = 0; i < n; ++i)
    returned.push_back(
        inner.select(flag, end->getOperand(i), body.getArgument(i)));
  returned.push_back(old);
  end->setOperands(returned);
  for (auto [before, after] : llvm::zip(op.getResults(), wider.getResults()))
    before.replaceAllUsesWith(after);
  op.erase();
  return wider;
}

/// Makes the indices of updates in the padding out of bounds.
LogicalResult padScatter(stablehlo::ScatterOp op, Values &values) {
  auto numbers = op.getScatterDimensionNumbers();
  BoundedBuilder m(op);
  Extents inputs = commonExtents(op.getInputs(), values),
          updates = commonExtents(op.getUpdates(), values),
          indices = values.of(op.getScatterIndices());
  // Both have the same used sizes.
  int64_t next = 0;
  for (int64_t d = 0; d < int64_t(updates.size()); ++d) {
    if (llvm::is_contained(numbers.getUpdateWindowDims(), d))
      continue;
    if (next == numbers.getIndexVectorDim())
      ++next;
    Extent &mine = updates[d], &other = indices[next++];
    mine.bound = other.bound = std::min(mine.bound, other.bound);
    mine.used = other.used = other.used ? other.used : mine.used;
  }
  for (OpOperand &operand : op->getOpOperands()) {
    size_t i = operand.getOperandNumber(), n = op.getInputs().size();
    operand.set(m.resized(operand.get(), bounds(i < n    ? inputs
                                                : i == n ? indices
                                                         : updates)));
  }
  if (Value flags =
          m.inside(bounds(updates), updates, numbers.getUpdateWindowDims())) {
    op = withFlags(op, flags);
    m.b.setInsertionPoint(op);
  }
  if (llvm::any_of(indices, [](const Extent &e) { return bool(e.used); })) {
    Value list = op.getScatterIndices();
    RankedTensorType type = BoundedBuilder::typeOf(list);
    if (auto integer = dyn_cast<IntegerType>(type.getElementType());
        integer && integer.isUnsigned() && integer.getWidth() < 32) {
      list = m.convert(list, m.b.getI32Type());
      type = BoundedBuilder::typeOf(list);
    }
    Value outside =
        m.splat(-1, RankedTensorType::get({}, type.getElementType()));
    op.getScatterIndicesMutable().assign(
        m.masked(list, indices, allDims(list), outside));
  }
  for (Value result : op.getResults())
    values.set(result, inputs);
  return success();
}

} // namespace shardwright::bounded
