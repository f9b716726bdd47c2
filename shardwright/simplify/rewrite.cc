//===- rewrite.cc - base of the rewrites ----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/simplify/rewrite.h"

#include "shardwright/dialect/stablehlo/shape.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace shardwright::simplifier {

bool isPlainOp(Operation *op) {
  // Most operands have the type of their neighbour.
  Type last;
  auto isPlainToo = [&](Type type) {
    return type == std::exchange(last, type) || isPlain(type);
  };
  return llvm::all_of(op->getOperandTypes(), isPlainToo) &&
         llvm::all_of(op->getResultTypes(), isPlainToo);
}

namespace {

/// Moves a constant to the right of another operand of a commutative op, as
/// folding does, also for ops with discardable attributes.
LogicalResult moveConstantRight(Operation *op, PatternRewriter &rewriter) {
  if (op->getNumOperands() != 2 ||
      !matchPattern(op->getOperand(0), m_Constant()) ||
      matchPattern(op->getOperand(1), m_Constant()))
    return failure();
  rewriter.modifyOpInPlace(
      op, [&] { op->setOperands({op->getOperand(1), op->getOperand(0)}); });
  return success();
}

/// All rewrites of one op.
struct OpPattern final : RewritePattern {
  OpPattern(StringRef name, MLIRContext *context,
            std::vector<std::unique_ptr<OpRewrite>> rewrites)
      : RewritePattern(name, /*benefit=*/1, context),
        isCommutative(
            OperationName(name, context).hasTrait<OpTrait::IsCommutative>()),
        rewrites(std::move(rewrites)) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (isCommutative && succeeded(moveConstantRight(op, rewriter)))
      return success();
    if (isFrozen(op))
      return failure();
    std::optional<bool> isPlain;
    for (const std::unique_ptr<OpRewrite> &rewrite : rewrites) {
      if (rewrite->areTypesPlain) {
        if (!isPlain)
          isPlain = isPlainOp(op);
        if (!*isPlain)
          continue;
      }
      if (succeeded(rewrite->run(op, rewriter)))
        return success();
    }
    return failure();
  }

  bool isCommutative;
  std::vector<std::unique_ptr<OpRewrite>> rewrites;
};

} // namespace

void Patterns::addOne(std::unique_ptr<OpRewrite> rewrite) {
  auto &ofOp = byOp[rewrite->opName];
  auto place = ofOp.end();
  if (rewrite->order == OpRewrite::Order::First)
    place = llvm::find_if(ofOp, [](const auto &other) {
      return other->order != OpRewrite::Order::First;
    });
  ofOp.insert(place, std::move(rewrite));
}

void Patterns::moveTo(RewritePatternSet &set) {
  for (auto &[name, rewrites] : byOp)
    set.add<OpPattern>(name, set.getContext(), std::move(rewrites));
  byOp.clear();
}

Value makeConstant(PatternRewriter &rewriter, Location loc,
                   const Literal &literal) {
  return stablehlo::ConstantOp::create(rewriter, loc, literal.attr());
}

Value makeSplat(PatternRewriter &rewriter, Location loc, Type type,
                Element element) {
  auto tensor = cast<RankedTensorType>(type);
  ElementKind kind = *ElementKind::of(tensor.getElementType());
  Literal literal{tensor, kind, true, {element}};
  if (tensor.getNumElements() == 0)
    literal.splat = false, literal.elements.clear();
  return makeConstant(rewriter, loc, literal);
}

LogicalResult replaceWithSplat(PatternRewriter &rewriter, Operation *op,
                               Element element) {
  rewriter.replaceOp(op, makeSplat(rewriter, op->getLoc(),
                                   op->getResult(0).getType(), element));
  return success();
}

Value reshapeTo(PatternRewriter &rewriter, Location loc, Value value,
                ArrayRef<int64_t> shape) {
  RankedTensorType type = tensorOf(value);
  if (type.getShape() == shape)
    return value;
  return stablehlo::ReshapeOp::create(rewriter, loc, type.clone(shape), value);
}

} // namespace shardwright::simplifier
