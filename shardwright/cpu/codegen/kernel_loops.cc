//===- kernel_loops.cc - emission of a plan's loops -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/codegen/kernel_function.h"

using namespace llvm;

namespace shardwright::cpu {

Values KernelEmitter::innermost(
    int64_t size, const LoopEmitter::Bounds &all, int unroll,
    ArrayRef<Value *> carried,
    function_ref<Values(ArrayRef<IndexExpr>, ArrayRef<Value *>)> body) {
  int lanes = domain->lanes;
  int64_t wide = static_cast<int64_t>(lanes) * unroll;
  int64_t mainEnd = size / wide * wide, vectorEnd = size / lanes * lanes;
  bool whole = isa<ConstantInt>(all.lo) && isa<ConstantInt>(all.hi);
  Values state(carried);
  if (map && map->overlaps && carried.empty() && lanes > 1 && size > lanes &&
      size % lanes != 0) {
    AtomId var = space.variable({0, size - 1});
    LoopEmitter::Bounds range = loops.bounds(0, size, lanes);
    if (!whole)
      range = {all.lo, all.hi, lanes, /*maybeEmpty=*/true, {}};
    range.last = size - lanes;
    return loops.loop(var, range, lanes, {}, [&](ArrayRef<Value *> inner) {
      return body({space.term(var)}, inner);
    });
  }
  auto piece = [&](int64_t from, int64_t to, int width, int copies) {
    if (from >= to)
      return;
    int64_t step = static_cast<int64_t>(width) * copies;
    // The range of the variable covers all lanes of the first copy.
    AtomId var = space.variable({0, to - step + width - 1});
    LoopEmitter::Bounds range = loops.bounds(from, to, step);
    if (!whole) {
      range.lo = from == 0 ? all.lo
                           : b.CreateBinaryIntrinsic(Intrinsic::smax, all.lo,
                                                     b.getInt64(from));
      range.hi =
          b.CreateBinaryIntrinsic(Intrinsic::smin, all.hi, b.getInt64(to));
      range.maybeEmpty = true;
    }
    state = loops.loop(var, range, width, state, [&](ArrayRef<Value *> inner) {
      IndexVector at;
      for (int u = 0; u < copies; ++u)
        at.push_back(space.add(space.term(var), u * width));
      return body(at, inner);
    });
  };
  piece(0, mainEnd, lanes, unroll);
  piece(mainEnd, vectorEnd, lanes, 1);
  piece(vectorEnd, size, 1, 1);
  return state;
}

IndexVector KernelEmitter::rowIndex(const Node &node,
                                    const IndexVector &groups) {
  return reshapeIndex(domainIndex(groups, domain->rows.dims, space), rowShape,
                      node.shape, space);
}

void KernelEmitter::emitOutputs(const IndexVector &rowGroups,
                                const IndexVector &tailGroups,
                                bool rowOutputs) {
  IndexVector row = domainIndex(rowGroups, domain->rows.dims, space);
  IndexVector full = row;
  Shape fullShape = rowShape;
  if (!rowOutputs) {
    llvm::append_range(full, domainIndex(tailGroups, domain->tail.dims, space));
    llvm::append_range(fullShape, tailShape);
  }
  // Compute all values before any store: an output may share the buffer of a
  // param that is read at the same element (mayShareBuffer).
  std::vector<std::pair<int, Value *>> values;
  std::vector<IndexVector> indices;
  for (int i = 0; i < static_cast<int>(cluster.outputs.size()); ++i) {
    if (isRowOutput(i) != rowOutputs)
      continue;
    int32_t id = valueNode(graph, cluster.outputs[i]);
    indices.push_back(reshapeIndex(full, fullShape, graph[id].shape, space));
    values.push_back({i, nodes->value(id, indices.back())});
  }
  for (auto [value, index] : llvm::zip_equal(values, indices)) {
    auto [i, x] = value;
    int32_t output = cluster.outputs[i];
    IndexVector at = index;
    if (graph[output].op == Op::UpdateSlice)
      at = updateIndex(graph, output, at, space);
    nodes->store(x, graph[output].type, outputBuffer(i),
                 space.linearize(at, rowMajorStrides(graph[output].shape)));
  }
}

void KernelEmitter::emitRows(size_t group, IndexVector &groups,
                             function_ref<void()> body) {
  const Shape &rows = domain->rows.sizes;
  if (group == rows.size()) {
    body();
    return;
  }
  if (map && static_cast<int>(group) == map->transposedRow) {
    groups[group] = IndexExpr(0);
    emitRows(group + 1, groups, body);
    return;
  }
  AtomId var = space.variable({0, rows[group] - 1});
  groups[group] = space.term(var);
  LoopEmitter::Bounds range = loops.bounds(0, rows[group]);
  if (group == 0) {
    range.lo = function->getArg(1);
    range.hi = function->getArg(2);
    range.maybeEmpty = true;
  }
  loops.loop(var, range, 1, {}, [&](ArrayRef<Value *>) {
    emitRows(group + 1, groups, body);
    return Values();
  });
}

void KernelEmitter::emitDomain() {
  IndexVector groups(domain->rows.sizes.size());
  auto body = [&] {
    currentRow = groups;
    if (map && map->transposedRow >= 0)
      emitTiles(groups);
    else
      emitTail(groups);
  };
  emitRows(0, groups, body);
}

// Emits blocks of lanes x lanes elements, then the remaining rows.
void KernelEmitter::emitTiles(IndexVector &groups) {
  int t = map->transposedRow;
  int64_t rows = map->rows.sizes[t], size = map->tail.sizes[0];
  int lanes = map->lanes;
  auto block = [&](const IndexExpr &first) {
    auto within = [&](int width, const IndexExpr &v) {
      AtomId var = space.variable({0, lanes - 1});
      loops.loop(var, loops.bounds(0, lanes), 1, {}, [&](ArrayRef<Value *>) {
        if (width > 1)
          nodes->tileVar = var;
        IndexVector at = groups;
        at[t] = space.add(first, space.term(var));
        emitOutputs(at, {v}, false);
        nodes->tileVar = -1;
        return Values();
      });
    };
    innermost(size, loops.bounds(0, size), 1, {},
              [&](ArrayRef<IndexExpr> v, ArrayRef<Value *>) {
                within(loops.lanes, v[0]);
                return Values();
              });
  };
  auto leftOver = [&] {
    int64_t first = rows / lanes * lanes;
    AtomId var = space.variable({0, rows - 1});
    loops.loop(var, loops.bounds(first, rows), 1, {}, [&](ArrayRef<Value *>) {
      IndexVector at = groups;
      at[t] = space.term(var);
      emitTail(at);
      return Values();
    });
  };
  int64_t blocks = rows / lanes;
  AtomId var = space.variable({0, blocks});
  IndexExpr first = space.multiply(space.term(var), lanes);
  if (t != 0) {
    loops.loop(var, loops.bounds(0, blocks), 1, {}, [&](ArrayRef<Value *>) {
      block(first);
      return Values();
    });
    leftOver();
    return;
  }
  LoopEmitter::Bounds range{function->getArg(1), function->getArg(2), 1, true};
  loops.loop(var, range, 1, {}, [&](ArrayRef<Value *>) {
    if (rows % lanes == 0)
      block(first);
    else
      loops.branch(
          b.CreateICmpSLT(loops.variable(var), b.getInt64(blocks)),
          [&] { block(first); }, leftOver);
    return Values();
  });
}

/// Emits the reductions of one row, level by level, and its row outputs.
/// Returns true if there are other outputs.
bool KernelEmitter::emitRowReductions(const IndexVector &rowGroups) {
  nodes->rowLinear =
      space.linearize(rowGroups, rowMajorStrides(row->rows.sizes));
  nodes->tailSize = product(row->tail.sizes);
  for (auto [id, level] : row->scratch)
    nodes->scratch[id].filled = false;
  for (int level = 0; level < static_cast<int>(row->levels.size()); ++level) {
    emitRowLevel(level);
    for (auto [id, first] : row->scratch)
      if (first == level)
        nodes->scratch[id].filled = true;
  }
  emitOutputs(rowGroups, {}, /*rowOutputs=*/true);
  for (int i = 0; i < static_cast<int>(cluster.outputs.size()); ++i)
    if (!isRowOutput(i))
      return true;
  return false;
}

void KernelEmitter::emitTail(const IndexVector &rowGroups) {
  if (row && !emitRowReductions(rowGroups))
    return;
  IndexVector tail;
  if (domain->tail.sizes.empty())
    emitOutputs(rowGroups, tail, false);
  else
    emitTailLoops(rowGroups, tail);
}

/// Emits the loops of the tail from number `tail.size()` on. The innermost loop
/// is divided into chunks if the kernel iterates over chunks.
void KernelEmitter::emitTailLoops(const IndexVector &rowGroups,
                                  IndexVector &tail) {
  size_t group = tail.size();
  int64_t size = domain->tail.sizes[group];
  if (group + 1 < domain->tail.sizes.size()) {
    AtomId var = space.variable({0, size - 1});
    tail.push_back(space.term(var));
    loops.loop(var, loops.bounds(0, size), 1, {}, [&](ArrayRef<Value *>) {
      emitTailLoops(rowGroups, tail);
      return Values();
    });
    return;
  }
  int64_t chunkSize = map ? map->chunk : column ? column->chunk : 0;
  if (!chunkSize) {
    emitInnermostLoop(rowGroups, tail, loops.bounds(0, size));
    return;
  }
  AtomId chunk = space.variable({0, plan.iterations - 1});
  LoopEmitter::Bounds range{function->getArg(1), function->getArg(2), 1, true};
  loops.loop(chunk, range, 1, {}, [&](ArrayRef<Value *>) {
    if (plan.iterations == 1) {
      emitInnermostLoop(rowGroups, tail, loops.bounds(0, size));
      return Values();
    }
    Value *lo = b.CreateMul(loops.variable(chunk), b.getInt64(chunkSize));
    Value *hi = b.CreateBinaryIntrinsic(Intrinsic::smin,
                                        b.CreateAdd(lo, b.getInt64(chunkSize)),
                                        b.getInt64(size));
    emitInnermostLoop(rowGroups, tail, {lo, hi, 1, /*maybeEmpty=*/true, {}});
    return Values();
  });
}

void KernelEmitter::emitInnermostLoop(const IndexVector &rowGroups,
                                      IndexVector &tail,
                                      const LoopEmitter::Bounds &range) {
  int64_t size = domain->tail.sizes.back();
  // Wide slices of each row keep the memory system busy, as long as the
  // accumulators stay in registers.
  int unroll = 1;
  if (column) {
    size_t reduces = 0;
    for (const auto &level : column->levels)
      reduces += level.size();
    unroll = reduces <= 1 && size >= 8 * column->lanes ? 8 : 4;
  }
  auto indexAt = [&](const IndexExpr &v) {
    IndexVector at = tail;
    at.push_back(v);
    return at;
  };
  innermost(
      size, range, unroll, {}, [&](ArrayRef<IndexExpr> at, ArrayRef<Value *>) {
        std::vector<IndexVector> kept;
        for (const IndexExpr &v : at) {
          IndexVector index = domainIndex(rowGroups, domain->rows.dims, space);
          llvm::append_range(index,
                             domainIndex(indexAt(v), domain->tail.dims, space));
          kept.push_back(index);
        }
        if (column)
          emitColumnReduces(kept);
        for (const IndexExpr &v : at)
          emitOutputs(rowGroups, indexAt(v), false);
        return Values();
      });
}

} // namespace shardwright::cpu
