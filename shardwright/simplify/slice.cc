//===- slice.cc - slice and pad ------------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/simplify/patterns.h"
#include "shardwright/simplify/rewrite.h"

#include "shardwright/dialect/stablehlo/shape.h"

using namespace mlir;
using namespace shardwright::stablehlo;

namespace shardwright::simplifier {
namespace {

struct Box {
  SmallVector<int64_t> start, limit, stride;

  explicit Box(SliceOp op)
      : start(op.getStartIndices()), limit(op.getLimitIndices()),
        stride(op.getStrides()) {}
  size_t rank() const { return start.size(); }
};

Value makeSlice(PatternRewriter &rewriter, Location loc, Value operand,
                const Box &box) {
  return SliceOp::create(rewriter, loc, operand, box.start, box.limit,
                         box.stride);
}

// Padding sizes may be huge as long as they cancel out; bound them to avoid
// overflow.
bool hasModestPadding(PadOp op) {
  constexpr int64_t kModest = int64_t(1) << 30;
  auto modest = [](ArrayRef<int64_t> values) {
    return llvm::all_of(
        values, [](int64_t v) { return v >= -kModest && v <= kModest; });
  };
  return modest(op.getEdgePaddingLow()) && modest(op.getEdgePaddingHigh()) &&
         modest(op.getInteriorPadding()) && modest(shapeOf(op.getOperand()));
}

LogicalResult sliceIdentity(SliceOp op, PatternRewriter &rewriter) {
  return replaceWith(rewriter, op, op.getOperand());
}

LogicalResult sliceOfSlice(SliceOp op, PatternRewriter &rewriter) {
  auto inner = definedBy<SliceOp>(op.getOperand());
  if (!inner)
    return failure();
  Box box(op), from(inner);
  for (size_t d = 0; d < box.rank(); ++d) {
    int64_t n = shapeOf(op->getResult(0))[d];
    if (n == 0) {
      box.start[d] = box.limit[d] = from.start[d];
      box.stride[d] = 1;
      continue;
    }
    box.start[d] = from.start[d] + box.start[d] * from.stride[d];
    box.stride[d] = n == 1 ? 1 : box.stride[d] * from.stride[d];
    // One past the last selected element.
    box.limit[d] = box.start[d] + (n - 1) * box.stride[d] + 1;
  }
  rewriter.replaceOp(op,
                     makeSlice(rewriter, op.getLoc(), inner.getOperand(), box));
  return success();
}

// Slices the only input that overlaps the slice, or fewer inputs.
LogicalResult sliceOfConcatenate(SliceOp op, PatternRewriter &rewriter) {
  auto inner = definedBy<ConcatenateOp>(op.getOperand());
  if (!inner || tensorOf(op->getResult(0)).getNumElements() == 0)
    return failure();
  int64_t dim = inner.getDimension(), offset = 0;
  Box box(op);
  int64_t start = box.start[dim];
  int64_t last = start + (shapeOf(op->getResult(0))[dim] - 1) * box.stride[dim];
  for (Value input : inner.getInputs()) {
    int64_t size = shapeOf(input)[dim];
    if (start >= offset && last < offset + size) {
      box.start[dim] = start - offset;
      box.limit[dim] = last - offset + 1;
      rewriter.replaceOp(op, makeSlice(rewriter, op.getLoc(), input, box));
      return success();
    }
    offset += size;
  }
  if (box.stride[dim] != 1 || !inner->hasOneUse())
    return failure();
  SmallVector<Value> inside;
  int64_t begin = 0;
  offset = 0;
  for (Value input : inner.getInputs()) {
    int64_t size = shapeOf(input)[dim];
    if (offset + size > start && offset <= last) {
      if (inside.empty())
        begin = offset;
      inside.push_back(input);
    }
    offset += size;
  }
  if (inside.size() == inner.getInputs().size() || inside.empty())
    return failure();
  box.start[dim] = start - begin;
  box.limit[dim] = last + 1 - begin;
  Value shorter = ConcatenateOp::create(rewriter, inner.getLoc(), inside, dim);
  rewriter.replaceOp(op, makeSlice(rewriter, op.getLoc(), shorter, box));
  return success();
}

LogicalResult sliceOfBroadcast(SliceOp op, PatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Box box(op);
  if (auto iota = definedBy<IotaOp>(op.getOperand())) {
    int64_t d = iota.getIotaDimension();
    if (box.start[d] != 0 || box.stride[d] != 1)
      return failure();
    rewriter.replaceOpWithNewOp<IotaOp>(op, op->getResult(0).getType(), d);
    return success();
  }
  auto inner = definedBy<BroadcastInDimOp>(op.getOperand());
  if (!inner)
    return failure();
  // Slice the operand before broadcasting: it is smaller.
  Value x = inner.getOperand();
  SmallVector<int64_t> ones(shapeOf(x).size(), 1);
  Box part(op);
  part.start.assign(shapeOf(x).size(), 0);
  part.limit.assign(shapeOf(x).begin(), shapeOf(x).end());
  part.stride = ones;
  for (auto [i, d] : llvm::enumerate(inner.getBroadcastDimensions())) {
    if (shapeOf(x)[i] == shapeOf(op.getOperand())[d]) {
      part.start[i] = box.start[d];
      part.limit[i] = box.limit[d];
      part.stride[i] = box.stride[d];
    }
  }
  Value sliced = makeSlice(rewriter, loc, x, part);
  rewriter.replaceOpWithNewOp<BroadcastInDimOp>(
      op, op->getResult(0).getType(), sliced, inner.getBroadcastDimensions());
  return success();
}

// The slice is inside of the operand, or inside of the padding.
LogicalResult sliceOfPad(SliceOp op, PatternRewriter &rewriter) {
  auto inner = definedBy<PadOp>(op.getOperand());
  if (!inner || !hasModestPadding(inner) ||
      tensorOf(op->getResult(0)).getNumElements() == 0)
    return failure();
  Box box(op);
  bool inside = true, outside = false;
  for (size_t d = 0; d < box.rank(); ++d) {
    int64_t low = inner.getEdgePaddingLow()[d];
    int64_t n = shapeOf(inner.getOperand())[d];
    int64_t first = box.start[d];
    int64_t last = first + (shapeOf(op->getResult(0))[d] - 1) * box.stride[d];
    int64_t step = inner.getInteriorPadding()[d] + 1;
    int64_t end = n ? low + (n - 1) * step + 1 : low;
    outside |= last < low || first >= end;
    inside &= step == 1 && first >= low && last < end;
    box.start[d] = first - low;
    box.limit[d] = last - low + 1;
  }
  if (outside) {
    rewriter.replaceOpWithNewOp<BroadcastInDimOp>(
        op, op->getResult(0).getType(), inner.getPaddingValue(),
        ArrayRef<int64_t>());
    return success();
  }
  if (!inside)
    return failure();
  rewriter.replaceOp(op,
                     makeSlice(rewriter, op.getLoc(), inner.getOperand(), box));
  return success();
}

// The slice is inside of an update at a constant position, or disjoint from it.
LogicalResult sliceOfUpdate(SliceOp op, PatternRewriter &rewriter) {
  auto inner = definedBy<DynamicUpdateSliceOp>(op.getOperand());
  if (!inner || tensorOf(op->getResult(0)).getNumElements() == 0)
    return failure();
  Box box(op);
  bool inside = true, outside = false;
  for (size_t d = 0; d < box.rank(); ++d) {
    auto index = integersOf(inner.getStartIndices()[d]);
    int64_t size = shapeOf(inner.getUpdate())[d];
    int64_t room = shapeOf(inner.getOperand())[d] - size;
    if (!index && room != 0)
      return failure();
    int64_t low = room == 0 ? 0 : std::clamp<int64_t>((*index)[0], 0, room);
    int64_t first = box.start[d];
    int64_t last = first + (shapeOf(op->getResult(0))[d] - 1) * box.stride[d];
    outside |= last < low || first >= low + size;
    inside &= first >= low && last < low + size;
    box.start[d] = first - low;
    box.limit[d] = last - low + 1;
  }
  if (outside) {
    rewriter.replaceOp(
        op, makeSlice(rewriter, op.getLoc(), inner.getOperand(), Box(op)));
    return success();
  }
  if (!inside)
    return failure();
  rewriter.replaceOp(op,
                     makeSlice(rewriter, op.getLoc(), inner.getUpdate(), box));
  return success();
}

//===----------------------------------------------------------------------===//
// pad
//===----------------------------------------------------------------------===//

bool allZero(ArrayRef<int64_t> values) {
  return llvm::all_of(values, [](int64_t v) { return v == 0; });
}

LogicalResult padIdentity(PadOp op, PatternRewriter &rewriter) {
  ArrayRef<int64_t> low = op.getEdgePaddingLow(),
                    high = op.getEdgePaddingHigh(),
                    interior = op.getInteriorPadding();
  ArrayRef<int64_t> shape = shapeOf(op.getOperand());
  if (!hasModestPadding(op))
    return failure();
  // Interior padding of a dimension of size 1 has no effect.
  bool holes = false, grows = false;
  for (size_t d = 0; d < shape.size(); ++d) {
    holes |= interior[d] != 0 && shape[d] > 1;
    grows |= low[d] > 0 || high[d] > 0;
  }
  if (tensorOf(op.getOperand()).getNumElements() == 0) {
    if (op.getOperand().getType() == op->getResult(0).getType())
      return replaceWith(rewriter, op, op.getOperand());
    rewriter.replaceOpWithNewOp<BroadcastInDimOp>(
        op, op->getResult(0).getType(), op.getPaddingValue(),
        ArrayRef<int64_t>());
    return success();
  }
  if (holes || grows)
    return failure();
  if (allZero(low) && allZero(high))
    return replaceWith(rewriter, op, op.getOperand());
  // The pad only removes elements.
  SmallVector<int64_t> start, limit, stride(shape.size(), 1);
  for (size_t d = 0; d < shape.size(); ++d) {
    start.push_back(-low[d]);
    limit.push_back(shape[d] + high[d]);
    if (start[d] > limit[d])
      return failure();
  }
  rewriter.replaceOpWithNewOp<SliceOp>(op, op.getOperand(), start, limit,
                                       stride);
  return success();
}

LogicalResult padOfPad(PadOp op, PatternRewriter &rewriter) {
  auto inner = definedBy<PadOp>(op.getOperand());
  if (!inner || !hasModestPadding(op) || !hasModestPadding(inner))
    return failure();
  bool sameValue = inner.getPaddingValue() == op.getPaddingValue();
  if (!sameValue) {
    auto a = splatOf(inner.getPaddingValue()),
         b = splatOf(op.getPaddingValue());
    sameValue = a && a == b;
  }
  auto isNegative = [](int64_t v) { return v < 0; };
  if (!sameValue || !allZero(inner.getInteriorPadding()) ||
      !allZero(op.getInteriorPadding()))
    return failure();
  SmallVector<int64_t> low, high;
  for (ArrayRef<int64_t> edge :
       {inner.getEdgePaddingLow(), inner.getEdgePaddingHigh(),
        op.getEdgePaddingLow(), op.getEdgePaddingHigh()})
    if (llvm::any_of(edge, isNegative))
      return failure();
  for (size_t d = 0; d < op.getEdgePaddingLow().size(); ++d) {
    low.push_back(inner.getEdgePaddingLow()[d] + op.getEdgePaddingLow()[d]);
    high.push_back(inner.getEdgePaddingHigh()[d] + op.getEdgePaddingHigh()[d]);
  }
  rewriter.replaceOpWithNewOp<PadOp>(op, inner.getOperand(),
                                     op.getPaddingValue(), low, high,
                                     op.getInteriorPadding());
  return success();
}

} // namespace

void addSlice(Patterns &patterns) {
  addRule<SliceOp>(patterns, sliceIdentity);
  addRule<SliceOp>(patterns, sliceOfSlice);
  addRule<SliceOp>(patterns, sliceOfConcatenate);
  addRule<SliceOp>(patterns, sliceOfBroadcast);
  addRule<SliceOp>(patterns, sliceOfPad);
  addRule<SliceOp>(patterns, sliceOfUpdate);
  addRule<PadOp>(patterns, padIdentity);
  addRule<PadOp>(patterns, padOfPad);
}

} // namespace shardwright::simplifier
