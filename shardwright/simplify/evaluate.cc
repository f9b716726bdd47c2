//===- evaluate.cc - elementwise ops on single elements ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/simplify/evaluate.h"

#include "shardwright/dialect/stablehlo/elementwise.h"
#include "shardwright/simplify/rewrite.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace shardwright::stablehlo;
using llvm::APFloat;

namespace shardwright::simplifier {
namespace {

constexpr auto kEven = APFloat::rmNearestTiesToEven;

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

// Square and multiply, modulo 2^width.
uint64_t integerPower(ElementKind kind, uint64_t base, uint64_t exponent) {
  int64_t b = kind.extend(base), e = kind.extend(exponent);
  if (kind.kind == ElementKind::Signed && e < 0) {
    if (b == 1)
      return 1;
    if (b == -1)
      return (e & 1) ? kind.mask() : 1;
    return 0;
  }
  uint64_t result = 1, factor = base;
  for (uint64_t left = exponent; left; left >>= 1) {
    if (left & 1)
      result *= factor;
    factor *= factor;
  }
  return result & kind.mask();
}

std::optional<Element> integerBinary(Operation *op, ElementKind kind,
                                     uint64_t x, uint64_t y) {
  uint64_t mask = kind.mask();
  bool isSigned = kind.kind == ElementKind::Signed;
  int64_t sx = kind.extend(x), sy = kind.extend(y);
  bool overflows = isSigned && x == kind.smallest() && sy == -1;
  auto less = [&] { return isSigned ? sx < sy : x < y; };
  // A shift by at least the width leaves only the bits that are shifted in.
  bool shiftsOut = y >= kind.width;
  auto result =
      llvm::TypeSwitch<Operation *, std::optional<uint64_t>>(op)
          .Case([&](AddOp) { return x + y; })
          .Case([&](SubtractOp) { return x - y; })
          .Case([&](MulOp) { return x * y; })
          .Case([&](DivOp) {
            if (y == 0)
              return ~uint64_t(0);
            if (overflows)
              return x;
            return isSigned ? uint64_t(sx / sy) : x / y;
          })
          .Case([&](RemOp) {
            if (y == 0)
              return x;
            if (overflows)
              return uint64_t(0);
            return isSigned ? uint64_t(sx % sy) : x % y;
          })
          .Case([&](MaxOp) { return less() ? y : x; })
          .Case([&](MinOp) { return less() ? x : y; })
          .Case([&](AndOp) { return x & y; })
          .Case([&](OrOp) { return x | y; })
          .Case([&](XorOp) { return x ^ y; })
          .Case([&](PowOp) { return integerPower(kind, x, y); })
          .Case([&](ShiftLeftOp) { return shiftsOut ? uint64_t(0) : x << y; })
          .Case([&](ShiftRightLogicalOp) {
            return shiftsOut ? uint64_t(0) : x >> y;
          })
          .Case([&](ShiftRightArithmeticOp) {
            int64_t value = llvm::SignExtend64(x, kind.width);
            return uint64_t(value >> (shiftsOut ? 63 : y));
          })
          .Default([](Operation *) { return std::nullopt; });
  if (!result)
    return std::nullopt;
  return Element{*result & mask};
}

std::optional<Element> boolBinary(Operation *op, uint64_t x, uint64_t y) {
  if (isa<AddOp, MaxOp, OrOp>(op))
    return Element{x | y};
  if (isa<MulOp, MinOp, AndOp>(op))
    return Element{x & y};
  if (isa<XorOp>(op))
    return Element{x ^ y};
  return std::nullopt;
}

std::optional<Element> integerUnary(Operation *op, ElementKind kind,
                                    uint64_t x) {
  uint64_t mask = kind.mask();
  int64_t sx = kind.extend(x);
  if (isa<NegOp>(op))
    return Element{(0 - x) & mask};
  if (isa<NotOp>(op))
    return Element{~x & mask};
  if (isa<PopulationCountOp>(op))
    return Element{uint64_t(llvm::popcount(x))};
  if (isa<ClzOp>(op))
    return Element{uint64_t(llvm::countl_zero(x)) - (64 - kind.width)};
  if (isa<AbsOp>(op))
    return Element{uint64_t(sx < 0 ? 0 - x : x) & mask};
  if (isa<SignOp>(op))
    return Element{uint64_t(sx < 0 ? -1 : sx > 0) & mask};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

std::optional<Element> floatBinary(Operation *op, const APFloat &x,
                                   const APFloat &y) {
  if (isa<PowOp>(op)) {
    if (y.isZero())
      return Element{bitsOf(APFloat::getOne(x.getSemantics()))};
    if (y.bitwiseIsEqual(APFloat::getOne(y.getSemantics())))
      return unlessNaN(x);
    return std::nullopt;
  }
  if (x.isNaN() || y.isNaN())
    return std::nullopt;
  APFloat result = x;
  if (isa<AddOp>(op))
    result.add(y, kEven);
  else if (isa<SubtractOp>(op))
    result.subtract(y, kEven);
  else if (isa<MulOp>(op))
    result.multiply(y, kEven);
  else if (isa<DivOp>(op))
    result.divide(y, kEven);
  else if (isa<RemOp>(op))
    result.mod(y);
  else if (isa<MaxOp>(op))
    result = llvm::maximum(x, y);
  else if (isa<MinOp>(op))
    result = llvm::minimum(x, y);
  else
    return std::nullopt;
  return unlessNaN(result);
}

// The square root, when it is representable.
std::optional<APFloat> exactSqrt(const APFloat &x) {
  if (x.isZero() || (x.isInfinity() && !x.isNegative()))
    return x;
  if (!x.isFinite() || x.isNegative())
    return std::nullopt;
  bool inexact;
  APFloat wide = x;
  wide.convert(APFloat::IEEEdouble(), kEven, &inexact);
  APFloat root(std::sqrt(wide.convertToDouble()));
  APFloat square = root;
  if (square.multiply(root, kEven) != APFloat::opOK || square != wide)
    return std::nullopt;
  root.convert(x.getSemantics(), kEven, &inexact);
  if (inexact)
    return std::nullopt;
  return root;
}

// Functions at arguments for which every implementation is exact.
std::optional<Element> exactFunction(Operation *op, const APFloat &x) {
  const llvm::fltSemantics &semantics = x.getSemantics();
  APFloat one = APFloat::getOne(semantics);
  auto elementOf = [](const APFloat &value) { return Element{bitsOf(value)}; };
  bool isOne = x.bitwiseIsEqual(one);
  if (isa<SineOp, TanOp, TanhOp, Expm1Op, Log1pOp, CbrtOp>(op)) {
    if (x.isZero() || (isa<CbrtOp>(op) && isOne))
      return elementOf(x);
  } else if (isa<CosineOp, ExpOp>(op)) {
    if (x.isZero())
      return elementOf(one);
  } else if (isa<LogisticOp>(op)) {
    if (x.isZero())
      return elementOf(scalbn(one, -1, kEven));
  } else if (isa<LogOp>(op)) {
    if (isOne)
      return elementOf(APFloat::getZero(semantics));
  } else if (isa<SqrtOp>(op)) {
    if (std::optional<APFloat> root = exactSqrt(x))
      return elementOf(*root);
  } else if (isa<RsqrtOp>(op)) {
    if (isOne)
      return elementOf(one);
  }
  return std::nullopt;
}

std::optional<Element> floatUnary(Operation *op, ElementKind kind,
                                  uint64_t bits) {
  APFloat x = kind.toFloat(bits);
  if (isa<IsFiniteOp>(op))
    return Element{x.isFinite()};
  if (isa<NegOp>(op)) {
    x.changeSign();
    return Element{bitsOf(x)};
  }
  if (isa<AbsOp>(op)) {
    x.clearSign();
    return Element{bitsOf(x)};
  }
  if (isa<RealOp>(op))
    return Element{bits};
  if (isa<ImagOp>(op))
    return Element{0};
  if (x.isNaN())
    return std::nullopt;
  if (isa<SignOp>(op)) {
    if (x.isZero())
      return Element{bits};
    return Element{bitsOf(APFloat::getOne(*kind.semantics, x.isNegative()))};
  }
  std::optional<llvm::RoundingMode> rounding =
      llvm::TypeSwitch<Operation *, std::optional<llvm::RoundingMode>>(op)
          .Case([](CeilOp) { return APFloat::rmTowardPositive; })
          .Case([](FloorOp) { return APFloat::rmTowardNegative; })
          .Case([](RoundOp) { return APFloat::rmNearestTiesToAway; })
          .Case([](RoundNearestEvenOp) { return kEven; })
          .Default([](Operation *) { return std::nullopt; });
  if (rounding) {
    x.roundToIntegral(*rounding);
    return unlessNaN(x);
  }
  return exactFunction(op, x);
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

bool holds(ComparisonDirection direction, bool less, bool equal) {
  switch (direction) {
  case ComparisonDirection::EQ:
    return equal;
  case ComparisonDirection::NE:
    return !equal;
  case ComparisonDirection::GE:
    return !less;
  case ComparisonDirection::GT:
    return !less && !equal;
  case ComparisonDirection::LE:
    return less || equal;
  case ComparisonDirection::LT:
    return less;
  }
  llvm_unreachable("all directions are listed");
}

std::optional<Element> evaluateCompare(CompareOp op, ElementKind kind,
                                       Element x, Element y) {
  ComparisonDirection direction = op.getComparisonDirection();
  auto type = op.getCompareType().value_or(ComparisonType::NOTYPE);
  if (kind.kind == ElementKind::Complex) {
    bool equal = kind.toFloat(x.re) == kind.toFloat(y.re) &&
                 kind.toFloat(x.im) == kind.toFloat(y.im);
    if (direction == ComparisonDirection::EQ)
      return Element{equal};
    if (direction == ComparisonDirection::NE)
      return Element{!equal};
    return std::nullopt;
  }
  if (kind.isFloat() && type == ComparisonType::TOTALORDER) {
    // Maps sign and magnitude to an integer of the same order.
    auto order = [&](uint64_t bits) {
      int64_t value = llvm::SignExtend64(bits, kind.width);
      return value < 0 ? int64_t(kind.mask() >> 1) ^ value : value;
    };
    return Element{holds(direction, order(x.re) < order(y.re), x.re == y.re)};
  }
  if (kind.isFloat()) {
    APFloat l = kind.toFloat(x.re), r = kind.toFloat(y.re);
    auto result = l.compare(r);
    if (result == APFloat::cmpUnordered)
      return Element{direction == ComparisonDirection::NE};
    return Element{holds(direction, result == APFloat::cmpLessThan,
                         result == APFloat::cmpEqual)};
  }
  bool less = kind.kind == ElementKind::Signed
                  ? kind.extend(x.re) < kind.extend(y.re)
                  : x.re < y.re;
  return Element{holds(direction, less, x.re == y.re)};
}

} // namespace

std::optional<Element> unlessNaN(const APFloat &value) {
  if (value.isNaN())
    return std::nullopt;
  return Element{bitsOf(value)};
}

std::optional<Element> evaluateUnary(Operation *op, ElementKind kind,
                                     Element x) {
  switch (kind.kind) {
  case ElementKind::Bool:
    if (isa<NotOp>(op))
      return Element{x.re ^ 1};
    return std::nullopt;
  case ElementKind::Signed:
  case ElementKind::Unsigned:
    return integerUnary(op, kind, x.re);
  case ElementKind::Float:
    return floatUnary(op, kind, x.re);
  case ElementKind::Complex:
    if (isa<RealOp>(op))
      return Element{x.re};
    if (isa<ImagOp>(op))
      return Element{x.im};
    if (isa<NegOp>(op))
      return Element{bitsOf(-kind.toFloat(x.re)), bitsOf(-kind.toFloat(x.im))};
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Element> evaluateBinary(Operation *op, ElementKind kind,
                                      Element x, Element y) {
  if (auto compare = dyn_cast<CompareOp>(op))
    return evaluateCompare(compare, kind, x, y);
  switch (kind.kind) {
  case ElementKind::Bool:
    return boolBinary(op, x.re, y.re);
  case ElementKind::Signed:
  case ElementKind::Unsigned:
    return integerBinary(op, kind, x.re, y.re);
  case ElementKind::Float:
    if (isa<ComplexOp>(op))
      return Element{x.re, y.re};
    return floatBinary(op, kind.toFloat(x.re), kind.toFloat(y.re));
  case ElementKind::Complex: {
    if (!isa<AddOp, SubtractOp>(op))
      return std::nullopt;
    auto re = floatBinary(op, kind.toFloat(x.re), kind.toFloat(y.re));
    auto im = floatBinary(op, kind.toFloat(x.im), kind.toFloat(y.im));
    if (!re || !im)
      return std::nullopt;
    return Element{re->re, im->re};
  }
  }
  return std::nullopt;
}

Evaluator evaluatorOf(Operation *op) {
  if (op->getNumResults() != 1 || !isPlainOp(op))
    return {};
  unsigned n = op->getNumOperands();
  if (n < 1 || n > 3)
    return {};
  // The operand that has the element kind: select's predicate is boolean.
  std::optional<ElementKind> kind =
      kindOf(op->getOperand(isa<SelectOp>(op) ? 1 : 0));
  std::optional<ElementKind> to = kindOf(op->getResult(0));
  if (!kind || !to)
    return {};
  if (isa<SelectOp>(op))
    return [](ArrayRef<Element> x) -> std::optional<Element> {
      return x[0].re ? x[1] : x[2];
    };
  if (auto clamp = dyn_cast<ClampOp>(op)) {
    if (kind->kind == ElementKind::Complex)
      return {};
    return [k = *kind](ArrayRef<Element> x) -> std::optional<Element> {
      if (k.isFloat()) {
        APFloat low = k.toFloat(x[0].re), value = k.toFloat(x[1].re),
                high = k.toFloat(x[2].re);
        return unlessNaN(llvm::minimum(llvm::maximum(value, low), high));
      }
      auto less = [&](uint64_t a, uint64_t b) {
        return k.kind == ElementKind::Signed ? k.extend(a) < k.extend(b)
                                             : a < b;
      };
      Element value = less(x[1].re, x[0].re) ? x[0] : x[1];
      return less(x[2].re, value.re) ? x[2] : value;
    };
  }
  if (isa<ConvertOp>(op))
    return [k = *kind, t = *to](ArrayRef<Element> x) {
      return evaluateConvert(k, t, x[0]);
    };
  if (auto reduce = dyn_cast<ReducePrecisionOp>(op))
    return [reduce, k = *kind](ArrayRef<Element> x) mutable {
      return reducePrecision(k, x[0], reduce.getExponentBits(),
                             reduce.getMantissaBits());
    };
  if (isa<UniformQuantizeOp, UniformDequantizeOp, Atan2Op>(op))
    return {};
  if (n == 1)
    return [op, k = *kind](ArrayRef<Element> x) {
      return evaluateUnary(op, k, x[0]);
    };
  if (n == 2)
    return [op, k = *kind](ArrayRef<Element> x) {
      return evaluateBinary(op, k, x[0], x[1]);
    };
  return {};
}

} // namespace shardwright::simplifier
