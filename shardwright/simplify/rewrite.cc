//===- rewrite.cc - base of the rewrites ----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/simplify/rewrite.h"

#include "shardwright/dialect/stablehlo/shape.h"

using namespace mlir;

namespace shardwright::simplifier {

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
