//===- fusion_limits.cc - limits of fusion and buffer sharing -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/plan/kernel_planner.h"

#include "llvm/ADT/STLExtras.h"

namespace shardwright::cpu {

// Returns a reason if an expensive node would be evaluated too often. A node is
// evaluated once per iteration of the loops down to the deepest loop that its
// index depends on.
std::optional<std::string> Planner::recomputes(const Walk &w) const {
  std::vector<std::pair<AtomId, int64_t>> order;
  auto append = [&](llvm::ArrayRef<AtomId> vars,
                    llvm::ArrayRef<int64_t> sizes) {
    for (auto [v, s] : llvm::zip_equal(vars, sizes))
      order.push_back({v, s});
  };
  append(w.rowVars, domain.rows);
  append(w.tailVars, domain.tail);
  append(w.reducedVars, domain.reduced);
  for (auto [i, node] : llvm::enumerate(graph.nodes)) {
    int cost = operationCost(node);
    const auto &visits = w.visitor->visits[i];
    if (cost == 0)
      continue;
    bool isOutput =
        llvm::is_contained(cluster.outputs, static_cast<int32_t>(i));
    if (visits.size() > (isOutput || cost >= 6 ? 1 : 4))
      return "a node would be computed at several indices";
    if (cost < 6)
      continue;
    for (int32_t index : visits) {
      int64_t count = 1, evaluated = 1;
      for (auto [var, size] : order) {
        count *= size;
        for (const IndexExpr &e : w.space.interned(index))
          if (w.space.dependsOn(e, var))
            evaluated = count;
      }
      if (evaluated > 2 * node.elements())
        return "an expensive node would be computed more often than it has "
               "elements";
    }
  }
  return std::nullopt;
}

// Each reduction of a fused cluster must be computed once per element, in the
// loops that the plan assigns to it.
std::optional<std::string> Planner::whyNot() {
  bool anyReduce = llvm::any_of(
      graph.nodes, [](const Node &n) { return n.op == Op::Reduce; });
  for (const Node &node : graph.nodes)
    if (node.op == Op::Sort || node.op == Op::Scatter)
      return std::nullopt;
  std::optional<Domain> chosen = chooseDomain(cluster);
  if (!chosen)
    return "its reductions have different shapes";
  domain = *chosen;
  int64_t rows = product(domain.rows), full = rows * product(domain.tail);
  for (int32_t output : cluster.outputs) {
    const Node &node = graph[valueNode(graph, output)];
    if (node.elements() != full &&
        !(domain.kind == Domain::Kind::Row && node.elements() == rows))
      return "its outputs have different sizes";
  }
  Loops loops{singles(domain.rows), singles(domain.tail),
              singles(domain.reduced)};
  auto w = walk(loops);
  if (std::optional<std::string> why = recomputes(*w))
    return why;
  if (!anyReduce)
    return std::nullopt;
  for (auto [i, node] : llvm::enumerate(graph.nodes)) {
    if (node.op != Op::Reduce)
      continue;
    if (w->visitor->visits[i].size() != 1)
      return "a reduction would be computed several times";
    const IndexVector &index =
        w->space.interned(*w->visitor->visits[i].begin());
    IndexVector expected;
    if (domain.kind == Domain::Kind::Row) {
      if (!reducesSuffix(graph, node))
        return "a reduction mixes kept and reduced dimensions";
      expected = reshapeIndex(w->rowIndex, domain.rows, node.shape, w->space);
    } else {
      expected =
          reshapeIndex(w->fullIndex(), domain.full(), node.shape, w->space);
    }
    if (index != expected)
      return "a reduction is needed at another index than it is computed";
    if (domain.kind == Domain::Kind::Column)
      for (int32_t o : node.operands)
        if (llvm::any_of(llvm::ArrayRef(graph.nodes).take_front(o + 1),
                         [](const Node &n) { return n.op == Op::Reduce; })) {
          // Conservatively rejects one reduction below another.
          std::vector<int32_t> stack{o};
          while (!stack.empty()) {
            int32_t id = stack.back();
            stack.pop_back();
            if (graph[id].op == Op::Reduce)
              return "a reduction over leading dimensions needs another one";
            llvm::append_range(stack, graph[id].operands);
          }
        }
  }
  return std::nullopt;
}

bool Planner::mayShare(int output, int param) {
  const Node &out = graph[cluster.outputs[output]];
  if (out.op == Op::UpdateSlice)
    return false;
  KernelPlan plan = run();
  const auto *map = plan.getIf<MapPlan>();
  if (map ? map->transposedRow >= 0 || map->overlaps : !plan.getIf<RowPlan>())
    return false;
  const DomainLoops &loops = *plan.domain();
  if (out.elements() != product(loops.rows.sizes) * product(loops.tail.sizes))
    return false;
  auto w = walk({loops.rows.dims, loops.tail.dims, {}});
  IndexExpr element =
      w->space.linearize(w->fullIndex(), rowMajorStrides(domain.full()));
  // Reductions in a MapPlan have loops of their own and may read any element.
  if (map)
    for (const Node &node : graph.nodes)
      if (node.op == Op::Reduce || node.op == Op::ReduceWindow)
        return false;
  for (const ClusterVisitor::Access &access : w->visitor->accesses) {
    const Node &node = graph[access.node];
    if (node.op != Op::Param || node.bits != static_cast<uint64_t>(param))
      continue;
    if (node.type != out.type || node.elements() != out.elements() ||
        !(access.offset == element))
      return false;
  }
  return true;
}

bool mayShareBuffer(const Cluster &cluster, int output, int param) {
  return Planner(cluster, 16).mayShare(output, param);
}

std::optional<std::string> whyNotFused(const Cluster &cluster) {
  return Planner(cluster, 16).whyNot();
}

} // namespace shardwright::cpu
