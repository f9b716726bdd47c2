//===- rewrite.h - base of the rewrites -------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The base of the rewrites, the conditions under which they apply, and how they
// become patterns.

#ifndef SHARDWRIGHT_SIMPLIFY_REWRITE_H
#define SHARDWRIGHT_SIMPLIFY_REWRITE_H

#include "shardwright/simplify/literal.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"

#include <memory>
#include <vector>

namespace shardwright::simplifier {

/// True if an op has discardable attributes (a sharding, a frontend attribute),
/// which a rewrite of the op would lose.
inline bool isFrozen(mlir::Operation *op) {
  return !op->getRawDictionaryAttrs().empty();
}

bool isPlainOp(mlir::Operation *op);

/// The op that defines `value`, if it is of this class and may be looked
/// through.
template <typename Op> Op definedBy(mlir::Value value) {
  Op op = value.getDefiningOp<Op>();
  return op && !isFrozen(op) ? op : Op();
}

/// A rewrite of the ops of one name that have no discardable attributes.
class OpRewrite {
public:
  /// When it is tried, of the rewrites of its op.
  enum class Order { First, AsAdded };

  /// `areTypesPlain`: only for ops whose operands and results are plain
  /// tensors.
  OpRewrite(llvm::StringRef opName, bool areTypesPlain, Order order)
      : opName(opName), areTypesPlain(areTypesPlain), order(order) {}
  virtual ~OpRewrite() = default;

  /// Fails without having changed anything.
  virtual mlir::LogicalResult run(mlir::Operation *op,
                                  mlir::PatternRewriter &rewriter) const = 0;

  const llvm::StringRef opName;
  const bool areTypesPlain;
  const Order order;
};

/// Rewrites, as they are added. The rewrites of one op become one pattern, so
/// that their common conditions are tested once for an op.
class Patterns {
public:
  template <typename... Rewrites, typename... Args>
  void add(const Args &...args) {
    (addOne(std::make_unique<Rewrites>(args...)), ...);
  }
  void moveTo(mlir::RewritePatternSet &set);

private:
  void addOne(std::unique_ptr<OpRewrite> rewrite);

  llvm::MapVector<llvm::StringRef, std::vector<std::unique_ptr<OpRewrite>>>
      byOp;
};

/// A rewrite of an op whose operands and results are plain tensors. `rewrite`
/// fails without having changed anything.
template <typename Op> struct Rewrite : OpRewrite {
  explicit Rewrite(Order order = Order::AsAdded, bool areTypesPlain = true)
      : OpRewrite(Op::getOperationName(), areTypesPlain, order) {}

  mlir::LogicalResult run(mlir::Operation *op,
                          mlir::PatternRewriter &rewriter) const final {
    return rewrite(llvm::cast<Op>(op), rewriter);
  }
  virtual mlir::LogicalResult
  rewrite(Op op, mlir::PatternRewriter &rewriter) const = 0;
};

/// A rewrite given as a function.
template <typename Op>
using RuleFunction = mlir::LogicalResult (*)(Op, mlir::PatternRewriter &);

template <typename Op> struct Rule final : Rewrite<Op> {
  Rule(RuleFunction<Op> function, bool areTypesPlain)
      : Rewrite<Op>(OpRewrite::Order::AsAdded, areTypesPlain),
        function(function) {}
  mlir::LogicalResult rewrite(Op op,
                              mlir::PatternRewriter &rewriter) const override {
    return function(op, rewriter);
  }
  RuleFunction<Op> function;
};

template <typename Op>
void addRule(Patterns &patterns, RuleFunction<Op> function) {
  patterns.add<Rule<Op>>(function, /*areTypesPlain=*/true);
}
/// The same for ops whose operands and results may be of any type (tokens,
/// dynamic shapes); the function checks the types.
template <typename Op>
void addRuleAny(Patterns &patterns, RuleFunction<Op> function) {
  patterns.add<Rule<Op>>(function, /*areTypesPlain=*/false);
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
