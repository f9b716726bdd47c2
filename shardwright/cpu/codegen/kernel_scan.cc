//===- kernel_scan.cc - scan kernels --------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/codegen/accumulation.h"
#include "shardwright/cpu/codegen/kernel_function.h"
#include "shardwright/cpu/codegen/summation.h"
#include "shardwright/cpu/plan/scan.h"

using namespace llvm;

namespace shardwright::cpu {

std::optional<Scan> asScan(const Graph &graph, const Node &node) {
  if (node.op != Op::ReduceWindow || node.elements() == 0 ||
      node.shape != graph[node.operands[0]].shape)
    return std::nullopt;
  const auto &[windows, strides, baseDilation, windowDilation, low] =
      node.get<ReduceWindowAttrs>();
  std::optional<size_t> dim;
  for (size_t d = 0; d < node.shape.size(); ++d) {
    if (strides[d] != 1 || baseDilation[d] != 1)
      return std::nullopt;
    if (windows[d] == 1 && low[d] == 0)
      continue;
    // As many results as elements: the padding is window - 1 in all.
    if (dim || windowDilation[d] != 1 || windows[d] < node.shape[d] ||
        (low[d] != 0 && low[d] != windows[d] - 1))
      return std::nullopt;
    dim = d;
  }
  if (!dim)
    return std::nullopt;
  ArrayRef<int64_t> shape(node.shape);
  return Scan{static_cast<int64_t>(*dim), low[*dim] == 0, shape[*dim],
              product(shape.drop_front(*dim + 1)),
              product(shape.take_front(*dim))};
}

int64_t Scan::together(int maxLanes) const {
  int64_t count = isVector() ? maxLanes : 8;
  while (count > lines())
    count /= 2;
  return count;
}

// An iteration takes some lines along the dimension together and walks along
// them, accumulators in registers: neighbours in the innermost dimension are
// the lanes of a vector; lines of that dimension itself are scalars, side by
// side, since each waits for its own last step. What is left over at the end is
// computed together with lines that another iteration computes as well.
void KernelEmitter::emitScan() {
  std::optional<Scan> found;
  const Node *root = nullptr;
  for (const Node &candidate : graph.nodes)
    if (auto scan = asScan(graph, candidate)) {
      found = scan;
      root = &candidate;
    }
  const Node &node = *root;
  const Scan &scan = *found;
  int64_t size = scan.size, inner = scan.inner, lines = scan.lines();
  bool asVector = scan.isVector();
  int64_t together = plan.chunk;
  int64_t groups = (lines + together - 1) / together;
  size_t n = node.operands.size() / 2;
  int lanes = asVector ? together : 1;
  size_t copies = asVector ? 1 : together;
  Accumulation sums(*node.body);
  SmallVector<Value *, 4> outputOf(n, nullptr);
  for (size_t i = 0; i < cluster.outputs.size(); ++i) {
    const Node &output = graph[cluster.outputs[i]];
    outputOf[output.op == Op::Proj ? output.get<ProjAttrs>().result : 0] =
        outputBuffer(i);
  }

  auto walk = [&](Value *first, const IndexExpr &lane) {
    auto pointer = [&](Value *buffer, size_t i) {
      ElementType type = graph[node.operands[i]].type;
      return b.CreateGEP(nodes->ops.memoryType(type), buffer, first);
    };
    SmallVector<Value *, 4> from(n), to(n, nullptr);
    for (size_t i = 0; i < n; ++i) {
      from[i] = pointer(buffers[graph[node.operands[i]].bits], i);
      if (outputOf[i])
        to[i] = pointer(outputOf[i], i);
    }
    Values initial;
    for (size_t c = 0; c < copies; ++c)
      for (size_t i = 0; i < n; ++i) {
        const Node &init = graph[node.operands[n + i]];
        initial.push_back(nodes->splat(nodes->ops.convert(
            nodes->value(node.operands[n + i], {}), init.type, sums.type(i))));
      }
    AtomId at = space.variable({0, size - 1});
    // One element more of each line; `before` all blocks is added to results.
    auto step = [&](ArrayRef<Value *> state, ArrayRef<Value *> before) {
      IndexExpr place = space.term(at);
      if (scan.fromEnd)
        place = space.add(space.multiply(place, -1), size - 1);
      Values after;
      for (size_t c = 0; c < copies; ++c) {
        IndexExpr offset = space.add(space.multiply(place, inner), lane);
        offset = space.add(offset, static_cast<int64_t>(c) * size);
        Values old(state.slice(c * n, n)), elements, next;
        for (size_t i = 0; i < n; ++i) {
          ElementType type = graph[node.operands[i]].type;
          Value *x = nodes->load(type, from[i],
                                 graph[node.operands[i]].elements(), offset);
          elements.push_back(nodes->ops.convert(x, type, sums.type(n + i)));
        }
        // In the order of the elements, whichever end it starts from.
        Values args = scan.fromEnd ? elements : old;
        llvm::append_range(args, scan.fromEnd ? old : elements);
        sums.step(nodes->ops, args, next);
        for (size_t i = 0; i < n; ++i) {
          next[i] = nodes->splat(next[i]);
          if (!to[i])
            continue;
          Value *result = next[i];
          if (!before.empty())
            result = sums.add(nodes->ops, before[c], result);
          nodes->store(sums.finish(nodes->ops, result),
                       graph[node.operands[i]].type, to[i], offset);
        }
        llvm::append_range(after, next);
      }
      return after;
    };
    auto blocks =
        SummationBlocks::of(size, sums.errorGrows() ? summationBlock : size);
    if (blocks.depth == 0) {
      loops.loop(at, loops.bounds(0, size), 1, initial,
                 [&](ArrayRef<Value *> state) { return step(state, {}); });
      return;
    }
    Values fresh(copies, nodes->splat(sums.nothing(nodes->ops)));
    auto add = [&](ArrayRef<Value *> x, ArrayRef<Value *> y) {
      Values total;
      for (auto [a, c] : llvm::zip_equal(x, y))
        total.push_back(sums.add(nodes->ops, a, c));
      return total;
    };
    // The total of the blocks inside of one, after those `before` it.
    std::function<Values(int, Value *, ArrayRef<Value *>)> nest =
        [&](int depth, Value *number, ArrayRef<Value *> before) -> Values {
      if (depth == 0)
        return loops.loop(
            at, blocks.bounds(b, number), 1, fresh,
            [&](ArrayRef<Value *> state) { return step(state, before); });
      AtomId var = space.variable({0, blocks.fan - 1});
      return loops.loop(
          var, loops.bounds(0, blocks.fan), 1, fresh,
          [&](ArrayRef<Value *> total) {
            Value *inside = blocks.number(b, number, loops.variable(var));
            return add(total, nest(depth - 1, inside, add(before, total)));
          });
    };
    nest(blocks.depth, nullptr, initial);
  };

  AtomId turn = space.variable({0, plan.iterations - 1});
  loops.loop(
      turn,
      {function->getArg(1), function->getArg(2), 1, /*maybeEmpty=*/true, {}}, 1,
      {}, [&](ArrayRef<Value *>) {
        Value *t = loops.variable(turn);
        Value *outer = b.getInt64(0), *group = t;
        if (asVector) {
          outer = b.CreateUDiv(t, b.getInt64(groups));
          group = b.CreateURem(t, b.getInt64(groups));
        }
        Value *line = b.CreateBinaryIntrinsic(
            Intrinsic::smin, b.CreateMul(group, b.getInt64(together)),
            b.getInt64(lines - together));
        if (!asVector)
          line = b.CreateMul(line, b.getInt64(size));
        Value *first =
            b.CreateAdd(b.CreateMul(outer, b.getInt64(size * inner)), line);
        AtomId lane = space.variable({0, lanes - 1});
        loops.loop(lane, loops.bounds(0, lanes, lanes), lanes, {},
                   [&](ArrayRef<Value *>) {
                     walk(first, space.term(lane));
                     return Values();
                   });
        return Values();
      });
}

} // namespace shardwright::cpu
