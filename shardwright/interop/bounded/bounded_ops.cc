//===- bounded_ops.cc - operations on bounded tensors ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each kind of operation: it hides from the operation what it
// must not see of the padding, and says what is used of the results.
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/bounded/bounded_values.h"
#include "shardwright/rules/reducer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright::bounded {

using stablehlo::ComparisonDirection;

static SmallVector<int64_t> bounds(const Extents &extents) {
  SmallVector<int64_t> shape;
  for (const Extent &e : extents)
    shape.push_back(e.bound);
  return shape;
}

static SmallVector<int64_t> allDims(Value x) {
  return llvm::to_vector(llvm::seq<int64_t>(0, Maker::typeOf(x).getRank()));
}

//===----------------------------------------------------------------------===//
// The same elements, or each for itself
//===----------------------------------------------------------------------===//

/// The operands have one shape where they are used; in the narrowest bounds.
static LogicalResult padElementwise(Operation *op, Values &values) {
  Maker m(op);
  Extents common;
  auto isScalar = [](Value v) { return Maker::typeOf(v).getRank() == 0; };
  for (Value operand : op->getOperands()) {
    if (isScalar(operand))
      continue;
    Extents own = values.of(operand);
    if (common.empty())
      common = own;
    for (auto [mine, e] : llvm::zip_equal(common, own)) {
      mine.bound = std::min(mine.bound, e.bound);
      if (!mine.used)
        mine.used = e.used;
    }
  }
  for (OpOperand &operand : op->getOpOperands())
    if (!isScalar(operand.get()))
      operand.set(m.resized(operand.get(), bounds(common)));
  for (Value result : op->getResults())
    values.set(result, common);
  return success();
}

/// Each result is what its operand is.
static LogicalResult padPassed(Operation *op, Values &values) {
  for (auto [operand, result] :
       llvm::zip_equal(op->getOperands(), op->getResults()))
    if (isa<RankedTensorType>(operand.getType()))
      values.set(result, values.of(operand));
  return success();
}

static LogicalResult padSetSize(stablehlo::SetDimensionSizeOp op,
                                Values &values) {
  Extents extents = values.of(op.getOperand());
  extents[op.getDimension()].used = op.getSize();
  Value x = op.getOperand();
  // The operand may have other uses, of its own size.
  Maker m(op);
  Value copy = stablehlo::ReshapeOp::create(m.b, m.loc, x.getType(), x);
  values.set(copy, extents);
  replace(op, copy);
  return success();
}

static LogicalResult padGetSize(stablehlo::GetDimensionSizeOp op,
                                Values &values) {
  Maker m(op);
  Extents extents = values.of(op.getOperand());
  replace(op, m.used(extents[op.getDimension()]));
  return success();
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

static LogicalResult padBroadcast(stablehlo::BroadcastInDimOp op,
                                  Values &values) {
  Extents from = values.of(op.getOperand());
  auto declared = declaredExtents(Maker::typeOf(op.getResult()));
  if (failed(declared))
    return op.emitError("has a result of no bound");
  Extents to = *declared;
  for (auto [e, d] : llvm::zip_equal(from, op.getBroadcastDimensions()))
    if (e.bound != 1 || e.used)
      to[d] = e;
  values.set(op.getResult(), to);
  return success();
}

static LogicalResult padTranspose(stablehlo::TransposeOp op, Values &values) {
  Extents from = values.of(op.getOperand()), to;
  for (int64_t d : op.getPermutation())
    to.push_back(from[d]);
  values.set(op.getResult(), to);
  return success();
}

/// A slice of a whole dimension keeps what is used of it; any other slice is
/// as large as it says, as in XLA.
static LogicalResult padSlice(stablehlo::SliceOp op, Values &values) {
  Maker m(op);
  Extents from = values.of(op.getOperand()), to;
  RankedTensorType declared = Maker::typeOf(op.getResult());
  for (int64_t d = 0; d < declared.getRank(); ++d) {
    int64_t start = op.getStartIndices()[d], limit = op.getLimitIndices()[d],
            stride = op.getStrides()[d];
    Extent e{(limit - start + stride - 1) / stride, nullptr};
    bool isWhole = start == 0 && limit == from[d].bound;
    if (from[d].used && (isWhole || declared.isDynamicDim(d))) {
      Value end = from[d].used;
      if (!isWhole)
        end = m.binary<stablehlo::MinOp>(end, m.number(limit));
      e.used =
          m.ceilDivide(m.atLeastZero(m.subtract(end, m.number(start))), stride);
    }
    to.push_back(e);
  }
  values.set(op.getResult(), to);
  return success();
}

static LogicalResult padPad(stablehlo::PadOp op, Values &values) {
  Maker m(op);
  Extents from = values.of(op.getOperand()), to;
  // Beyond the end is padding, whoever wrote it.
  op.getOperandMutable().assign(m.masked(
      op.getOperand(), from, allDims(op.getOperand()), op.getPaddingValue()));
  for (auto [d, e] : llvm::enumerate(from)) {
    int64_t low = op.getEdgePaddingLow()[d], high = op.getEdgePaddingHigh()[d],
            interior = op.getInteriorPadding()[d];
    auto dilated = [&](int64_t n) {
      return n + std::max<int64_t>(n - 1, 0) * interior;
    };
    Extent grown{std::max<int64_t>(low + dilated(e.bound) + high, 0), nullptr};
    if (e.used) {
      Value size = e.used;
      if (interior != 0)
        size =
            m.add(size, m.multiply(m.atLeastZero(m.subtract(size, m.number(1))),
                                   m.number(interior)));
      grown.used = m.atLeastZero(m.add(size, m.number(low + high)));
    }
    to.push_back(grown);
  }
  values.set(op.getResult(), to);
  return success();
}

/// Along the dimension the parts are written one after another, each over the
/// unused end of the one before.
static LogicalResult padConcatenate(stablehlo::ConcatenateOp op,
                                    Values &values) {
  Maker m(op);
  int64_t dim = op.getDimension();
  Extents to = values.of(op.getInputs().front());
  Value end;
  int64_t bound = 0;
  bool isBounded = false;
  for (Value input : op.getInputs()) {
    Extents own = values.of(input);
    isBounded |= bool(own[dim].used);
    bound += own[dim].bound;
    for (auto [d, e] : llvm::enumerate(own))
      if (int64_t(d) != dim) {
        to[d].bound = std::min(to[d].bound, e.bound);
        if (!to[d].used)
          to[d].used = e.used;
      }
  }
  to[dim] = {bound, nullptr};
  auto fitted = [&](Value input) {
    SmallVector<int64_t> shape = bounds(to);
    shape[dim] = Maker::typeOf(input).getDimSize(dim);
    return m.resized(input, shape);
  };
  if (!isBounded) {
    for (OpOperand &input : op->getOpOperands())
      input.set(fitted(input.get()));
    values.set(op.getResult(), to);
    return success();
  }
  RankedTensorType type = Maker::typeOf(op.getInputs().front());
  Value all = m.zeros(type.clone(Dims(bounds(to)))), zero = m.number(0);
  for (Value input : op.getInputs()) {
    SmallVector<Value> at(to.size(), zero);
    if (end)
      at[dim] = end;
    all = stablehlo::DynamicUpdateSliceOp::create(m.b, m.loc, all.getType(),
                                                  all, fitted(input), at);
    Value size = m.used(values.of(input)[dim]);
    end = end ? m.add(end, size) : size;
  }
  to[dim].used = end;
  values.set(all, to);
  replace(op, all);
  return success();
}

static LogicalResult padReverse(stablehlo::ReverseOp op, Values &values) {
  Maker m(op);
  Extents extents = values.of(op.getOperand());
  Value x = op.getOperand();
  SmallVector<int64_t> whole;
  for (int64_t d : op.getDimensions()) {
    if (!extents[d].used) {
      whole.push_back(d);
      continue;
    }
    int64_t n = extents[d].bound;
    Value last = m.subtract(extents[d].used, m.number(1));
    x = m.takeAlong(x, d, m.subtract(m.spread(last, n), m.counting(n)));
  }
  if (!whole.empty())
    x = stablehlo::ReverseOp::create(m.b, m.loc, x.getType(), x, whole);
  values.set(x, extents);
  replace(op, x);
  return success();
}

static LogicalResult padDynamicSlice(stablehlo::DynamicSliceOp op,
                                     Values &values) {
  Extents from = values.of(op.getOperand()), to;
  for (auto [e, size] : llvm::zip_equal(from, op.getSliceSizes()))
    to.push_back(size == e.bound ? e : Extent{size, nullptr});
  values.set(op.getResult(), to);
  return success();
}

/// Only the used part of the update is written.
static LogicalResult padUpdateSlice(stablehlo::DynamicUpdateSliceOp op,
                                    Values &values) {
  Maker m(op);
  Value update = op.getUpdate();
  Extents inner = values.of(update);
  Dims shape = Maker::typeOf(update).getShape();
  if (Value within = m.inside(shape, inner, allDims(update))) {
    Value old = stablehlo::DynamicSliceOp::create(m.b, m.loc, update.getType(),
                                                  op.getOperand(),
                                                  op.getStartIndices(), shape);
    op.getUpdateMutable().assign(m.select(within, update, old));
  }
  values.set(op.getResult(), values.of(op.getOperand()));
  return success();
}

static LogicalResult padGather(stablehlo::GatherOp op, Values &values) {
  auto numbers = op.getDimensionNumbers();
  Extents from = values.of(op.getOperand()),
          indices = values.of(op.getStartIndices());
  RankedTensorType type = Maker::typeOf(op.getResult());
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

/// Updates beyond the used part go nowhere: their indices are out of bounds.
static LogicalResult padScatter(stablehlo::ScatterOp op, Values &values) {
  auto numbers = op.getScatterDimensionNumbers();
  Maker m(op);
  for (Value update : op.getUpdates()) {
    Extents extents = values.of(update);
    for (int64_t d : numbers.getUpdateWindowDims())
      if (extents[d].used)
        return op.emitError("with update windows of bounded size is not "
                            "supported");
  }
  Value indices = op.getScatterIndices();
  Extents batch = values.of(indices);
  // The sizes of the updates count where the indices have none.
  size_t next = 0;
  Extents updates = values.of(op.getUpdates().front());
  for (int64_t d = 0; d < int64_t(updates.size()); ++d) {
    if (llvm::is_contained(numbers.getUpdateWindowDims(), d))
      continue;
    if (int64_t(next) == numbers.getIndexVectorDim())
      ++next;
    if (next < batch.size() && !batch[next].used)
      batch[next].used = updates[d].used;
    ++next;
  }
  if (llvm::any_of(batch, [](const Extent &e) { return bool(e.used); })) {
    RankedTensorType type = Maker::typeOf(indices);
    if (auto integer = dyn_cast<IntegerType>(type.getElementType());
        integer && integer.isUnsigned() && integer.getWidth() < 32) {
      indices = m.convert(indices, m.b.getI32Type());
      type = Maker::typeOf(indices);
    }
    Value outside =
        m.splat(-1, RankedTensorType::get({}, type.getElementType()));
    op.getScatterIndicesMutable().assign(
        m.masked(indices, batch, allDims(indices), outside));
  }
  for (auto [input, result] : llvm::zip_equal(op.getInputs(), op.getResults()))
    values.set(result, values.of(input));
  return success();
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// What changes nothing where the region combines it with anything: where it is
/// not plain what that is, the initial value, which then should be that.
static SmallVector<Value> neutral(Maker &m, Region &body,
                                  ValueRange initValues) {
  SmallVector<Value> fills(initValues);
  auto kinds = classifyReducer(body);
  for (size_t i = 0; i < fills.size() && i < kinds.size(); ++i) {
    RankedTensorType type = Maker::typeOf(fills[i]);
    if (!kinds[i])
      continue;
    if (TypedAttr identity = identityElement(*kinds[i], type.getElementType()))
      fills[i] = stablehlo::ConstantOp::create(
          m.b, m.loc,
          DenseElementsAttr::get(type.clone(Dims{}), Attribute(identity)));
  }
  return fills;
}

static LogicalResult padReduce(stablehlo::ReduceOp op, Values &values) {
  Maker m(op);
  size_t n = op.getInputs().size();
  Extents from = values.of(op.getInputs()[0]), to;
  for (Value input : op.getInputs())
    for (auto [mine, e] : llvm::zip_equal(from, values.of(input))) {
      mine.bound = std::min(mine.bound, e.bound);
      if (!mine.used)
        mine.used = e.used;
    }
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

/// How many windows fit into a bounded dimension.
static Value windows(Maker &m, Value used, int64_t low, int64_t high,
                     int64_t baseDilation, int64_t window, int64_t stride) {
  Value size = used;
  if (baseDilation > 1)
    size = m.add(m.multiply(m.atLeastZero(m.subtract(used, m.number(1))),
                            m.number(baseDilation)),
                 m.binary<stablehlo::MinOp>(used, m.number(1)));
  size = m.add(size, m.number(low + high - window));
  size = m.atLeastZero(m.add(size, m.number(stride)));
  return stride == 1 ? size : m.divide(size, m.number(stride));
}

static int64_t at(std::optional<Dims> list, int64_t d) {
  return list ? (*list)[d] : 1;
}
static int64_t padding(DenseIntElementsAttr attr, int64_t d, int64_t side) {
  return attr ? attr.getValues<int64_t>()[2 * d + side] : 0;
}

static LogicalResult padReduceWindow(stablehlo::ReduceWindowOp op,
                                     Values &values) {
  Maker m(op);
  Extents from = values.of(op.getInputs()[0]), to;
  for (Value input : op.getInputs().drop_front())
    if (Maker::typeOf(input).getShape() != Dims(bounds(from)))
      return op.emitError("with operands of different bounds is not supported");
  // Beyond the end the windows see what they see in the padding.
  size_t n = op.getInputs().size();
  for (size_t i = 0; i < n; ++i)
    op->setOperand(i,
                   m.masked(op.getInputs()[i], from, allDims(op.getInputs()[i]),
                            op.getInitValues()[i]));
  DenseIntElementsAttr pads = op.getPaddingAttr();
  for (auto [d, e] : llvm::enumerate(from)) {
    int64_t low = padding(pads, d, 0), high = padding(pads, d, 1),
            base = at(op.getBaseDilations(), d),
            stride = at(op.getWindowStrides(), d),
            window = (op.getWindowDimensions()[d] - 1) *
                         at(op.getWindowDilations(), d) +
                     1;
    if (op.getWindowDimensions()[d] == 0)
      window = 0;
    int64_t room = (e.bound == 0 ? 0 : (e.bound - 1) * base + 1) + low + high;
    Extent out{room < window ? 0 : (room - window) / stride + 1, nullptr};
    if (e.used)
      out.used = windows(m, e.used, low, high, base, window, stride);
    to.push_back(out);
  }
  for (Value result : op.getResults())
    values.set(result, to);
  return success();
}

static LogicalResult padDot(stablehlo::DotGeneralOp op, Values &values) {
  Maker m(op);
  auto numbers = op.getDotDimensionNumbers();
  Extents lhs = values.of(op.getLhs()), rhs = values.of(op.getRhs()), to;
  // Where one side of a pair is bounded, so is the other.
  auto agree = [&](Dims left, Dims right) {
    for (auto [l, r] : llvm::zip_equal(left, right)) {
      int64_t bound = std::min(lhs[l].bound, rhs[r].bound);
      Value used = lhs[l].used ? lhs[l].used : rhs[r].used;
      lhs[l] = rhs[r] = {bound, used};
    }
  };
  Dims leftBatch = numbers.getLhsBatchingDimensions(),
       rightBatch = numbers.getRhsBatchingDimensions(),
       leftSum = numbers.getLhsContractingDimensions(),
       rightSum = numbers.getRhsContractingDimensions();
  agree(leftBatch, rightBatch);
  agree(leftSum, rightSum);
  op.getLhsMutable().assign(
      m.maskedByZero(m.resized(op.getLhs(), bounds(lhs)), lhs, leftSum));
  op.getRhsMutable().assign(
      m.maskedByZero(m.resized(op.getRhs(), bounds(rhs)), rhs, rightSum));
  for (int64_t d : leftBatch)
    to.push_back(lhs[d]);
  auto free = [&](const Extents &side, Dims batch, Dims sum) {
    for (auto [d, e] : llvm::enumerate(side))
      if (!llvm::is_contained(batch, d) && !llvm::is_contained(sum, d))
        to.push_back(e);
  };
  free(lhs, leftBatch, leftSum);
  free(rhs, rightBatch, rightSum);
  values.set(op.getResult(), to);
  return success();
}

static LogicalResult padConvolution(stablehlo::ConvolutionOp op,
                                    Values &values) {
  Maker m(op);
  auto numbers = op.getDimensionNumbers();
  Extents in = values.of(op.getLhs()), kernel = values.of(op.getRhs());
  auto declared = declaredExtents(Maker::typeOf(op.getResult()));
  if (failed(declared))
    return op.emitError("has a result of no bound");
  Extents to = *declared;
  for (int64_t d : numbers.getKernelSpatialDimensions())
    if (kernel[d].used)
      return op.emitError("with a kernel of bounded size is not supported");
  if (kernel[numbers.getKernelOutputFeatureDimension()].used ||
      (op.getBatchGroupCount() != 1 &&
       in[numbers.getInputBatchDimension()].used) ||
      (op.getFeatureGroupCount() != 1 &&
       in[numbers.getInputFeatureDimension()].used))
    return op.emitError("in groups, or with output features, of bounded size "
                        "is not supported");
  to[numbers.getOutputBatchDimension()] = in[numbers.getInputBatchDimension()];
  if (op.getBatchGroupCount() != 1)
    to[numbers.getOutputBatchDimension()].bound /= op.getBatchGroupCount();
  SmallVector<int64_t> summed(numbers.getInputSpatialDimensions());
  summed.push_back(numbers.getInputFeatureDimension());
  Extents kernelSeen = kernel;
  kernelSeen[numbers.getKernelInputFeatureDimension()].used =
      in[numbers.getInputFeatureDimension()].used;
  op.getLhsMutable().assign(m.maskedByZero(op.getLhs(), in, summed));
  op.getRhsMutable().assign(m.maskedByZero(
      op.getRhs(), kernelSeen, {numbers.getKernelInputFeatureDimension()}));
  DenseIntElementsAttr pads = op.getPaddingAttr();
  for (size_t i = 0; i < numbers.getInputSpatialDimensions().size(); ++i) {
    const Extent &e = in[numbers.getInputSpatialDimensions()[i]];
    if (!e.used)
      continue;
    int64_t size = kernel[numbers.getKernelSpatialDimensions()[i]].bound;
    int64_t window = (size - 1) * at(op.getRhsDilation(), i) + 1;
    int64_t low = padding(pads, i, 0), high = padding(pads, i, 1),
            base = at(op.getLhsDilation(), i),
            stride = at(op.getWindowStrides(), i);
    int64_t room = (e.bound - 1) * base + 1 + low + high;
    to[numbers.getOutputSpatialDimensions()[i]] = {
        room < window ? 0 : (room - window) / stride + 1,
        windows(m, e.used, low, high, base, window, stride)};
  }
  values.set(op.getResult(), to);
  return success();
}

/// The used elements come first, whatever the comparator says of the others:
/// it is asked only about two that are used.
static LogicalResult padSort(stablehlo::SortOp op, Values &values) {
  Maker m(op);
  Extents extents = values.of(op.getInputs()[0]);
  for (Value input : op.getInputs().drop_front())
    for (auto [mine, e] : llvm::zip_equal(extents, values.of(input))) {
      mine.bound = std::min(mine.bound, e.bound);
      if (!mine.used)
        mine.used = e.used;
    }
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
  Maker inner(end);
  Value before = end->getOperand(0);
  Value both = inner.binary<stablehlo::AndOp>(left, before);
  // left and not right, or both used and before.
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

//===----------------------------------------------------------------------===//
// Sizes that the program computes
//===----------------------------------------------------------------------===//

static LogicalResult padDynamicBroadcast(stablehlo::DynamicBroadcastInDimOp op,
                                         Values &values) {
  Maker m(op);
  RankedTensorType type = Maker::typeOf(op->getResult(0));
  auto declared = declaredExtents(type);
  if (failed(declared))
    return op.emitError("has a result of no bound");
  Extents to = *declared, from = values.of(op.getOperand());
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      to[d].used = m.element(op.getOutputDimensions(), d);
  SmallVector<int64_t> shape;
  for (auto [e, d] : llvm::zip_equal(from, op.getBroadcastDimensions())) {
    if (e.used && e.bound == 1)
      return op.emitError("of a dimension that may be empty is not supported");
    shape.push_back(e.bound == 1 && !e.used ? 1 : to[d].bound);
  }
  Value x = m.resized(op.getOperand(), shape);
  Value result = m.broadcast(x, bounds(to), op.getBroadcastDimensions());
  values.set(result, to);
  replace(op, result);
  return success();
}

static LogicalResult padDynamicIota(stablehlo::DynamicIotaOp op,
                                    Values &values) {
  Maker m(op);
  RankedTensorType type = Maker::typeOf(op.getResult());
  auto to = declaredExtents(type);
  if (failed(to))
    return op.emitError("has a result of no bound");
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      (*to)[d].used = m.element(op.getOutputShape(), d);
  auto padded = RankedTensorType::get(bounds(*to), type.getElementType());
  Value result = m.iota(padded, op.getIotaDimension());
  values.set(result, *to);
  replace(op, result);
  return success();
}

/// result[i] = x[start + i * stride] in each dimension.
static LogicalResult padRealSlice(stablehlo::RealDynamicSliceOp op,
                                  Values &values) {
  Maker m(op);
  RankedTensorType type = Maker::typeOf(op.getResult());
  auto to = declaredExtents(type);
  if (failed(to))
    return op.emitError("has a result of no bound");
  Value x = op.getOperand();
  for (int64_t d = 0; d < type.getRank(); ++d) {
    Value start = m.element(op.getStartIndices(), d),
          limit = m.element(op.getLimitIndices(), d),
          stride = m.element(op.getStrides(), d);
    if (type.isDynamicDim(d)) {
      Value size =
          m.subtract(m.add(m.subtract(limit, start), stride), m.number(1));
      (*to)[d].used = m.divide(m.atLeastZero(size), stride);
    }
    int64_t n = (*to)[d].bound;
    Value steps = m.multiply(m.counting(n), m.spread(stride, n));
    x = m.takeAlong(x, d, m.add(m.spread(start, n), steps));
  }
  values.set(x, *to);
  replace(op, x);
  return success();
}

/// result[i] = x[(i - low) / (interior + 1)] where that is an element of x.
static LogicalResult padDynamicPad(stablehlo::DynamicPadOp op, Values &values) {
  Maker m(op);
  RankedTensorType type = Maker::typeOf(op.getResult());
  auto to = declaredExtents(type);
  if (failed(to))
    return op.emitError("has a result of no bound");
  Extents from = values.of(op.getOperand());
  Value x = op.getOperand(), all;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    Value low = m.element(op.getEdgePaddingLow(), d),
          high = m.element(op.getEdgePaddingHigh(), d),
          step = m.add(m.element(op.getInteriorPadding(), d), m.number(1)),
          size = m.used(from[d]);
    if (type.isDynamicDim(d)) {
      Value holes = m.multiply(m.atLeastZero(m.subtract(size, m.number(1))),
                               m.subtract(step, m.number(1)));
      (*to)[d].used =
          m.atLeastZero(m.add(m.add(low, high), m.add(size, holes)));
    }
    int64_t n = (*to)[d].bound;
    Value offset = m.subtract(m.counting(n), m.spread(low, n)),
          steps = m.spread(step, n), zero = m.spread(m.number(0), n);
    Value source = m.divide(offset, steps);
    Value fits = m.binary<stablehlo::AndOp>(
        m.compare(offset, zero, ComparisonDirection::GE),
        m.binary<stablehlo::AndOp>(
            m.compare(m.binary<stablehlo::RemOp>(offset, steps), zero,
                      ComparisonDirection::EQ),
            m.compare(source, m.spread(size, n), ComparisonDirection::LT)));
    x = from[d].bound == 0
            ? m.resized(x,
                        [&] {
                          SmallVector<int64_t> s(Maker::typeOf(x).getShape());
                          s[d] = n;
                          return s;
                        }())
            : m.takeAlong(x, d, source);
    Value here = m.broadcast(fits, bounds(*to), {d});
    all = all ? m.binary<stablehlo::AndOp>(all, here) : here;
  }
  if (all)
    x = m.select(all, x, m.broadcast(op.getPaddingValue(), bounds(*to), {}));
  values.set(x, *to);
  replace(op, x);
  return success();
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

LogicalResult padOp(Operation *op, Values &values) {
  if (op->hasTrait<OpTrait::Elementwise>())
    return padElementwise(op, values);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<stablehlo::SelectOp, stablehlo::ClampOp>(
          [&](Operation *o) { return padElementwise(o, values); })
      .Case<stablehlo::OptimizationBarrierOp, stablehlo::AllReduceOp,
            stablehlo::CollectivePermuteOp, stablehlo::CollectiveBroadcastOp>(
          [&](Operation *o) { return padPassed(o, values); })
      .Case([&](stablehlo::SetDimensionSizeOp o) {
        return padSetSize(o, values);
      })
      .Case([&](stablehlo::GetDimensionSizeOp o) {
        return padGetSize(o, values);
      })
      .Case([&](stablehlo::BroadcastInDimOp o) {
        return padBroadcast(o, values);
      })
      .Case([&](stablehlo::TransposeOp o) { return padTranspose(o, values); })
      .Case([&](stablehlo::SliceOp o) { return padSlice(o, values); })
      .Case([&](stablehlo::PadOp o) { return padPad(o, values); })
      .Case(
          [&](stablehlo::ConcatenateOp o) { return padConcatenate(o, values); })
      .Case([&](stablehlo::ReverseOp o) { return padReverse(o, values); })
      .Case([&](stablehlo::DynamicSliceOp o) {
        return padDynamicSlice(o, values);
      })
      .Case([&](stablehlo::DynamicUpdateSliceOp o) {
        return padUpdateSlice(o, values);
      })
      .Case([&](stablehlo::GatherOp o) { return padGather(o, values); })
      .Case([&](stablehlo::ScatterOp o) { return padScatter(o, values); })
      .Case([&](stablehlo::ReduceOp o) { return padReduce(o, values); })
      .Case([&](stablehlo::ReduceWindowOp o) {
        return padReduceWindow(o, values);
      })
      .Case([&](stablehlo::DotGeneralOp o) { return padDot(o, values); })
      .Case(
          [&](stablehlo::ConvolutionOp o) { return padConvolution(o, values); })
      .Case([&](stablehlo::SortOp o) { return padSort(o, values); })
      .Case<stablehlo::ReshapeOp, stablehlo::DynamicReshapeOp>(
          [&](Operation *o) { return padReshape(o, values); })
      .Case([&](stablehlo::DynamicBroadcastInDimOp o) {
        return padDynamicBroadcast(o, values);
      })
      .Case(
          [&](stablehlo::DynamicIotaOp o) { return padDynamicIota(o, values); })
      .Case([&](stablehlo::RealDynamicSliceOp o) {
        return padRealSlice(o, values);
      })
      .Case([&](stablehlo::DynamicPadOp o) { return padDynamicPad(o, values); })
      .Default([](Operation *o) {
        return o->emitError() << "op '" << o->getName()
                              << "' on dimensions of bounded size is not "
                                 "supported";
      });
}

} // namespace shardwright::bounded
