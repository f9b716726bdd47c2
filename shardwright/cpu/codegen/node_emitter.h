//===- node_emitter.h - the value of a node at an index ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates nodes of a cluster at symbolic indices, inside the loops of a
// LoopEmitter. A load is a vector if the access is contiguous in the vectorised
// variable, a scalar if it does not depend on it, and a gather otherwise.
//
// A *mask* is a set of conditions under which a value is needed (padding,
// operands of a concatenation); loads under a mask stay within their buffer.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_CODEGEN_NODE_EMITTER_H
#define SHARDWRIGHT_CPU_CODEGEN_NODE_EMITTER_H

#include "shardwright/cpu/codegen/kernel_emitter.h"
#include "shardwright/cpu/codegen/loop_emitter.h"
#include "shardwright/cpu/ops/op_emitter.h"

namespace shardwright::cpu {

inline bool fits32(Range r) { return r.lo >= INT32_MIN && r.hi <= INT32_MAX; }

class NodeEmitter {
public:
  using MaskId = cpu::MaskId;

  NodeEmitter(llvm::IRBuilder<> &b, LoopEmitter &loops, IndexSpace &space,
              const Cluster &cluster, const TargetInfo &target,
              llvm::ArrayRef<llvm::Value *> buffers);

  /// Returns a scalar or a vector.
  llvm::Value *value(int32_t node, const IndexVector &index, MaskId mask = 0);
  /// Type of an element in scratch: floats as in registers, integers as in
  /// memory.
  llvm::Type *keptType(ElementType type) {
    return isFloat(type) ? ops.registerType(type) : ops.memoryType(type);
  }
  /// Alignment of an element in scratch, at any index.
  llvm::Align keptAlign(ElementType type) {
    return llvm::Align(keptType(type)->getScalarSizeInBits() / 8);
  }
  /// Broadcasts a scalar to the lanes of the vectorised loop.
  llvm::Value *splat(llvm::Value *x);
  void store(llvm::Value *x, ElementType type, llvm::Value *buffer,
             const IndexExpr &offset);
  llvm::Value *load(ElementType type, llvm::Value *buffer, int64_t elements,
                    const IndexExpr &offset, MaskId mask = 0,
                    int32_t param = -1);
  /// Sets result `number` of a Reduce or Sort at an index, for later lookups.
  void setResult(int32_t node, int number, const IndexVector &index,
                 llvm::Value *value);
  llvm::Value *scalar(const IndexExpr &e);
  llvm::Value *vector(const IndexExpr &e, llvm::Type *element);
  MaskId both(MaskId mask, llvm::ArrayRef<Guard> guards);
  llvm::Value *maskValue(MaskId mask);

  /// Nodes whose row (number `rowLinear`, `tailSize` elements) is kept.
  struct Scratch {
    llvm::Value *buffer;
    bool filled = false;
  };
  std::map<int32_t, Scratch> scratch;
  IndexExpr rowLinear;
  int64_t tailSize = 1;

  /// Loads contiguous in this variable (of a loop of `loops.lanes` iterations
  /// inside the vectorised one) are transposed in blocks. -1: none.
  AtomId tileVar = -1;

  llvm::IRBuilder<> &b;
  LoopEmitter &loops;
  IndexSpace &space;
  const Cluster &cluster;
  const Graph &graph;
  OpEmitter ops;

private:
  llvm::Value *compute(int32_t node, const IndexVector &index, MaskId mask);
  llvm::Value *concat(int32_t node, const IndexVector &index, MaskId mask);
  llvm::Value *pad(int32_t node, const IndexVector &index, MaskId mask);
  llvm::Value *bitcast(int32_t node, const IndexVector &index, MaskId mask);
  llvm::Value *
  accumulate(int32_t node, int number, const IndexVector &index, MaskId mask,
             llvm::ArrayRef<int64_t> sizes,
             llvm::function_ref<OperandIndex(const IndexVector &)> inputAt);
  llvm::Value *reduce(int32_t node, int number, const IndexVector &index,
                      MaskId mask);
  llvm::Value *window(int32_t node, int number, const IndexVector &index,
                      MaskId mask);
  llvm::Value *atomScalar(AtomId atom);
  llvm::Value *atomVector(AtomId atom, llvm::Type *element);
  llvm::Value *quotient(llvm::Value *x, const Atom &atom, const IndexExpr &e);
  llvm::Value *clampStart(llvm::Value *x, const Atom &atom);
  llvm::Value *loadTransposed(ElementType type, llvm::Value *buffer,
                              const IndexExpr &offset, int32_t param);
  int maskDepth(MaskId mask) const;
  /// The mask under which the starts of an expression are read; depthOf: the
  /// depth under that mask.
  MaskId maskOf(const IndexExpr &e) const;
  int depthOf(const IndexExpr &e) const;
  bool maskIsVector(MaskId mask) const;
  llvm::Type *vectorOf(llvm::Type *element) const;
  llvm::Value *loadPairs(llvm::Value *first, int64_t step, ElementType type,
                         llvm::Value *mask);
  llvm::Value *gatherPairs(llvm::Value *pointers, ElementType type,
                           llvm::Value *mask);

  struct Mask {
    MaskId parent = 0;
    llvm::SmallVector<Guard, 1> guards;
  };
  std::vector<Mask> masks;
  /// The mask of the node being computed.
  MaskId startMask = 0;
  llvm::ArrayRef<llvm::Value *> buffers;
};

/// Transposes a square of vectors in registers.
void transposeSquare(llvm::IRBuilder<> &b, Values &rows);
/// Allocates memory for one run of the kernel.
llvm::Value *allocate(llvm::IRBuilder<> &b, llvm::Type *element, int64_t count);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_CODEGEN_NODE_EMITTER_H
