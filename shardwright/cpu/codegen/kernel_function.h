//===- kernel_function.h - the state of emitKernel --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal to kernel_emitter.h. kernel_loops.cc emits the loops of a plan,
// kernel_reduce.cc its reductions; kernel_scatter.cc, kernel_scan.cc and
// kernel_sort.cc emit the loops of scatters, scans and sorts.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_CODEGEN_KERNEL_FUNCTION_H
#define SHARDWRIGHT_CPU_CODEGEN_KERNEL_FUNCTION_H

#include "shardwright/cpu/codegen/node_emitter.h"
#include "shardwright/cpu/plan/kernel_planner.h"

#include "llvm/IR/Module.h"

namespace shardwright::cpu {

class KernelEmitter {
public:
  KernelEmitter(llvm::Function *function, const Cluster &cluster,
                const KernelPlan &plan, const TargetInfo &target);
  void emit();

private:
  using Body = llvm::function_ref<void(const IndexVector &)>;

  void emitRows(size_t group, IndexVector &groups,
                llvm::function_ref<void()> body);
  void emitDomain();
  void emitTiles(IndexVector &groups);
  void emitTail(const IndexVector &rowGroups);
  void emitTailLoops(const IndexVector &rowGroups, IndexVector &tail);
  void emitInnermostLoop(const IndexVector &rowGroups, IndexVector &tail,
                         const LoopEmitter::Bounds &range);
  bool emitRowReductions(const IndexVector &rowGroups);
  void emitOutputs(const IndexVector &rowGroups, const IndexVector &tailGroups,
                   bool rowOutputs);
  void emitRowLevel(int level);
  void emitColumnReduces(llvm::ArrayRef<IndexVector> kept);
  class ScatterKernel;
  void emitScatter(const ScatterPlan &scatter);
  class ScanKernel;
  void emitScan(const ScanPlan &scan);
  void emitSort(const SortPlan &sort);
  /// Runs `body` over the innermost loop of `size` elements, `unroll` times
  /// `lanes` consecutive elements at a time and fewer for the remainder. A
  /// partial range begins at a multiple of that step.
  Values innermost(int64_t size, const LoopEmitter::Bounds &range, int unroll,
                   llvm::ArrayRef<llvm::Value *> carried,
                   llvm::function_ref<Values(llvm::ArrayRef<IndexExpr>,
                                             llvm::ArrayRef<llvm::Value *>)>
                       body);
  /// True if the output has one element per row.
  bool isRowOutput(int number) const;
  llvm::Value *outputBuffer(int number) const {
    return buffers[cluster.numParams + number];
  }
  llvm::Value *horizontal(Op op, ElementType type, llvm::Value *x);
  IndexVector rowIndex(const Node &node, const IndexVector &groups);

  llvm::Function *function;
  const Cluster &cluster;
  const Graph &graph;
  const KernelPlan &plan;
  /// The loops of the plan over the domain. Of `map`, `row` and `column`, the
  /// one of the plan's kind is not null.
  const DomainLoops *domain;
  const MapPlan *map;
  const RowPlan *row;
  const ColumnPlan *column;
  llvm::IRBuilder<> b;
  IndexSpace space;
  LoopEmitter loops;
  llvm::SmallVector<llvm::Value *, 8> buffers;
  std::unique_ptr<NodeEmitter> nodes;
  Shape rowShape, tailShape, reducedShape;
  IndexVector currentRow; ///< one expression per row group
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_CODEGEN_KERNEL_FUNCTION_H
