//===- trip_count.cc - trip counts of while loops -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/ops/trip_count.h"

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace shardwright {
namespace {

std::optional<int64_t> constantValue(Value value) {
  DenseIntElementsAttr elements;
  if (auto constant = value.getDefiningOp<sdy::ConstantOp>())
    elements = dyn_cast<DenseIntElementsAttr>(constant.getValue());
  else
    matchPattern(value, m_Constant(&elements));
  if (!elements || !elements.isSplat())
    return std::nullopt;
  APInt v = elements.getSplatValue<APInt>();
  bool isUnsigned = elements.getElementType().isUnsignedInteger();
  if (v.getBitWidth() > 64 || (isUnsigned && v.getActiveBits() > 63))
    return std::nullopt;
  return isUnsigned ? int64_t(v.getZExtValue()) : v.getSExtValue();
}

/// The index of the loop-carried value that `value` is in a region of `loop`.
std::optional<unsigned> carriedIndex(Value value, Region &region) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &region.front())
    return std::nullopt;
  return argument.getArgNumber();
}

stablehlo::ComparisonDirection mirrored(stablehlo::ComparisonDirection d) {
  using D = stablehlo::ComparisonDirection;
  switch (d) {
  case D::LT:
    return D::GT;
  case D::LE:
    return D::GE;
  case D::GT:
    return D::LT;
  case D::GE:
    return D::LE;
  default:
    return d;
  }
}

} // namespace

std::optional<int64_t> knownTripCount(Operation *op) {
  auto loop = dyn_cast<stablehlo::WhileOp>(op);
  if (!loop)
    return std::nullopt;
  Region &cond = loop.getCond(), &body = loop.getBody();
  if (cond.empty() || body.empty())
    return std::nullopt;
  auto compare = cond.front()
                     .getTerminator()
                     ->getOperand(0)
                     .getDefiningOp<stablehlo::CompareOp>();
  if (!compare)
    return std::nullopt;

  // counter <direction> bound
  auto direction = compare.getComparisonDirection();
  Value counter = compare.getLhs(), boundValue = compare.getRhs();
  if (!carriedIndex(counter, cond)) {
    std::swap(counter, boundValue);
    direction = mirrored(direction);
  }
  std::optional<unsigned> index = carriedIndex(counter, cond);
  if (!index)
    return std::nullopt;
  auto invariant = [&](Value v) -> Value {
    // A carried value that the body returns unchanged equals its initial value.
    std::optional<unsigned> i = carriedIndex(v, cond);
    if (i && body.front().getTerminator()->getOperand(*i) ==
                 body.front().getArgument(*i))
      return loop->getOperand(*i);
    return v;
  };
  std::optional<int64_t> bound = constantValue(invariant(boundValue));
  std::optional<int64_t> start = constantValue(loop->getOperand(*index));

  // counter := counter + step
  std::optional<int64_t> step;
  Value next = body.front().getTerminator()->getOperand(*index);
  if (auto add = next.getDefiningOp<stablehlo::AddOp>()) {
    if (carriedIndex(add.getLhs(), body) == index)
      step = constantValue(add.getRhs());
    else if (carriedIndex(add.getRhs(), body) == index)
      step = constantValue(add.getLhs());
  } else if (auto sub = next.getDefiningOp<stablehlo::SubtractOp>()) {
    if (carriedIndex(sub.getLhs(), body) == index)
      if (std::optional<int64_t> v = constantValue(sub.getRhs()))
        step = -*v;
  }
  if (!bound || !start || !step || *step == 0)
    return std::nullopt;

  using D = stablehlo::ComparisonDirection;
  __int128 span = __int128(*bound) - *start;
  __int128 stride = *step;
  if (direction == D::GT || direction == D::GE) {
    span = -span;
    stride = -stride;
  }
  switch (direction) {
  case D::LT:
  case D::GT:
    break;
  case D::LE:
  case D::GE:
    span += 1;
    break;
  case D::NE:
    if (stride < 0) {
      span = -span;
      stride = -stride;
    }
    if (span < 0 || span % stride != 0)
      return std::nullopt;
    break;
  default:
    return std::nullopt;
  }
  if (span <= 0)
    return 0;
  if (stride < 0)
    return std::nullopt;
  return int64_t((span + stride - 1) / stride);
}

} // namespace shardwright
