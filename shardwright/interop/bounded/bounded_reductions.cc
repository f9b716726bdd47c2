//===- bounded_reductions.cc - reductions and sorts ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/bounded/bounded_ops.h"
#include "shardwright/rules/reducer.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace shardwright::bounded {

/// The identities of the region. If they are unknown, the initial values, which
/// should then be identities.
static SmallVector<Value> neutral(BoundedBuilder &m, Region &body,
                                  ValueRange initValues) {
  SmallVector<Value> fills(initValues);
  auto kinds = classifyReducer(body);
  for (size_t i = 0; i < fills.size() && i < kinds.size(); ++i) {
    RankedTensorType type = BoundedBuilder::typeOf(fills[i]);
    if (!kinds[i])
      continue;
    if (TypedAttr identity = identityElement(*kinds[i], type.getElementType()))
      fills[i] = stablehlo::ConstantOp::create(
          m.b, m.loc, splatOf(type.clone(Dims{}), identity));
  }
  return fills;
}

LogicalResult padReduce(stablehlo::ReduceOp op, Values &values) {
  BoundedBuilder m(op);
  size_t n = op.getInputs().size();
  Extents from = commonExtents(op.getInputs(), values), to;
  SmallVector<Value> fills;
  if (llvm::any_of(op.getDimensions(),
                   [&](int64_t d) { return bool(from[d].used); }))
    fills = neutral(m, op.getBody(), op.getInitValues());
  for (size_t i = 0; i < n; ++i) {
    Value input = m.resized(op.getInputs()[i], bounds(from));
    op->setOperand(
        i, fills.empty() ? input
                         : m.masked(input, from, op.getDimensions(), fills[i]));
  }
  for (auto [d, e] : llvm::enumerate(from))
    if (!llvm::is_contained(op.getDimensions(), d))
      to.push_back(e);
  for (Value result : op.getResults())
    values.set(result, to);
  return success();
}

/// Sorts the used elements to the front; calls the comparator only for two used
/// elements.
LogicalResult padSort(stablehlo::SortOp op, Values &values) {
  BoundedBuilder m(op);
  Extents extents = commonExtents(op.getInputs(), values);
  SmallVector<int64_t> shape = bounds(extents);
  for (OpOperand &operand : op->getOpOperands())
    operand.set(m.resized(operand.get(), shape));
  int64_t dim = op.getDimension();
  if (dim < 0)
    dim += shape.size();
  if (!extents[dim].used) {
    for (Value result : op.getResults())
      values.set(result, extents);
    return success();
  }
  SmallVector<Value> inputs(op.getInputs());
  inputs.push_back(m.inside(shape, extents, {dim}));
  SmallVector<Type> types;
  for (Value input : inputs)
    types.push_back(input.getType());
  auto sort = stablehlo::SortOp::create(m.b, m.loc, types, inputs,
                                        uint64_t(dim), op.getIsStable());
  sort.getComparator().takeBody(op.getComparator());
  Block &body = sort.getComparator().front();
  auto flag = RankedTensorType::get({}, m.b.getI1Type());
  Value left = body.addArgument(flag, m.loc),
        right = body.addArgument(flag, m.loc);
  Operation *end = body.getTerminator();
  BoundedBuilder inner(end);
  Value before = end->getOperand(0);
  Value both = inner.binary<stablehlo::AndOp>(left, before);
  // True if only left is used, or if both are used and the comparator returns
  // true.
  Value notRight = inner.unary<stablehlo::NotOp>(right);
  end->setOperand(0, inner.binary<stablehlo::OrOp>(
                         inner.binary<stablehlo::AndOp>(both, right),
                         inner.binary<stablehlo::AndOp>(left, notRight)));
  for (auto [old, result] :
       llvm::zip(op.getResults(), sort.getResults().drop_back())) {
    values.set(result, extents);
    old.replaceAllUsesWith(result);
  }
  op.erase();
  return success();
}

} // namespace shardwright::bounded
