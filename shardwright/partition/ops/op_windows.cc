//===- op_windows.cc - which ops read their operands in windows -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/ops/op_windows.h"

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/layout/attribute_names.h"
#include "shardwright/partition/ops/op_traits.h"
#include "shardwright/partition/support/tensor_types.h"
#include "shardwright/rules/reducer.h"
#include "shardwright/rules/rule_interface.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright {

static int64_t entry(std::optional<ArrayRef<int64_t>> list, int64_t i,
                     int64_t otherwise) {
  return list ? (*list)[i] : otherwise;
}

/// Padding before dimension `d`; the attribute has a pair for each dimension.
static int64_t lowPadding(std::optional<DenseIntElementsAttr> padding,
                          int64_t d) {
  return padding ? padding->getValues<int64_t>()[2 * d] : 0;
}

bool windowsTile(stablehlo::SelectAndScatterOp op, int64_t dim) {
  int64_t window = entry(op.getWindowDimensions(), dim, 1),
          stride = entry(op.getWindowStrides(), dim, 1);
  bool isPadded =
      op.getPadding() && (op.getPadding()->getValues<int64_t>()[2 * dim] != 0 ||
                          op.getPadding()->getValues<int64_t>()[2 * dim + 1]);
  return !isPadded && window <= stride &&
         dimsOf(op.getOperand().getType())[dim] ==
             stride * dimsOf(op.getSource().getType())[dim];
}

TypedAttr neverSelected(stablehlo::SelectAndScatterOp op) {
  if (!op.getSelect().hasOneBlock())
    return {};
  std::optional<stablehlo::ComparisonDirection> direction =
      comparedArguments(op.getSelect().front());
  if (!direction)
    return {};
  Type element = getElementTypeOrSelf(op.getOperand().getType());
  switch (*direction) {
  case stablehlo::ComparisonDirection::GE:
  case stablehlo::ComparisonDirection::GT:
    return identityElement(ReducerKind::Max, element);
  case stablehlo::ComparisonDirection::LE:
  case stablehlo::ComparisonDirection::LT:
    return identityElement(ReducerKind::Min, element);
  default:
    return {};
  }
}

bool exchangesWindows(stablehlo::SelectAndScatterOp op) {
  std::optional<ReducerKind> kind = uniformReducer(op.getScatter());
  if (!kind ||
      !identityElement(*kind, getElementTypeOrSelf(op.getSource().getType())))
    return false;
  // Windows with gaps between them may not cover the shard that they belong to.
  for (int64_t d = 0, rank = dimsOf(op.getOperand().getType()).size(); d < rank;
       ++d)
    if (!windowsTile(op, d) && entry(op.getWindowDimensions(), d, 1) <
                                   entry(op.getWindowStrides(), d, 1))
      return false;
  if (neverSelected(op))
    return true;
  // Without a value that is never selected, no window may reach into padding.
  return !op.getPadding() || llvm::all_of(op.getPadding()->getValues<int64_t>(),
                                          [](int64_t n) { return n == 0; });
}

TypedAttr scalarConstant(Value scalar) {
  while (true) {
    Operation *op = scalar.getDefiningOp();
    if (!op ||
        !isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp, sdy::ReshardOp>(
            op))
      break;
    scalar = op->getOperand(0);
  }
  DenseElementsAttr value;
  if (auto constant = scalar.getDefiningOp<sdy::ConstantOp>())
    value = dyn_cast<DenseElementsAttr>(constant.getValue());
  else
    matchPattern(scalar, m_Constant(&value));
  if (!value || !value.isSplat())
    return {};
  return dyn_cast<TypedAttr>(value.getSplatValue<Attribute>());
}

bool isNeutral(TypedAttr init, ReducerKind kind) {
  TypedAttr identity = identityElement(kind, init.getType());
  if (!identity || init == identity)
    return bool(identity);
  auto number = dyn_cast<FloatAttr>(init);
  return number && kind == ReducerKind::Add && number.getValue().isZero();
}

std::optional<Scan> getScan(Operation *op) {
  auto reduce = dyn_cast<stablehlo::ReduceWindowOp>(op);
  if (!reduce || reduce.getInputs().empty())
    return std::nullopt;
  auto padding = [&](size_t d, bool high) {
    return reduce.getPadding()
               ? reduce.getPadding()->getValues<int64_t>()[2 * d + high]
               : 0;
  };
  auto isOne = [](std::optional<ArrayRef<int64_t>> list) {
    return !list || llvm::all_of(*list, [](int64_t n) { return n == 1; });
  };
  if (!isOne(reduce.getWindowStrides()) || !isOne(reduce.getBaseDilations()) ||
      !isOne(reduce.getWindowDilations()))
    return std::nullopt;
  std::optional<Scan> scan;
  ArrayRef<int64_t> shape = dimsOf(reduce.getInputs()[0].getType());
  for (auto [d, size] : llvm::enumerate(reduce.getWindowDimensions())) {
    int64_t low = padding(d, false), high = padding(d, true);
    if (size == 1 && low == 0 && high == 0)
      continue;
    if (scan || size != shape[d] || low + high != size - 1 ||
        (low != 0 && high != 0))
      return std::nullopt;
    scan = Scan{int64_t(d), low == 0};
  }
  if (!scan)
    return std::nullopt;
  auto kinds = classifyReducer(reduce.getBody());
  for (auto [i, init] : llvm::enumerate(reduce.getInitValues())) {
    TypedAttr value = scalarConstant(init);
    if (!value ||
        (i < kinds.size() && kinds[i] && !isNeutral(value, *kinds[i])))
      return std::nullopt;
  }
  return scan;
}

bool hasWindows(Operation *op) { return getPartitionTraits(op).hasWindows; }

namespace {

/// Reads the windows of one op; a function for each family of ops.
class WindowReader {
public:
  explicit WindowReader(Operation *op) : op(op) {}

  void read(stablehlo::SliceOp slice);
  void read(stablehlo::PadOp pad);
  void read(stablehlo::ReverseOp reverse);
  void read(stablehlo::ConcatenateOp concat);
  void read(stablehlo::ReduceWindowOp reduce);
  void read(stablehlo::SelectAndScatterOp scatter);
  void read(stablehlo::ConvolutionOp conv);

  llvm::SmallVector<OpWindow, 2> windows;

private:
  static int64_t rows(Value value, int64_t d) {
    return dimsOf(value.getType())[d];
  }
  /// Adds the window. Skips it if each row of the result reads the same row of
  /// the operand, unless `evenIfSame`.
  void add(int64_t operand, int64_t d, int64_t resultDim, WindowMap map,
           bool evenIfSame = false);

  Operation *op;
};

void WindowReader::add(int64_t operand, int64_t d, int64_t resultDim,
                       WindowMap map, bool evenIfSame) {
  map.outSize = rows(op->getResult(0), resultDim);
  bool same = !map.reversed && !map.wraps && map.stride == 1 &&
              map.extent == 1 && map.low == 0 && map.dilation == 1 &&
              map.outSize == rows(op->getOperand(operand), d);
  if (!same || evenIfSame)
    windows.push_back({operand, d, resultDim, map});
}

void WindowReader::read(stablehlo::SliceOp slice) {
  for (auto [d, start] : llvm::enumerate(slice.getStartIndices())) {
    WindowMap map;
    map.stride = slice.getStrides()[d];
    map.low = -start;
    add(0, d, d, map);
  }
}

void WindowReader::read(stablehlo::PadOp pad) {
  auto rolled = pad->getAttrOfType<IntegerAttr>(kRollAttrName);
  for (auto [d, low] : llvm::enumerate(pad.getEdgePaddingLow())) {
    WindowMap map;
    map.low = low;
    map.wraps = rolled && rolled.getInt() == int64_t(d);
    map.dilation = pad.getInteriorPadding()[d] + 1;
    add(0, d, d, map);
  }
}

void WindowReader::read(stablehlo::ReverseOp reverse) {
  for (int64_t d : reverse.getDimensions()) {
    WindowMap map;
    map.reversed = true;
    map.low = rows(reverse.getOperand(), d) - 1;
    add(0, d, d, map);
  }
}

void WindowReader::read(stablehlo::ConcatenateOp concat) {
  int64_t d = concat.getDimension(), at = 0;
  for (auto [i, input] : llvm::enumerate(concat.getInputs())) {
    WindowMap map;
    map.low = at;
    at += rows(input, d);
    add(i, d, d, map);
  }
}

void WindowReader::read(stablehlo::ReduceWindowOp reduce) {
  std::optional<Scan> scan = getScan(reduce);
  for (auto [d, size] : llvm::enumerate(reduce.getWindowDimensions())) {
    WindowMap map;
    map.stride = entry(reduce.getWindowStrides(), d, 1);
    map.extent = (size - 1) * entry(reduce.getWindowDilations(), d, 1) + 1;
    map.low = lowPadding(reduce.getPadding(), d);
    map.dilation = entry(reduce.getBaseDilations(), d, 1);
    size_t first = windows.size();
    for (size_t i = 0; i < reduce.getInputs().size(); ++i)
      add(i, d, d, map);
    for (OpWindow &window : MutableArrayRef(windows).drop_front(first))
      window.isScan = scan && scan->dim == int64_t(d);
  }
}

void WindowReader::read(stablehlo::SelectAndScatterOp scatter) {
  if (!exchangesWindows(scatter))
    return;
  for (int64_t d = 0, rank = dimsOf(op->getResult(0).getType()).size();
       d < rank; ++d) {
    int64_t size = entry(scatter.getWindowDimensions(), d, 1),
            stride = entry(scatter.getWindowStrides(), d, 1),
            low = lowPadding(scatter.getPadding(), d);
    if (windowsTile(scatter, d) || (size == 1 && stride == 1))
      continue;
    // The windows that have a row in the shard, and all rows of those windows.
    WindowMap windowsOf, rowsOf;
    windowsOf.extent = size;
    windowsOf.low = size - 1 - low;
    windowsOf.dilation = stride;
    int64_t first = llvm::divideCeilSigned(-windowsOf.low, stride),
            lead = first * stride + windowsOf.low;
    rowsOf.extent =
        1 + size +
        (llvm::divideCeilSigned(size - 1 - lead, stride) - 1) * stride;
    rowsOf.low = low - first * stride;
    add(0, d, d, rowsOf, /*evenIfSame=*/true);
    add(1, d, d, windowsOf, /*evenIfSame=*/true);
  }
}

void WindowReader::read(stablehlo::ConvolutionOp conv) {
  auto dims = conv.getDimensionNumbers();
  for (auto [i, in, kernel, out] : llvm::enumerate(
           dims.getInputSpatialDimensions(), dims.getKernelSpatialDimensions(),
           dims.getOutputSpatialDimensions())) {
    WindowMap map;
    map.stride = entry(conv.getWindowStrides(), i, 1);
    map.extent =
        (rows(conv.getRhs(), kernel) - 1) * entry(conv.getRhsDilation(), i, 1) +
        1;
    map.low = lowPadding(conv.getPadding(), i);
    map.dilation = entry(conv.getLhsDilation(), i, 1);
    add(0, in, out, map, /*evenIfSame=*/true);
    // Shards of a reversed kernel would read the rows in reverse order.
    if (conv.getWindowReversal() && (*conv.getWindowReversal())[i])
      continue;
    // Swap the roles of row and kernel row.
    map.outSize = rows(conv.getRhs(), kernel);
    map.extent = (rows(op->getResult(0), out) - 1) * map.stride + 1;
    map.stride = entry(conv.getRhsDilation(), i, 1);
    windows.push_back({0, in, out, map, kernel});
  }
}

} // namespace

llvm::SmallVector<OpWindow, 2> getWindows(Operation *op) {
  WindowReader reader(op);
  llvm::TypeSwitch<Operation *>(op)
      .Case<stablehlo::SliceOp, stablehlo::PadOp, stablehlo::ReverseOp,
            stablehlo::ConcatenateOp, stablehlo::ReduceWindowOp,
            stablehlo::SelectAndScatterOp, stablehlo::ConvolutionOp>(
          [&](auto known) { reader.read(known); });
  return std::move(reader.windows);
}

SmallVector<WindowRows> partialWindows(stablehlo::ScatterOp op,
                                       ArrayRef<int64_t> shape) {
  auto dims = op.getScatterDimensionNumbers();
  ArrayRef<int64_t> indexed = dims.getScatterDimsToOperandDims(),
                    windowDims = dims.getUpdateWindowDims();
  ArrayRef<int64_t> update = dimsOf(op.getUpdates().front().getType());
  SmallVector<WindowRows> partial;
  size_t next = 0;
  for (int64_t d = 0; d < int64_t(shape.size()); ++d) {
    if (llvm::is_contained(dims.getInsertedWindowDims(), d) ||
        llvm::is_contained(dims.getInputBatchingDims(), d))
      continue;
    int64_t rows = update[windowDims[next++]];
    if (rows != shape[d] && llvm::is_contained(indexed, d))
      partial.push_back({d, rows});
  }
  return partial;
}

} // namespace shardwright
