//===- op_emitter.cc - scalar operations as LLVM IR -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/ops/op_emitter.h"

#include "llvm/ADT/APFloat.h"

using namespace llvm;

namespace shardwright::cpu {

static Type *sameLanes(Value *x, Type *scalar) {
  return x->getType()->getWithNewType(scalar);
}

Value *OpEmitter::reducePrecision(Value *x, int exponentBits,
                                  int mantissaBits) {
  bool single = x->getType()->getScalarType()->isFloatTy();
  int width = single ? 32 : 64, mantissa = single ? 23 : 52;
  int bias = single ? 127 : 1023, exponent = single ? 8 : 11;
  Type *type = sameLanes(x, b.getIntNTy(width));
  auto integer = [&](uint64_t v) { return ConstantInt::get(type, v); };
  Value *i = b.CreateBitCast(x, type);
  Value *sign = b.CreateAnd(i, integer(uint64_t(1) << (width - 1)));
  Value *magnitude = b.CreateAnd(i, integer((uint64_t(1) << (width - 1)) - 1));
  if (mantissaBits < mantissa) {
    int drop = mantissa - mantissaBits;
    Value *odd =
        b.CreateAnd(b.CreateLShr(magnitude, integer(drop)), integer(1));
    magnitude = b.CreateAdd(
        magnitude, b.CreateAdd(odd, integer((uint64_t(1) << (drop - 1)) - 1)));
    magnitude = b.CreateAnd(magnitude, integer(~((uint64_t(1) << drop) - 1)));
  }
  uint64_t infinity = ((uint64_t(1) << exponent) - 1) << mantissa;
  if (exponentBits < exponent) {
    int newBias = (1 << (exponentBits - 1)) - 1;
    // Largest and smallest remaining biased exponents.
    uint64_t largest = static_cast<uint64_t>(bias + newBias) << mantissa;
    largest |= (uint64_t(1) << mantissa) - 1;
    uint64_t smallest = static_cast<uint64_t>(bias - newBias + 1) << mantissa;
    Value *over = b.CreateICmpUGT(magnitude, integer(largest));
    Value *under = b.CreateICmpULT(magnitude, integer(smallest));
    magnitude = b.CreateSelect(over, integer(infinity), magnitude);
    magnitude = b.CreateSelect(under, integer(0), magnitude);
  }
  Value *result = b.CreateBitCast(b.CreateOr(magnitude, sign), x->getType());
  Value *isNaN = b.CreateFCmpUNO(x, x);
  return b.CreateSelect(isNaN, x, result);
}

Value *OpEmitter::compare(Direction direction, bool totalOrder,
                          ElementType type, Value *x, Value *y) {
  if (isComplex(type))
    return complexCompare(direction, x, y);
  if (isFloat(type) && !totalOrder) {
    static constexpr CmpInst::Predicate predicates[] = {
        CmpInst::FCMP_OEQ, CmpInst::FCMP_UNE, CmpInst::FCMP_OGE,
        CmpInst::FCMP_OGT, CmpInst::FCMP_OLE, CmpInst::FCMP_OLT};
    return b.CreateFCmp(predicates[static_cast<int>(direction)], x, y);
  }
  bool isSigned = isSignedInteger(type);
  if (isFloat(type)) {
    // Converts sign and magnitude to two's complement.
    auto ordered = [&](Value *v) {
      Type *t = sameLanes(v, b.getIntNTy(v->getType()->getScalarSizeInBits()));
      Value *i = b.CreateBitCast(v, t);
      unsigned width = t->getScalarSizeInBits();
      Value *flipped =
          b.CreateXor(i, ConstantInt::get(t, APInt::getSignedMaxValue(width)));
      return b.CreateSelect(b.CreateICmpSLT(i, Constant::getNullValue(t)),
                            flipped, i);
    };
    x = ordered(x), y = ordered(y);
    isSigned = true;
  }
  static constexpr CmpInst::Predicate predicates[2][6] = {
      {CmpInst::ICMP_EQ, CmpInst::ICMP_NE, CmpInst::ICMP_UGE, CmpInst::ICMP_UGT,
       CmpInst::ICMP_ULE, CmpInst::ICMP_ULT},
      {CmpInst::ICMP_EQ, CmpInst::ICMP_NE, CmpInst::ICMP_SGE, CmpInst::ICMP_SGT,
       CmpInst::ICMP_SLE, CmpInst::ICMP_SLT}};
  return b.CreateICmp(predicates[isSigned][static_cast<int>(direction)], x, y);
}

Value *OpEmitter::integerPower(ElementType type, Value *x, Value *y) {
  Type *t = x->getType();
  unsigned width = t->getScalarSizeInBits();
  Value *zero = Constant::getNullValue(t), *one = ConstantInt::get(t, 1);
  Value *result = one, *base = x;
  for (unsigned i = 0; i < width; ++i) {
    Value *bit = b.CreateAnd(b.CreateLShr(y, ConstantInt::get(t, i)), one);
    result = b.CreateSelect(b.CreateICmpNE(bit, zero),
                            b.CreateMul(result, base), result);
    if (i + 1 < width)
      base = b.CreateMul(base, base);
  }
  if (!isSignedInteger(type))
    return result;
  // Negative exponents: 1 -> 1, -1 -> 1 or -1, all else -> 0.
  Value *minusOne = Constant::getAllOnesValue(t);
  Value *odd = b.CreateICmpNE(b.CreateAnd(y, one), zero);
  Value *negative =
      b.CreateSelect(b.CreateICmpEQ(x, one), one,
                     b.CreateSelect(b.CreateICmpEQ(x, minusOne),
                                    b.CreateSelect(odd, minusOne, one), zero));
  return b.CreateSelect(b.CreateICmpSLT(y, zero), negative, result);
}

Value *OpEmitter::integerBinary(Op op, ElementType type, Value *x, Value *y) {
  bool isSigned = isSignedInteger(type);
  Type *t = x->getType();
  Value *zero = Constant::getNullValue(t), *one = ConstantInt::get(t, 1);
  unsigned width = t->getScalarSizeInBits();
  switch (op) {
  case Op::Add:
    return b.CreateAdd(x, y);
  case Op::Subtract:
    return b.CreateSub(x, y);
  case Op::Multiply:
    return b.CreateMul(x, y);
  case Op::Divide:
  case Op::Remainder: {
    // Replace the divisor where the instruction would trap.
    Value *byZero = b.CreateICmpEQ(y, zero);
    Value *special = byZero, *overflow = nullptr;
    if (isSigned) {
      Value *least = ConstantInt::get(t, APInt::getSignedMinValue(width));
      overflow = b.CreateAnd(b.CreateICmpEQ(x, least),
                             b.CreateICmpEQ(y, Constant::getAllOnesValue(t)));
      special = b.CreateOr(byZero, overflow);
    }
    Value *divisor = b.CreateSelect(special, one, y);
    if (op == Op::Divide) {
      // x / 1 = x is also the answer to INT_MIN / -1.
      Value *q = isSigned ? b.CreateSDiv(x, divisor) : b.CreateUDiv(x, divisor);
      return b.CreateSelect(byZero, Constant::getAllOnesValue(t), q);
    }
    Value *r = isSigned ? b.CreateSRem(x, divisor) : b.CreateURem(x, divisor);
    return b.CreateSelect(byZero, x, r);
  }
  case Op::Power:
    return integerPower(type, x, y);
  case Op::Maximum:
    return b.CreateBinaryIntrinsic(isSigned ? Intrinsic::smax : Intrinsic::umax,
                                   x, y);
  case Op::Minimum:
    return b.CreateBinaryIntrinsic(isSigned ? Intrinsic::smin : Intrinsic::umin,
                                   x, y);
  case Op::And:
    return b.CreateAnd(x, y);
  case Op::Or:
    return b.CreateOr(x, y);
  case Op::Xor:
    return b.CreateXor(x, y);
  case Op::ShiftLeft:
  case Op::ShiftRightLogical: {
    Value *inRange = b.CreateICmpULT(y, ConstantInt::get(t, width));
    Value *amount = b.CreateSelect(inRange, y, zero);
    Value *shifted =
        op == Op::ShiftLeft ? b.CreateShl(x, amount) : b.CreateLShr(x, amount);
    return b.CreateSelect(inRange, shifted, zero);
  }
  case Op::ShiftRightArithmetic: {
    Value *most = ConstantInt::get(t, width - 1);
    Value *amount = b.CreateBinaryIntrinsic(Intrinsic::umin, y, most);
    return b.CreateAShr(x, amount);
  }
  default:
    return nullptr;
  }
}

Value *OpEmitter::floatBinary(Op op, ElementType type, Value *x, Value *y) {
  switch (op) {
  case Op::Add:
    return round(b.CreateFAdd(x, y), type);
  case Op::Subtract:
    return round(b.CreateFSub(x, y), type);
  case Op::Multiply:
    return round(b.CreateFMul(x, y), type);
  case Op::Divide:
    return round(b.CreateFDiv(x, y), type);
  case Op::Remainder:
    return round(math.library("fmod", {x, y}), type);
  case Op::Power: {
    // Common exponents are computed without a call.
    Constant *c = dyn_cast<Constant>(y);
    if (c && c->getType()->isVectorTy())
      c = c->getSplatValue();
    if (auto *exponent = dyn_cast_or_null<ConstantFP>(c)) {
      const APFloat &v = exponent->getValueAPF();
      if (v.isExactlyValue(1.0))
        return x;
      if (v.isExactlyValue(2.0))
        return round(b.CreateFMul(x, x), type);
      if (v.isExactlyValue(-1.0))
        return round(b.CreateFDiv(ConstantFP::get(x->getType(), 1.0), x), type);
    }
    return round(math.library("pow", {x, y}), type);
  }
  case Op::Atan2:
    return round(math.library("atan2", {x, y}), type);
  case Op::Maximum:
    return b.CreateBinaryIntrinsic(Intrinsic::maximum, x, y);
  case Op::Minimum:
    return b.CreateBinaryIntrinsic(Intrinsic::minimum, x, y);
  default:
    return nullptr;
  }
}

Value *OpEmitter::identity(Op op, ElementType type) {
  if (isComplex(type)) {
    Value *half = identity(op, componentType(type));
    return pair(b, half, half);
  }
  Type *t = registerType(type);
  bool isSigned = isSignedInteger(type);
  unsigned width = t->getScalarSizeInBits();
  switch (op) {
  case Op::Add:
    return isFloat(type) ? ConstantFP::getNegativeZero(t)
                         : Constant::getNullValue(t);
  case Op::Multiply:
    return isFloat(type) ? ConstantFP::get(t, 1.0)
                         : (Constant *)ConstantInt::get(t, 1);
  case Op::Maximum:
    if (isFloat(type))
      return ConstantFP::getInfinity(t, /*Negative=*/true);
    return ConstantInt::get(t, isSigned ? APInt::getSignedMinValue(width)
                                        : APInt(width, 0));
  case Op::Minimum:
    if (isFloat(type))
      return ConstantFP::getInfinity(t);
    return ConstantInt::get(t, isSigned ? APInt::getSignedMaxValue(width)
                                        : APInt::getMaxValue(width));
  case Op::And:
    return Constant::getAllOnesValue(t);
  default:
    return Constant::getNullValue(t);
  }
}

Value *OpEmitter::binary(Op op, ElementType type, Value *x, Value *y) {
  if (type == ElementType::Pred) {
    switch (op) {
    case Op::Add:
    case Op::Or:
    case Op::Maximum:
      return b.CreateOr(x, y);
    case Op::Multiply:
    case Op::And:
    case Op::Minimum:
      return b.CreateAnd(x, y);
    case Op::Xor:
    case Op::Subtract:
      return b.CreateXor(x, y);
    default:
      return nullptr;
    }
  }
  if (op == Op::Complex)
    return pair(b, x, y);
  if (isComplex(type))
    return complexBinary(op, x, y);
  return isFloat(type) ? floatBinary(op, type, x, y)
                       : integerBinary(op, type, x, y);
}

Value *OpEmitter::unary(const Node &node, ElementType argType, Value *x) {
  ElementType type = node.type;
  if (isComplex(argType))
    return complexUnary(node, argType, x);
  Type *t = x->getType();
  bool floating = isFloat(argType);
  Constant *zero = Constant::getNullValue(t);
  switch (node.op) {
  case Op::Convert:
    return convert(x, argType, type);
  case Op::Abs:
    if (floating)
      return b.CreateUnaryIntrinsic(Intrinsic::fabs, x);
    if (!isSignedInteger(argType))
      return x;
    return b.CreateBinaryIntrinsic(Intrinsic::abs, x, b.getFalse());
  case Op::Real:
    return x;
  case Op::Imag:
    return zero;
  case Op::Negate:
    return floating ? round(b.CreateFNeg(x), type) : b.CreateNeg(x);
  case Op::Not:
    return b.CreateNot(x);
  case Op::Sign: {
    if (!floating) {
      Value *positive = b.CreateZExt(b.CreateICmpNE(x, zero), t);
      if (!isSignedInteger(argType))
        return positive;
      return b.CreateSelect(b.CreateICmpSLT(x, zero),
                            Constant::getAllOnesValue(t), positive);
    }
    Value *one = b.CreateBinaryIntrinsic(Intrinsic::copysign,
                                         ConstantFP::get(t, 1.0), x);
    // Zeros keep their sign, NaN remains NaN.
    return round(b.CreateSelect(b.CreateFCmpONE(x, zero), one, x), type);
  }
  case Op::Clz:
    return b.CreateBinaryIntrinsic(Intrinsic::ctlz, x, b.getFalse());
  case Op::Popcnt:
    return b.CreateUnaryIntrinsic(Intrinsic::ctpop, x);
  case Op::Ceil:
    return round(b.CreateUnaryIntrinsic(Intrinsic::ceil, x), type);
  case Op::Floor:
    return round(b.CreateUnaryIntrinsic(Intrinsic::floor, x), type);
  case Op::RoundAfz:
    return round(b.CreateUnaryIntrinsic(Intrinsic::round, x), type);
  case Op::RoundEven:
    return round(b.CreateUnaryIntrinsic(Intrinsic::roundeven, x), type);
  case Op::IsFinite:
    return b.CreateFCmpONE(b.CreateUnaryIntrinsic(Intrinsic::fabs, x),
                           ConstantFP::getInfinity(t));
  case Op::ReducePrecision: {
    const auto &precision = node.get<ReducePrecisionAttrs>();
    return round(
        reducePrecision(x, precision.exponentBits, precision.mantissaBits),
        type);
  }
  case Op::Exp:
    return round(math.exp(x), type);
  case Op::Expm1:
    return round(math.expm1(x), type);
  case Op::Log:
    return round(math.log(x), type);
  case Op::Log1p:
    return round(math.log1p(x), type);
  case Op::Logistic:
    return round(math.logistic(x), type);
  case Op::Tanh:
    return round(math.tanh(x), type);
  case Op::Sqrt:
    return round(math.sqrt(x), type);
  case Op::Rsqrt:
    return round(math.rsqrt(x), type);
  case Op::Cbrt:
    return round(math.library("cbrt", {x}), type);
  case Op::Sine:
    return round(math.library("sin", {x}), type);
  case Op::Cosine:
    return round(math.library("cos", {x}), type);
  case Op::Tan:
    return round(math.library("tan", {x}), type);
  default:
    return nullptr;
  }
}

Value *OpEmitter::elementwise(const Node &node, ElementType argType,
                              ArrayRef<Value *> args) {
  switch (node.op) {
  case Op::Compare: {
    const auto &how = node.get<CompareAttrs>();
    return compare(how.direction, how.totalOrder, argType, args[0], args[1]);
  }
  case Op::Select:
    return selectValue(b, args[0], args[1], args[2]);
  case Op::Clamp:
    return binary(Op::Minimum, node.type,
                  binary(Op::Maximum, node.type, args[1], args[0]), args[2]);
  default:
    if (args.size() == 2)
      return binary(node.op, node.type, args[0], args[1]);
    return unary(node, argType, args[0]);
  }
}

Value *OpEmitter::evaluate(const Body &body, ArrayRef<Value *> args,
                           SmallVectorImpl<Value *> &results) {
  SmallVector<Value *> values;
  for (const Node &node : body.nodes) {
    if (node.op == Op::Param) {
      values.push_back(args[node.bits]);
    } else if (node.op == Op::Constant) {
      values.push_back(splatTo(b, lanesOf(args[0]),
                               constant(node.bits, node.type, node.highBits)));
    } else {
      SmallVector<Value *, 3> operands;
      for (int32_t o : node.operands)
        operands.push_back(values[o]);
      ElementType argType = body.nodes[node.operands.back()].type;
      values.push_back(elementwise(node, argType, operands));
    }
  }
  for (int32_t r : body.results)
    results.push_back(values[r]);
  return results.front();
}

} // namespace shardwright::cpu
