//===- node_emitter.cc - the value of a node at an index ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/codegen/node_emitter.h"

#include "shardwright/cpu/codegen/accumulation.h"
#include "shardwright/cpu/codegen/summation.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace shardwright::cpu {

NodeEmitter::NodeEmitter(IRBuilder<> &b, LoopEmitter &loops, IndexSpace &space,
                         const Cluster &cluster, const TargetInfo &target,
                         ArrayRef<Value *> buffers)
    : b(b), loops(loops), space(space), cluster(cluster), graph(cluster.graph),
      ops(b, target.lanes512), masks(1), buffers(buffers) {}

Type *NodeEmitter::vectorOf(Type *element) const {
  return withLanes(element, loops.lanes);
}

Value *NodeEmitter::splat(Value *x) {
  return loops.lanes == 1 ? x : splatTo(b, loops.lanes, x);
}

void NodeEmitter::setResult(int32_t node, int number, const IndexVector &index,
                            Value *result) {
  loops.remember(loops.depth(index),
                 NodeKey{node, space.intern(index), 0, number}, result);
}

Value *NodeEmitter::value(int32_t id, const IndexVector &index, MaskId mask) {
  const Node &node = graph[id];
  if (node.op == Op::Constant)
    return ops.constant(node.bits, node.type, node.highBits);
  int number = 0;
  if (node.op == Op::Proj) {
    number = node.get<ProjAttrs>().result;
    id = node.operands[0];
  }
  int depth = std::max(loops.depth(index), maskDepth(mask));
  return loops.at(depth, NodeKey{id, space.intern(index), mask, number}, [&] {
    if (graph[id].op == Op::Reduce)
      return reduce(id, number, index, mask);
    if (graph[id].op == Op::ReduceWindow)
      return window(id, number, index, mask);
    return compute(id, index, mask);
  });
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
      Type *type = keptType(node.type);
      Value *at = b.CreateGEP(type, kept->second.buffer, scalar(keptAt));
      if (loops.isVector(keptAt))
        type = vectorOf(type);
      Value *x = b.CreateAlignedLoad(type, at, keptAlign(node.type));
      return isFloat(node.type) ? x : ops.fromMemory(x, node.type);
    }
  }
  if (isElementwise(node.op)) {
    Values args;
    bool vec = false;
    for (size_t i = 0; i < node.operands.size(); ++i) {
      OperandIndex at = operandIndex(graph, id, i, index, space);
      args.push_back(value(node.operands[i], at.index, mask));
      vec |= isVector(args.back());
    }
    if (vec)
      for (Value *&arg : args)
        arg = splat(arg);
    ElementType argType = graph[node.operands.back()].type;
    Value *x = ops.elementwise(node, argType, args);
    if (kept != scratch.end()) {
      Value *stored = loops.isVector(keptAt) ? splat(x) : x;
      if (!isFloat(node.type))
        stored = ops.toMemory(stored, node.type);
      Type *type = stored->getType()->getScalarType();
      b.CreateAlignedStore(
          stored, b.CreateGEP(type, kept->second.buffer, scalar(keptAt)),
          keptAlign(node.type));
    }
    return x;
  }
  switch (node.op) {
  case Op::Param:
    return load(node.type, buffers[node.bits], node.elements(),
                space.linearize(index, rowMajorStrides(node.shape)), mask,
                static_cast<int32_t>(node.bits));
  case Op::Iota: {
    const IndexExpr &e = index[node.get<IotaAttrs>().dim];
    bool narrow = fits32(space.range(e));
    Value *x = loops.isVector(e)
                   ? vector(e, narrow ? b.getInt32Ty() : b.getInt64Ty())
                   : scalar(e);
    bool is32 = x->getType()->getScalarSizeInBits() == 32;
    return ops.convert(x, is32 ? ElementType::S32 : ElementType::S64,
                       node.type);
  }
  case Op::Pad:
    return pad(id, index, mask);
  case Op::Concat:
    return concat(id, index, mask);
  case Op::Bitcast:
    return bitcast(id, index, mask);
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
  // The mask of the select must not include the surrounding conditions.
  Value *m = maskValue(both(0, at.guards));
  if (isVector(m) || isVector(x) || isVector(padding))
    m = splat(m), x = splat(x), padding = splat(padding);
  return selectValue(b, m, x, padding);
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
    if (isVector(m) || isVector(x) || isVector(result))
      m = splat(m), x = splat(x), result = splat(result);
    result = selectValue(b, m, x, result);
  }
  return result ? result : Constant::getNullValue(ops.registerType(node.type));
}

Value *NodeEmitter::bitcast(int32_t id, const IndexVector &index, MaskId mask) {
  const Node &node = graph[id];
  ElementType from = graph[node.operands[0]].type;
  int64_t fromBits = bitWidth(from), toBits = bitWidth(node.type);
  OperandIndex at = operandIndex(graph, id, 0, index, space);
  auto bitsAt = [&](const IndexVector &where) {
    return ops.toBits(value(node.operands[0], where, mask), from);
  };
  auto integer = [&](Value *like, int64_t width) {
    return like->getType()->getWithNewType(b.getIntNTy(width));
  };
  Value *bits;
  if (fromBits == toBits) {
    bits = bitsAt(at.index);
  } else if (fromBits > toBits) {
    // Element j of the innermost dimension is the j-th group of bits, lowest
    // first.
    const IndexExpr &part = index.back();
    Value *whole = bitsAt(at.index);
    Type *element = whole->getType()->getScalarType();
    bool vec = loops.isVector(part);
    Value *shift = vec ? vector(part, b.getInt64Ty()) : scalar(part);
    if (vec)
      whole = splat(whole);
    else if (whole->getType()->isVectorTy())
      shift = splat(shift);
    shift =
        b.CreateZExtOrTrunc(shift, shift->getType()->getWithNewType(element));
    shift = b.CreateMul(shift, ConstantInt::get(shift->getType(), toBits));
    Value *shifted = b.CreateLShr(whole, shift);
    bits = b.CreateTrunc(shifted, integer(shifted, toBits));
  } else {
    bits = nullptr;
    for (int64_t j = 0; j < toBits / fromBits; ++j) {
      IndexVector where = at.index;
      where.back() = IndexExpr(j);
      Value *part = bitsAt(where);
      part = b.CreateZExt(part, integer(part, toBits));
      part = b.CreateShl(part, fromBits * j);
      bits = bits ? b.CreateOr(bits, part) : part;
    }
  }
  return ops.fromBits(bits, node.type);
}

// Emits a reduction without loops in the plan, element by element.
Value *NodeEmitter::reduce(int32_t id, int wanted, const IndexVector &index,
                           MaskId mask) {
  return accumulate(id, wanted, index, mask, reducedSizes(graph, id),
                    [&](const IndexVector &reduced) {
                      OperandIndex at;
                      at.index = reduceInputIndex(graph, id, index, reduced);
                      return at;
                    });
}

// Elements in the padding or dilation of a window contribute nothing.
Value *NodeEmitter::window(int32_t id, int wanted, const IndexVector &index,
                           MaskId mask) {
  return accumulate(
      id, wanted, index, mask, graph[id].get<ReduceWindowAttrs>().window,
      [&](const IndexVector &position) {
        return windowInputIndex(graph, id, index, position, space);
      });
}

// Emits one loop for each of `sizes`; `inputAt` maps the loop variables to
// operand indices.
Value *NodeEmitter::accumulate(
    int32_t id, int wanted, const IndexVector &index, MaskId mask,
    ArrayRef<int64_t> sizes,
    llvm::function_ref<OperandIndex(const IndexVector &)> inputAt) {
  const Node &node = graph[id];
  const Body &body = *node.body;
  size_t n = node.operands.size() / 2;
  bool vec = loops.isVector(index);
  Accumulation sums{body};
  Values carried;
  for (size_t i = 0; i < n; ++i) {
    Value *init = ops.convert(value(node.operands[n + i], {}, mask),
                              graph[node.operands[n + i]].type, sums.type(i));
    carried.push_back(vec ? splat(init) : init);
  }
  Values fresh;
  if (sums.errorGrows()) {
    Value *nothing = sums.nothing(ops);
    fresh.push_back(vec ? splat(nothing) : nothing);
  }
  std::vector<AtomId> vars;
  IndexVector position;
  for (int64_t size : sizes) {
    vars.push_back(space.variable({0, size - 1}));
    position.push_back(space.term(vars.back()));
  }
  auto step = [&](ArrayRef<Value *> accumulators) {
    OperandIndex at = inputAt(position);
    if (at.never)
      return Values(accumulators);
    MaskId inside = both(mask, at.guards);
    Values args(accumulators);
    for (size_t i = 0; i < n; ++i) {
      Value *x = ops.convert(value(node.operands[i], at.index, inside),
                             graph[node.operands[i]].type, sums.type(n + i));
      args.push_back(vec ? splat(x) : x);
    }
    Values next;
    sums.step(ops, args, next);
    if (!at.guards.empty()) {
      Value *m = maskValue(both(0, at.guards));
      for (size_t i = 0; i < n; ++i)
        next[i] = selectValue(b, vec ? splat(m) : m, next[i], accumulators[i]);
    }
    return next;
  };
  Summation nest(b, loops, space, sizes, 1, fresh);
  auto loop = [&](size_t d, const LoopEmitter::Bounds &range,
                  ArrayRef<Value *> state, Summation::Inside inside) {
    return loops.loop(vars[d], range, 1, state, [&](ArrayRef<Value *> inner) {
      return d + 1 < sizes.size() ? inside(inner) : step(inner);
    });
  };
  auto add = [&](ArrayRef<Value *> x, ArrayRef<Value *> y) {
    return Values{sums.add(ops, x[0], y[0])};
  };
  Values results = carried;
  if (sizes.empty())
    results = step(carried);
  else if (product(sizes) > 0)
    results = nest.emit(carried, loop, add);
  results[0] = sums.finish(ops, results[0]);
  int depth = std::max(loops.depth(index), maskDepth(mask));
  for (size_t i = 0; i < n; ++i)
    loops.remember(depth,
                   NodeKey{id, space.intern(index), mask, static_cast<int>(i)},
                   results[i]);
  return results[wanted];
}

} // namespace shardwright::cpu
