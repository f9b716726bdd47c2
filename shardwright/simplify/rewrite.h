//===- rewrite.h - base of the rewrites -------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The base of the rewrites, and the conditions under which they apply.

#ifndef SHARDWRIGHT_SIMPLIFY_REWRITE_H
#define SHARDWRIGHT_SIMPLIFY_REWRITE_H

#include "shardwright/simplify/literal.h"

#include "mlir/IR/PatternMatch.h"

namespace shardwright::simplifier {

/// True if an op has discardable attributes (a sharding, a frontend attribute),
/// which a rewrite of the op would lose.
inline bool isFrozen(mlir::Operation *op) {
  return !op->getRawDictionaryAttrs().empty();
}

inline bool isPlainOp(mlir::Operation *op) {
  return llvm::all_of(op->getOperandTypes(), isPlain) &&
         llvm::all_of(op->getResultTypes(), isPlain);
}

/// The op that defines `value`, if it is of this class and may be looked
/// through.
template <typename Op> Op definedBy(mlir::Value value) {
  Op op = value.getDefiningOp<Op>();
  return op && !isFrozen(op) ? op : Op();
}

/// A rewrite of an op whose operands and results are plain tensors. `rewrite`
/// fails without having changed anything.
template <typename Op> struct Rewrite : mlir::OpRewritePattern<Op> {
  using mlir::OpRewritePattern<Op>::OpRewritePattern;

  mlir::LogicalResult
  matchAndRewrite(Op op, mlir::PatternRewriter &rewriter) const final {
    if (isFrozen(op) || !isPlainOp(op))
      return mlir::failure();
    return rewrite(op, rewriter);
  }
  virtual mlir::LogicalResult
  rewrite(Op op, mlir::PatternRewriter &rewriter) const = 0;
};

/// The same for ops whose operands and results may be of any type (tokens,
/// dynamic shapes); the rewrite checks the types.
template <typename Op> struct RewriteAny : mlir::OpRewritePattern<Op> {
  using mlir::OpRewritePattern<Op>::OpRewritePattern;

  mlir::LogicalResult
  matchAndRewrite(Op op, mlir::PatternRewriter &rewriter) const final {
    if (isFrozen(op))
      return mlir::failure();
    return rewrite(op, rewriter);
  }
  virtual mlir::LogicalResult
  rewrite(Op op, mlir::PatternRewriter &rewriter) const = 0;
};

/// A rewrite given as a function: `patterns.add<Rule<Op>>(context, function)`.
template <typename Op>
using RuleFunction = mlir::LogicalResult (*)(Op, mlir::PatternRewriter &);

template <typename Op> struct Rule final : Rewrite<Op> {
  Rule(mlir::MLIRContext *context, RuleFunction<Op> function)
      : Rewrite<Op>(context), function(function) {}
  mlir::LogicalResult rewrite(Op op,
                              mlir::PatternRewriter &rewriter) const override {
    return function(op, rewriter);
  }
  RuleFunction<Op> function;
};
template <typename Op> struct RuleAny final : RewriteAny<Op> {
  RuleAny(mlir::MLIRContext *context, RuleFunction<Op> function)
      : RewriteAny<Op>(context), function(function) {}
  mlir::LogicalResult rewrite(Op op,
                              mlir::PatternRewriter &rewriter) const override {
    return function(op, rewriter);
  }
  RuleFunction<Op> function;
};

template <typename Op>
void addRule(mlir::RewritePatternSet &patterns, RuleFunction<Op> function) {
  patterns.add<Rule<Op>>(patterns.getContext(), function);
}
template <typename Op>
void addRuleAny(mlir::RewritePatternSet &patterns, RuleFunction<Op> function) {
  patterns.add<RuleAny<Op>>(patterns.getContext(), function);
}

/// Replaces the one result of `op`, when the types agree.
inline mlir::LogicalResult replaceWith(mlir::PatternRewriter &rewriter,
                                       mlir::Operation *op, mlir::Value value) {
  if (op->getResult(0) == value ||
      op->getResult(0).getType() != value.getType())
    return mlir::failure();
  rewriter.replaceOp(op, value);
  return mlir::success();
}

/// Changes operands of `op` in place. The producers of the former operands
/// count as modified too, because they have fewer uses.
template <typename Change>
void changeOperands(mlir::RewriterBase &rewriter, mlir::Operation *op,
                    Change change) {
  llvm::SmallVector<mlir::Value> before(op->getOperands());
  rewriter.modifyOpInPlace(op, change);
  for (mlir::Value operand : before)
    if (mlir::Operation *producer = operand.getDefiningOp())
      rewriter.modifyOpInPlace(producer, [] {});
}

/// Creates a splat constant of `element`.
mlir::Value makeSplat(mlir::PatternRewriter &rewriter, mlir::Location loc,
                      mlir::Type type, Element element);
mlir::LogicalResult replaceWithSplat(mlir::PatternRewriter &rewriter,
                                     mlir::Operation *op, Element element);
/// A one-dimensional or scalar constant of integers of the element type of
/// `type`.
mlir::Value makeConstant(mlir::PatternRewriter &rewriter, mlir::Location loc,
                         const Literal &literal);

inline mlir::RankedTensorType tensorOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return tensorOf(value).getShape();
}
inline std::optional<ElementKind> kindOf(mlir::Value value) {
  return ElementKind::of(tensorOf(value).getElementType());
}
/// `value` as a tensor of another static shape with as many elements.
mlir::Value reshapeTo(mlir::PatternRewriter &rewriter, mlir::Location loc,
                      mlir::Value value, llvm::ArrayRef<int64_t> shape);

} // namespace shardwright::simplifier

#endif // SHARDWRIGHT_SIMPLIFY_REWRITE_H
