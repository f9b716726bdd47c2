//===- node_emitter.cc - the value of a node at an index ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/node_emitter.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace shardwright::cpu {

// What a remembered value is.
enum : int32_t { NodeKey, ScalarKey, VectorKey, MaskKey, TileKey };

NodeEmitter::NodeEmitter(IRBuilder<> &b, LoopEmitter &loops, IndexSpace &space,
                         const Cluster &cluster, const TargetInfo &target,
                         ArrayRef<Value *> buffers)
    : b(b), loops(loops), space(space), cluster(cluster), graph(cluster.graph),
      ops(b, target.lanes512), masks(1), buffers(buffers) {}

Type *NodeEmitter::vectorOf(Type *element) const {
  return FixedVectorType::get(element, loops.lanes);
}

Value *NodeEmitter::splat(Value *x) {
  if (loops.lanes == 1 || x->getType()->isVectorTy())
    return x;
  return b.CreateVectorSplat(loops.lanes, x);
}

Value *allocate(IRBuilder<> &b, Type *element, int64_t count) {
  Function *f = b.GetInsertBlock()->getParent();
  IRBuilder<> entry(&f->getEntryBlock(), f->getEntryBlock().begin());
  AllocaInst *memory = entry.CreateAlloca(element, entry.getInt64(count));
  memory->setAlignment(Align(64));
  return memory;
}

//===----------------------------------------------------------------------===//
// Index expressions
//===----------------------------------------------------------------------===//

static bool fits32(Range r) { return r.lo >= INT32_MIN && r.hi <= INT32_MAX; }

// Rounds down although the hardware rounds to zero: negative dividends are moved
// up by a multiple of the divisor.
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
  Value *start = b.CreateBinaryIntrinsic(
      Intrinsic::smax, b.CreateSExt(x, wide), Constant::getNullValue(wide));
  return b.CreateBinaryIntrinsic(Intrinsic::smin, start, hi);
}

/// Does the expression read values of the kernel?
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
    return loops.at(depthOf(self), {ScalarKey, id, -1, mask, 0}, [&] {
      return clampStart(value(atom.number, index, mask), atom);
    });
  }
  default:
    return loops.at(depthOf(self), {ScalarKey, id, -1, mask, 0},
                    [&] { return quotient(scalar(atom.expr), atom, atom.expr); });
  }
}

Value *NodeEmitter::scalar(const IndexExpr &e) {
  if (e.isConstant())
    return b.getInt64(e.constant);
  int32_t id = space.intern({e});
  return loops.at(depthOf(e), {ScalarKey, id, 0, maskOf(e), 0}, [&] {
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
    Value *start = clampStart(splat(value(atom.number, index, startMask)), atom);
    return b.CreateZExtOrTrunc(start, type);
  }
  default: {
    Type *inner = fits32(space.range(atom.expr)) ? b.getInt32Ty() : b.getInt64Ty();
    Value *q = quotient(vector(atom.expr, inner), atom, atom.expr);
    return b.CreateSExtOrTrunc(q, type);
  }
  }
}

Value *NodeEmitter::vector(const IndexExpr &e, Type *element) {
  int32_t id = space.intern({e});
  int32_t width = element->getIntegerBitWidth();
  return loops.at(loops.currentDepth(), {VectorKey, id, width, loops.lanes, maskOf(e)},
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
        part = b.CreateMul(part, ConstantInt::getSigned(part->getType(), c));
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
  return loops.at(maskDepth(mask), {MaskKey, mask, loops.lanes, 0, 0}, [&] {
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
      auto k = [&](int64_t v) { return ConstantInt::getSigned(e->getType(), v); };
      if (g.hi < g.lo) {
        conjoin(Constant::getNullValue(e->getType()->getWithNewType(b.getInt1Ty())));
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

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void transposeSquare(IRBuilder<> &b, Values &rows) {
  int n = rows.size();
  // Swap the off-diagonal h x h blocks, h = n/2, ..., 1.
  for (int h = n / 2; h >= 1; h /= 2) {
    SmallVector<int, 16> low, high;
    for (int i = 0; i < n; ++i) {
      bool upper = i & h;
      low.push_back(upper ? n + i - h : i);
      high.push_back(upper ? n + i : i + h);
    }
    for (int q = 0; q < n; ++q) {
      if (q & h)
        continue;
      Value *x = rows[q], *y = rows[q + h];
      rows[q] = b.CreateShuffleVector(x, y, low);
      rows[q + h] = b.CreateShuffleVector(x, y, high);
    }
  }
}

// The block is read and transposed in front of the loop over `tileVar`; inside,
// its rows are contiguous.
Value *NodeEmitter::loadTransposed(ElementType type, Value *buffer,
                                   const IndexExpr &offset, int32_t param) {
  Type *element = ops.memoryType(type);
  IndexExpr base = space.add(offset, space.multiply(space.term(tileVar), -1));
  int64_t step = base.coefficient(loops.vectorVar);
  int32_t id = space.intern({base});
  int lanes = loops.lanes;
  Type *row = vectorOf(element);
  Align align(byteWidth(type));
  Value *tile =
      loops.at(loops.depth(base), {TileKey, param, id, lanes, 0}, [&] {
        Value *memory = allocate(b, row, lanes);
        Value *start = b.CreateGEP(element, buffer, scalar(base));
        Values rows;
        for (int i = 0; i < lanes; ++i)
          rows.push_back(b.CreateAlignedLoad(
              row, b.CreateGEP(element, start, b.getInt64(i * step)), align));
        transposeSquare(b, rows);
        for (int i = 0; i < lanes; ++i)
          b.CreateStore(rows[i], b.CreateGEP(row, memory, b.getInt64(i)));
        return memory;
      });
  Value *at = b.CreateGEP(row, tile, loops.variable(tileVar));
  return ops.fromMemory(b.CreateLoad(row, at), type);
}

Value *NodeEmitter::load(ElementType type, Value *buffer, int64_t elements,
                         const IndexExpr &offset, MaskId mask, int32_t param) {
  Type *element = ops.memoryType(type);
  Align align(byteWidth(type));
  bool vec = loops.isVector(offset);
  if (elements == 0)
    return Constant::getNullValue(ops.registerType(type));
  if (!vec) {
    Value *at = scalar(offset);
    // Any element will do where the value is not needed.
    if (mask)
      at = b.CreateBinaryIntrinsic(Intrinsic::umin, at, b.getInt64(elements - 1));
    return ops.fromMemory(
        b.CreateAlignedLoad(element, b.CreateGEP(element, buffer, at), align),
        type);
  }
  int64_t step = offset.coefficient(loops.vectorVar);
  bool linear = !space.dependsNonlinearlyOn(offset, loops.vectorVar);
  Type *wide = vectorOf(element);
  if (linear && std::abs(step) == 1) {
    IndexExpr first = step == 1 ? offset : space.add(offset, 1 - loops.lanes);
    Value *at = b.CreateGEP(element, buffer, scalar(first));
    SmallVector<int, 16> backwards;
    for (int i = loops.lanes - 1; i >= 0; --i)
      backwards.push_back(i);
    Value *x;
    if (mask) {
      Value *m = splat(maskValue(mask));
      if (step < 0)
        m = b.CreateShuffleVector(m, backwards);
      x = b.CreateMaskedLoad(wide, at, align, m, Constant::getNullValue(wide));
    } else {
      x = b.CreateAlignedLoad(wide, at, align);
    }
    if (step < 0)
      x = b.CreateShuffleVector(x, backwards);
    return ops.fromMemory(x, type);
  }
  if (linear && !mask && param >= 0 && tileVar >= 0 &&
      offset.coefficient(tileVar) == 1 &&
      !space.dependsNonlinearlyOn(offset, tileVar))
    return loadTransposed(type, buffer, offset, param);
  Type *indexType = elements <= INT32_MAX ? b.getInt32Ty() : b.getInt64Ty();
  Value *pointers = b.CreateGEP(element, buffer, vector(offset, indexType));
  Value *m = mask ? splat(maskValue(mask)) : nullptr;
  Value *x = b.CreateMaskedGather(wide, pointers, align, m,
                                  Constant::getNullValue(wide));
  return ops.fromMemory(x, type);
}

void NodeEmitter::store(Value *x, ElementType type, Value *buffer,
                        const IndexExpr &offset) {
  Type *element = ops.memoryType(type);
  Align align(byteWidth(type));
  if (loops.lanes == 1 || !loops.isVector(offset)) {
    if (x->getType()->isVectorTy())
      x = b.CreateExtractElement(x, uint64_t(0));
    b.CreateAlignedStore(ops.toMemory(x, type),
                         b.CreateGEP(element, buffer, scalar(offset)), align);
    return;
  }
  x = ops.toMemory(splat(x), type);
  if (offset.coefficient(loops.vectorVar) == 1 &&
      !space.dependsNonlinearlyOn(offset, loops.vectorVar)) {
    b.CreateAlignedStore(x, b.CreateGEP(element, buffer, scalar(offset)), align);
    return;
  }
  Value *offsets = vector(offset, b.getInt64Ty());
  for (int i = 0; i < loops.lanes; ++i) {
    Value *at = b.CreateExtractElement(offsets, i);
    b.CreateAlignedStore(b.CreateExtractElement(x, i),
                         b.CreateGEP(element, buffer, at), align);
  }
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

void NodeEmitter::setResult(int32_t node, int number, const IndexVector &index,
                            Value *result) {
  loops.remember(loops.depth(index),
                 {NodeKey, node, space.intern(index), 0, number}, result);
}

Value *NodeEmitter::value(int32_t id, const IndexVector &index, MaskId mask) {
  const Node &node = graph[id];
  if (node.op == Op::Constant)
    return ops.constant(node.bits, node.type);
  int number = 0;
  if (node.op == Op::Proj) {
    number = node.attrs[0][0];
    id = node.operands[0];
  }
  int depth = std::max(loops.depth(index), maskDepth(mask));
  return loops.at(depth, {NodeKey, id, space.intern(index), mask, number},
                  [&] { return graph[id].op == Op::Reduce
                                   ? reduce(id, number, index, mask)
                                   : compute(id, index, mask); });
}

Value *NodeEmitter::compute(int32_t id, const IndexVector &index, MaskId mask) {
  const Node &node = graph[id];
  llvm::SaveAndRestore guard(startMask, mask);
  auto kept = scratch.find(id);
  IndexExpr keptAt;
  if (kept != scratch.end()) {
    keptAt = space.add(space.linearize(index, rowMajorStrides(node.shape)),
                       space.multiply(rowLinear, -tailSize));
    if (kept->second.filled) {
      Type *type = ops.registerType(node.type);
      if (type->isIntegerTy(1))
        type = b.getInt8Ty();
      Value *at = b.CreateGEP(type, kept->second.buffer, scalar(keptAt));
      if (loops.isVector(keptAt))
        type = vectorOf(type);
      Value *x = b.CreateAlignedLoad(type, at, Align(4));
      return node.type == ElementType::Pred ? ops.fromMemory(x, node.type) : x;
    }
  }
  if (isElementwise(node.op)) {
    Values args;
    bool vec = false;
    for (size_t i = 0; i < node.operands.size(); ++i) {
      OperandIndex at = operandIndex(graph, id, i, index, space);
      args.push_back(value(node.operands[i], at.index, mask));
      vec |= args.back()->getType()->isVectorTy();
    }
    if (vec)
      for (Value *&arg : args)
        arg = splat(arg);
    ElementType argType = graph[node.operands.back()].type;
    Value *x = ops.elementwise(node, argType, args);
    if (kept != scratch.end()) {
      Value *stored = loops.isVector(keptAt) ? splat(x) : x;
      if (node.type == ElementType::Pred)
        stored = ops.toMemory(stored, node.type);
      Type *type = stored->getType()->getScalarType();
      b.CreateAlignedStore(
          stored, b.CreateGEP(type, kept->second.buffer, scalar(keptAt)), Align(4));
    }
    return x;
  }
  switch (node.op) {
  case Op::Param:
    return load(node.type, buffers[node.bits], node.elements(),
                space.linearize(index, rowMajorStrides(node.shape)), mask,
                static_cast<int32_t>(node.bits));
  case Op::Iota: {
    const IndexExpr &e = index[node.attrs[0][0]];
    bool narrow = fits32(space.range(e));
    Value *x = loops.isVector(e)
                   ? vector(e, narrow ? b.getInt32Ty() : b.getInt64Ty())
                   : scalar(e);
    bool is32 = x->getType()->getScalarSizeInBits() == 32;
    return ops.convert(x, is32 ? ElementType::S32 : ElementType::S64, node.type);
  }
  case Op::Pad:
    return pad(id, index, mask);
  case Op::Concat:
    return concat(id, index, mask);
  case Op::Bitcast:
    return bitcast(id, index, mask);
  case Op::ReduceWindow:
    return window(id, index, mask);
  default: {
    OperandIndex at = operandIndex(graph, id, 0, index, space);
    return value(node.operands[0], at.index, mask);
  }
  }
}

Value *NodeEmitter::pad(int32_t id, const IndexVector &index, MaskId mask) {
  const Node &node = graph[id];
  OperandIndex at = operandIndex(graph, id, 0, index, space);
  Value *padding = value(node.operands[1], {}, mask);
  if (at.never)
    return padding;
  if (at.guards.empty())
    return value(node.operands[0], at.index, mask);
  MaskId inside = both(mask, at.guards);
  Value *x = value(node.operands[0], at.index, inside);
  // The choice itself must not depend on the conditions around it.
  Value *m = maskValue(both(0, at.guards));
  if (m->getType()->isVectorTy() || x->getType()->isVectorTy() ||
      padding->getType()->isVectorTy())
    m = splat(m), x = splat(x), padding = splat(padding);
  return b.CreateSelect(m, x, padding);
}

Value *NodeEmitter::concat(int32_t id, const IndexVector &index, MaskId mask) {
  const Node &node = graph[id];
  Value *result = nullptr;
  for (size_t i = 0; i < node.operands.size(); ++i) {
    OperandIndex at = operandIndex(graph, id, i, index, space);
    if (at.never || graph[node.operands[i]].elements() == 0)
      continue;
    MaskId inside = both(mask, at.guards);
    Value *x = value(node.operands[i], at.index, inside);
    if (!result) {
      result = x;
      continue;
    }
    Value *m = maskValue(both(0, at.guards));
    if (m->getType()->isVectorTy() || x->getType()->isVectorTy() ||
        result->getType()->isVectorTy())
      m = splat(m), x = splat(x), result = splat(result);
    result = b.CreateSelect(m, x, result);
  }
  return result ? result : Constant::getNullValue(ops.registerType(node.type));
}

Value *NodeEmitter::bitcast(int32_t id, const IndexVector &index, MaskId mask) {
  const Node &node = graph[id];
  ElementType from = graph[node.operands[0]].type;
  int64_t fromBytes = byteWidth(from), toBytes = byteWidth(node.type);
  OperandIndex at = operandIndex(graph, id, 0, index, space);
  auto bitsAt = [&](const IndexVector &where) {
    return ops.toBits(value(node.operands[0], where, mask), from);
  };
  auto integer = [&](Value *like, int64_t bytes) {
    return like->getType()->getWithNewType(b.getIntNTy(8 * bytes));
  };
  Value *bits;
  if (fromBytes == toBytes) {
    bits = bitsAt(at.index);
  } else if (fromBytes > toBytes) {
    // Element j of the innermost dimension is the j-th part, lowest first.
    const IndexExpr &part = index.back();
    Value *whole = bitsAt(at.index);
    Type *element = whole->getType()->getScalarType();
    bool vec = loops.isVector(part);
    Value *shift = vec ? vector(part, b.getInt64Ty()) : scalar(part);
    if (vec)
      whole = splat(whole);
    else if (whole->getType()->isVectorTy())
      shift = splat(shift);
    shift = b.CreateZExtOrTrunc(shift, shift->getType()->getWithNewType(element));
    shift = b.CreateMul(shift, ConstantInt::get(shift->getType(), 8 * toBytes));
    Value *shifted = b.CreateLShr(whole, shift);
    bits = b.CreateTrunc(shifted, integer(shifted, toBytes));
  } else {
    bits = nullptr;
    for (int64_t j = 0; j < toBytes / fromBytes; ++j) {
      IndexVector where = at.index;
      where.back() = IndexExpr(j);
      Value *part = bitsAt(where);
      part = b.CreateZExt(part, integer(part, toBytes));
      part = b.CreateShl(part, 8 * fromBytes * j);
      bits = bits ? b.CreateOr(bits, part) : part;
    }
  }
  return ops.fromBits(bits, node.type);
}

// A reduction that the plan gave no loops: element after element.
Value *NodeEmitter::reduce(int32_t id, int wanted, const IndexVector &index,
                           MaskId mask) {
  const Node &node = graph[id];
  const Body &body = *node.body;
  size_t n = node.operands.size() / 2;
  bool vec = loops.isVector(index);
  Values carried;
  for (size_t i = 0; i < n; ++i) {
    ElementType from = graph[node.operands[n + i]].type;
    Value *init = ops.convert(value(node.operands[n + i], {}, mask), from,
                              body.nodes[i].type);
    carried.push_back(vec ? splat(init) : init);
  }
  Shape sizes = reducedSizes(graph, id);
  IndexVector reduced;
  std::vector<AtomId> vars;
  for (int64_t size : sizes) {
    vars.push_back(space.variable({0, size - 1}));
    reduced.push_back(space.term(vars.back()));
  }
  std::function<Values(size_t, ArrayRef<Value *>)> nest =
      [&](size_t d, ArrayRef<Value *> accumulators) {
        if (d < sizes.size())
          return loops.loop(vars[d], loops.bounds(0, sizes[d]), 1, accumulators,
                            [&](ArrayRef<Value *> inner) {
                              return nest(d + 1, inner);
                            });
        IndexVector at = reduceInputIndex(graph, id, index, reduced);
        Values args(accumulators);
        for (size_t i = 0; i < n; ++i) {
          Value *x = value(node.operands[i], at, mask);
          x = ops.convert(x, graph[node.operands[i]].type, body.nodes[n + i].type);
          args.push_back(vec ? splat(x) : x);
        }
        Values next;
        ops.evaluate(body, args, next);
        return next;
      };
  Values results = product(sizes) == 0 ? carried : nest(0, carried);
  int depth = std::max(loops.depth(index), maskDepth(mask));
  for (size_t i = 0; i < n; ++i)
    loops.remember(depth,
                   {NodeKey, id, space.intern(index), mask, static_cast<int>(i)},
                   results[i]);
  return results[wanted];
}

Value *NodeEmitter::window(int32_t id, const IndexVector &index, MaskId mask) {
  const Node &node = graph[id];
  const Body &body = *node.body;
  ElementType from = graph[node.operands[0]].type;
  bool vec = loops.isVector(index);
  Value *init = ops.convert(value(node.operands[1], {}, mask),
                            graph[node.operands[1]].type, body.nodes[0].type);
  const Shape &sizes = node.attrs[0];
  std::vector<AtomId> vars;
  IndexVector position;
  for (int64_t size : sizes) {
    vars.push_back(space.variable({0, size - 1}));
    position.push_back(space.term(vars.back()));
  }
  std::function<Values(size_t, ArrayRef<Value *>)> nest =
      [&](size_t d, ArrayRef<Value *> accumulators) -> Values {
    if (d < sizes.size())
      return loops.loop(
          vars[d], loops.bounds(0, sizes[d]), 1, accumulators,
          [&](ArrayRef<Value *> inner) { return nest(d + 1, inner); });
    OperandIndex at = windowInputIndex(graph, id, index, position, space);
    if (at.never)
      return Values(accumulators);
    MaskId inside = both(mask, at.guards);
    Value *x = ops.convert(value(node.operands[0], at.index, inside), from,
                           body.nodes[1].type);
    Values next;
    ops.evaluate(body, {accumulators[0], vec ? splat(x) : x}, next);
    if (!at.guards.empty()) {
      Value *m = maskValue(both(0, at.guards));
      next[0] = b.CreateSelect(vec ? splat(m) : m, next[0], accumulators[0]);
    }
    return next;
  };
  Value *first = vec ? splat(init) : init;
  return product(sizes) == 0 ? first : nest(0, {first})[0];
}

} // namespace shardwright::cpu
