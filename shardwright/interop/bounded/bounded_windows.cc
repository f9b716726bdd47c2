//===- bounded_windows.cc - windows, convolutions -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/bounded/bounded_ops.h"

#include "shardwright/dialect/stablehlo/infer/infer.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace shardwright::bounded {

/// The size with holes between the elements.
static Value dilated(BoundedBuilder &m, Value size, int64_t dilation) {
  if (dilation == 1)
    return size;
  return m.add(m.multiply(m.atLeastZero(m.subtract(size, m.number(1))),
                          m.number(dilation)),
               m.binary<stablehlo::MinOp>(size, m.number(1)));
}

/// Number of windows that fit into a dimension of this dilated and padded size.
static Value windows(BoundedBuilder &m, Value room, Value window,
                     int64_t stride) {
  Value size = m.atLeastZero(m.add(m.subtract(room, window), m.number(stride)));
  return stride == 1 ? size : m.divide(size, m.number(stride));
}

static int64_t at(std::optional<Dims> list, int64_t d) {
  return list ? (*list)[d] : 1;
}
static int64_t padding(DenseIntElementsAttr attr, int64_t d, int64_t side) {
  return attr ? attr.getValues<int64_t>()[2 * d + side] : 0;
}

LogicalResult padReduceWindow(stablehlo::ReduceWindowOp op, Values &values) {
  BoundedBuilder m(op);
  Extents from = commonExtents(op.getInputs(), values), to;
  // Elements beyond the used part get the initial value, as the padding.
  for (size_t i = 0; i < op.getInputs().size(); ++i) {
    Value input = m.resized(op.getInputs()[i], bounds(from));
    op->setOperand(
        i, m.masked(input, from, allDims(input), op.getInitValues()[i]));
  }
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
      out.used =
          windows(m, m.add(dilated(m, e.used, base), m.number(low + high)),
                  m.number(window), stride);
    to.push_back(out);
  }
  for (Value result : op.getResults())
    values.set(result, to);
  return success();
}

/// Implements the selection with elements, their positions and flags: the op
/// itself would select among unused elements, too.
LogicalResult padSelectAndScatter(stablehlo::SelectAndScatterOp op,
                                  Values &values) {
  BoundedBuilder m(op);
  Extents extents = values.of(op.getOperand());
  Value x = op.getOperand();
  RankedTensorType type = BoundedBuilder::typeOf(x);
  SmallVector<int64_t> shape = bounds(extents);
  auto positions = RankedTensorType::get(shape, m.b.getI32Type());
  int64_t room = 1;
  Value position = m.zeros(positions);
  for (int64_t d = int64_t(shape.size()) - 1; d >= 0; --d) {
    Value stride = m.splat(static_cast<double>(room), positions);
    position = m.add(position, m.multiply(m.iota(positions, d), stride));
    room *= shape[d];
  }
  auto flag = RankedTensorType::get({}, m.b.getI1Type());
  Value valid = m.inside(shape, extents, allDims(x));
  if (!valid)
    valid = m.splat(1, RankedTensorType::get(shape, m.b.getI1Type()));

  SmallVector<int64_t> window(op.getWindowDimensions().value_or(Dims()).begin(),
                              op.getWindowDimensions().value_or(Dims()).end());
  window.resize(shape.size(), 1);
  auto scalar = [](Value v) { return BoundedBuilder::typeOf(v).clone(Dims{}); };
  Value inputs[] = {x, position, valid};
  Value initial[] = {m.zeros(scalar(x)), m.splat(-1, scalar(position)),
                     m.zeros(flag)};
  SmallVector<int64_t> counts;
  for (auto [d, size] : llvm::enumerate(shape)) {
    int64_t padded = size + padding(op.getPaddingAttr(), d, 0) +
                     padding(op.getPaddingAttr(), d, 1);
    counts.push_back(padded < window[d]
                         ? 0
                         : (padded - window[d]) / at(op.getWindowStrides(), d) +
                               1);
  }
  SmallVector<Type> types;
  for (Value input : inputs)
    types.push_back(BoundedBuilder::typeOf(input).clone(Dims(counts)));
  auto chosen = stablehlo::ReduceWindowOp::create(
      m.b, m.loc, types, inputs, initial, m.b.getDenseI64ArrayAttr(window),
      op.getWindowStridesAttr(), nullptr, nullptr, op.getPaddingAttr());
  {
    // (a, i, p), (b, j, q): the first, unless only the second exists, or both
    // exist and the program selects the second.
    Block &block = chosen.getBody().emplaceBlock();
    for (int side = 0; side < 2; ++side)
      for (Value v : initial)
        block.addArgument(v.getType(), m.loc);
    auto end = OpBuilder::atBlockEnd(&block);
    auto stop = stablehlo::ReturnOp::create(end, m.loc, ValueRange());
    BoundedBuilder inner(stop);
    Value p = block.getArgument(2), q = block.getArgument(5);
    IRMapping map;
    Block &select = op.getSelect().front();
    for (int side = 0; side < 2; ++side)
      map.map(select.getArgument(side), block.getArgument(3 * side));
    for (Operation &o : select.without_terminator())
      inner.b.clone(o, map);
    Value first = map.lookupOrDefault(select.getTerminator()->getOperand(0));
    Value keep = inner.binary<stablehlo::AndOp>(
        p,
        inner.binary<stablehlo::OrOp>(first, inner.unary<stablehlo::NotOp>(q)));
    SmallVector<Value> picked;
    for (int i = 0; i < 2; ++i)
      picked.push_back(
          inner.select(keep, block.getArgument(i), block.getArgument(3 + i)));
    picked.push_back(inner.binary<stablehlo::OrOp>(p, q));
    stop->setOperands(picked);
  }

  // Scatters the sources of existing windows to the selected elements.
  Extents source = values.of(op.getSource());
  Value updates = m.resized(op.getSource(), counts),
        target = chosen->getResult(1), there = chosen->getResult(2);
  if (Value used = m.inside(counts, source, allDims(updates)))
    there = m.binary<stablehlo::AndOp>(there, used);
  target = m.select(there, target, m.splat(-1, BoundedBuilder::typeOf(target)));
  int64_t n = 1;
  for (int64_t count : counts)
    n *= count;
  auto flat = [&](Value v, Dims to) -> Value {
    return stablehlo::ReshapeOp::create(m.b, m.loc,
                                        BoundedBuilder::typeOf(v).clone(to), v);
  };
  auto line = type.clone(Dims{room});
  Value start = m.broadcast(op.getInitValue(), {room}, {});
  auto numbers = stablehlo::ScatterDimensionNumbersAttr::get(
      m.b.getContext(), {}, {0}, {}, {}, {0}, 1);
  auto scatter = stablehlo::ScatterOp::create(
      m.b, m.loc, TypeRange(line), ValueRange(start), flat(target, {n, 1}),
      ValueRange(flat(updates, {n})), numbers);
  scatter.getUpdateComputation().takeBody(op.getScatter());
  Value result = flat(scatter->getResult(0), shape);
  values.set(result, extents);
  replace(op, result);
  return success();
}

LogicalResult padConvolution(stablehlo::ConvolutionOp op, Values &values) {
  BoundedBuilder m(op);
  auto numbers = op.getDimensionNumbers();
  Extents in = values.of(op.getLhs()), kernel = values.of(op.getRhs());
  auto declared = declaredResult(op);
  if (failed(declared))
    return failure();
  Extents to = *declared;
  int64_t outputs = numbers.getKernelOutputFeatureDimension();
  bool inGroups =
      op.getBatchGroupCount() != 1 || op.getFeatureGroupCount() != 1;
  if ((inGroups && kernel[outputs].used) ||
      (op.getBatchGroupCount() != 1 &&
       in[numbers.getInputBatchDimension()].used) ||
      (op.getFeatureGroupCount() != 1 &&
       in[numbers.getInputFeatureDimension()].used))
    return op.emitError("with groups of bounded size is not supported");
  to[numbers.getOutputFeatureDimension()] = kernel[outputs];
  to[numbers.getOutputBatchDimension()] = in[numbers.getInputBatchDimension()];
  if (op.getBatchGroupCount() != 1)
    to[numbers.getOutputBatchDimension()].bound /= op.getBatchGroupCount();
  SmallVector<int64_t> summed(numbers.getInputSpatialDimensions());
  summed.push_back(numbers.getInputFeatureDimension());
  kernel[numbers.getKernelInputFeatureDimension()].used =
      in[numbers.getInputFeatureDimension()].used;
  int64_t features = numbers.getKernelInputFeatureDimension();
  kernel[features].bound = in[numbers.getInputFeatureDimension()].bound /
                           int64_t(op.getFeatureGroupCount());
  SmallVector<int64_t> fit = bounds(kernel), hidden = {features};
  Value weights = m.resized(op.getRhs(), fit);
  size_t spatial = numbers.getInputSpatialDimensions().size();
  SmallVector<int64_t> pads;
  SmallVector<bool> reversed;
  for (size_t i = 0; i < spatial; ++i) {
    int64_t d = numbers.getKernelSpatialDimensions()[i];
    const Extent &e = in[numbers.getInputSpatialDimensions()[i]],
                 &k = kernel[d];
    int64_t dilation = at(op.getRhsDilation(), i),
            base = at(op.getLhsDilation(), i),
            stride = at(op.getWindowStrides(), i),
            low = padding(op.getPaddingAttr(), i, 0),
            high = padding(op.getPaddingAttr(), i, 1);
    bool isReversed = op.getWindowReversal() && (*op.getWindowReversal())[i];
    pads.append({low, high});
    reversed.push_back(isReversed);
    if (k.used) {
      // Use the window of the full bound, aligned at the right with a smaller
      // one; where it extends further, the kernel is zero.
      pads.back() += k.bound * dilation;
      hidden.push_back(d);
      if (isReversed) {
        Value last = m.subtract(k.used, m.number(1));
        weights = m.takeAlong(
            weights, d,
            m.subtract(m.spread(last, k.bound), m.counting(k.bound)));
        reversed.back() = false;
      }
    }
    if (!e.used && !k.used)
      continue;
    auto length = [](int64_t n, int64_t by) {
      return n == 0 ? 0 : (n - 1) * by + 1;
    };
    int64_t room = length(e.bound, base) + low + pads.back(),
            window = length(k.bound, dilation);
    Value used = m.add(dilated(m, m.used(e), base), m.number(low + high));
    to[numbers.getOutputSpatialDimensions()[i]] = {
        room < window ? 0 : (room - window) / stride + 1,
        windows(m, used, dilated(m, m.used(k), dilation), stride)};
  }
  op.getLhsMutable().assign(m.maskedByZero(op.getLhs(), in, summed));
  op.getRhsMutable().assign(m.maskedByZero(weights, kernel, hidden));
  if (op.getPaddingAttr() || llvm::any_of(pads, [](int64_t p) { return p; })) {
    auto pairs = RankedTensorType::get({int64_t(spatial), 2}, m.b.getI64Type());
    op.setPaddingAttr(
        DenseIntElementsAttr::get(pairs, ArrayRef<int64_t>(pads)));
  }
  if (op.getWindowReversal())
    op.setWindowReversal(reversed);
  values.set(op.getResult(), to);
  return success();
}

/// For dynamic padding, pads the input separately, as far as the bound of the
/// result permits.
LogicalResult padDynamicConv(stablehlo::DynamicConvOp op, Values &values) {
  BoundedBuilder m(op);
  auto numbers = op.getDimensionNumbers();
  auto declared = declaredResult(op);
  if (failed(declared))
    return failure();
  Dims spatial = numbers.getInputSpatialDimensions();
  int64_t n = spatial.size();
  SmallVector<int64_t> pads(2 * n, 0);
  Value input = op.getLhs();
  auto dilation = op.getLhsDilationAttr();
  if (auto known = constantIntegers(op.getPadding())) {
    pads = *known;
  } else {
    Extents in = values.of(input), kernel = values.of(op.getRhs());
    SmallVector<int64_t> shape = bounds(in), sizes = shape,
                         limits(shape.size(), ShapedType::kDynamic);
    auto list =
        RankedTensorType::get({int64_t(shape.size())}, m.b.getI32Type());
    SmallVector<Value> low(shape.size(), m.spread(m.number(0), 1)), high = low,
                                                                    holes = low;
    Value padding = m.convert(
        Value(stablehlo::ReshapeOp::create(
            m.b, m.loc,
            BoundedBuilder::typeOf(op.getPadding()).clone(Dims{2 * n}),
            op.getPadding())),
        m.b.getI32Type());
    for (int64_t i = 0; i < n; ++i) {
      int64_t d = spatial[i],
              k = kernel[numbers.getKernelSpatialDimensions()[i]].bound,
              out = (*declared)[numbers.getOutputSpatialDimensions()[i]].bound;
      low[d] = m.spread(m.element(padding, 2 * i), 1);
      high[d] = m.spread(m.element(padding, 2 * i + 1), 1);
      holes[d] = m.spread(m.number(at(op.getLhsDilation(), i) - 1), 1);
      sizes[d] = ShapedType::kDynamic;
      limits[d] = std::max<int64_t>(out - 1, 0) * at(op.getWindowStrides(), i) +
                  std::max<int64_t>(k - 1, 0) * at(op.getRhsDilation(), i) +
                  at(op.getWindowStrides(), i);
    }
    for (auto [d, e] : llvm::enumerate(in))
      if (e.used) {
        sizes[d] = ShapedType::kDynamic;
        if (ShapedType::isDynamic(limits[d]))
          limits[d] = e.bound;
      }
    auto joined = [&](ValueRange parts) -> Value {
      return stablehlo::ConcatenateOp::create(m.b, m.loc, list, parts, 0);
    };
    RankedTensorType type = BoundedBuilder::typeOf(input);
    Value zero = m.zeros(type.clone(Dims{}));
    auto padded = stablehlo::DynamicPadOp::create(
        m.b, m.loc, stablehlo::tensorType(sizes, limits, type.getElementType()),
        input, zero, joined(low), joined(high), joined(holes));
    // The padded value replaces its uses.
    op.getLhsMutable().assign(padded.getResult());
    if (failed(padDynamicPad(padded, values)))
      return failure();
    input = op.getLhs();
    dilation = nullptr;
  }
  auto pairs = RankedTensorType::get({n, 2}, m.b.getI64Type());
  auto conv = stablehlo::ConvolutionOp::create(
      m.b, m.loc, op.getType(), input, op.getRhs(), op.getWindowStridesAttr(),
      DenseIntElementsAttr::get(pairs, ArrayRef<int64_t>(pads)), dilation,
      op.getRhsDilationAttr(), op.getWindowReversalAttr(), numbers,
      op.getFeatureGroupCount(), op.getBatchGroupCount(),
      op.getPrecisionConfigAttr());
  replace(op, conv);
  return padConvolution(conv, values);
}

} // namespace shardwright::bounded
