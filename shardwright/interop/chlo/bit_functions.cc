//===- bit_functions.cc - next_after and mulhi --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/chlo/functions.h"

using namespace mlir;

namespace shardwright::chlo_expansion {

// Steps the bits of x by one, away from zero or towards it. In every format,
// bits of one sign are ordered like magnitudes.
Expr nextAfter(Expr x, Expr y) {
  Type element = x.type().getElementType();
  unsigned width = element.getIntOrFloatBitWidth();
  Type integer = IntegerType::get(element.getContext(), width);
  Expr xBits = x.bitcastTo(integer), yBits = y.bitcastTo(integer);
  Expr one = xBits.bits(1), isNan = (x != x) | (y != y);
  if (isa<Float8E8M0FNUType>(element)) {
    // No sign and no zero: ordered as unsigned bits.
    Type natural =
        IntegerType::get(element.getContext(), width, IntegerType::Unsigned);
    Expr up = xBits.bitcastTo(natural) < yBits.bitcastTo(natural);
    Expr stepped = select(up, xBits + one, xBits - one);
    Expr value = select(xBits == yBits, yBits, stepped).bitcastTo(element);
    return select(isNan, x.nan(), value);
  }
  uint64_t signMask = uint64_t(1) << (width - 1);
  Expr xMagnitude = xBits & xBits.bits(signMask - 1),
       yMagnitude = yBits & yBits.bits(signMask - 1);
  Expr signsDiffer =
      (xBits & xBits.bits(signMask)) != (yBits & yBits.bits(signMask));
  // Towards zero if y is closer to zero or has the other sign.
  Expr inwards = (xMagnitude > yMagnitude) | signsDiffer;
  Expr stepped = select(inwards, xBits - one, xBits + one);
  // From zero: the smallest number with the sign of y, or y if that is zero
  // too.
  Expr fromZero = (yBits & yBits.bits(signMask)) | one;
  Expr xIsZero = xMagnitude == xMagnitude.bits(0),
       yIsZero = yMagnitude == yMagnitude.bits(0);
  Expr result = select(xIsZero, select(yIsZero, yBits, fromZero), stepped);
  // Compare bits, not floats: subnormals may compare equal to zero as floats.
  result = select(xBits == yBits, yBits, result);
  // Formats without a negative zero encode NaN there.
  if (isa<Float8E4M3FNUZType, Float8E5M2FNUZType, Float8E4M3B11FNUZType>(
          element))
    result = select(result == result.bits(signMask), result.bits(0), result);
  Expr value = result.bitcastTo(element);
  return select(isNan, x.nan(), value);
}

Expr mulhi(Expr a, Expr b) {
  auto type = cast<IntegerType>(a.type().getElementType());
  unsigned width = type.getWidth();
  MLIRContext *context = type.getContext();
  auto shiftRight = [&](Expr x, unsigned amount) {
    Expr by = x.bits(amount);
    return x.type().getElementType().isUnsignedInteger()
               ? x.binary<stablehlo::ShiftRightLogicalOp>(by)
               : x.binary<stablehlo::ShiftRightArithmeticOp>(by);
  };
  if (width <= 32) {
    Type wide = IntegerType::get(context, 64, type.getSignedness());
    return shiftRight(a.to(wide) * b.to(wide), width).to(type);
  }
  // Halves: (ah 2^32 + al)(bh 2^32 + bl), with al and bl unsigned. The mixed
  // products fit into 64 bits with the signedness of the operands.
  Expr low = a.bits(0xFFFFFFFFull);
  Expr al = a & low, bl = b & low;
  Expr ah = shiftRight(a, 32), bh = shiftRight(b, 32);
  auto unsignedShift = [&](Expr x) {
    return x.binary<stablehlo::ShiftRightLogicalOp>(x.bits(32));
  };
  Expr middle = ah * bl + unsignedShift(al * bl);
  Expr cross = al * bh + (middle & low);
  return ah * bh + shiftRight(middle, 32) + shiftRight(cross, 32);
}

} // namespace shardwright::chlo_expansion
