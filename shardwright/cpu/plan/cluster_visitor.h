//===- cluster_visitor.h - symbolic evaluation of a cluster -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_PLAN_CLUSTER_VISITOR_H
#define SHARDWRIGHT_CPU_PLAN_CLUSTER_VISITOR_H

#include "shardwright/cpu/plan/index_map.h"

#include <set>

namespace shardwright::cpu {

/// Evaluates the cluster symbolically and records at which indices each node is
/// needed.
class ClusterVisitor {
public:
  ClusterVisitor(const Cluster &cluster, IndexSpace &space)
      : graph(cluster.graph), space(space), visits(graph.nodes.size()) {}

  const Graph &graph;
  IndexSpace &space;
  /// Interned indices at which each node is evaluated.
  std::vector<std::set<int32_t>> visits;
  struct Access {
    int32_t node;
    IndexExpr offset;
  };
  std::vector<Access> accesses;
  /// Row and Column plans: reduces are evaluated over these loops of the domain
  /// (sizes of 1 left out). Otherwise each has loops of its own.
  bool sharedLoops = false;
  IndexVector reducedIndex;
  Shape reducedShape;

  /// Evaluates node `id` at `index`.
  void visit(int32_t id, const IndexVector &index);
  void use(int32_t node, const IndexExpr &expr);

private:
  void follow(int32_t id, int number, const OperandIndex &at);
  void starts(const IndexExpr &expr);
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_PLAN_CLUSTER_VISITOR_H
