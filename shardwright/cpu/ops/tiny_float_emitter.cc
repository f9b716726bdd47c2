//===- tiny_float_emitter.cc - floats of 4 to 8 bits as LLVM IR -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/ops/op_emitter.h"
#include "shardwright/support/narrow_float.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>

using namespace llvm;

// In registers a tiny float is an f32 that its type can represent. Conversions
// use integer arithmetic and one addition, without branches or tables.

namespace shardwright::cpu {

namespace {
struct Format {
  int mantissa, minExponent, width;
  bool hasInfinity, hasNaN, hasNegativeZero;
  uint32_t nanCode, infinityCode; ///< without the sign bit
  float largest;
};

Format formatOf(ElementType type) {
  const fltSemantics &s = semanticsOf(type);
  Format f;
  f.mantissa = static_cast<int>(APFloat::semanticsPrecision(s)) - 1;
  f.minExponent = APFloat::semanticsMinExponent(s);
  f.width = bitWidth(type);
  f.hasInfinity = APFloat::semanticsHasInf(s);
  f.hasNaN = APFloat::semanticsHasNaN(s);
  f.hasNegativeZero =
      type != ElementType::F8E4M3FNUZ && type != ElementType::F8E5M2FNUZ &&
      type != ElementType::F8E4M3B11FNUZ && type != ElementType::F8E8M0FNU;
  auto code = [&](const APFloat &x) {
    return static_cast<uint32_t>(x.bitcastToAPInt().getZExtValue());
  };
  f.nanCode = f.hasNaN ? code(APFloat::getNaN(s)) : 0;
  f.infinityCode = f.hasInfinity ? code(APFloat::getInf(s)) : 0;
  f.largest = APFloat::getLargest(s).convertToFloat();
  return f;
}
} // namespace

Value *OpEmitter::roundTiny(Value *x, ElementType type) {
  Format f = formatOf(type);
  Type *t = x->getType(), *i32 = withLanes(b.getInt32Ty(), lanesOf(x));
  auto integer = [&](uint32_t v) { return ConstantInt::get(i32, v); };
  auto real = [&](double v) { return ConstantFP::get(t, v); };
  Value *isNaN = b.CreateFCmpUNO(x, x);
  Value *magnitude = b.CreateUnaryIntrinsic(Intrinsic::fabs, x);
  Value *bits = b.CreateBitCast(magnitude, i32);
  if (type == ElementType::F8E8M0FNU) {
    // Powers of two; ties round up; no sign and no zero.
    Value *rounded = b.CreateAnd(b.CreateAdd(bits, integer(0x00400000)),
                                 integer(0x7f800000));
    Value *least = b.CreateICmpULT(bits, integer(0x00600000));
    rounded = b.CreateSelect(least, integer(0x00400000), rounded);
    Value *result = b.CreateBitCast(rounded, t);
    Value *bad = b.CreateOr(b.CreateFCmpUEQ(result, ConstantFP::getInfinity(t)),
                            b.CreateOr(isNaN, b.CreateFCmpOLE(x, real(0))));
    return b.CreateSelect(bad, ConstantFP::getNaN(t), result);
  }
  // Normal numbers are rounded to nearest even on the bits. Subnormal numbers
  // are rounded by adding a number whose last bit is the smallest step of the
  // type.
  int drop = 23 - f.mantissa;
  Value *odd = b.CreateAnd(b.CreateLShr(bits, drop), integer(1));
  Value *normal = b.CreateAnd(
      b.CreateAdd(bits, b.CreateAdd(odd, integer((1u << (drop - 1)) - 1))),
      integer(~((1u << drop) - 1)));
  Value *step = real(std::ldexp(1.0, f.minExponent - f.mantissa + 23));
  Value *subnormal = b.CreateFSub(b.CreateFAdd(magnitude, step), step);
  Value *isSmall =
      b.CreateFCmpOLT(magnitude, real(std::ldexp(1.0, f.minExponent)));
  Value *result =
      b.CreateSelect(isSmall, subnormal, b.CreateBitCast(normal, t));
  Value *over = b.CreateFCmpOGT(result, real(f.largest));
  Value *beyond = f.hasInfinity ? ConstantFP::getInfinity(t)
                  : f.hasNaN    ? ConstantFP::getNaN(t)
                                : static_cast<Constant *>(real(f.largest));
  result = b.CreateSelect(over, beyond, result);
  Value *isSigned = b.CreateBinaryIntrinsic(Intrinsic::copysign, result, x);
  if (!f.hasNegativeZero)
    isSigned =
        b.CreateSelect(b.CreateFCmpOEQ(result, real(0)), real(0), isSigned);
  if (f.hasNaN)
    return b.CreateSelect(isNaN, x, isSigned);
  Value *zero =
      b.CreateBinaryIntrinsic(Intrinsic::copysign, real(0), b.CreateFNeg(x));
  return b.CreateSelect(isNaN, zero, isSigned);
}

Value *OpEmitter::encodeTiny(Value *x, ElementType type) {
  Format f = formatOf(type);
  unsigned lanes = lanesOf(x);
  Type *t = x->getType(), *i32 = withLanes(b.getInt32Ty(), lanes);
  Type *i8 = withLanes(b.getInt8Ty(), lanes);
  auto integer = [&](uint32_t v) { return ConstantInt::get(i32, v); };
  Value *whole = b.CreateBitCast(x, i32);
  if (type == ElementType::F8E8M0FNU)
    return b.CreateTrunc(b.CreateLShr(whole, 23), i8);
  Value *magnitude = b.CreateUnaryIntrinsic(Intrinsic::fabs, x);
  Value *bits = b.CreateBitCast(magnitude, i32);
  Value *normal = b.CreateSub(
      b.CreateLShr(bits, 23 - f.mantissa),
      integer(static_cast<uint32_t>(126 + f.minExponent) << f.mantissa));
  // Subnormals count smallest steps: the addition above in reverse.
  Value *step =
      ConstantFP::get(t, std::ldexp(1.0, f.minExponent - f.mantissa + 23));
  Value *subnormal =
      b.CreateSub(b.CreateBitCast(b.CreateFAdd(magnitude, step), i32),
                  b.CreateBitCast(step, i32));
  Value *isSmall = b.CreateFCmpOLT(
      magnitude, ConstantFP::get(t, std::ldexp(1.0, f.minExponent)));
  Value *code = b.CreateSelect(isSmall, subnormal, normal);
  if (f.hasInfinity)
    code =
        b.CreateSelect(b.CreateFCmpOEQ(magnitude, ConstantFP::getInfinity(t)),
                       integer(f.infinityCode), code);
  Value *sign = b.CreateShl(b.CreateLShr(whole, 31), f.width - 1);
  if (f.hasNaN && f.hasNegativeZero)
    code = b.CreateSelect(b.CreateFCmpUNO(x, x), integer(f.nanCode), code);
  code = b.CreateOr(code, sign);
  if (f.hasNaN && !f.hasNegativeZero)
    code = b.CreateSelect(b.CreateFCmpUNO(x, x), integer(f.nanCode), code);
  return b.CreateTrunc(code, i8);
}

Value *OpEmitter::decodeTiny(Value *x, ElementType type) {
  Format f = formatOf(type);
  unsigned lanes = lanesOf(x);
  Type *t = withLanes(b.getFloatTy(), lanes);
  Type *i32 = withLanes(b.getInt32Ty(), lanes);
  auto integer = [&](uint32_t v) { return ConstantInt::get(i32, v); };
  Value *code = b.CreateZExt(x, i32);
  Value *nan = ConstantFP::getNaN(t);
  if (type == ElementType::F8E8M0FNU) {
    Value *bits = b.CreateSelect(b.CreateICmpEQ(code, integer(0)),
                                 integer(0x00400000), b.CreateShl(code, 23));
    return b.CreateSelect(b.CreateICmpEQ(code, integer(0xff)), nan,
                          b.CreateBitCast(bits, t));
  }
  uint32_t signBit = 1u << (f.width - 1);
  Value *magnitude = b.CreateAnd(code, integer(signBit - 1));
  Value *normal = b.CreateBitCast(
      b.CreateAdd(b.CreateShl(magnitude, 23 - f.mantissa),
                  integer(static_cast<uint32_t>(126 + f.minExponent) << 23)),
      t);
  Value *subnormal = b.CreateFMul(
      b.CreateUIToFP(magnitude, t),
      ConstantFP::get(t, std::ldexp(1.0, f.minExponent - f.mantissa)));
  Value *result = b.CreateSelect(
      b.CreateICmpULT(magnitude, integer(1u << f.mantissa)), subnormal, normal);
  if (f.hasInfinity) {
    result = b.CreateSelect(b.CreateICmpEQ(magnitude, integer(f.infinityCode)),
                            static_cast<Value *>(ConstantFP::getInfinity(t)),
                            result);
    result = b.CreateSelect(b.CreateICmpUGT(magnitude, integer(f.infinityCode)),
                            nan, result);
  } else if (f.hasNaN && f.hasNegativeZero) {
    result = b.CreateSelect(b.CreateICmpEQ(magnitude, integer(f.nanCode)), nan,
                            result);
  }
  Value *sign = b.CreateShl(b.CreateAnd(code, integer(signBit)), 32 - f.width);
  result = b.CreateBitCast(b.CreateOr(b.CreateBitCast(result, i32), sign), t);
  // This NaN is encoded as negative zero, so it gets a negative sign.
  if (f.hasNaN && !f.hasNegativeZero)
    result = b.CreateSelect(b.CreateICmpEQ(code, integer(f.nanCode)),
                            ConstantFP::getNaN(t, /*Negative=*/true), result);
  return result;
}

} // namespace shardwright::cpu
