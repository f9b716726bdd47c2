//===- kernel_reduce.cc - emission of a plan's reductions -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/codegen/accumulation.h"
#include "shardwright/cpu/codegen/kernel_function.h"
#include "shardwright/cpu/codegen/summation.h"

using namespace llvm;

namespace shardwright::cpu {

Value *KernelEmitter::horizontal(Op op, ElementType type, Value *x) {
  bool isSigned = isSignedInteger(type), floating = isFloat(type);
  if (isComplex(type)) {
    ElementType half = componentType(type);
    return pair(b, horizontal(op, half, part(b, x, 0)),
                horizontal(op, half, part(b, x, 1)));
  }
  if (type == ElementType::Pred) {
    if (op == Op::Xor)
      return b.CreateXorReduce(x);
    return op == Op::Multiply || op == Op::And || op == Op::Minimum
               ? b.CreateAndReduce(x)
               : b.CreateOrReduce(x);
  }
  switch (op) {
  case Op::Add: {
    if (!floating)
      return b.CreateAddReduce(x);
    CallInst *sum = b.CreateFAddReduce(nodes->ops.identity(op, type), x);
    FastMathFlags flags;
    flags.setAllowReassoc();
    sum->setFastMathFlags(flags);
    return sum;
  }
  case Op::Multiply: {
    if (!floating)
      return b.CreateMulReduce(x);
    CallInst *p = b.CreateFMulReduce(nodes->ops.identity(op, type), x);
    FastMathFlags flags;
    flags.setAllowReassoc();
    p->setFastMathFlags(flags);
    return p;
  }
  case Op::Maximum:
    return floating ? b.CreateFPMaximumReduce(x)
                    : b.CreateIntMaxReduce(x, isSigned);
  case Op::Minimum:
    return floating ? b.CreateFPMinimumReduce(x)
                    : b.CreateIntMinReduce(x, isSigned);
  case Op::And:
    return b.CreateAndReduce(x);
  case Op::Or:
    return b.CreateOrReduce(x);
  default:
    return b.CreateXorReduce(x);
  }
}

// Emits all reductions of a level in one pass over the tail. Commutative
// reductions use `lanes` times `unroll` partial results. If one of the
// reductions is not commutative, all run element by element.
void KernelEmitter::emitRowLevel(int level) {
  const auto &reduces = row->levels[level];
  bool parallel = row->lanes > 1 && !row->tail.sizes.empty();
  for (int32_t r : reduces)
    parallel &= commutativeBody(*graph[r].body).has_value();
  if (!parallel || row->tail.sizes.empty()) {
    for (int32_t r : reduces)
      nodes->value(r, rowIndex(graph[r], currentRow));
    return;
  }
  struct Reduction {
    int32_t id;
    Op op;
    ElementType type, inputType;
  };
  std::vector<Reduction> list;
  for (int32_t r : reduces) {
    const Node &node = graph[r];
    list.push_back({r, *commutativeBody(*node.body),
                    accumulatorType(node.body->nodes[0].type),
                    graph[node.operands[0]].type});
  }
  int lanes = row->lanes;
  int64_t size = row->tail.sizes.back();
  int unroll = size >= 4 * lanes ? 4 : 1;
  bool scalars = size % lanes != 0;
  // `unroll` vectors for each reduction, then one scalar for each.
  Values carried;
  for (const Reduction &r : list)
    for (int u = 0; u < unroll; ++u)
      carried.push_back(splatTo(b, lanes, nodes->ops.identity(r.op, r.type)));
  if (scalars)
    for (const Reduction &r : list)
      carried.push_back(nodes->ops.identity(r.op, r.type));
  IndexVector tail(row->tail.sizes.size());
  auto accumulate = [&](ArrayRef<IndexExpr> at, ArrayRef<Value *> state) {
    Values next(state);
    for (auto [u, v] : llvm::enumerate(at)) {
      tail.back() = v;
      IndexVector tailIndex = domainIndex(tail, row->tail.dims, space);
      for (auto [i, r] : llvm::enumerate(list)) {
        const Node &node = graph[r.id];
        IndexVector reduced = reshapeIndex(tailIndex, tailShape,
                                           reducedSizes(graph, r.id), space);
        IndexVector input =
            reduceInputIndex(graph, r.id, rowIndex(node, currentRow), reduced);
        Value *x = nodes->value(node.operands[0], input);
        x = nodes->splat(nodes->ops.convert(x, r.inputType, r.type));
        Value *&into = loops.lanes == 1 ? next[list.size() * unroll + i]
                                        : next[i * unroll + u];
        into = nodes->ops.binary(r.op, r.type, into, x);
      }
    }
    return next;
  };
  bool blocks =
      llvm::any_of(list, [](auto &r) { return errorGrows(r.op, r.type); });
  Summation nest(b, loops, space, row->tail.sizes, lanes * unroll,
                 blocks ? carried : Values());
  auto loop = [&](size_t group, const LoopEmitter::Bounds &range,
                  ArrayRef<Value *> state, Summation::Inside inside) {
    if (group + 1 == row->tail.sizes.size())
      return innermost(size, range, unroll, state, accumulate);
    AtomId var = space.variable({0, row->tail.sizes[group] - 1});
    tail[group] = space.term(var);
    return loops.loop(var, range, 1, state, inside);
  };
  auto add = [&](ArrayRef<Value *> x, ArrayRef<Value *> y) {
    Values sums;
    for (size_t i = 0; i < x.size(); ++i) {
      const Reduction &r = i < list.size() * unroll
                               ? list[i / unroll]
                               : list[i - list.size() * unroll];
      sums.push_back(nodes->ops.binary(r.op, r.type, x[i], y[i]));
    }
    return sums;
  };
  Values results = nest.emit(carried, loop, add);
  for (auto [i, r] : llvm::enumerate(list)) {
    const Node &node = graph[r.id];
    Values parts(results.begin() + i * unroll,
                 results.begin() + (i + 1) * unroll);
    while (parts.size() > 1) {
      Values half;
      for (size_t k = 0; k < parts.size() / 2; ++k)
        half.push_back(nodes->ops.binary(r.op, r.type, parts[k],
                                         parts[k + parts.size() / 2]));
      parts = half;
    }
    Value *x = horizontal(r.op, r.type, parts[0]);
    if (scalars)
      x = nodes->ops.binary(r.op, r.type, x, results[list.size() * unroll + i]);
    Value *init = nodes->ops.convert(nodes->value(node.operands[1], {}),
                                     graph[node.operands[1]].type, r.type);
    x = nodes->ops.binary(r.op, r.type, init, x);
    x = nodes->ops.convert(x, r.type, node.type);
    nodes->setResult(r.id, 0, rowIndex(node, currentRow), x);
  }
}

// Emits all reductions for several vectors of kept elements in one loop.
void KernelEmitter::emitColumnReduces(ArrayRef<IndexVector> kept) {
  struct Part {
    int32_t id;
    IndexVector index;
    size_t first; ///< index of its first accumulator
    Accumulation sums;
  };
  std::vector<Part> parts;
  Values carried, fresh;
  bool blocks = false, anyOrder = true;
  Shape domain = rowShape;
  llvm::append_range(domain, tailShape);
  for (const auto &level : column->levels)
    for (int32_t r : level)
      for (const IndexVector &index : kept) {
        const Node &node = graph[r];
        size_t n = node.operands.size() / 2;
        Accumulation sums(*node.body);
        parts.push_back({r, reshapeIndex(index, domain, node.shape, space),
                         carried.size(), sums});
        blocks |= sums.errorGrows();
        anyOrder &= sums.anyOrder();
        if (anyOrder)
          fresh.push_back(nodes->splat(sums.nothing(nodes->ops)));
        for (size_t i = 0; i < n; ++i) {
          ElementType from = graph[node.operands[n + i]].type;
          carried.push_back(nodes->splat(nodes->ops.convert(
              nodes->value(node.operands[n + i], {}), from, sums.type(i))));
        }
      }
  IndexVector groups(column->reduced.sizes.size());
  auto step = [&](ArrayRef<Value *> state) {
    IndexVector reducedIndex = domainIndex(groups, column->reduced.dims, space);
    Values next(state);
    for (const Part &part : parts) {
      const Node &node = graph[part.id];
      size_t n = node.operands.size() / 2;
      IndexVector reduced = reshapeIndex(reducedIndex, reducedShape,
                                         reducedSizes(graph, part.id), space);
      IndexVector at = reduceInputIndex(graph, part.id, part.index, reduced);
      Values args;
      for (size_t i = 0; i < n; ++i)
        args.push_back(state[part.first + i]);
      for (size_t i = 0; i < n; ++i) {
        Value *x = nodes->value(node.operands[i], at);
        args.push_back(nodes->splat(nodes->ops.convert(
            x, graph[node.operands[i]].type, part.sums.type(n + i))));
      }
      Values results;
      part.sums.step(nodes->ops, args, results);
      for (size_t i = 0; i < n; ++i)
        next[part.first + i] = results[i];
    }
    return next;
  };
  Summation nest(b, loops, space, column->reduced.sizes, 1,
                 blocks && anyOrder ? fresh : Values());
  auto loop = [&](size_t group, const LoopEmitter::Bounds &range,
                  ArrayRef<Value *> state, Summation::Inside inside) {
    AtomId var = space.variable({0, column->reduced.sizes[group] - 1});
    groups[group] = space.term(var);
    return loops.loop(var, range, 1, state, [&](ArrayRef<Value *> inner) {
      return group + 1 < column->reduced.sizes.size() ? inside(inner)
                                                      : step(inner);
    });
  };
  auto add = [&](ArrayRef<Value *> x, ArrayRef<Value *> y) {
    Values sums;
    for (const Part &part : parts)
      sums.push_back(part.sums.add(nodes->ops, x[part.first], y[part.first]));
    return sums;
  };
  Values results = column->reduced.sizes.empty()
                       ? step(carried)
                       : nest.emit(carried, loop, add);
  for (const Part &part : parts) {
    const Node &node = graph[part.id];
    for (size_t i = 0; i < node.operands.size() / 2; ++i) {
      Value *x = part.sums.finish(nodes->ops, results[part.first + i]);
      nodes->setResult(part.id, i, part.index, x);
    }
  }
}

} // namespace shardwright::cpu
