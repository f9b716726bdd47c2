//===- fold_shape.cc - data movement of constants ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Moves elements as bits, which preserves each exactly. Splats stay splats at
// any size; other constants are computed up to the limit, and grow (by
// broadcasting, padding) only while they are tiny.

#include "shardwright/simplify/patterns.h"
#include "shardwright/simplify/rewrite.h"

#include "shardwright/dialect/stablehlo/shape.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace shardwright::stablehlo;

namespace shardwright::simplifier {
namespace {

constexpr int64_t kTiny = 64;

SmallVector<int64_t> stridesOf(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (int64_t i = int64_t(shape.size()) - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

// Calls `visit(base + sum of index * stride)` for each index of `shape`,
// row-major.
template <typename Visit>
void walkStrided(ArrayRef<int64_t> shape, int64_t base,
                 ArrayRef<int64_t> strides, Visit visit) {
  if (llvm::is_contained(shape, 0))
    return;
  SmallVector<int64_t> index(shape.size());
  while (true) {
    visit(base);
    int64_t d = int64_t(shape.size()) - 1;
    for (; d >= 0; --d) {
      base += strides[d];
      if (++index[d] < shape[d])
        break;
      base -= strides[d] * shape[d];
      index[d] = 0;
    }
    if (d < 0)
      return;
  }
}

Literal emptyLiteral(Value result) {
  return Literal{tensorOf(result), *kindOf(result), false, {}};
}

// The elements of `from` at base + index * strides, in the shape of `result`.
LogicalResult replaceWithView(PatternRewriter &rewriter, Operation *op,
                              const Literal &from, int64_t base,
                              ArrayRef<int64_t> strides) {
  Literal result = emptyLiteral(op->getResult(0));
  walkStrided(result.type.getShape(), base, strides,
              [&](int64_t i) { result.elements.push_back(from.at(i)); });
  rewriter.replaceOp(op, makeConstant(rewriter, op->getLoc(), result));
  return success();
}

template <typename Op> struct FoldRewrite : Rewrite<Op> {
  explicit FoldRewrite(int64_t limit)
      : Rewrite<Op>(OpRewrite::Order::First), limit(limit) {}

  // A constant operand, if the result may be computed from it.
  std::optional<Literal> literalFor(Value operand, Value result) const {
    if (!operand.getDefiningOp<ConstantOp>())
      return std::nullopt;
    int64_t n = tensorOf(result).getNumElements();
    if (n > limit || n > std::max(kTiny, tensorOf(operand).getNumElements()))
      return std::nullopt;
    return Literal::of(operand, limit);
  }

  int64_t limit;
};

//===----------------------------------------------------------------------===//
// Splats
//===----------------------------------------------------------------------===//

// Ops that only move elements of their first operand map splats to splats.
template <typename Op>
LogicalResult movedSplat(Op op, PatternRewriter &rewriter) {
  if (!op->getOperand(0).template getDefiningOp<ConstantOp>())
    return failure();
  if (std::optional<Element> element = splatOf(op->getOperand(0)))
    return replaceWithSplat(rewriter, op, *element);
  return failure();
}

LogicalResult concatenatedSplats(ConcatenateOp op, PatternRewriter &rewriter) {
  std::optional<Element> element;
  for (Value input : op.getInputs()) {
    std::optional<Element> other = splatOf(input);
    if (!other || (element && !(*element == *other)))
      return failure();
    element = other;
  }
  return replaceWithSplat(rewriter, op, *element);
}

LogicalResult paddedSplat(PadOp op, PatternRewriter &rewriter) {
  std::optional<Element> value = splatOf(op.getPaddingValue());
  if (!value)
    return failure();
  if (tensorOf(op.getOperand()).getNumElements() != 0 &&
      splatOf(op.getOperand()) != value)
    return failure();
  return replaceWithSplat(rewriter, op, *value);
}

LogicalResult updatedSplat(DynamicUpdateSliceOp op, PatternRewriter &rewriter) {
  std::optional<Element> element = splatOf(op.getOperand());
  if (!element || splatOf(op.getUpdate()) != element)
    return failure();
  return replaceWith(rewriter, op, op.getOperand());
}

// An iota along a dimension of size 1.
LogicalResult trivialIota(IotaOp op, PatternRewriter &rewriter) {
  if (shapeOf(op)[op.getIotaDimension()] > 1 || !kindOf(op))
    return failure();
  return replaceWithSplat(rewriter, op, Element{});
}

//===----------------------------------------------------------------------===//
// Other constants
//===----------------------------------------------------------------------===//

struct FoldReshape : FoldRewrite<ReshapeOp> {
  using FoldRewrite::FoldRewrite;
  LogicalResult rewrite(ReshapeOp op,
                        PatternRewriter &rewriter) const override {
    ElementsAttr value = constantValue(op.getOperand());
    if (!value)
      return failure();
    // The bytes are unchanged: no limit if this is the last use or needs no
    // copy.
    if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
      rewriter.replaceOpWithNewOp<ConstantOp>(
          op, DenseResourceElementsAttr::get(op.getType(),
                                             resource.getRawHandle()));
      return success();
    }
    auto dense = dyn_cast<DenseIntOrFPElementsAttr>(value);
    if (!dense || (dense.getNumElements() > limit && !dense.isSplat() &&
                   !op.getOperand().hasOneUse()))
      return failure();
    rewriter.replaceOpWithNewOp<ConstantOp>(op, dense.reshape(op.getType()));
    return success();
  }
};

struct FoldTranspose : FoldRewrite<TransposeOp> {
  using FoldRewrite::FoldRewrite;
  LogicalResult rewrite(TransposeOp op,
                        PatternRewriter &rewriter) const override {
    auto literal = literalFor(op.getOperand(), op.getResult());
    if (!literal)
      return failure();
    SmallVector<int64_t> strides;
    SmallVector<int64_t> from = stridesOf(literal->type.getShape());
    for (int64_t d : op.getPermutation())
      strides.push_back(from[d]);
    return replaceWithView(rewriter, op, *literal, 0, strides);
  }
};

struct FoldBroadcast : FoldRewrite<BroadcastInDimOp> {
  using FoldRewrite::FoldRewrite;
  LogicalResult rewrite(BroadcastInDimOp op,
                        PatternRewriter &rewriter) const override {
    auto literal = literalFor(op.getOperand(), op->getResult(0));
    if (!literal)
      return failure();
    ArrayRef<int64_t> shape = literal->type.getShape();
    SmallVector<int64_t> strides(shapeOf(op->getResult(0)).size(), 0);
    SmallVector<int64_t> from = stridesOf(shape);
    for (auto [i, d] : llvm::enumerate(op.getBroadcastDimensions()))
      if (shape[i] != 1)
        strides[d] = from[i];
    return replaceWithView(rewriter, op, *literal, 0, strides);
  }
};

struct FoldSlice : FoldRewrite<SliceOp> {
  using FoldRewrite::FoldRewrite;
  LogicalResult rewrite(SliceOp op, PatternRewriter &rewriter) const override {
    auto literal = literalFor(op.getOperand(), op->getResult(0));
    if (!literal)
      return failure();
    SmallVector<int64_t> strides = stridesOf(literal->type.getShape());
    int64_t base = 0;
    for (auto [i, start] : llvm::enumerate(op.getStartIndices())) {
      base += start * strides[i];
      strides[i] *= op.getStrides()[i];
    }
    return replaceWithView(rewriter, op, *literal, base, strides);
  }
};

struct FoldReverse : FoldRewrite<ReverseOp> {
  using FoldRewrite::FoldRewrite;
  LogicalResult rewrite(ReverseOp op,
                        PatternRewriter &rewriter) const override {
    auto literal = literalFor(op.getOperand(), op.getResult());
    if (!literal)
      return failure();
    ArrayRef<int64_t> shape = literal->type.getShape();
    SmallVector<int64_t> strides = stridesOf(shape);
    int64_t base = 0;
    for (int64_t d : op.getDimensions()) {
      base += (shape[d] - 1) * strides[d];
      strides[d] = -strides[d];
    }
    return replaceWithView(rewriter, op, *literal, base, strides);
  }
};

struct FoldPad : FoldRewrite<PadOp> {
  using FoldRewrite::FoldRewrite;
  LogicalResult rewrite(PadOp op, PatternRewriter &rewriter) const override {
    auto literal = literalFor(op.getOperand(), op->getResult(0));
    std::optional<Element> padding = splatOf(op.getPaddingValue());
    constexpr int64_t kModest = int64_t(1) << 30;
    auto isModest = [](int64_t v) { return v >= -kModest && v <= kModest; };
    if (!literal || !padding ||
        !llvm::all_of(op.getEdgePaddingLow(), isModest) ||
        !llvm::all_of(op.getInteriorPadding(), isModest))
      return failure();
    Literal result = emptyLiteral(op->getResult(0));
    result.elements.assign(result.type.getNumElements(), *padding);
    ArrayRef<int64_t> to = result.type.getShape();
    SmallVector<int64_t> strides = stridesOf(to);
    ArrayRef<int64_t> shape = literal->type.getShape();
    SmallVector<int64_t> index(shape.size());
    int64_t n = literal->type.getNumElements();
    for (int64_t i = 0; i < n; ++i) {
      int64_t left = i, target = 0;
      bool inside = true;
      for (int64_t d = int64_t(shape.size()) - 1; d >= 0; --d) {
        int64_t at = op.getEdgePaddingLow()[d] +
                     (left % shape[d]) * (op.getInteriorPadding()[d] + 1);
        left /= shape[d];
        inside &= at >= 0 && at < to[d];
        target += at * strides[d];
      }
      if (inside)
        result.elements[target] = literal->at(i);
    }
    rewriter.replaceOp(op, makeConstant(rewriter, op->getLoc(), result));
    return success();
  }
};

struct FoldConcatenate : FoldRewrite<ConcatenateOp> {
  using FoldRewrite::FoldRewrite;
  LogicalResult rewrite(ConcatenateOp op,
                        PatternRewriter &rewriter) const override {
    if (!kindOf(op->getResult(0)) ||
        tensorOf(op->getResult(0)).getNumElements() > limit)
      return failure();
    Literal result = emptyLiteral(op->getResult(0));
    for (Value input : op.getInputs())
      if (!input.getDefiningOp<ConstantOp>())
        return failure();
    SmallVector<int64_t> strides = stridesOf(result.type.getShape());
    result.elements.resize(result.type.getNumElements());
    int64_t base = 0;
    for (Value input : op.getInputs()) {
      std::optional<Literal> literal = Literal::of(input, limit);
      if (!literal)
        return failure();
      int64_t next = 0;
      walkStrided(literal->type.getShape(), base, strides,
                  [&](int64_t i) { result.elements[i] = literal->at(next++); });
      base += shapeOf(input)[op.getDimension()] * strides[op.getDimension()];
    }
    rewriter.replaceOp(op, makeConstant(rewriter, op->getLoc(), result));
    return success();
  }
};

// In a wider element, the first element is the least significant part.
struct FoldBitcast : FoldRewrite<BitcastConvertOp> {
  using FoldRewrite::FoldRewrite;
  LogicalResult rewrite(BitcastConvertOp op,
                        PatternRewriter &rewriter) const override {
    if (!op.getOperand().getDefiningOp<ConstantOp>())
      return failure();
    std::optional<ElementKind> from = kindOf(op.getOperand());
    std::optional<ElementKind> to = kindOf(op->getResult(0));
    if (!from || !to || from->kind == ElementKind::Complex ||
        to->kind == ElementKind::Complex)
      return failure();
    if (from->width == to->width) {
      if (std::optional<Element> element = splatOf(op.getOperand()))
        return replaceWithSplat(rewriter, op, *element);
    }
    std::optional<Literal> literal = Literal::of(op.getOperand(), limit);
    Literal result = emptyLiteral(op->getResult(0));
    int64_t n = literal ? literal->type.getNumElements() : limit + 1;
    if (n > limit || result.type.getNumElements() > limit)
      return failure();
    unsigned ratio = std::max(from->width / to->width, to->width / from->width);
    if (from->width >= to->width) {
      for (int64_t i = 0; i < n; ++i)
        for (unsigned k = 0; k < ratio; ++k)
          result.elements.push_back(
              {(literal->at(i).re >> (k * to->width)) & to->mask()});
    } else {
      for (int64_t i = 0; i < n; i += ratio) {
        uint64_t bits = 0;
        for (unsigned k = 0; k < ratio; ++k)
          bits |= literal->at(i + k).re << (k * from->width);
        result.elements.push_back({bits});
      }
    }
    if (int64_t(result.elements.size()) != result.type.getNumElements())
      return failure();
    rewriter.replaceOp(op, makeConstant(rewriter, op->getLoc(), result));
    return success();
  }
};

} // namespace

void addFoldShape(Patterns &patterns, int64_t limit) {
  addRule<TransposeOp>(patterns, movedSplat);
  addRule<BroadcastInDimOp>(patterns, movedSplat);
  addRule<SliceOp>(patterns, movedSplat);
  addRule<ReverseOp>(patterns, movedSplat);
  addRule<DynamicSliceOp>(patterns, movedSplat);
  addRule<ConcatenateOp>(patterns, concatenatedSplats);
  addRule<PadOp>(patterns, paddedSplat);
  addRule<DynamicUpdateSliceOp>(patterns, updatedSplat);
  addRule<IotaOp>(patterns, trivialIota);
  patterns.add<FoldReshape, FoldTranspose, FoldBroadcast, FoldSlice,
               FoldReverse, FoldPad, FoldConcatenate, FoldBitcast>(limit);
}

} // namespace shardwright::simplifier
