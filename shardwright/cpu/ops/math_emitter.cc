//===- math_emitter.cc - mathematical functions as LLVM IR ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/ops/math_emitter.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/DynamicLibrary.h"

using namespace llvm;

namespace shardwright::cpu {

Value *MathEmitter::constant(Value *like, double value) {
  return ConstantFP::get(like->getType(), value);
}

Value *MathEmitter::intrinsic(Intrinsic::ID id, Value *x) {
  return b.CreateIntrinsic(id, {x->getType()}, {x});
}

Value *MathEmitter::fma(Value *x, Value *y, Value *z) {
  return b.CreateIntrinsic(Intrinsic::fma, {x->getType()}, {x, y, z});
}

Value *MathEmitter::polynomial(Value *x, ArrayRef<double> coefficients) {
  Value *p = constant(x, coefficients.front());
  for (double c : coefficients.drop_front())
    p = fma(p, x, constant(x, c));
  return p;
}

Value *MathEmitter::bits(Value *x) {
  return b.CreateBitCast(x, x->getType()->getWithNewType(b.getInt32Ty()));
}

Value *MathEmitter::fromBits(Value *x, Type *type) {
  return b.CreateBitCast(x, type);
}

Value *MathEmitter::clamp(Value *x, double lo, double hi) {
  Value *low = constant(x, lo), *high = constant(x, hi);
  x = b.CreateSelect(b.CreateFCmpOLT(x, low), low, x);
  return b.CreateSelect(b.CreateFCmpOGT(x, high), high, x);
}

static bool isSingle(Value *x) {
  return x->getType()->getScalarType()->isFloatTy();
}

std::pair<Value *, Value *> MathEmitter::reduceByLn2(Value *x) {
  // Adding 1.5 * 2^23 rounds to an integer in the low bits. Unlike a
  // conversion, this is defined for NaN.
  Value *magic = constant(x, 12582912.0);
  Value *shifted = fma(x, constant(x, 1.44269504088896341), magic);
  Value *n = b.CreateSub(bits(shifted), bits(magic));
  Value *rounded = b.CreateFSub(shifted, magic);
  // ln 2 as a sum of two numbers; the first has few bits, so its product is
  // exact.
  Value *r = fma(rounded, constant(x, -0.693359375), x);
  r = fma(rounded, constant(x, 2.12194440054690583e-4), r);
  return {n, r};
}

Value *MathEmitter::expTail(Value *r) {
  return polynomial(r, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3,
                        4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1});
}

Value *MathEmitter::exp(Value *x) {
  if (!isSingle(x))
    return library("exp", {x});
  // Below -104 the result is 0, above 88.8 infinite.
  Value *clamped = clamp(x, -104.0, 89.0);
  auto [n, r] = reduceByLn2(clamped);
  Value *p = expTail(r);
  p = b.CreateFAdd(fma(p, b.CreateFMul(r, r), r), constant(x, 1.0));
  if (lanes512)
    return b.CreateIntrinsic(Intrinsic::ldexp, {p->getType(), n->getType()},
                             {p, n});
  // 2^n is split into two normal factors, so that only the last product rounds.
  auto power = [&](Value *e) {
    return fromBits(
        b.CreateShl(b.CreateAdd(e, ConstantInt::get(e->getType(), 127)), 23),
        x->getType());
  };
  Value *half = b.CreateAShr(n, 1);
  p = b.CreateFMul(p, power(half));
  return b.CreateFMul(p, power(b.CreateSub(n, half)));
}

Value *MathEmitter::expm1(Value *x) {
  if (!isSingle(x))
    return library("expm1", {x});
  Value *clamped = clamp(x, -20.0, 89.0);
  auto [n, r] = reduceByLn2(clamped);
  Value *p = fma(expTail(r), b.CreateFMul(r, r), r); // e^r - 1
  // Computes 2 (2^(n-1) p + 2^(n-1) - 1/2), because 2^n may overflow.
  Value *scale = fromBits(
      b.CreateShl(b.CreateAdd(n, ConstantInt::get(n->getType(), 126)), 23),
      x->getType());
  Value *half = fma(scale, p, b.CreateFSub(scale, constant(x, 0.5)));
  Value *result = b.CreateFAdd(half, half);
  // If n is 0 the result is p; this preserves -0 and subnormals.
  Value *isSmall = b.CreateICmpEQ(n, Constant::getNullValue(n->getType()));
  result = b.CreateSelect(isSmall, p, result);
  return b.CreateSelect(b.CreateFCmpOEQ(x, constant(x, 0)), x, result);
}

Value *MathEmitter::log(Value *x) {
  if (!isSingle(x))
    return library("log", {x});
  Type *type = x->getType();
  // Subnormals are scaled into the normal range first.
  Value *tiny = b.CreateFCmpOLT(x, constant(x, 1.17549435e-38));
  Value *scaled =
      b.CreateSelect(tiny, b.CreateFMul(x, constant(x, 8388608.0)), x);
  Value *i = bits(scaled);
  Type *intType = i->getType();
  auto integer = [&](uint32_t v) { return ConstantInt::get(intType, v); };
  // x = 2^e m with m in [sqrt(1/2), sqrt(2)).
  Value *shifted = b.CreateSub(i, integer(0x3f3504f3));
  Value *e = b.CreateAShr(shifted, 23);
  Value *m = fromBits(b.CreateAdd(b.CreateAnd(shifted, integer(0x007fffff)),
                                  integer(0x3f3504f3)),
                      type);
  e = b.CreateSub(e, b.CreateSelect(tiny, integer(23), integer(0)));
  Value *fe = b.CreateSIToFP(e, type);
  Value *f = b.CreateFSub(m, constant(x, 1.0));
  Value *p =
      polynomial(f, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1,
                     -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
                     2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
  Value *f2 = b.CreateFMul(f, f);
  Value *y = b.CreateFMul(b.CreateFMul(p, f), f2);
  y = fma(fe, constant(x, -2.12194440e-4), y);
  y = fma(f2, constant(x, -0.5), y);
  Value *result = b.CreateFAdd(f, y);
  result = fma(fe, constant(x, 0.693359375), result);
  Value *infinity = ConstantFP::getInfinity(type);
  Value *nan = ConstantFP::getNaN(type);
  // The logarithms of +inf and NaN are +inf and NaN.
  result = b.CreateSelect(b.CreateFCmpULT(x, infinity), result, x);
  result = b.CreateSelect(b.CreateFCmpOLT(x, constant(x, 0)), nan, result);
  result = b.CreateSelect(b.CreateFCmpUNO(x, x), x, result);
  return b.CreateSelect(b.CreateFCmpOEQ(x, constant(x, 0)),
                        ConstantFP::getInfinity(type, /*Negative=*/true),
                        result);
}

Value *MathEmitter::log1p(Value *x) {
  if (!isSingle(x))
    return library("log1p", {x});
  // log(1 + x) of the rounded sum, plus the rounding error divided by that sum.
  Value *one = constant(x, 1.0);
  Value *u = b.CreateFAdd(x, one);
  Value *small = b.CreateFSub(x, b.CreateFSub(u, one));
  Value *large = b.CreateFSub(one, b.CreateFSub(u, x));
  Value *lost = b.CreateSelect(b.CreateFCmpOLT(x, one), small, large);
  Value *result = b.CreateFAdd(log(u), b.CreateFDiv(lost, u));
  Value *infinity = ConstantFP::getInfinity(x->getType());
  result = b.CreateSelect(b.CreateFCmpOEQ(x, infinity), x, result);
  result = b.CreateSelect(b.CreateFCmpOEQ(x, constant(x, -1.0)),
                          ConstantFP::getInfinity(x->getType(), true), result);
  return b.CreateSelect(b.CreateFCmpOEQ(x, constant(x, 0)), x, result);
}

Value *MathEmitter::tanh(Value *x) {
  if (!isSingle(x))
    return library("tanh", {x});
  // With t = e^(-2|x|) - 1: tanh |x| = -t / (t + 2).
  Value *magnitude = intrinsic(Intrinsic::fabs, x);
  Value *t = expm1(b.CreateFMul(magnitude, constant(x, -2.0)));
  Value *result =
      b.CreateFDiv(b.CreateFNeg(t), b.CreateFAdd(t, constant(x, 2.0)));
  return b.CreateIntrinsic(Intrinsic::copysign, {x->getType()}, {result, x});
}

// The exponential of -|x| does not overflow, and results may be subnormal.
Value *MathEmitter::logistic(Value *x) {
  Value *one = constant(x, 1.0);
  Value *e = exp(b.CreateFNeg(intrinsic(Intrinsic::fabs, x)));
  Value *isNegative = b.CreateFCmpOLT(x, constant(x, 0.0));
  return b.CreateFDiv(b.CreateSelect(isNegative, e, one), b.CreateFAdd(one, e));
}

Value *MathEmitter::sqrt(Value *x) { return intrinsic(Intrinsic::sqrt, x); }

Value *MathEmitter::rsqrt(Value *x) {
  return b.CreateFDiv(constant(x, 1.0), sqrt(x));
}

/// Returns the glibc vector variant for `lanes` values, if it is loaded.
static std::string vectorVariant(StringRef function, unsigned lanes,
                                 unsigned arity, bool single, bool lanes512) {
  unsigned bits = lanes * (single ? 32 : 64);
  char isa = bits == 512 ? 'e' : bits == 256 ? 'd' : bits == 128 ? 'b' : 0;
  if (!isa || (isa == 'e' && !lanes512))
    return "";
  std::string symbol =
      (Twine("_ZGV") + Twine(isa) + "N" + Twine(lanes) +
       std::string(arity, 'v') + "_" + function + (single ? "f" : ""))
          .str();
  return sys::DynamicLibrary::SearchForAddressOfSymbol(symbol) ? symbol : "";
}

Value *MathEmitter::library(StringRef function, ArrayRef<Value *> args) {
  Type *type = args[0]->getType();
  Type *scalar = type->getScalarType();
  bool single = scalar->isFloatTy();
  Module *module = b.GetInsertBlock()->getModule();
  auto call = [&](StringRef symbol, Type *callType,
                  ArrayRef<Value *> operands) {
    SmallVector<Type *, 2> types(operands.size(), callType);
    FunctionCallee callee = module->getOrInsertFunction(
        symbol, FunctionType::get(callType, types, false));
    auto *f = cast<Function>(callee.getCallee());
    f->setDoesNotThrow();
    f->setDoesNotAccessMemory();
    f->setWillReturn();
    return b.CreateCall(callee, operands);
  };
  std::string scalarName = (function + (single ? "f" : "")).str();
  auto *vector = dyn_cast<FixedVectorType>(type);
  if (!vector)
    return call(scalarName, type, args);
  unsigned lanes = vector->getNumElements();
  std::string variant =
      vectorVariant(function, lanes, args.size(), single, lanes512);
  if (!variant.empty())
    return call(variant, type, args);
  if (lanes == 1) {
    SmallVector<Value *, 2> parts;
    for (Value *arg : args)
      parts.push_back(b.CreateExtractElement(arg, uint64_t(0)));
    return b.CreateInsertElement(PoisonValue::get(type),
                                 call(scalarName, scalar, parts), uint64_t(0));
  }
  // Halve until a variant fits; the last resort is scalars.
  SmallVector<int, 16> low, high, both;
  for (unsigned i = 0; i < lanes; ++i) {
    (i < lanes / 2 ? low : high).push_back(i);
    both.push_back(i);
  }
  SmallVector<Value *, 2> lows, highs;
  for (Value *arg : args) {
    lows.push_back(b.CreateShuffleVector(arg, low));
    highs.push_back(b.CreateShuffleVector(arg, high));
  }
  Value *l = library(function, lows), *h = library(function, highs);
  return b.CreateShuffleVector(l, h, both);
}

} // namespace shardwright::cpu
