//===- kernel_scatter.cc - scatter kernels --------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/codegen/kernel_function.h"

using namespace llvm;

namespace shardwright::cpu {

// Index by index, in row-major order; a window that is not wholly inside is
// skipped, as XLA does.
void KernelEmitter::emitScatter() {
  int32_t id = cluster.outputs[0];
  if (graph[id].op == Op::Proj)
    id = graph[id].operands[0];
  const Node &node = graph[id];
  size_t n = (node.operands.size() - 1) / 2;
  const Node &operand = graph[node.operands[0]];
  const Node &starts = graph[node.operands[n]];
  const Node &update = graph[node.operands[n + 1]];
  const WindowDims &dims = node.get<ScatterAttrs>().dims;
  // One loop for each scatter dimension of the updates.
  IndexVector scatter;
  std::vector<std::pair<AtomId, int64_t>> scatterLoops;
  for (size_t d = 0; d < update.shape.size(); ++d)
    if (!llvm::is_contained(dims.windowDims, static_cast<int64_t>(d))) {
      AtomId var = space.variable({0, update.shape[d] - 1});
      scatterLoops.push_back({var, update.shape[d]});
      scatter.push_back(space.term(var));
    }
  // Size of the window along each dimension of the operand.
  Shape window(operand.shape.size(), 1);
  SmallVector<int> windowOf(operand.shape.size(), -1);
  size_t nextWindow = 0;
  for (size_t d = 0; d < operand.shape.size(); ++d) {
    auto dim = static_cast<int64_t>(d);
    if (llvm::is_contained(dims.collapsedDims, dim) ||
        llvm::is_contained(dims.operandBatchingDims, dim))
      continue;
    windowOf[d] = dims.windowDims[nextWindow++];
    window[d] = update.shape[windowOf[d]];
  }
  Shape strides = rowMajorStrides(operand.shape);

  auto body = [&] {
    SmallVector<Value *, 4> start(operand.shape.size(), b.getInt64(0));
    Value *inside = b.getTrue();
    for (auto [k, d] : llvm::enumerate(dims.startMap)) {
      Value *s =
          nodes->value(node.operands[n], startsIndex(dims, starts, scatter, k));
      s = isSignedInteger(starts.type) ? b.CreateSExt(s, b.getInt64Ty())
                                       : b.CreateZExt(s, b.getInt64Ty());
      start[d] = s;
      // As unsigned, one comparison rejects both sides.
      inside = b.CreateAnd(
          inside,
          window[d] > operand.shape[d]
              ? (Value *)b.getFalse()
              : b.CreateICmpULE(s, b.getInt64(operand.shape[d] - window[d])));
    }
    for (auto [d, s] :
         llvm::zip_equal(dims.operandBatchingDims, dims.startsBatchingDims))
      start[d] = nodes->scalar(scatter[s - (dims.indexVectorDim < s ? 1 : 0)]);
    Value *base = b.getInt64(0);
    for (size_t d = 0; d < start.size(); ++d)
      base = b.CreateAdd(base, b.CreateMul(start[d], b.getInt64(strides[d])));
    loops.branch(
        inside,
        [&] {
          // Window loops; the innermost is vectorised where it is contiguous.
          IndexVector updateAt(update.shape.size());
          size_t next = 0;
          for (size_t d = 0; d < update.shape.size(); ++d)
            if (!llvm::is_contained(dims.windowDims, static_cast<int64_t>(d)))
              updateAt[d] = scatter[next++];
          IndexVector within(operand.shape.size());
          std::function<void(size_t)> nest = [&](size_t d) {
            if (d == operand.shape.size()) {
              IndexExpr offset = space.linearize(within, strides);
              Values args, results;
              for (size_t i = 0; i < n; ++i)
                args.push_back(
                    nodes->load(graph[node.operands[i]].type,
                                b.CreateGEP(nodes->ops.memoryType(
                                                graph[node.operands[i]].type),
                                            outputBuffer(i), base),
                                operand.elements(), offset));
              for (size_t i = 0; i < n; ++i) {
                Value *x = nodes->value(node.operands[n + 1 + i], updateAt);
                ElementType from = graph[node.operands[n + 1 + i]].type;
                args.push_back(
                    nodes->ops.convert(x, from, node.body->nodes[n + i].type));
              }
              for (Value *&arg : args)
                arg = nodes->splat(arg);
              nodes->ops.evaluate(*node.body, args, results);
              for (size_t i = 0; i < n; ++i)
                nodes->store(results[i], graph[node.operands[i]].type,
                             b.CreateGEP(nodes->ops.memoryType(
                                             graph[node.operands[i]].type),
                                         outputBuffer(i), base),
                             offset);
              return;
            }
            if (windowOf[d] < 0) {
              within[d] = IndexExpr(0);
              nest(d + 1);
              return;
            }
            int lanes = d + 1 == operand.shape.size() ? plan.lanes : 1;
            while (lanes > window[d])
              lanes /= 2;
            auto piece = [&](int64_t from, int64_t to, int width) {
              if (from >= to)
                return;
              AtomId var = space.variable({0, to - 1});
              within[d] = updateAt[windowOf[d]] = space.term(var);
              loops.loop(var, loops.bounds(from, to, width), width, {},
                         [&](ArrayRef<Value *>) {
                           nest(d + 1);
                           return Values();
                         });
            };
            lanes = std::max(lanes, 1);
            int64_t vectorEnd = window[d] / lanes * lanes;
            piece(0, vectorEnd, lanes);
            piece(vectorEnd, window[d], 1);
          };
          nest(0);
        },
        [] {});
  };
  std::function<void(size_t)> nest = [&](size_t i) {
    if (i == scatterLoops.size()) {
      body();
      return;
    }
    loops.loop(scatterLoops[i].first, loops.bounds(0, scatterLoops[i].second),
               1, {}, [&](ArrayRef<Value *>) {
                 nest(i + 1);
                 return Values();
               });
  };
  nest(0);
}

} // namespace shardwright::cpu
