//===- evaluate_convert.cc - conversions of single elements --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/simplify/evaluate.h"

#include "llvm/ADT/APSInt.h"

using namespace mlir;
using llvm::APFloat;
using llvm::APInt;
using llvm::APSInt;

namespace shardwright::simplifier {

static constexpr auto kEven = APFloat::rmNearestTiesToEven;

std::optional<Element> evaluateConvert(ElementKind from, ElementKind to,
                                       Element x) {
  if (from.kind == ElementKind::Complex) {
    ElementKind part{ElementKind::Float, from.width, from.semantics};
    auto re = evaluateConvert(
        part,
        to.kind == ElementKind::Complex
            ? ElementKind{ElementKind::Float, to.width, to.semantics}
            : to,
        {x.re});
    if (!re || to.kind != ElementKind::Complex)
      return re;
    auto im = evaluateConvert(
        part, {ElementKind::Float, to.width, to.semantics}, {x.im});
    if (!im)
      return std::nullopt;
    return Element{re->re, im->re};
  }
  if (to.kind == ElementKind::Complex)
    return evaluateConvert(from, {ElementKind::Float, to.width, to.semantics},
                           x);
  if (from.isFloat()) {
    APFloat value = from.toFloat(x.re);
    if (to.kind == ElementKind::Bool)
      return Element{!value.isZero()};
    bool inexact;
    if (to.isFloat()) {
      if (value.isNaN())
        return std::nullopt;
      value.convert(*to.semantics, kEven, &inexact);
      return unlessNaN(value);
    }
    // Saturates; NaN gives 0.
    APSInt integer(to.width, to.kind == ElementKind::Unsigned);
    value.convertToInteger(integer, APFloat::rmTowardZero, &inexact);
    return Element{integer.getZExtValue()};
  }
  if (to.kind == ElementKind::Bool)
    return Element{x.re != 0};
  if (to.isInt())
    return Element{uint64_t(from.extend(x.re)) & to.mask()};
  APFloat value(*to.semantics);
  value.convertFromAPInt(APInt(64, uint64_t(from.extend(x.re))),
                         from.kind == ElementKind::Signed, kEven);
  return unlessNaN(value);
}

std::optional<Element> reducePrecision(ElementKind kind, Element x,
                                       unsigned exponentBits,
                                       unsigned mantissaBits) {
  APFloat value = kind.toFloat(x.re);
  if (value.isNaN())
    return std::nullopt;
  unsigned mantissa = APFloat::semanticsPrecision(*kind.semantics) - 1;
  unsigned exponent = kind.width - 1 - mantissa;
  // Only for formats that represent infinities as in IEEE 754.
  bool ieee = kind.width >= 16;
  if (!ieee || exponentBits < 2)
    return std::nullopt;
  uint64_t sign = x.re & (1ull << (kind.width - 1));
  uint64_t infinity = ((1ull << exponent) - 1) << mantissa;
  uint64_t magnitude = x.re ^ sign;
  if (magnitude == infinity)
    return x;
  if (mantissaBits < mantissa) {
    unsigned dropped = mantissa - mantissaBits;
    uint64_t last = (magnitude >> dropped) & 1;
    magnitude += (1ull << (dropped - 1)) - 1 + last;
    magnitude &= ~((1ull << dropped) - 1);
  }
  if (exponentBits < exponent) {
    int64_t bias = (1ll << (exponent - 1)) - 1;
    int64_t newBias = (1ll << (exponentBits - 1)) - 1;
    int64_t biased = int64_t(magnitude >> mantissa);
    if (biased > bias + newBias)
      magnitude = infinity;
    else if (biased <= bias - newBias)
      magnitude = 0;
  }
  return Element{sign | magnitude};
}

} // namespace shardwright::simplifier
