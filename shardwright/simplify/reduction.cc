//===- reduction.cc - reduce, map, sort, scatter -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/simplify/evaluate.h"
#include "shardwright/simplify/patterns.h"
#include "shardwright/simplify/region.h"

#include "shardwright/dialect/stablehlo/control_flow.h"
#include "shardwright/dialect/stablehlo/elementwise.h"
#include "shardwright/dialect/stablehlo/reduction.h"
#include "shardwright/dialect/stablehlo/shape.h"

using namespace mlir;
using namespace shardwright::stablehlo;

namespace shardwright::simplifier {
namespace {

LogicalResult replaceAll(PatternRewriter &rewriter, Operation *op,
                         ArrayRef<Value> values) {
  for (auto [result, value] : llvm::zip_equal(op->getResults(), values))
    if (result.getType() != value.getType())
      return failure();
  rewriter.replaceOp(op, values);
  return success();
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

// A reduction over no elements gives the initial values.
LogicalResult reduceNothing(ReduceOp op, PatternRewriter &rewriter) {
  bool empty = false;
  for (int64_t d : op.getDimensions())
    empty |= shapeOf(op.getInputs()[0])[d] == 0;
  if (!empty)
    return failure();
  for (auto [init, result] :
       llvm::zip_equal(op.getInitValues(), op.getResults()))
    if (tensorOf(init).getElementType() != tensorOf(result).getElementType())
      return failure();
  SmallVector<Value> values;
  for (auto [init, result] :
       llvm::zip_equal(op.getInitValues(), op.getResults()))
    values.push_back(BroadcastInDimOp::create(
        rewriter, op.getLoc(), result.getType(), init, ArrayRef<int64_t>()));
  return replaceAll(rewriter, op, values);
}

// Drops reduced dimensions of size 1; if none is left, applies the body once,
// to the initial value and the element.
LogicalResult reduceUnitDims(ReduceOp op, PatternRewriter &rewriter) {
  ArrayRef<int64_t> shape = shapeOf(op.getInputs()[0]);
  SmallVector<int64_t> kept, left;
  for (int64_t d : op.getDimensions())
    if (shape[d] != 1)
      kept.push_back(d);
  if (kept.size() == op.getDimensions().size() && !kept.empty())
    return failure();
  for (auto [d, size] : llvm::enumerate(shape))
    if (!llvm::is_contained(op.getDimensions(), int64_t(d)) ||
        llvm::is_contained(kept, int64_t(d)))
      left.push_back(size);
  Location loc = op.getLoc();
  if (kept.empty()) {
    // Requires that the elements have the body's argument types.
    Block &body = op.getBody().front();
    unsigned n = op.getInputs().size();
    for (unsigned i = 0; i < n; ++i)
      if (tensorOf(op.getInputs()[i]).getElementType() !=
              tensorOf(op.getResult(i)).getElementType() ||
          tensorOf(op.getInitValues()[i]).getElementType() !=
              tensorOf(op.getResult(i)).getElementType() ||
          getElementTypeOrSelf(body.getArgument(i)) !=
              tensorOf(op.getResult(i)).getElementType())
        return failure();
    if (!isScalarBlock(body))
      return failure();
    SmallVector<Value> arguments;
    for (Value init : op.getInitValues())
      arguments.push_back(BroadcastInDimOp::create(
          rewriter, loc, tensorOf(init).clone(ArrayRef<int64_t>(left)), init,
          ArrayRef<int64_t>()));
    for (Value input : op.getInputs())
      arguments.push_back(reshapeTo(rewriter, loc, input, left));
    return replaceAll(rewriter, op,
                      applyToTensors(rewriter, loc, body, arguments));
  }
  SmallVector<int64_t> dims;
  for (int64_t d : kept) {
    int64_t dropped = 0;
    for (int64_t other : op.getDimensions())
      dropped += other < d && !llvm::is_contained(kept, other);
    dims.push_back(d - dropped);
  }
  SmallVector<Value> operands;
  for (Value input : op.getInputs())
    operands.push_back(reshapeTo(rewriter, loc, input, left));
  changeOperands(rewriter, op, [&] {
    op.getInputsMutable().assign(operands);
    op.setDimensions(dims);
  });
  return success();
}

// The only op of a body, if it applies to both arguments.
Operation *combinerOf(Block &body) {
  if (body.getNumArguments() != 2 || !llvm::hasNItems(body, 2))
    return nullptr;
  Operation *op = &body.front();
  if (op->getNumOperands() != 2 || op->getNumResults() != 1 || isFrozen(op) ||
      body.getTerminator()->getOperands() != op->getResults())
    return nullptr;
  Value a = body.getArgument(0), b = body.getArgument(1);
  Value x = op->getOperand(0), y = op->getOperand(1);
  return (x == a && y == b) || (x == b && y == a) ? op : nullptr;
}

struct FoldReduce : Rewrite<ReduceOp> {
  explicit FoldReduce(int64_t limit) : limit(limit) {}

  // Folds constants for reducers whose result does not depend on the order.
  LogicalResult rewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    if (op.getInputs().size() != 1)
      return failure();
    std::optional<Literal> input = Literal::of(op.getInputs()[0], limit);
    std::optional<Element> init = splatOf(op.getInitValues()[0]);
    Operation *combiner = combinerOf(op.getBody().front());
    auto type = tensorOf(op.getResult(0));
    if (!input || !init || !combiner ||
        type.getElementType() != input->type.getElementType() ||
        tensorOf(op.getInitValues()[0]).getElementType() !=
            type.getElementType())
      return failure();
    bool isExtremum = isa<MaxOp, MinOp>(combiner);
    bool isOrderFree =
        isExtremum ||
        (!input->kind.isFloat() && input->kind.kind != ElementKind::Complex &&
         isa<AddOp, MulOp, AndOp, OrOp, XorOp>(combiner));
    bool isIdempotent = isExtremum || isa<AndOp, OrOp>(combiner);
    int64_t count = 1;
    for (int64_t d : op.getDimensions())
      count *= input->type.getDimSize(d);
    if (!isOrderFree || count == 0 || isa<CompareOp>(combiner))
      return failure();
    auto combine = [&](Element a, Element b) {
      return evaluateBinary(combiner, input->kind, a, b);
    };
    Literal result{type, input->kind, input->splat, {}};
    if (input->splat) {
      if (!isIdempotent && count > limit)
        return failure();
      std::optional<Element> value = *init;
      for (int64_t i = 0; i < (isIdempotent ? 1 : count) && value; ++i)
        value = combine(*value, input->elements[0]);
      if (!value)
        return failure();
      return replaceWithSplat(rewriter, op, *value);
    }
    result.elements.assign(type.getNumElements(), *init);
    // Stride in the result of each dimension of the input; 0 if reduced.
    ArrayRef<int64_t> shape = input->type.getShape();
    SmallVector<int64_t> strides(shape.size(), 0);
    int64_t stride = 1;
    for (int64_t d = int64_t(shape.size()) - 1; d >= 0; --d)
      if (!llvm::is_contained(op.getDimensions(), d)) {
        strides[d] = stride;
        stride *= shape[d];
      }
    for (auto [i, element] : llvm::enumerate(input->elements)) {
      int64_t left = i, at = 0;
      for (int64_t d = int64_t(shape.size()) - 1; d >= 0; --d) {
        at += (left % shape[d]) * strides[d];
        left /= shape[d];
      }
      std::optional<Element> value = combine(result.elements[at], element);
      if (!value)
        return failure();
      result.elements[at] = *value;
    }
    rewriter.replaceOp(op, makeConstant(rewriter, op.getLoc(), result));
    return success();
  }

  int64_t limit;
};

// Removes unused results that the others do not depend on.
LogicalResult reduceDeadResults(ReduceOp op, PatternRewriter &rewriter) {
  unsigned n = op.getNumResults();
  if (n < 2 ||
      llvm::none_of(
          op.getResults(), [](Value result) { return result.use_empty(); }))
    return failure();
  Block &body = op.getBody().front();
  Operation *terminator = body.getTerminator();
  Needed needed(body);
  needed.addEffects();
  llvm::SmallBitVector live(n), done(n);
  for (unsigned i = 0; i < n; ++i)
    if (!op.getResult(i).use_empty())
      live.set(i);
  while (live != done) {
    for (unsigned i = 0; i < n; ++i)
      if (live.test(i) && !done.test(i)) {
        done.set(i);
        needed.add(terminator->getOperand(i));
      }
    for (unsigned i : needed.neededArguments().set_bits())
      live.set(i % n);
  }
  if (live.all() || live.none())
    return failure();
  SmallVector<Value> inputs, inits, yields;
  SmallVector<Type> types;
  llvm::BitVector dead(2 * n);
  for (unsigned i = 0; i < n; ++i) {
    if (!live.test(i)) {
      dead.set(i);
      dead.set(n + i);
      continue;
    }
    inputs.push_back(op.getInputs()[i]);
    inits.push_back(op.getInitValues()[i]);
    yields.push_back(terminator->getOperand(i));
    types.push_back(op.getResult(i).getType());
  }
  changeOperands(rewriter, terminator,
                 [&] { terminator->setOperands(yields); });
  needed.eraseOthers(rewriter);
  rewriter.modifyOpInPlace(op, [&] { body.eraseArguments(dead); });
  auto smaller = ReduceOp::create(rewriter, op.getLoc(), types, inputs, inits,
                                  op.getDimensions());
  smaller.getBody().takeBody(op.getBody());
  SmallVector<Value> results(n);
  unsigned next = 0;
  for (unsigned i = 0; i < n; ++i)
    if (live.test(i))
      rewriter.replaceAllUsesWith(op.getResult(i), smaller.getResult(next++));
  rewriter.eraseOp(op);
  return success();
}

//===----------------------------------------------------------------------===//
// map, sort, scatter
//===----------------------------------------------------------------------===//

LogicalResult inlineMap(MapOp op, PatternRewriter &rewriter) {
  Block &block = op.getComputation().front();
  if (op.getInputs().empty() || !isScalarBlock(block))
    return failure();
  for (auto [argument, input] :
       llvm::zip_equal(block.getArguments(), op.getInputs()))
    if (tensorOf(argument).getElementType() != tensorOf(input).getElementType())
      return failure();
  if (getElementTypeOrSelf(block.getTerminator()->getOperand(0)) !=
      tensorOf(op.getResult()).getElementType())
    return failure();
  return replaceAll(
      rewriter, op,
      applyToTensors(rewriter, op.getLoc(), block, op.getInputs()));
}

int64_t sortedDim(SortOp op) {
  int64_t dim = op.getDimension();
  return dim < 0 ? dim + int64_t(shapeOf(op.getInputs()[0]).size()) : dim;
}

LogicalResult sortOfOne(SortOp op, PatternRewriter &rewriter) {
  ArrayRef<int64_t> shape = shapeOf(op.getInputs()[0]);
  int64_t dim = sortedDim(op);
  if (!shape.empty() &&
      (dim < 0 || dim >= int64_t(shape.size()) || shape[dim] > 1))
    return failure();
  return replaceAll(rewriter, op, SmallVector<Value>(op.getInputs()));
}

LogicalResult sortDeadResults(SortOp op, PatternRewriter &rewriter) {
  unsigned n = op.getNumResults();
  Block &comparator = op.getComparator().front();
  llvm::BitVector dead(2 * n);
  for (unsigned i = 0; i < n; ++i)
    if (op.getResult(i).use_empty() &&
        comparator.getArgument(2 * i).use_empty() &&
        comparator.getArgument(2 * i + 1).use_empty()) {
      dead.set(2 * i);
      dead.set(2 * i + 1);
    }
  if (dead.none() || dead.all())
    return failure();
  SmallVector<Value> inputs;
  SmallVector<Type> types;
  for (unsigned i = 0; i < n; ++i)
    if (!dead.test(2 * i)) {
      inputs.push_back(op.getInputs()[i]);
      types.push_back(op.getResult(i).getType());
    }
  rewriter.modifyOpInPlace(op, [&] { comparator.eraseArguments(dead); });
  auto smaller = SortOp::create(rewriter, op.getLoc(), types, inputs,
                                op.getDimensionAttr(), op.getIsStableAttr());
  smaller.getComparator().takeBody(op.getComparator());
  unsigned next = 0;
  for (unsigned i = 0; i < n; ++i)
    if (!dead.test(2 * i))
      rewriter.replaceAllUsesWith(op.getResult(i), smaller.getResult(next++));
  rewriter.eraseOp(op);
  return success();
}

LogicalResult scatterNothing(ScatterOp op, PatternRewriter &rewriter) {
  for (Value update : op.getUpdates())
    if (tensorOf(update).getNumElements() != 0)
      return failure();
  return replaceAll(rewriter, op, SmallVector<Value>(op.getInputs()));
}

} // namespace

void addReduction(Patterns &patterns, int64_t limit) {
  addRule<ReduceOp>(patterns, reduceNothing);
  addRule<ReduceOp>(patterns, reduceUnitDims);
  addRule<ReduceOp>(patterns, reduceDeadResults);
  patterns.add<FoldReduce>(limit);
  addRule<MapOp>(patterns, inlineMap);
  addRule<SortOp>(patterns, sortOfOne);
  addRule<SortOp>(patterns, sortDeadResults);
  addRule<ScatterOp>(patterns, scatterNothing);
}

} // namespace shardwright::simplifier
