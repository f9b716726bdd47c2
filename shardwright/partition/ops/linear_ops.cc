//===- linear_ops.cc - ops that may work on partial sums ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/ops/linear_ops.h"

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/ops/op_problem.h"
#include "shardwright/partition/ops/op_traits.h"
#include "shardwright/partition/support/tensor_types.h"
#include "shardwright/rules/reducer.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace shardwright {

bool canAdd(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  if (auto number = dyn_cast<FloatType>(element))
    return APFloat::semanticsHasZero(number.getFloatSemantics());
  return isa<IntegerType>(element) && !element.isInteger(1);
}

DenseElementsAttr splatOfValue(Value value) {
  while (auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>())
    value = broadcast.getOperand();
  DenseElementsAttr elements;
  if (auto constant = value.getDefiningOp<sdy::ConstantOp>())
    elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  else
    matchPattern(value, m_Constant(&elements));
  return elements && elements.isSplat() ? elements : DenseElementsAttr();
}

bool isZeroSplat(Value value) {
  DenseElementsAttr elements = splatOfValue(value);
  if (!elements)
    return false;
  Type type = elements.getElementType();
  if (isa<FloatType>(type))
    return elements.getSplatValue<APFloat>().isZero();
  return isa<IntegerType>(type) && elements.getSplatValue<APInt>().isZero();
}

bool canReduce(Type type, ReductionKind kind) {
  return kind == ReductionKind::Sum ? canAdd(type) : hasKind(type, kind);
}

bool isProduct(Operation *op, ReductionKind kind) {
  switch (kind) {
  case ReductionKind::Sum:
    return isContraction(op) || isa<stablehlo::MulOp>(op);
  case ReductionKind::Max:
    return isa<stablehlo::MinOp>(op);
  case ReductionKind::Min:
    return isa<stablehlo::MaxOp>(op);
  }
  return false;
}

/// True if the conversion commutes with addition: between floats up to
/// rounding, between integers if it truncates bits.
static bool convertsLinearly(stablehlo::ConvertOp op) {
  Type from = getElementTypeOrSelf(op.getOperand().getType());
  Type to = getElementTypeOrSelf(op.getType());
  if (isa<FloatType>(from))
    return isa<FloatType>(to);
  auto wide = dyn_cast<IntegerType>(from), narrow = dyn_cast<IntegerType>(to);
  return wide && narrow && narrow.getWidth() <= wide.getWidth();
}

/// Flags that select the first `count` operands.
static SmallVector<bool, 4> first(Operation *op, unsigned count) {
  SmallVector<bool, 4> flags(op->getNumOperands(), false);
  std::fill_n(flags.begin(), count, true);
  return flags;
}

/// The operands of which the op copies elements to its result, all or some;
/// none if the op is of another kind.
static SmallVector<bool, 4> copiedOperands(Operation *op) {
  unsigned all = op->getNumOperands();
  if (isa<stablehlo::TransposeOp, stablehlo::ReshapeOp,
          stablehlo::BroadcastInDimOp, stablehlo::SliceOp, stablehlo::ReverseOp,
          stablehlo::ConcatenateOp, stablehlo::PadOp>(op))
    return first(op, all);
  if (isDynamicSlicing(op))
    return first(op, 1);
  if (isa<stablehlo::DynamicUpdateSliceOp>(op))
    return first(op, 2);
  if (isa<stablehlo::SelectOp>(op)) {
    SmallVector<bool, 4> flags = first(op, all);
    flags.front() = false;
    return flags;
  }
  return first(op, 0);
}

/// The operands in which the op is linear, except those of products and copies.
static SmallVector<bool, 4> summedOperands(Operation *op) {
  unsigned all = op->getNumOperands();
  if (isa<stablehlo::AddOp, stablehlo::SubtractOp, stablehlo::NegOp,
          stablehlo::RealOp, stablehlo::ImagOp, stablehlo::ComplexOp>(op))
    return first(op, all);
  // Integer division is not linear: it drops the remainder.
  if (isa<stablehlo::DivOp>(op) &&
      !isa<IntegerType>(getElementTypeOrSelf(op->getResult(0))))
    return first(op, 1);
  if (auto convert = dyn_cast<stablehlo::ConvertOp>(op))
    return first(op, convertsLinearly(convert) ? 1 : 0);
  if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op))
    return first(op, uniformReducer(reduce.getBody()) == ReducerKind::Add ? all
                                                                          : 0);
  return first(op, 0);
}

/// True if a <= b implies convert(a) <= convert(b), and NaN stays NaN.
static bool convertsInOrder(stablehlo::ConvertOp op) {
  Type from = getElementTypeOrSelf(op.getOperand().getType());
  Type to = getElementTypeOrSelf(op.getType());
  if (from == to)
    return true;
  auto fromInt = dyn_cast<IntegerType>(from);
  auto toFloat = dyn_cast<FloatType>(to);
  if (fromInt && toFloat)
    // Without infinities, large numbers may become NaN.
    return APFloat::semanticsHasInf(toFloat.getFloatSemantics());
  if (auto fromFloat = dyn_cast<FloatType>(from); fromFloat && toFloat) {
    const llvm::fltSemantics &a = fromFloat.getFloatSemantics();
    const llvm::fltSemantics &b = toFloat.getFloatSemantics();
    return APFloat::isRepresentableBy(a, b) &&
           (APFloat::semanticsHasInf(b) || !APFloat::semanticsHasInf(a)) &&
           (APFloat::semanticsHasNaN(b) || !APFloat::semanticsHasNaN(a)) &&
           APFloat::semanticsHasZero(b) && APFloat::semanticsHasSignedRepr(b);
  }
  auto toInt = dyn_cast<IntegerType>(to);
  if (!fromInt || !toInt || toInt.getWidth() <= fromInt.getWidth())
    return false;
  return fromInt.isUnsigned() || fromInt.getWidth() == 1 || !toInt.isUnsigned();
}

/// The operands in which the op commutes with the maximum or minimum, except
/// those of products and copies.
static SmallVector<bool, 4> orderedOperands(Operation *op, ReductionKind kind) {
  unsigned all = op->getNumOperands();
  bool isMax = kind == ReductionKind::Max;
  if (isMax ? isa<stablehlo::MaxOp>(op) : isa<stablehlo::MinOp>(op))
    return first(op, all);
  if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op))
    return first(op,
                 uniformReducer(reduce.getBody()) == reducerOf(kind) ? all : 0);
  if (auto convert = dyn_cast<stablehlo::ConvertOp>(op))
    return first(op, convertsInOrder(convert) ? 1 : 0);
  return first(op, 0);
}

SmallVector<bool, 4>
commutingOperands(Operation *op, ReductionKind kind,
                  llvm::function_ref<bool(unsigned operand)> isPartial) {
  SmallVector<bool, 4> flags = first(op, 0);
  if (isProduct(op, kind)) {
    for (unsigned i : {0, 1})
      if (isPartial(i)) {
        flags[i] = true;
        break;
      }
  } else {
    flags = copiedOperands(op);
    if (!llvm::is_contained(flags, true))
      flags = kind == ReductionKind::Sum ? summedOperands(op)
                                         : orderedOperands(op, kind);
  }
  auto reduces = [&](Type type) { return canReduce(type, kind); };
  if (!llvm::all_of(op->getResultTypes(), reduces))
    return first(op, 0);
  for (auto [flag, type] : llvm::zip(flags, op->getOperandTypes()))
    if (flag && !reduces(type))
      return first(op, 0);
  return flags;
}

bool mayBePartial(Operation *op, ReductionKind kind) {
  std::optional<ReducerKind> combiner = getCombiner(op);
  if (combiner && reductionKindOf(*combiner) == kind)
    return true;
  // By the rule of sums, such an op combines shards in another way.
  if (kind == ReductionKind::Sum)
    return false;
  return llvm::is_contained(
      commutingOperands(op, kind, [](unsigned) { return true; }), true);
}

/// The op may add up elements of its operands, but neither repeats nor leaves
/// out any, and loses no digits of summands.
static bool keepsElements(Operation *op) {
  if (isa<stablehlo::NegOp, stablehlo::TransposeOp, stablehlo::ReshapeOp,
          stablehlo::AddOp, stablehlo::SelectOp, stablehlo::MulOp>(op))
    return true;
  if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op)) {
    auto from = dyn_cast<RankedTensorType>(broadcast.getOperand().getType());
    return from && from.hasStaticShape() &&
           from.getNumElements() == broadcast.getType().getNumElements();
  }
  if (isa<stablehlo::ConvertOp>(op)) {
    auto from =
        dyn_cast<FloatType>(getElementTypeOrSelf(op->getOperand(0).getType()));
    auto to = dyn_cast<FloatType>(getElementTypeOrSelf(op->getResult(0)));
    return from && to && from.getWidth() < to.getWidth();
  }
  if (isa<stablehlo::ReduceOp>(op))
    return op->getNumOperands() == 2;
  // Complex quotients of summands may overflow where that of the sum does not.
  return isa<stablehlo::DivOp>(op) &&
         !isa<ComplexType>(getElementTypeOrSelf(op->getResult(0)));
}

OpOperand *soleLinearOperand(Operation *op) {
  if (op->getNumResults() != 1 || !keepsElements(op))
    return nullptr;
  // The initial value of a reduction is no summand of its elements.
  unsigned end = isa<stablehlo::ReduceOp>(op) ? 1 : op->getNumOperands();
  for (unsigned i = 0; i < end; ++i) {
    auto isNoValue = [&](unsigned operand) {
      return operand == i || (isa<stablehlo::SelectOp>(op) && operand == 0);
    };
    auto isSplat = [&](OpOperand &other) {
      return isNoValue(other.getOperandNumber()) || splatOfValue(other.get());
    };
    if (!llvm::all_of(op->getOpOperands(), isSplat))
      continue;
    SmallVector<bool, 4> flags = commutingOperands(
        op, ReductionKind::Sum, [&](unsigned operand) { return operand == i; });
    // Where the op adds the other operand, it must be zero.
    auto isNoSummand = [&](OpOperand &other) {
      unsigned operand = other.getOperandNumber();
      return isNoValue(operand) || !flags[operand] || isZeroSplat(other.get());
    };
    if (flags[i] && llvm::all_of(op->getOpOperands(), isNoSummand))
      return &op->getOpOperand(i);
  }
  return nullptr;
}

} // namespace shardwright
