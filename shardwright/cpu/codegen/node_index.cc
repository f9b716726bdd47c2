//===- node_index.cc - index expressions and masks as values --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/codegen/node_emitter.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace shardwright::cpu {

// The quotient rounds down, but the hardware rounds towards zero: negative
// dividends are first raised by a multiple of the divisor.
Value *NodeEmitter::quotient(Value *x, const Atom &atom, const IndexExpr &e) {
  Range r = space.range(e);
  Type *type = x->getType();
  int64_t shift = r.lo < 0 ? (-r.lo + atom.divisor - 1) / atom.divisor : 0;
  if (shift)
    x = b.CreateAdd(x, ConstantInt::getSigned(type, shift * atom.divisor));
  Constant *divisor = ConstantInt::getSigned(type, atom.divisor);
  if (atom.kind == Atom::Kind::Remainder)
    return b.CreateURem(x, divisor);
  Value *q = b.CreateUDiv(x, divisor);
  return shift ? b.CreateSub(q, ConstantInt::getSigned(type, shift)) : q;
}

Value *NodeEmitter::clampStart(Value *x, const Atom &atom) {
  ElementType type = graph[atom.number].type;
  Type *wide = x->getType()->getWithNewType(b.getInt64Ty());
  Constant *hi = ConstantInt::get(wide, atom.range.hi);
  if (!isSignedInteger(type))
    return b.CreateBinaryIntrinsic(Intrinsic::umin, b.CreateZExt(x, wide), hi);
  Value *start = b.CreateBinaryIntrinsic(Intrinsic::smax, b.CreateSExt(x, wide),
                                         Constant::getNullValue(wide));
  return b.CreateBinaryIntrinsic(Intrinsic::smin, start, hi);
}

/// True if the expression depends on values that the kernel computes.
static bool hasOpaque(const IndexExpr &e, const IndexSpace &space) {
  for (auto [atomId, c] : e.terms) {
    const Atom &atom = space.atom(atomId);
    if (atom.kind == Atom::Kind::Opaque ||
        (atom.kind != Atom::Kind::Variable && hasOpaque(atom.expr, space)))
      return true;
  }
  return false;
}

NodeEmitter::MaskId NodeEmitter::maskOf(const IndexExpr &e) const {
  return hasOpaque(e, space) ? startMask : 0;
}

int NodeEmitter::depthOf(const IndexExpr &e) const {
  return std::max(loops.depth(e), maskDepth(maskOf(e)));
}

Value *NodeEmitter::atomScalar(AtomId id) {
  Atom atom = space.atom(id);
  IndexExpr self = space.term(id);
  MaskId mask = maskOf(self);
  switch (atom.kind) {
  case Atom::Kind::Variable:
    return loops.variable(id);
  case Atom::Kind::Opaque: {
    IndexVector index = space.interned(atom.index);
    return loops.at(depthOf(self), AtomKey{id, mask}, [&] {
      return clampStart(value(atom.number, index, mask), atom);
    });
  }
  default:
    return loops.at(depthOf(self), AtomKey{id, mask}, [&] {
      return quotient(scalar(atom.expr), atom, atom.expr);
    });
  }
}

Value *NodeEmitter::scalar(const IndexExpr &e) {
  if (e.isConstant())
    return b.getInt64(e.constant);
  int32_t id = space.intern({e});
  return loops.at(depthOf(e), ScalarKey{id, maskOf(e)}, [&] {
    Value *sum = nullptr;
    for (auto [atom, c] : e.terms) {
      Value *part = atomScalar(atom);
      if (c != 1)
        part = b.CreateMul(part, b.getInt64(c));
      sum = sum ? b.CreateAdd(sum, part) : part;
    }
    return e.constant ? b.CreateAdd(sum, b.getInt64(e.constant)) : sum;
  });
}

Value *NodeEmitter::atomVector(AtomId id, Type *element) {
  Atom atom = space.atom(id);
  Type *type = vectorOf(element);
  switch (atom.kind) {
  case Atom::Kind::Variable: {
    SmallVector<Constant *, 16> steps;
    for (int i = 0; i < loops.lanes; ++i)
      steps.push_back(ConstantInt::get(element, i));
    Value *first = b.CreateZExtOrTrunc(loops.variable(id), element);
    return b.CreateAdd(splat(first), ConstantVector::get(steps));
  }
  case Atom::Kind::Opaque: {
    IndexVector index = space.interned(atom.index);
    Value *start =
        clampStart(splat(value(atom.number, index, startMask)), atom);
    return b.CreateZExtOrTrunc(start, type);
  }
  default: {
    Type *inner =
        fits32(space.range(atom.expr)) ? b.getInt32Ty() : b.getInt64Ty();
    Value *q = quotient(vector(atom.expr, inner), atom, atom.expr);
    return b.CreateSExtOrTrunc(q, type);
  }
  }
}

Value *NodeEmitter::vector(const IndexExpr &e, Type *element) {
  int32_t id = space.intern({e});
  int32_t width = element->getIntegerBitWidth();
  return loops.at(
      loops.currentDepth(), VectorKey{id, width, loops.lanes, maskOf(e)},
      [&]() -> Value * {
        IndexExpr uniform(e.constant);
        Value *sum = nullptr;
        for (auto [atom, c] : e.terms) {
          IndexExpr term = space.term(atom);
          if (!loops.isVector(term)) {
            uniform = space.add(uniform, space.multiply(term, c));
            continue;
          }
          Value *part = atomVector(atom, element);
          if (c != 1)
            part =
                b.CreateMul(part, ConstantInt::getSigned(part->getType(), c));
          sum = sum ? b.CreateAdd(sum, part) : part;
        }
        Value *base = splat(b.CreateSExtOrTrunc(scalar(uniform), element));
        return sum ? b.CreateAdd(sum, base) : base;
      });
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

NodeEmitter::MaskId NodeEmitter::both(MaskId mask, ArrayRef<Guard> guards) {
  if (guards.empty())
    return mask;
  for (auto [i, m] : llvm::enumerate(masks))
    if (i && m.parent == mask && ArrayRef(m.guards) == guards)
      return i;
  Mask m;
  m.parent = mask;
  m.guards.assign(guards.begin(), guards.end());
  masks.push_back(std::move(m));
  return masks.size() - 1;
}

int NodeEmitter::maskDepth(MaskId mask) const {
  int depth = 0;
  for (; mask; mask = masks[mask].parent)
    for (const Guard &g : masks[mask].guards)
      depth = std::max(depth, loops.depth(g.expr));
  return depth;
}

bool NodeEmitter::maskIsVector(MaskId mask) const {
  for (; mask; mask = masks[mask].parent)
    for (const Guard &g : masks[mask].guards)
      if (loops.isVector(g.expr))
        return true;
  return false;
}

Value *NodeEmitter::maskValue(MaskId mask) {
  if (!mask)
    return b.getTrue();
  return loops.at(maskDepth(mask), MaskKey{mask, loops.lanes}, [&] {
    const Mask m = masks[mask];
    llvm::SaveAndRestore guard(startMask, m.parent);
    bool vec = maskIsVector(mask);
    Value *all = nullptr;
    auto conjoin = [&](Value *v) {
      if (vec)
        v = splat(v);
      all = all ? b.CreateAnd(all, v) : v;
    };
    if (m.parent)
      conjoin(maskValue(m.parent));
    for (const Guard &g : m.guards) {
      Value *e;
      if (loops.isVector(g.expr)) {
        bool narrow = fits32(space.range(g.expr)) && g.lo >= INT32_MIN &&
                      g.hi <= INT32_MAX;
        e = vector(g.expr, narrow ? b.getInt32Ty() : b.getInt64Ty());
      } else {
        e = scalar(g.expr);
      }
      auto k = [&](int64_t v) {
        return ConstantInt::getSigned(e->getType(), v);
      };
      if (g.hi < g.lo) {
        conjoin(Constant::getNullValue(
            e->getType()->getWithNewType(b.getInt1Ty())));
        continue;
      }
      Value *moved = g.lo ? b.CreateSub(e, k(g.lo)) : e;
      conjoin(b.CreateICmpULE(moved, k(g.hi - g.lo)));
      if (g.multiple > 1)
        conjoin(b.CreateICmpEQ(b.CreateURem(e, k(g.multiple)), k(0)));
    }
    return all;
  });
}

} // namespace shardwright::cpu
