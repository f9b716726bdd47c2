//===- reducer.cc - classify reducer regions ------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/rules/reducer.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace shardwright;

StringRef shardwright::stringify(ReducerKind kind) {
  switch (kind) {
  case ReducerKind::Add:
    return "add";
  case ReducerKind::Mul:
    return "multiply";
  case ReducerKind::Max:
    return "maximum";
  case ReducerKind::Min:
    return "minimum";
  case ReducerKind::And:
    return "and";
  case ReducerKind::Or:
    return "or";
  case ReducerKind::Xor:
    return "xor";
  }
  return "";
}

ReducerKind shardwright::reducerOf(ReductionKind kind) {
  switch (kind) {
  case ReductionKind::Sum:
    return ReducerKind::Add;
  case ReductionKind::Max:
    return ReducerKind::Max;
  case ReductionKind::Min:
    return ReducerKind::Min;
  }
  return ReducerKind::Add;
}

std::optional<ReductionKind> shardwright::reductionKindOf(ReducerKind kind) {
  switch (kind) {
  case ReducerKind::Add:
    return ReductionKind::Sum;
  case ReducerKind::Max:
    return ReductionKind::Max;
  case ReducerKind::Min:
    return ReductionKind::Min;
  case ReducerKind::Mul:
  case ReducerKind::And:
  case ReducerKind::Or:
  case ReducerKind::Xor:
    return std::nullopt;
  }
  return std::nullopt;
}

static std::optional<ReducerKind> kindOf(Operation *op) {
  using Kind = std::optional<ReducerKind>;
  return llvm::TypeSwitch<Operation *, Kind>(op)
      .Case<stablehlo::AddOp>([](auto) { return ReducerKind::Add; })
      .Case<stablehlo::MulOp>([](auto) { return ReducerKind::Mul; })
      .Case<stablehlo::MaxOp>([](auto) { return ReducerKind::Max; })
      .Case<stablehlo::MinOp>([](auto) { return ReducerKind::Min; })
      .Case<stablehlo::AndOp>([](auto) { return ReducerKind::And; })
      .Case<stablehlo::OrOp>([](auto) { return ReducerKind::Or; })
      .Case<stablehlo::XorOp>([](auto) { return ReducerKind::Xor; })
      .Default([](auto) { return Kind(); });
}

SmallVector<std::optional<ReducerKind>>
shardwright::classifyReducer(Region &body) {
  if (!body.hasOneBlock() || body.front().empty())
    return {};
  Block &block = body.front();
  Operation *terminator = &block.back();
  unsigned n = terminator->getNumOperands();
  if (!terminator->hasTrait<OpTrait::IsTerminator>() ||
      block.getNumArguments() != 2 * n)
    return {};

  SmallVector<std::optional<ReducerKind>> kinds;
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    kinds.emplace_back();
    Operation *def = value.getDefiningOp();
    if (!def || def->getNumOperands() != 2)
      continue;
    Value current = block.getArgument(i), update = block.getArgument(n + i);
    Value lhs = def->getOperand(0), rhs = def->getOperand(1);
    if ((lhs == current && rhs == update) || (lhs == update && rhs == current))
      kinds.back() = kindOf(def);
  }
  return kinds;
}

std::optional<ReducerKind> shardwright::uniformReducer(Region &body) {
  SmallVector<std::optional<ReducerKind>> kinds = classifyReducer(body);
  return !kinds.empty() && llvm::all_equal(kinds) ? kinds.front()
                                                  : std::nullopt;
}

static APInt identity(ReducerKind kind, unsigned width, bool isSigned) {
  switch (kind) {
  case ReducerKind::Add:
  case ReducerKind::Or:
  case ReducerKind::Xor:
    return APInt::getZero(width);
  case ReducerKind::Mul:
    return APInt(width, 1);
  case ReducerKind::And:
    return APInt::getAllOnes(width);
  case ReducerKind::Max:
    return isSigned ? APInt::getSignedMinValue(width)
                    : APInt::getMinValue(width);
  case ReducerKind::Min:
    return isSigned ? APInt::getSignedMaxValue(width)
                    : APInt::getMaxValue(width);
  }
  return APInt::getZero(width);
}

static std::optional<APFloat> identity(ReducerKind kind,
                                       const llvm::fltSemantics &semantics) {
  switch (kind) {
  case ReducerKind::Add:
    // Formats without zero have no identity.
    if (!APFloat::semanticsHasZero(semantics))
      return std::nullopt;
    return APFloat::getZero(semantics);
  case ReducerKind::Mul:
    return APFloat::getOne(semantics);
  case ReducerKind::Max:
  case ReducerKind::Min: {
    bool negative = kind == ReducerKind::Max;
    if (APFloat::semanticsHasInf(semantics))
      return APFloat::getInf(semantics, negative);
    if (negative && !APFloat::semanticsHasSignedRepr(semantics))
      return APFloat::getSmallest(semantics);
    return APFloat::getLargest(semantics, negative);
  }
  case ReducerKind::And:
  case ReducerKind::Or:
  case ReducerKind::Xor:
    return std::nullopt;
  }
  return std::nullopt;
}

TypedAttr shardwright::identityElement(ReducerKind kind, Type elementType) {
  if (auto type = dyn_cast<IntegerType>(elementType)) {
    // For i1, Add is `or`, and false is the minimum.
    bool isBool = type.getWidth() == 1;
    return IntegerAttr::get(
        type, identity(kind, type.getWidth(), !isBool && !type.isUnsigned()));
  }
  if (auto type = dyn_cast<FloatType>(elementType)) {
    std::optional<APFloat> value = identity(kind, type.getFloatSemantics());
    return value ? FloatAttr::get(type, *value) : TypedAttr();
  }
  // Complex scalars have no attribute; use a splat of rank 0.
  if (auto type = dyn_cast<ComplexType>(elementType)) {
    auto part = dyn_cast<FloatType>(type.getElementType());
    if (!part || (kind != ReducerKind::Add && kind != ReducerKind::Mul))
      return {};
    const llvm::fltSemantics &semantics = part.getFloatSemantics();
    std::optional<APFloat> real = identity(kind, semantics);
    if (!real)
      return {};
    std::complex<APFloat> value(*real, APFloat::getZero(semantics));
    return DenseElementsAttr::get(RankedTensorType::get({}, type), value);
  }
  return {};
}

DenseElementsAttr shardwright::splatOf(ShapedType type, TypedAttr element) {
  if (auto complex = dyn_cast<DenseElementsAttr>(element))
    return complex.resizeSplat(type);
  return DenseElementsAttr::get(type, {Attribute(element)});
}
