//===- kernel_plan.cc - the loops of a kernel -----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/plan/kernel_planner.h"

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
  // If the difference is NaN, an argument is NaN or both are the same infinity;
  // the sum of the arguments is then the result.
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
  // Sums of complex numbers can be split into real and imaginary parts,
  // products cannot.
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

IndexVector Planner::Walk::fullIndex() const {
  IndexVector index = rowIndex;
  llvm::append_range(index, tailIndex);
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
  bool isRowPlan = domain.kind == Domain::Kind::Row;
  visitor.sharedLoops = domain.kind != Domain::Kind::Map;
  visitor.reducedIndex = isRowPlan ? w->tailIndex : w->reducedIndex;
  visitor.reducedShape = isRowPlan ? domain.tail : domain.reduced;
  Shape full = domain.full();
  IndexVector fullIndex = w->fullIndex();
  for (int32_t output : cluster.outputs) {
    int32_t id = valueNode(graph, output);
    const Node &node = graph[id];
    bool isRow = isRowPlan && node.elements() == product(domain.rows) &&
                 product(domain.tail) != 1;
    IndexVector at =
        isRow ? reshapeIndex(w->rowIndex, domain.rows, node.shape, w->space)
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

ReduceLevels Planner::findLevels() const {
  ReduceLevels levels;
  std::vector<int> level(graph.nodes.size(), 0);
  for (auto [i, node] : llvm::enumerate(graph.nodes)) {
    for (int32_t o : node.operands)
      level[i] = std::max(level[i], level[o]);
    if (node.op != Op::Reduce)
      continue;
    if (static_cast<size_t>(level[i]) >= levels.size())
      levels.resize(level[i] + 1);
    levels[level[i]++].push_back(static_cast<int32_t>(i));
  }
  return levels;
}

int Planner::chooseTransposed(const DomainLoops &loops, const Walk &w) const {
  // Gathering a small array is cheaper than compiling the shuffles of a block
  // transposition.
  constexpr int64_t small = 4096;
  const Shape &rows = loops.rows.sizes, &tail = loops.tail.sizes;
  if (product(rows) * product(tail) < small)
    return -1;
  if (w.rowVars.empty() || w.tailVars.empty() || tail[0] < maxLanes)
    return -1;
  AtomId v = w.tailVars.back();
  for (int r = static_cast<int>(w.rowVars.size()) - 1; r >= 0; --r) {
    if (rows[r] < maxLanes)
      continue;
    for (const ClusterVisitor::Access &access : w.visitor->accesses) {
      if (graph[access.node].op != Op::Param)
        continue;
      if (std::abs(access.offset.coefficient(v)) > 1 &&
          access.offset.coefficient(w.rowVars[r]) == 1 &&
          !w.space.dependsNonlinearlyOn(access.offset, v) &&
          !w.space.dependsNonlinearlyOn(access.offset, w.rowVars[r]))
        return r;
    }
  }
  return -1;
}

/// Estimated time of a kernel that visits `elements` elements.
double Planner::estimateNs(int64_t elements) const {
  double work = 0, bytes = 0;
  for (const Node &node : graph.nodes) {
    if (node.op == Op::Param)
      bytes +=
          std::min<double>(node.elements(), elements) * byteWidth(node.type);
    else if (node.op != Op::Extern)
      work += static_cast<double>(operationCost(node)) * node.elements() *
              (node.op == Op::ReduceWindow
                   ? product(node.get<ReduceWindowAttrs>().window)
                   : 1);
  }
  // Sixteen f32 lanes at about 3 GHz; about 15 GB/s a core.
  return 50 + 0.02 * work + 0.05 * bytes;
}

/// The number of lanes that computes `size` elements in the fewest iterations,
/// if the elements left over by vectors are computed one by one.
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

/// The plan of a cluster with a scatter, a scan or a sort, if it has one.
std::optional<KernelPlan> Planner::planOwnLoops() const {
  KernelPlan plan;
  for (int32_t output : cluster.outputs)
    if (graph[output].op == Op::Scatter) {
      plan.loops = ScatterPlan{output, maxLanes};
      plan.costNs = estimateNs(graph[output].elements());
      return plan;
    }
  for (auto [i, node] : llvm::enumerate(graph.nodes)) {
    auto id = static_cast<int32_t>(i);
    if (std::optional<Scan> scan = asScan(graph, node)) {
      int64_t together = scan->together(maxLanes);
      plan.loops = ScanPlan{id, *scan, together};
      plan.iterations = scan->iterations(together);
      plan.costNs = 50 + 0.3 * node.elements();
      return plan;
    }
    if (node.op == Op::Sort) {
      plan.loops = SortPlan{id};
      int64_t n = node.shape[node.get<SortAttrs>().dim];
      plan.iterations = n ? node.elements() / n : 0;
      plan.costNs = 50 * estimateNs(node.elements());
      return plan;
    }
  }
  return std::nullopt;
}

/// The domain of a cluster whose reductions do not share one: each reduction is
/// evaluated at its uses.
static Domain domainOfFirstOutput(const Cluster &cluster) {
  const Graph &graph = cluster.graph;
  Domain domain;
  domain.rows = withoutOnes(graph[valueNode(graph, cluster.outputs[0])].shape);
  if (!domain.rows.empty()) {
    domain.tail.push_back(domain.rows.back());
    domain.rows.pop_back();
  }
  return domain;
}

/// Merges the dimensions of the domain into as few loops as its accesses allow.
/// Moves the boundary of `domain` between rows and tail accordingly.
Loops Planner::mergedLoops() {
  Loops loops{singles(domain.rows), singles(domain.tail),
              singles(domain.reduced)};
  if (domain.kind == Domain::Kind::Row) {
    mergeGroups(loops, &Loops::tailDims);
    mergeGroups(loops, &Loops::rowDims);
    return loops;
  }
  // All kept dimensions are candidates for the innermost group.
  llvm::append_range(loops.rowDims, loops.tailDims);
  loops.tailDims.clear();
  domain.rows = domain.full();
  domain.tail.clear();
  mergeGroups(loops, &Loops::rowDims);
  if (!loops.rowDims.empty()) {
    loops.tailDims.push_back(loops.rowDims.back());
    loops.rowDims.pop_back();
  }
  Shape all = domain.rows;
  size_t inTail = loops.tailDims.empty() ? 0 : loops.tailDims[0].size();
  domain.rows.assign(all.begin(), all.end() - inTail);
  domain.tail.assign(all.end() - inTail, all.end());
  mergeGroups(loops, &Loops::reducedDims);
  return loops;
}

static LoopGroups groupsOf(const std::vector<Shape> &dims) {
  LoopGroups groups;
  for (const Shape &group : dims)
    groups.sizes.push_back(product(group));
  groups.dims = dims;
  return groups;
}

/// Work per element, in simple vector operations, from which on the code of a
/// kernel is emitted only once.
static constexpr int expensiveWork = 100;

MapPlan Planner::planMap(DomainLoops loops, const Walk &w) const {
  MapPlan plan{std::move(loops)};
  plan.transposedRow = chooseTransposed(plan, w);
  int work = 0, wideWork = 0;
  for (const Node &node : graph.nodes) {
    work += operationCost(node);
    if (bitWidth(node.type) == 64)
      wideWork += operationCost(node);
  }
  plan.overlaps = work >= expensiveWork;
  // With more f64 lanes than a register holds, every instruction would become
  // two.
  int mostLanes = maxLanes;
  if (plan.overlaps && plan.transposedRow < 0 && 2 * wideWork >= work)
    mostLanes = std::max(1, maxLanes / 2);
  int64_t inner = plan.tail.sizes.empty() ? 1 : plan.tail.sizes.back();
  if (plan.transposedRow >= 0 || plan.overlaps)
    while (plan.lanes < mostLanes && plan.lanes * 2 <= inner)
      plan.lanes *= 2;
  plan.lanes = std::min(plan.lanes, mostLanes);
  if (plan.rows.sizes.empty() && !plan.tail.sizes.empty())
    plan.chunk = 8192;
  return plan;
}

RowPlan Planner::planRows(DomainLoops loops, Walk &w) const {
  RowPlan plan{std::move(loops), findLevels(), {}};
  plan.scratch = chooseScratch(plan, w);
  return plan;
}

ColumnPlan Planner::planColumns(DomainLoops loops, const Loops &dims) const {
  ColumnPlan plan{std::move(loops), groupsOf(dims.reducedDims), findLevels()};
  if (plan.rows.sizes.empty() && !plan.tail.sizes.empty())
    plan.chunk = 128;
  return plan;
}

KernelPlan Planner::planDomain() {
  std::optional<Domain> chosen = chooseDomain(cluster);
  domain = chosen ? *chosen : domainOfFirstOutput(cluster);
  Loops dims = mergedLoops();
  DomainLoops loops{groupsOf(dims.rowDims), groupsOf(dims.tailDims)};
  const Shape rows = loops.rows.sizes, tail = loops.tail.sizes;
  loops.lanes = bestLanes(tail.empty() ? 1 : tail.back(), maxLanes);
  auto w = walk(dims);
  KernelPlan plan;
  plan.costNs = estimateNs(product(rows) * product(tail) *
                           product(groupsOf(dims.reducedDims).sizes));
  if (!rows.empty())
    plan.iterations = rows[0];
  auto divideTail = [&](int64_t chunk) {
    if (chunk)
      plan.iterations = (tail[0] + chunk - 1) / chunk;
  };
  switch (domain.kind) {
  case Domain::Kind::Map: {
    MapPlan map = planMap(std::move(loops), *w);
    if (map.transposedRow == 0)
      plan.iterations = (rows[0] + maxLanes - 1) / maxLanes;
    divideTail(map.chunk);
    plan.loops = std::move(map);
    break;
  }
  case Domain::Kind::Row:
    plan.loops = planRows(std::move(loops), *w);
    break;
  case Domain::Kind::Column: {
    ColumnPlan column = planColumns(std::move(loops), dims);
    divideTail(column.chunk);
    plan.loops = std::move(column);
    break;
  }
  }
  return plan;
}

KernelPlan Planner::run() {
  if (std::optional<KernelPlan> plan = planOwnLoops())
    return std::move(*plan);
  return planDomain();
}

const DomainLoops *KernelPlan::domain() const {
  return std::visit(
      [](const auto &plan) -> const DomainLoops * {
        if constexpr (std::is_base_of_v<DomainLoops,
                                        std::decay_t<decltype(plan)>>)
          return &plan;
        else
          return nullptr;
      },
      loops);
}

KernelPlan planKernel(const Cluster &cluster, int maxLanes) {
  return Planner(cluster, maxLanes).run();
}

} // namespace shardwright::cpu
