//===- complex_emitter.cc - operations on complex numbers as LLVM IR ------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/ops/op_emitter.h"

#include "shardwright/cpu/kernel_support/complex_runtime.h"
#include "shardwright/cpu/kernel_support/symbols.h"

#include "llvm/IR/Module.h"

using namespace llvm;

namespace shardwright::cpu {

static std::optional<ComplexFunction> functionOf(Op op) {
  switch (op) {
  case Op::Exp:
    return ComplexFunction::Exp;
  case Op::Expm1:
    return ComplexFunction::Expm1;
  case Op::Log:
    return ComplexFunction::Log;
  case Op::Log1p:
    return ComplexFunction::Log1p;
  case Op::Sqrt:
    return ComplexFunction::Sqrt;
  case Op::Rsqrt:
    return ComplexFunction::Rsqrt;
  case Op::Cbrt:
    return ComplexFunction::Cbrt;
  case Op::Sine:
    return ComplexFunction::Sin;
  case Op::Cosine:
    return ComplexFunction::Cos;
  case Op::Tan:
    return ComplexFunction::Tan;
  case Op::Tanh:
    return ComplexFunction::Tanh;
  case Op::Logistic:
    return ComplexFunction::Logistic;
  case Op::Power:
    return ComplexFunction::Power;
  case Op::Atan2:
    return ComplexFunction::Atan2;
  case Op::Divide:
    return ComplexFunction::Divide;
  default:
    return std::nullopt;
  }
}

// Calls the runtime once for all lanes, with arrays of doubles on the stack.
Value *OpEmitter::complexCall(Op op, ArrayRef<Value *> args) {
  Function *f = b.GetInsertBlock()->getParent();
  unsigned lanes = lanesOf(args[0]);
  Type *component = part(b, args[0], 0)->getType();
  Type *wide = withLanes(b.getDoubleTy(), lanes);
  SmallVector<Value *, 4> arrays;
  for (Value *arg : args)
    for (unsigned i = 0; i < 2; ++i) {
      IRBuilder<> entry(&f->getEntryBlock(), f->getEntryBlock().begin());
      AllocaInst *array = entry.CreateAlloca(wide);
      b.CreateStore(b.CreateFPExt(part(b, arg, i), wide), array);
      arrays.push_back(array);
    }
  Type *ptr = b.getPtrTy();
  while (arrays.size() < 4)
    arrays.push_back(ConstantPointerNull::get(b.getPtrTy()));
  FunctionCallee runtime = f->getParent()->getOrInsertFunction(
      complexMathSymbol,
      FunctionType::get(b.getVoidTy(),
                        {b.getInt32Ty(), b.getInt64Ty(), ptr, ptr, ptr, ptr},
                        false));
  b.CreateCall(runtime, {b.getInt32(static_cast<int32_t>(*functionOf(op))),
                         b.getInt64(std::max(lanes, 1u)), arrays[0], arrays[1],
                         arrays[2], arrays[3]});
  auto result = [&](unsigned i) {
    return b.CreateFPTrunc(b.CreateLoad(wide, arrays[i]), component);
  };
  return pair(b, result(0), result(1));
}

Value *OpEmitter::complexAbs(Value *x) {
  Value *re = part(b, x, 0), *im = part(b, x, 1);
  Type *type = re->getType();
  if (type->getScalarType()->isFloatTy()) {
    // Squares of f32 values do not overflow in f64.
    Type *wide = withLanes(b.getDoubleTy(), lanesOf(x));
    Value *a = b.CreateFPExt(re, wide), *c = b.CreateFPExt(im, wide);
    Value *sum = b.CreateFAdd(b.CreateFMul(a, a), b.CreateFMul(c, c));
    return b.CreateFPTrunc(math.sqrt(sum), type);
  }
  Value *a = b.CreateUnaryIntrinsic(Intrinsic::fabs, re);
  Value *c = b.CreateUnaryIntrinsic(Intrinsic::fabs, im);
  Value *large = b.CreateBinaryIntrinsic(Intrinsic::maximum, a, c);
  Value *small = b.CreateBinaryIntrinsic(Intrinsic::minimum, a, c);
  Value *ratio = b.CreateFDiv(small, large);
  Value *one = ConstantFP::get(type, 1.0);
  Value *length = b.CreateFMul(
      large, math.sqrt(b.CreateFAdd(one, b.CreateFMul(ratio, ratio))));
  // The absolute value of 0, infinities and NaN is `large` itself.
  Value *special =
      b.CreateOr(b.CreateFCmpUEQ(large, ConstantFP::getInfinity(type)),
                 b.CreateFCmpUEQ(large, Constant::getNullValue(type)));
  return b.CreateSelect(special, large, length);
}

Value *OpEmitter::complexCompare(Direction direction, Value *x, Value *y) {
  Value *x0 = part(b, x, 0), *x1 = part(b, x, 1);
  Value *y0 = part(b, y, 0), *y1 = part(b, y, 1);
  switch (direction) {
  case Direction::EQ:
    return b.CreateAnd(b.CreateFCmpOEQ(x0, y0), b.CreateFCmpOEQ(x1, y1));
  case Direction::NE:
    return b.CreateOr(b.CreateFCmpUNE(x0, y0), b.CreateFCmpUNE(x1, y1));
  default:
    break;
  }
  // Compares real parts first, then imaginary parts.
  auto order = [&](CmpInst::Predicate strict, CmpInst::Predicate last) {
    return b.CreateOr(
        b.CreateFCmp(strict, x0, y0),
        b.CreateAnd(b.CreateFCmpOEQ(x0, y0), b.CreateFCmp(last, x1, y1)));
  };
  switch (direction) {
  case Direction::GE:
    return order(CmpInst::FCMP_OGT, CmpInst::FCMP_OGE);
  case Direction::GT:
    return order(CmpInst::FCMP_OGT, CmpInst::FCMP_OGT);
  case Direction::LE:
    return order(CmpInst::FCMP_OLT, CmpInst::FCMP_OLE);
  default:
    return order(CmpInst::FCMP_OLT, CmpInst::FCMP_OLT);
  }
}

Value *OpEmitter::complexUnary(const Node &node, ElementType argType,
                               Value *x) {
  if (node.op == Op::Convert)
    return convert(x, argType, node.type);
  Value *re = part(b, x, 0), *im = part(b, x, 1);
  Type *t = re->getType();
  switch (node.op) {
  case Op::Real:
    return re;
  case Op::Imag:
    return im;
  case Op::Abs:
    return complexAbs(x);
  case Op::Negate:
    return pair(b, b.CreateFNeg(re), b.CreateFNeg(im));
  case Op::Sign: {
    Value *length = complexAbs(x);
    Value *isZero = b.CreateFCmpOEQ(length, Constant::getNullValue(t));
    length = b.CreateSelect(isZero, ConstantFP::get(t, 1.0), length);
    return pair(b, b.CreateFDiv(re, length), b.CreateFDiv(im, length));
  }
  default:
    return functionOf(node.op) ? complexCall(node.op, {x}) : nullptr;
  }
}

Value *OpEmitter::complexBinary(Op op, Value *x, Value *y) {
  Value *a = part(b, x, 0), *c = part(b, x, 1);
  Value *d = part(b, y, 0), *e = part(b, y, 1);
  switch (op) {
  case Op::Add:
    return pair(b, b.CreateFAdd(a, d), b.CreateFAdd(c, e));
  case Op::Subtract:
    return pair(b, b.CreateFSub(a, d), b.CreateFSub(c, e));
  case Op::Multiply:
    return pair(b, b.CreateFSub(b.CreateFMul(a, d), b.CreateFMul(c, e)),
                b.CreateFAdd(b.CreateFMul(a, e), b.CreateFMul(c, d)));
  case Op::Maximum:
    return selectValue(b, complexCompare(Direction::GE, x, y), x, y);
  case Op::Minimum:
    return selectValue(b, complexCompare(Direction::LE, x, y), x, y);
  default:
    return functionOf(op) ? complexCall(op, {x, y}) : nullptr;
  }
}

} // namespace shardwright::cpu
