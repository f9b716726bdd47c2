//===- register_value.cc - scalars, vectors and pairs ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/ops/register_value.h"

using namespace llvm;

namespace shardwright::cpu {

unsigned lanesOf(Value *x) {
  Type *type = x->getType();
  if (auto *s = dyn_cast<StructType>(type))
    type = s->getElementType(0);
  auto *vector = dyn_cast<FixedVectorType>(type);
  return vector ? vector->getNumElements() : 0;
}

Type *withLanes(Type *type, unsigned lanes) {
  if (auto *s = dyn_cast<StructType>(type))
    return StructType::get(withLanes(s->getElementType(0), lanes),
                           withLanes(s->getElementType(1), lanes));
  return lanes ? FixedVectorType::get(type->getScalarType(), lanes)
               : type->getScalarType();
}

Value *part(IRBuilder<> &b, Value *x, unsigned number) {
  return b.CreateExtractValue(x, number);
}

Value *pair(IRBuilder<> &b, Value *re, Value *im) {
  Value *x = PoisonValue::get(StructType::get(re->getType(), im->getType()));
  return b.CreateInsertValue(b.CreateInsertValue(x, re, 0), im, 1);
}

Value *splatTo(IRBuilder<> &b, unsigned lanes, Value *x) {
  if (lanes == 0 || isVector(x))
    return x;
  if (isPair(x->getType()))
    return pair(b, splatTo(b, lanes, part(b, x, 0)),
                splatTo(b, lanes, part(b, x, 1)));
  return b.CreateVectorSplat(lanes, x);
}

Value *selectValue(IRBuilder<> &b, Value *condition, Value *x, Value *y) {
  if (!isPair(x->getType()))
    return b.CreateSelect(condition, x, y);
  return pair(b, b.CreateSelect(condition, part(b, x, 0), part(b, y, 0)),
              b.CreateSelect(condition, part(b, x, 1), part(b, y, 1)));
}

} // namespace shardwright::cpu
