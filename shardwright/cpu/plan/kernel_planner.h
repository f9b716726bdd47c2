//===- kernel_planner.h - the state of planKernel ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal to kernel_plan.h. kernel_domain.cc chooses the domain,
// kernel_plan.cc merges it into loops, and fusion_limits.cc decides what may be
// fused or share a buffer.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_PLAN_KERNEL_PLANNER_H
#define SHARDWRIGHT_CPU_PLAN_KERNEL_PLANNER_H

#include "shardwright/cpu/plan/cluster_visitor.h"
#include "shardwright/cpu/plan/kernel_plan.h"

namespace shardwright::cpu {

/// The dimensions of each loop (LoopGroups::dims).
struct Loops {
  std::vector<Shape> rowDims, tailDims, reducedDims;
};

/// The domain of a cluster: its dimensions, not yet merged into loops.
struct Domain {
  enum class Kind : uint8_t { Map, Row, Column };
  Kind kind = Kind::Map;
  Shape rows, tail, reduced;

  /// Rows and tail.
  Shape full() const;
};

/// True if the reduced dimensions are the last ones, ignoring sizes of 1.
bool reducesSuffix(const Graph &graph, const Node &node);
/// The node whose value an output stores element by element.
int32_t valueNode(const Graph &graph, int32_t output);
/// The domain, if the reductions and outputs of the cluster share one.
std::optional<Domain> chooseDomain(const Cluster &cluster);
Shape withoutOnes(llvm::ArrayRef<int64_t> shape);
/// Puts each dimension into a group of its own.
std::vector<Shape> singles(llvm::ArrayRef<int64_t> sizes);

class Planner {
public:
  Planner(const Cluster &cluster, int maxLanes)
      : cluster(cluster), graph(cluster.graph), maxLanes(maxLanes) {}

  KernelPlan run();
  std::optional<std::string> whyNot();
  bool mayShare(int output, int param);

private:
  struct Walk {
    IndexSpace space;
    std::unique_ptr<ClusterVisitor> visitor;
    std::vector<AtomId> rowVars, tailVars, reducedVars;
    IndexVector rowIndex, tailIndex, reducedIndex;

    /// Index of rows and tail.
    IndexVector fullIndex() const;
  };
  std::unique_ptr<Walk> walk(const Loops &loops);
  bool usesMerged(const Walk &w, llvm::ArrayRef<AtomId> vars) const;
  void mergeGroups(Loops &loops, std::vector<Shape> Loops::*part);
  std::optional<KernelPlan> planOwnLoops() const;
  KernelPlan planDomain();
  Loops mergedLoops();
  MapPlan planMap(DomainLoops loops, const Walk &w) const;
  RowPlan planRows(DomainLoops loops, Walk &w) const;
  ColumnPlan planColumns(DomainLoops loops, const Loops &dims) const;
  int chooseTransposed(const DomainLoops &loops, const Walk &w) const;
  std::vector<RowPlan::Scratch> chooseScratch(const RowPlan &plan,
                                              Walk &w) const;
  ReduceLevels findLevels() const;
  double estimateNs(int64_t elements) const;
  std::optional<std::string> recomputes(const Walk &w) const;

  const Cluster &cluster;
  const Graph &graph;
  int maxLanes;
  Domain domain;
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_PLAN_KERNEL_PLANNER_H
