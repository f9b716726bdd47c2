//===- linear_ops.cc - ops that may work on partial sums ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/ops/linear_ops.h"

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/ops/op_traits.h"
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

bool isProduct(Operation *op) {
  return isContraction(op) || isa<stablehlo::MulOp>(op);
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

static SmallVector<bool, 4> jointOperands(Operation *op) {
  unsigned all = op->getNumOperands();
  if (isa<stablehlo::AddOp, stablehlo::SubtractOp, stablehlo::NegOp,
          stablehlo::TransposeOp, stablehlo::ReshapeOp,
          stablehlo::BroadcastInDimOp, stablehlo::SliceOp, stablehlo::ReverseOp,
          stablehlo::ConcatenateOp, stablehlo::PadOp, stablehlo::RealOp,
          stablehlo::ImagOp, stablehlo::ComplexOp>(op))
    return first(op, all);
  if (isDynamicSlicing(op))
    return first(op, 1);
  if (isa<stablehlo::DynamicUpdateSliceOp>(op))
    return first(op, 2);
  // Integer division is not linear: it drops the remainder.
  if (isa<stablehlo::DivOp>(op) &&
      !isa<IntegerType>(getElementTypeOrSelf(op->getResult(0))))
    return first(op, 1);
  if (auto convert = dyn_cast<stablehlo::ConvertOp>(op))
    return first(op, convertsLinearly(convert) ? 1 : 0);
  if (auto select = dyn_cast<stablehlo::SelectOp>(op)) {
    SmallVector<bool, 4> flags = first(op, all);
    flags.front() = false;
    return flags;
  }
  if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op))
    return first(op, uniformReducer(reduce.getBody()) == ReducerKind::Add ? all
                                                                          : 0);
  return first(op, 0);
}

SmallVector<bool, 4>
linearOperands(Operation *op,
               llvm::function_ref<bool(unsigned operand)> isPartial) {
  SmallVector<bool, 4> flags = first(op, 0);
  if (isProduct(op)) {
    for (unsigned i : {0, 1})
      if (isPartial(i)) {
        flags[i] = true;
        break;
      }
  } else {
    flags = jointOperands(op);
  }
  auto adds = [](Type type) { return canAdd(type); };
  if (!llvm::all_of(op->getResultTypes(), adds))
    return first(op, 0);
  for (auto [flag, type] : llvm::zip(flags, op->getOperandTypes()))
    if (flag && !canAdd(type))
      return first(op, 0);
  return flags;
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
    SmallVector<bool, 4> flags =
        linearOperands(op, [&](unsigned operand) { return operand == i; });
    auto isNoSummand = [&](OpOperand &other) {
      unsigned k = other.getOperandNumber();
      if (k == i || (isa<stablehlo::SelectOp>(op) && k == 0))
        return true;
      return flags[k] ? isZeroSplat(other.get())
                      : bool(splatOfValue(other.get()));
    };
    if (flags[i] && llvm::all_of(op->getOpOperands(), isNoSummand))
      return &op->getOpOperand(i);
  }
  return nullptr;
}

} // namespace shardwright
