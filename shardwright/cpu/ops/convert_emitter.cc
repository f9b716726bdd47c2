//===- convert_emitter.cc - types and conversions as LLVM IR --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/ops/op_emitter.h"
#include "shardwright/support/narrow_float.h"

#include "llvm/ADT/APFloat.h"

using namespace llvm;

namespace shardwright::cpu {

Type *OpEmitter::registerType(ElementType type) {
  switch (type) {
  case ElementType::F64:
    return b.getDoubleTy();
  case ElementType::C64:
    return StructType::get(b.getFloatTy(), b.getFloatTy());
  case ElementType::C128:
    return StructType::get(b.getDoubleTy(), b.getDoubleTy());
  default:
    return isFloat(type) ? b.getFloatTy() : b.getIntNTy(bitWidth(type));
  }
}

Type *OpEmitter::memoryType(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return b.getHalfTy();
  case ElementType::F32:
    return b.getFloatTy();
  case ElementType::F64:
    return b.getDoubleTy();
  case ElementType::C64:
  case ElementType::C128:
    return registerType(type);
  default:
    return b.getIntNTy(8 * byteWidth(type));
  }
}

static Type *sameLanes(Value *x, Type *scalar) {
  return x->getType()->getWithNewType(scalar);
}

Value *OpEmitter::fromMemory(Value *x, ElementType type) {
  switch (type) {
  case ElementType::Pred:
    return b.CreateICmpNE(x, Constant::getNullValue(x->getType()));
  case ElementType::F16:
    return b.CreateFPExt(x, sameLanes(x, b.getFloatTy()));
  case ElementType::BF16:
    return b.CreateBitCast(
        b.CreateShl(b.CreateZExt(x, sameLanes(x, b.getInt32Ty())), 16),
        sameLanes(x, b.getFloatTy()));
  case ElementType::S2:
  case ElementType::S4:
  case ElementType::U2:
  case ElementType::U4:
    return b.CreateTrunc(x, sameLanes(x, registerType(type)));
  default:
    return isTinyFloat(type) ? decodeTiny(x, type) : x;
  }
}

Value *OpEmitter::toMemory(Value *x, ElementType type) {
  switch (type) {
  case ElementType::Pred:
    return b.CreateZExt(x, sameLanes(x, b.getInt8Ty()));
  case ElementType::F16:
    return b.CreateFPTrunc(x, sameLanes(x, b.getHalfTy()));
  case ElementType::BF16:
    return b.CreateTrunc(
        b.CreateLShr(b.CreateBitCast(x, sameLanes(x, b.getInt32Ty())), 16),
        sameLanes(x, b.getInt16Ty()));
  case ElementType::S2:
  case ElementType::S4:
    return b.CreateSExt(x, sameLanes(x, b.getInt8Ty()));
  case ElementType::U2:
  case ElementType::U4:
    return b.CreateZExt(x, sameLanes(x, b.getInt8Ty()));
  default:
    return isTinyFloat(type) ? encodeTiny(x, type) : x;
  }
}

Value *OpEmitter::toBits(Value *x, ElementType type) {
  Value *stored = toMemory(x, type);
  stored = b.CreateBitCast(stored,
                           sameLanes(stored, b.getIntNTy(8 * byteWidth(type))));
  return b.CreateTrunc(stored, sameLanes(stored, b.getIntNTy(bitWidth(type))));
}

Value *OpEmitter::fromBits(Value *x, ElementType type) {
  x = b.CreateZExt(x, sameLanes(x, b.getIntNTy(8 * byteWidth(type))));
  return fromMemory(b.CreateBitCast(x, sameLanes(x, memoryType(type))), type);
}

Constant *OpEmitter::constant(uint64_t bits, ElementType type,
                              uint64_t highBits) {
  Type *t = registerType(type);
  switch (type) {
  case ElementType::F16: {
    APFloat value(APFloat::IEEEhalf(), APInt(16, bits & 0xffff));
    bool loses;
    value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &loses);
    return ConstantFP::get(b.getContext(), value);
  }
  case ElementType::BF16:
    return ConstantFP::get(
        b.getContext(),
        APFloat(APFloat::IEEEsingle(), APInt(32, (bits & 0xffff) << 16)));
  case ElementType::F32:
    return ConstantFP::get(
        b.getContext(),
        APFloat(APFloat::IEEEsingle(), APInt(32, bits & 0xffffffffu)));
  case ElementType::F64:
    return ConstantFP::get(b.getContext(),
                           APFloat(APFloat::IEEEdouble(), APInt(64, bits)));
  case ElementType::C64:
    return ConstantStruct::get(cast<StructType>(t),
                               {constant(bits, ElementType::F32),
                                constant(bits >> 32, ElementType::F32)});
  case ElementType::C128:
    return ConstantStruct::get(cast<StructType>(t),
                               {constant(bits, ElementType::F64),
                                constant(highBits, ElementType::F64)});
  default:
    if (isTinyFloat(type))
      return ConstantFP::get(t, f8Table(type)[bits & 0xff]);
    return ConstantInt::get(
        t, APInt(t->getIntegerBitWidth(), bits, false, /*implicitTrunc=*/true));
  }
}

Value *OpEmitter::round(Value *x, ElementType type) {
  if (isTinyFloat(type))
    return roundTiny(x, type);
  if (type == ElementType::F16)
    return b.CreateFPExt(b.CreateFPTrunc(x, sameLanes(x, b.getHalfTy())),
                         x->getType());
  if (type != ElementType::BF16)
    return x;
  // Rounds to nearest even on the bits, because the hardware's conversion
  // flushes subnormals. The carry out of the mantissa rounds up to infinity.
  Type *i32 = sameLanes(x, b.getInt32Ty());
  auto integer = [&](uint32_t v) { return ConstantInt::get(i32, v); };
  Value *i = b.CreateBitCast(x, i32);
  Value *odd = b.CreateAnd(b.CreateLShr(i, 16), integer(1));
  Value *rounded = b.CreateAdd(i, b.CreateAdd(odd, integer(0x7fff)));
  // NaN: keep the upper half and set the quiet bit.
  Value *quiet = b.CreateOr(i, integer(0x00400000));
  rounded = b.CreateSelect(b.CreateFCmpUNO(x, x), quiet, rounded);
  return b.CreateBitCast(b.CreateAnd(rounded, integer(0xffff0000)),
                         x->getType());
}

Value *OpEmitter::convert(Value *x, ElementType from, ElementType to) {
  if (from == to)
    return x;
  if (isComplex(to)) {
    ElementType half = componentType(to);
    if (isComplex(from))
      return pair(b, convert(part(b, x, 0), componentType(from), half),
                  convert(part(b, x, 1), componentType(from), half));
    Value *re = convert(x, from, half);
    return pair(b, re, Constant::getNullValue(re->getType()));
  }
  if (isComplex(from))
    return convert(part(b, x, 0), componentType(from), to);
  Type *type = sameLanes(x, registerType(to));
  bool fromFloat = isFloat(from), toFloat = isFloat(to);
  if (to == ElementType::Pred) {
    Constant *zero = Constant::getNullValue(x->getType());
    return fromFloat ? b.CreateFCmpUNE(x, zero) : b.CreateICmpNE(x, zero);
  }
  if (fromFloat && toFloat) {
    if (from == ElementType::F64) {
      Value *single = b.CreateFPTrunc(x, type);
      if (to != ElementType::F32) {
        // Two roundings can differ from one. Round to odd first, so that the
        // second rounding sees the lost bits.
        Type *i32 = sameLanes(x, b.getInt32Ty());
        Value *back = b.CreateFPExt(single, x->getType());
        Value *i = b.CreateBitCast(single, i32);
        Value *exact = b.CreateFCmpUEQ(back, x);
        Value *tooBig =
            b.CreateFCmpOGT(b.CreateUnaryIntrinsic(Intrinsic::fabs, back),
                            b.CreateUnaryIntrinsic(Intrinsic::fabs, x));
        Value *down =
            b.CreateSelect(tooBig, b.CreateSub(i, ConstantInt::get(i32, 1)), i);
        Value *odd = b.CreateOr(down, ConstantInt::get(i32, 1));
        single = b.CreateBitCast(b.CreateSelect(exact, i, odd), type);
      }
      return round(single, to);
    }
    if (to == ElementType::F64)
      return b.CreateFPExt(x, type);
    return round(x, to);
  }
  if (fromFloat) {
    // The conversion saturates; NaN becomes 0.
    Intrinsic::ID id =
        isSignedInteger(to) ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat;
    return b.CreateIntrinsic(id, {type, x->getType()}, {x});
  }
  if (toFloat) {
    bool isUnsigned = !isSignedInteger(from);
    // f32 cannot represent all 32 and 64 bit integers: convert to narrower
    // floats through f64.
    if (byteWidth(to) < 4 && byteWidth(from) >= 4) {
      Type *wide = sameLanes(x, b.getDoubleTy());
      Value *d = isUnsigned ? b.CreateUIToFP(x, wide) : b.CreateSIToFP(x, wide);
      return convert(d, ElementType::F64, to);
    }
    Value *f = isUnsigned ? b.CreateUIToFP(x, type) : b.CreateSIToFP(x, type);
    return round(f, to);
  }
  return isSignedInteger(from) ? b.CreateSExtOrTrunc(x, type)
                               : b.CreateZExtOrTrunc(x, type);
}

} // namespace shardwright::cpu
