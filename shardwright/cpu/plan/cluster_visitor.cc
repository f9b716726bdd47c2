//===- cluster_visitor.cc - symbolic evaluation of a cluster --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/plan/cluster_visitor.h"

namespace shardwright::cpu {

void ClusterVisitor::visit(int32_t id, const IndexVector &index) {
  if (!visits[id].insert(space.intern(index)).second)
    return;
  const Node &node = graph[id];
  switch (node.op) {
  case Op::Param:
  case Op::Extern:
    use(id, space.linearize(index, rowMajorStrides(node.shape)));
    return;
  case Op::Constant:
    return;
  case Op::Iota:
    use(id, index[node.get<IotaAttrs>().dim]);
    return;
  case Op::Proj:
    visit(node.operands[0], index);
    return;
  case Op::Reduce: {
    IndexVector reduced;
    if (sharedLoops)
      reduced = reshapeIndex(reducedIndex, reducedShape,
                             reducedSizes(graph, id), space);
    else
      for (int64_t size : reducedSizes(graph, id))
        reduced.push_back(space.variableExpr({0, size - 1}));
    IndexVector input = reduceInputIndex(graph, id, index, reduced);
    size_t n = node.operands.size() / 2;
    for (size_t i = 0; i < n; ++i) {
      visit(node.operands[i], input);
      visit(node.operands[n + i], {});
    }
    return;
  }
  case Op::ReduceWindow: {
    IndexVector window;
    for (int64_t size : node.get<ReduceWindowAttrs>().window)
      window.push_back(space.variableExpr({0, size - 1}));
    size_t n = node.operands.size() / 2;
    for (size_t i = 0; i < n; ++i) {
      follow(id, i, windowInputIndex(graph, id, index, window, space));
      visit(node.operands[n + i], {});
    }
    return;
  }
  default:
    for (size_t i = 0; i < node.operands.size(); ++i) {
      // Slices and gathers read their starts through opaque atoms.
      if (i > 0 && (node.op == Op::DynamicSlice || node.op == Op::Gather))
        continue;
      follow(id, i, operandIndex(graph, id, i, index, space));
    }
  }
}

void ClusterVisitor::use(int32_t node, const IndexExpr &expr) {
  accesses.push_back({node, expr});
  starts(expr);
}

void ClusterVisitor::follow(int32_t id, int number, const OperandIndex &at) {
  if (at.never)
    return;
  for (const Guard &guard : at.guards)
    use(id, guard.expr);
  for (const IndexExpr &e : at.index)
    starts(e);
  visit(graph[id].operands[number], at.index);
}
// Visits the nodes that the opaque atoms of `expr` evaluate.
void ClusterVisitor::starts(const IndexExpr &expr) {
  for (auto [atomId, c] : expr.terms) {
    Atom atom = space.atom(atomId);
    if (atom.kind == Atom::Kind::Opaque)
      visit(atom.number, space.interned(atom.index));
    else if (atom.kind != Atom::Kind::Variable)
      starts(atom.expr);
  }
}

} // namespace shardwright::cpu
