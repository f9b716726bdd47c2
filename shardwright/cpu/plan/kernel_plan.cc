//===- kernel_plan.cc - the loops of a kernel -----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/plan/kernel_planner.h"
#include "shardwright/cpu/plan/scan.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace shardwright::cpu {

bool isLogAddExp(const Body &body) {
  auto node = [&](int32_t id, Op op) {
    const Node *found = &body.nodes[id];
    return found->op == op ? found : nullptr;
  };
  auto ofArguments = [&](const Node *n) {
    return n && n->operands.size() == 2 && n->operands[0] != n->operands[1] &&
           n->operands[0] < 2 && n->operands[1] < 2;
  };
  if (body.results.size() != 1 || body.nodes.size() != 12 ||
      !isFloat(body.nodes[0].type) || body.nodes[0].type != body.nodes[1].type)
    return false;
  // Where the difference is not a number, one argument is none either, or both
  // are the same infinity: their sum says which.
  const Node *select = node(body.results[0], Op::Select);
  if (!select)
    return false;
  const Node *isNaN = node(select->operands[0], Op::Compare);
  const Node *total = node(select->operands[2], Op::Add);
  if (!isNaN || !total || isNaN->operands[0] != isNaN->operands[1] ||
      isNaN->get<CompareAttrs>().direction != Direction::NE ||
      !ofArguments(node(select->operands[1], Op::Add)))
    return false;
  int32_t difference = isNaN->operands[0], at = total->operands[1];
  for (Op op : {Op::Log1p, Op::Exp, Op::Negate, Op::Abs}) {
    const Node *step = node(at, op);
    if (!step)
      return false;
    at = step->operands[0];
  }
  return at == difference && ofArguments(node(difference, Op::Subtract)) &&
         ofArguments(node(total->operands[0], Op::Maximum));
}

std::optional<Op> commutativeBody(const Body &body) {
  if (body.results.size() != 1 || body.nodes.size() != 3)
    return std::nullopt;
  const Node &node = body.nodes[2];
  if (body.results[0] != 2 || node.operands.size() != 2 ||
      node.operands[0] == node.operands[1] || node.operands[0] > 1 ||
      node.operands[1] > 1)
    return std::nullopt;
  if (node.type != body.nodes[0].type || node.type != body.nodes[1].type)
    return std::nullopt;
  // Sums of complex numbers are two sums; their products are not.
  if (isComplex(node.type))
    return node.op == Op::Add ? std::optional(Op::Add) : std::nullopt;
  switch (node.op) {
  case Op::Add:
  case Op::Multiply:
  case Op::Maximum:
  case Op::Minimum:
  case Op::And:
  case Op::Or:
  case Op::Xor:
    return node.op;
  default:
    return std::nullopt;
  }
}

IndexVector domainIndex(llvm::ArrayRef<IndexExpr> groups,
                        llvm::ArrayRef<Shape> groupDims, IndexSpace &space) {
  IndexVector index;
  for (auto [expr, dims] : llvm::zip_equal(groups, groupDims))
    llvm::append_range(index, space.delinearize(expr, dims));
  return index;
}

std::unique_ptr<Planner::Walk> Planner::walk(const Loops &loops) {
  auto w = std::make_unique<Walk>();
  auto makeVars = [&](const std::vector<Shape> &groups,
                      std::vector<AtomId> &vars) {
    IndexVector exprs;
    for (const Shape &dims : groups) {
      vars.push_back(w->space.variable({0, product(dims) - 1}));
      exprs.push_back(w->space.term(vars.back()));
    }
    return domainIndex(exprs, groups, w->space);
  };
  w->rowIndex = makeVars(loops.rowDims, w->rowVars);
  w->tailIndex = makeVars(loops.tailDims, w->tailVars);
  w->reducedIndex = makeVars(loops.reducedDims, w->reducedVars);
  w->visitor = std::make_unique<ClusterVisitor>(cluster, w->space);
  ClusterVisitor &visitor = *w->visitor;
  bool isRowPlan = shapes.kind == KernelPlan::Kind::Row;
  visitor.sharedLoops = shapes.kind != KernelPlan::Kind::Map;
  visitor.reducedIndex = isRowPlan ? w->tailIndex : w->reducedIndex;
  visitor.reducedShape = isRowPlan ? shapes.tail : shapes.reduced;
  Shape full = shapes.rows;
  llvm::append_range(full, shapes.tail);
  IndexVector fullIndex = w->rowIndex;
  llvm::append_range(fullIndex, w->tailIndex);
  for (int32_t output : cluster.outputs) {
    int32_t id = valueNode(graph, output);
    const Node &node = graph[id];
    bool isRow = isRowPlan && node.elements() == product(shapes.rows) &&
                 product(shapes.tail) != 1;
    IndexVector at =
        isRow ? reshapeIndex(w->rowIndex, shapes.rows, node.shape, w->space)
              : reshapeIndex(fullIndex, full, node.shape, w->space);
    visitor.visit(id, at);
    if (graph[output].op == Op::UpdateSlice)
      visitor.use(output,
                  w->space.linearize(updateIndex(graph, output, at, w->space),
                                     rowMajorStrides(graph[output].shape)));
  }
  return w;
}

bool Planner::usesMerged(const Walk &w, llvm::ArrayRef<AtomId> vars) const {
  for (const ClusterVisitor::Access &access : w.visitor->accesses)
    for (AtomId var : vars)
      if (w.space.dependsNonlinearlyOn(access.offset, var))
        return false;
  return true;
}

void Planner::mergeGroups(Loops &loops, std::vector<Shape> Loops::*part) {
  for (int i = static_cast<int>((loops.*part).size()) - 2; i >= 0; --i) {
    Loops trial = loops;
    auto &groups = trial.*part;
    llvm::append_range(groups[i], groups[i + 1]);
    groups.erase(groups.begin() + i + 1);
    auto w = walk(trial);
    std::vector<AtomId> vars = w->rowVars;
    llvm::append_range(vars, w->tailVars);
    llvm::append_range(vars, w->reducedVars);
    if (usesMerged(*w, vars))
      loops = std::move(trial);
  }
}

void Planner::findLevels() {
  std::vector<int> level(graph.nodes.size(), 0);
  for (auto [i, node] : llvm::enumerate(graph.nodes)) {
    for (int32_t o : node.operands)
      level[i] = std::max(level[i], level[o]);
    if (node.op != Op::Reduce)
      continue;
    if (static_cast<size_t>(level[i]) >= plan.levels.size())
      plan.levels.resize(level[i] + 1);
    plan.levels[level[i]++].push_back(static_cast<int32_t>(i));
  }
}

/// In simple vector operations an element: code worth making once only.
static constexpr int dearWork = 100;

void Planner::chooseTransposed(const Walk &w) {
  // The shuffles of a block take longer to compile than a small array to
  // gather.
  constexpr int64_t small = 4096;
  if (product(plan.rows) * product(plan.tail) < small)
    return;
  if (w.rowVars.empty() || w.tailVars.empty() || plan.tail[0] < maxLanes)
    return;
  AtomId v = w.tailVars.back();
  for (int r = static_cast<int>(w.rowVars.size()) - 1; r >= 0; --r) {
    if (plan.rows[r] < maxLanes)
      continue;
    for (const ClusterVisitor::Access &access : w.visitor->accesses) {
      if (graph[access.node].op != Op::Param)
        continue;
      if (std::abs(access.offset.coefficient(v)) > 1 &&
          access.offset.coefficient(w.rowVars[r]) == 1 &&
          !w.space.dependsNonlinearlyOn(access.offset, v) &&
          !w.space.dependsNonlinearlyOn(access.offset, w.rowVars[r])) {
        plan.transposedRow = r;
        return;
      }
    }
  }
}

void Planner::estimate() {
  double perElement = 0;
  int64_t elements =
      product(plan.rows) * product(plan.tail) * product(plan.reduced);
  double bytes = 0;
  for (const Node &node : graph.nodes) {
    if (node.op == Op::Param)
      bytes +=
          std::min<double>(node.elements(), elements) * byteWidth(node.type);
    else if (node.op != Op::Extern)
      perElement += static_cast<double>(operationCost(node)) * node.elements() *
                    (node.op == Op::ReduceWindow
                         ? product(node.get<ReduceWindowAttrs>().window)
                         : 1);
  }
  // Sixteen f32 lanes at about 3 GHz; about 15 GB/s a core.
  plan.costNs = 50 + 0.02 * perElement + 0.05 * bytes;
}

/// Lanes that leave little over for scalars, in as few turns as can be.
static int bestLanes(int64_t size, int maxLanes) {
  int best = 1;
  int64_t fewest = INT64_MAX;
  for (int lanes = maxLanes; lanes >= 1; lanes /= 2) {
    int64_t turns = size / lanes + size % lanes;
    if (lanes > size || turns >= fewest)
      continue;
    fewest = turns;
    best = lanes;
  }
  return best;
}

KernelPlan Planner::run() {
  for (int32_t output : cluster.outputs)
    if (graph[output].op == Op::Scatter) {
      plan.kind = KernelPlan::Kind::Scatter;
      plan.lanes = maxLanes;
      plan.tail = graph[output].shape;
      estimate();
      return plan;
    }
  for (const Node &node : graph.nodes) {
    if (std::optional<Scan> scan = asScan(graph, node)) {
      plan.kind = KernelPlan::Kind::Scan;
      plan.tail = node.shape;
      plan.chunk = scan->together(maxLanes);
      plan.iterations = scan->iterations(plan.chunk);
      plan.costNs = 50 + 0.3 * node.elements();
      return plan;
    }
    if (node.op == Op::Sort) {
      plan.kind = KernelPlan::Kind::Sort;
      plan.tail = {product(node.shape)};
      int64_t n = node.shape[node.get<SortAttrs>().dim];
      plan.iterations = n ? product(node.shape) / n : 0;
      estimate();
      plan.costNs *= 50;
      return plan;
    }
  }
  std::optional<Shapes> chosen = chooseDomain(cluster);
  if (!chosen) {
    // Reduces that share no domain are evaluated one by one where they are
    // needed.
    Shapes map;
    const Node &node = graph[valueNode(graph, cluster.outputs[0])];
    map.rows = withoutOnes(node.shape);
    if (!map.rows.empty()) {
      map.tail.push_back(map.rows.back());
      map.rows.pop_back();
    }
    chosen = map;
  }
  shapes = *chosen;
  plan.kind = shapes.kind;
  Loops loops{singles(shapes.rows), singles(shapes.tail),
              singles(shapes.reduced)};
  if (plan.kind == KernelPlan::Kind::Row) {
    mergeGroups(loops, &Loops::tailDims);
    mergeGroups(loops, &Loops::rowDims);
  } else {
    // All kept dimensions are candidates for the innermost group.
    Loops kept = loops;
    llvm::append_range(kept.rowDims, kept.tailDims);
    kept.tailDims.clear();
    Shape rows = shapes.rows, tail = shapes.tail;
    llvm::append_range(shapes.rows, shapes.tail);
    shapes.tail.clear();
    mergeGroups(kept, &Loops::rowDims);
    if (!kept.rowDims.empty()) {
      kept.tailDims.push_back(kept.rowDims.back());
      kept.rowDims.pop_back();
    }
    loops = kept;
    // Rows and tail of the shape follow the groups.
    Shape all = shapes.rows;
    size_t inTail = loops.tailDims.empty() ? 0 : loops.tailDims[0].size();
    shapes.rows.assign(all.begin(), all.end() - inTail);
    shapes.tail.assign(all.end() - inTail, all.end());
    mergeGroups(loops, &Loops::reducedDims);
  }
  auto fill = [](const std::vector<Shape> &groups, Shape &sizes) {
    for (const Shape &g : groups)
      sizes.push_back(product(g));
  };
  fill(loops.rowDims, plan.rows);
  fill(loops.tailDims, plan.tail);
  fill(loops.reducedDims, plan.reduced);
  plan.rowDims = loops.rowDims;
  plan.tailDims = loops.tailDims;
  plan.reducedDims = loops.reducedDims;
  int64_t inner = plan.tail.empty() ? 1 : plan.tail.back();
  plan.lanes = bestLanes(inner, maxLanes);
  auto w = walk(loops);
  if (!w->tailVars.empty()) {
    AtomId v = w->tailVars.back();
    for (const ClusterVisitor::Access &access : w->visitor->accesses) {
      Op op = graph[access.node].op;
      if (op != Op::Param && op != Op::Extern)
        continue;
      int64_t c = std::abs(access.offset.coefficient(v));
      if (c > 1 || w->space.dependsNonlinearlyOn(access.offset, v))
        ++plan.badAccesses;
    }
  }
  for (auto [i, visits] : llvm::enumerate(w->visitor->visits))
    if (operationCost(graph[i]) > 0)
      plan.maxVisits = std::max<int>(plan.maxVisits, visits.size());
  int mostLanes = maxLanes;
  if (plan.kind == KernelPlan::Kind::Map) {
    chooseTransposed(*w);
    int work = 0, wideWork = 0;
    for (const Node &node : graph.nodes) {
      work += operationCost(node);
      if (bitWidth(node.type) == 64)
        wideWork += operationCost(node);
    }
    plan.overlaps = work >= dearWork;
    // More lanes than a register has of f64 would make every instruction two.
    if (plan.overlaps && plan.transposedRow < 0 && 2 * wideWork >= work)
      mostLanes = std::max(1, maxLanes / 2);
  }
  if (plan.kind != KernelPlan::Kind::Map)
    findLevels();
  if (plan.kind == KernelPlan::Kind::Row)
    chooseScratch(*w);
  estimate();
  if (plan.transposedRow >= 0 || plan.overlaps)
    while (plan.lanes < mostLanes && plan.lanes * 2 <= inner)
      plan.lanes *= 2;
  plan.lanes = std::min(plan.lanes, mostLanes);
  if (plan.transposedRow == 0) {
    plan.iterations = (plan.rows[0] + maxLanes - 1) / maxLanes;
  } else if (!plan.rows.empty()) {
    plan.iterations = plan.rows[0];
  } else if (plan.kind != KernelPlan::Kind::Row && !plan.tail.empty()) {
    plan.chunk = plan.kind == KernelPlan::Kind::Map ? 8192 : 128;
    plan.iterations = (plan.tail[0] + plan.chunk - 1) / plan.chunk;
  }
  return plan;
}

KernelPlan planKernel(const Cluster &cluster, int maxLanes) {
  return Planner(cluster, maxLanes).run();
}

} // namespace shardwright::cpu
