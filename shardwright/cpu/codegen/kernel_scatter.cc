//===- kernel_scatter.cc - scatter kernels --------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Windows are written one after another, in row-major order of the starts. Like
// XLA, the kernel skips a window that is not entirely inside the operand.
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/codegen/kernel_function.h"

using namespace llvm;

namespace shardwright::cpu {

class KernelEmitter::ScatterKernel {
public:
  ScatterKernel(KernelEmitter &kernel, const ScatterPlan &plan);
  void emit() { emitStarts(0); }

private:
  void emitStarts(size_t loop);
  void emitWindow();
  Value *windowStart(SmallVectorImpl<Value *> &start);
  void emitWindowElements(Value *base);
  void emitWindowLoops(Value *base, size_t dim);
  void emitElement(Value *base);
  ElementType type(size_t operand) const {
    return k.graph[node.operands[operand]].type;
  }

  KernelEmitter &k;
  IRBuilder<> &b;
  const Node &node;
  const WindowDims &dims;
  size_t results; ///< number of results, of operands and of updates
  const Node &operand, &starts, &update;
  int lanes;
  Shape strides; ///< of the operand

  /// One loop for each update dimension that is not a window dimension.
  struct Loop {
    AtomId var;
    int64_t size;
  };
  std::vector<Loop> startLoops;
  IndexVector startIndex;
  /// Per dimension of the operand: the size of the window, and the dimension of
  /// the updates that iterates over the window (-1: none).
  Shape window;
  SmallVector<int> windowOf;
  /// Indices of the current element in the updates, and in the operand relative
  /// to the start of the window.
  IndexVector updateAt, within;
};

KernelEmitter::ScatterKernel::ScatterKernel(KernelEmitter &kernel,
                                            const ScatterPlan &plan)
    : k(kernel), b(kernel.b), node(kernel.graph[plan.node]),
      dims(node.get<ScatterAttrs>().dims),
      results((node.operands.size() - 1) / 2),
      operand(kernel.graph[node.operands[0]]),
      starts(kernel.graph[node.operands[results]]),
      update(kernel.graph[node.operands[results + 1]]), lanes(plan.lanes),
      strides(rowMajorStrides(operand.shape)), window(operand.shape.size(), 1),
      windowOf(operand.shape.size(), -1) {
  for (size_t d = 0; d < update.shape.size(); ++d)
    if (!llvm::is_contained(dims.windowDims, static_cast<int64_t>(d))) {
      AtomId var = k.space.variable({0, update.shape[d] - 1});
      startLoops.push_back({var, update.shape[d]});
      startIndex.push_back(k.space.term(var));
    }
  size_t nextWindow = 0;
  for (size_t d = 0; d < operand.shape.size(); ++d) {
    auto dim = static_cast<int64_t>(d);
    if (llvm::is_contained(dims.collapsedDims, dim) ||
        llvm::is_contained(dims.operandBatchingDims, dim))
      continue;
    windowOf[d] = dims.windowDims[nextWindow++];
    window[d] = update.shape[windowOf[d]];
  }
}

void KernelEmitter::ScatterKernel::emitStarts(size_t loop) {
  if (loop == startLoops.size()) {
    emitWindow();
    return;
  }
  auto [var, size] = startLoops[loop];
  k.loops.loop(var, k.loops.bounds(0, size), 1, {}, [&](ArrayRef<Value *>) {
    emitStarts(loop + 1);
    return Values();
  });
}

/// Fills in the start of the window along each dimension of the operand.
/// Returns an i1 that is true if the window is inside the operand.
Value *
KernelEmitter::ScatterKernel::windowStart(SmallVectorImpl<Value *> &start) {
  Value *inside = b.getTrue();
  for (auto [component, d] : llvm::enumerate(dims.startMap)) {
    Value *s = k.nodes->value(node.operands[results],
                              startsIndex(dims, starts, startIndex, component));
    s = isSignedInteger(starts.type) ? b.CreateSExt(s, b.getInt64Ty())
                                     : b.CreateZExt(s, b.getInt64Ty());
    start[d] = s;
    // One unsigned comparison checks both bounds.
    inside = b.CreateAnd(
        inside,
        window[d] > operand.shape[d]
            ? (Value *)b.getFalse()
            : b.CreateICmpULE(s, b.getInt64(operand.shape[d] - window[d])));
  }
  for (auto [d, s] :
       llvm::zip_equal(dims.operandBatchingDims, dims.startsBatchingDims))
    start[d] =
        k.nodes->scalar(startIndex[s - (dims.indexVectorDim < s ? 1 : 0)]);
  return inside;
}

void KernelEmitter::ScatterKernel::emitWindow() {
  SmallVector<Value *, 4> start(operand.shape.size(), b.getInt64(0));
  Value *inside = windowStart(start);
  Value *base = b.getInt64(0);
  for (size_t d = 0; d < start.size(); ++d)
    base = b.CreateAdd(base, b.CreateMul(start[d], b.getInt64(strides[d])));
  k.loops.branch(inside, [&] { emitWindowElements(base); }, [] {});
}

void KernelEmitter::ScatterKernel::emitWindowElements(Value *base) {
  updateAt.assign(update.shape.size(), IndexExpr());
  within.assign(operand.shape.size(), IndexExpr());
  size_t next = 0;
  for (size_t d = 0; d < update.shape.size(); ++d)
    if (!llvm::is_contained(dims.windowDims, static_cast<int64_t>(d)))
      updateAt[d] = startIndex[next++];
  emitWindowLoops(base, 0);
}

/// Emits the loops over the dimensions of the operand from `dim` on. The
/// innermost loop is vectorised if it is contiguous.
void KernelEmitter::ScatterKernel::emitWindowLoops(Value *base, size_t dim) {
  if (dim == operand.shape.size()) {
    emitElement(base);
    return;
  }
  if (windowOf[dim] < 0) {
    within[dim] = IndexExpr(0);
    emitWindowLoops(base, dim + 1);
    return;
  }
  auto piece = [&](int64_t from, int64_t to, int width) {
    if (from >= to)
      return;
    AtomId var = k.space.variable({0, to - 1});
    within[dim] = updateAt[windowOf[dim]] = k.space.term(var);
    k.loops.loop(var, k.loops.bounds(from, to, width), width, {},
                 [&](ArrayRef<Value *>) {
                   emitWindowLoops(base, dim + 1);
                   return Values();
                 });
  };
  int width = dim + 1 == operand.shape.size() ? lanes : 1;
  while (width > window[dim])
    width /= 2;
  width = std::max(width, 1);
  int64_t vectorEnd = window[dim] / width * width;
  piece(0, vectorEnd, width);
  piece(vectorEnd, window[dim], 1);
}

void KernelEmitter::ScatterKernel::emitElement(Value *base) {
  OpEmitter &ops = k.nodes->ops;
  auto pointer = [&](size_t i) {
    return b.CreateGEP(ops.memoryType(type(i)), k.outputBuffer(i), base);
  };
  IndexExpr offset = k.space.linearize(within, strides);
  Values args, combined;
  for (size_t i = 0; i < results; ++i)
    args.push_back(
        k.nodes->load(type(i), pointer(i), operand.elements(), offset));
  for (size_t i = 0; i < results; ++i) {
    size_t number = results + 1 + i;
    Value *x = k.nodes->value(node.operands[number], updateAt);
    args.push_back(
        ops.convert(x, type(number), node.body->nodes[results + i].type));
  }
  for (Value *&arg : args)
    arg = k.nodes->splat(arg);
  ops.evaluate(*node.body, args, combined);
  for (size_t i = 0; i < results; ++i)
    k.nodes->store(combined[i], type(i), pointer(i), offset);
}

void KernelEmitter::emitScatter(const ScatterPlan &scatter) {
  ScatterKernel(*this, scatter).emit();
}

} // namespace shardwright::cpu
