//===- kernel_plan.cc - the loops of a kernel -----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/kernel_plan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include <algorithm>
#include <set>

namespace shardwright::cpu {

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

static Shape withoutOnes(llvm::ArrayRef<int64_t> shape) {
  Shape result;
  for (int64_t s : shape)
    if (s != 1)
      result.push_back(s);
  return result;
}

namespace {

/// Follows the cluster symbolically: at which indices everything is needed.
class Visitor {
public:
  Visitor(const Cluster &cluster, IndexSpace &space)
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

  void visit(int32_t id, const IndexVector &index) {
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
      use(id, index[node.attrs[0][0]]);
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
      for (int64_t size : node.attrs[0])
        window.push_back(space.variableExpr({0, size - 1}));
      follow(id, 0, windowInputIndex(graph, id, index, window, space));
      visit(node.operands[1], {});
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

  void use(int32_t node, const IndexExpr &expr) {
    accesses.push_back({node, expr});
    starts(expr);
  }

private:
  void follow(int32_t id, int number, const OperandIndex &at) {
    if (at.never)
      return;
    for (const Guard &guard : at.guards)
      use(id, guard.expr);
    for (const IndexExpr &e : at.index)
      starts(e);
    visit(graph[id].operands[number], at.index);
  }
  // Opaque atoms evaluate nodes.
  void starts(const IndexExpr &expr) {
    for (auto [atomId, c] : expr.terms) {
      Atom atom = space.atom(atomId);
      if (atom.kind == Atom::Kind::Opaque)
        visit(atom.number, space.interned(atom.index));
      else if (atom.kind != Atom::Kind::Variable)
        starts(atom.expr);
    }
  }
};

/// Loops over some dimensions, merged as `groups` says.
struct Loops {
  std::vector<Shape> rowDims, tailDims, reducedDims;
};

struct Shapes {
  KernelPlan::Kind kind = KernelPlan::Kind::Map;
  Shape rows, tail, reduced;
};

/// Does the innermost dimension of the input get reduced?
bool reducesInnermost(const Graph &graph, const Node &node) {
  const Node &input = graph[node.operands[0]];
  for (int d = static_cast<int>(input.shape.size()) - 1; d >= 0; --d) {
    if (input.shape[d] == 1)
      continue;
    return llvm::is_contained(node.attrs[0], static_cast<int64_t>(d));
  }
  return true;
}

/// Are the reduced dimensions (sizes of 1 aside) the last ones?
bool reducesSuffix(const Graph &graph, const Node &node) {
  const Node &input = graph[node.operands[0]];
  bool seen = false;
  for (size_t d = 0; d < input.shape.size(); ++d) {
    if (input.shape[d] == 1)
      continue;
    bool reduced = llvm::is_contained(node.attrs[0], static_cast<int64_t>(d));
    if (seen && !reduced)
      return false;
    seen |= reduced;
  }
  return true;
}

/// The node whose value an output stores, element by element.
int32_t valueNode(const Graph &graph, int32_t output) {
  const Node &node = graph[output];
  return node.op == Op::UpdateSlice ? node.operands[1] : output;
}

/// The domain; nothing when the cluster's pieces do not share one.
std::optional<Shapes> chooseDomain(const Cluster &cluster) {
  const Graph &graph = cluster.graph;
  Shapes shapes;
  int32_t rowReduce = -1, columnReduce = -1;
  for (auto [i, node] : llvm::enumerate(graph.nodes)) {
    if (node.op != Op::Reduce)
      continue;
    bool innermost = reducesInnermost(graph, node);
    int32_t &which = innermost ? rowReduce : columnReduce;
    auto id = static_cast<int32_t>(i);
    if (which < 0) {
      which = id;
      continue;
    }
    const Node &first = graph[which];
    if (withoutOnes(first.shape) != withoutOnes(node.shape) ||
        withoutOnes(reducedSizes(graph, which)) !=
            withoutOnes(reducedSizes(graph, id)))
      return std::nullopt;
    if (!innermost &&
        (graph[first.operands[0]].shape != graph[node.operands[0]].shape ||
         first.attrs != node.attrs))
      return std::nullopt;
  }
  if (rowReduce >= 0 && columnReduce >= 0)
    return std::nullopt;
  if (rowReduce >= 0) {
    shapes.kind = KernelPlan::Kind::Row;
    shapes.rows = withoutOnes(graph[rowReduce].shape);
    shapes.tail = withoutOnes(reducedSizes(graph, rowReduce));
    return shapes;
  }
  Shape domain;
  int64_t largest = -1;
  for (int32_t output : cluster.outputs) {
    const Node &node = graph[valueNode(graph, output)];
    if (node.elements() > largest) {
      largest = node.elements();
      domain = withoutOnes(node.shape);
    }
  }
  if (columnReduce >= 0) {
    shapes.kind = KernelPlan::Kind::Column;
    shapes.reduced = withoutOnes(reducedSizes(graph, columnReduce));
    if (withoutOnes(graph[columnReduce].shape) != domain)
      return std::nullopt;
  }
  shapes.rows = domain;
  if (!domain.empty()) {
    shapes.tail.push_back(domain.back());
    shapes.rows.pop_back();
  }
  return shapes;
}

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
    std::unique_ptr<Visitor> visitor;
    std::vector<AtomId> rowVars, tailVars, reducedVars;
    IndexVector rowIndex, tailIndex, reducedIndex;
  };
  std::unique_ptr<Walk> walk(const Loops &loops);
  bool usesMerged(const Walk &w, llvm::ArrayRef<AtomId> vars) const;
  void mergeGroups(Loops &loops, std::vector<Shape> Loops::*part);
  void chooseTransposed(const Walk &w);
  void chooseScratch(Walk &w);
  void findLevels();
  void estimate();
  std::optional<std::string> recomputes(const Walk &w) const;

  const Cluster &cluster;
  const Graph &graph;
  int maxLanes;
  Shapes shapes;
  KernelPlan plan;
};

} // namespace

static std::vector<Shape> singles(llvm::ArrayRef<int64_t> sizes) {
  std::vector<Shape> groups;
  for (int64_t s : sizes)
    groups.push_back({s});
  return groups;
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
  w->visitor = std::make_unique<Visitor>(cluster, w->space);
  Visitor &visitor = *w->visitor;
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
    bool isRow = isRowPlan &&
                 node.elements() == product(shapes.rows) &&
                 product(shapes.tail) != 1;
    IndexVector at = isRow
                         ? reshapeIndex(w->rowIndex, shapes.rows, node.shape, w->space)
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
  for (const Visitor::Access &access : w.visitor->accesses)
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

void Planner::chooseTransposed(const Walk &w) {
  if (w.rowVars.empty() || w.tailVars.empty() || plan.tail[0] < maxLanes)
    return;
  AtomId v = w.tailVars.back();
  for (int r = static_cast<int>(w.rowVars.size()) - 1; r >= 0; --r) {
    if (plan.rows[r] < maxLanes)
      continue;
    for (const Visitor::Access &access : w.visitor->accesses) {
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

// A node is worth keeping when several loops over the tail need it, it is dear,
// and it is not merely a step towards another that is kept.
void Planner::chooseScratch(Walk &w) {
  size_t n = graph.nodes.size();
  int finalLoop = static_cast<int>(plan.levels.size());
  std::vector<uint32_t> loops(n, 0);
  if (finalLoop >= 31 || product(plan.tail) > 16384)
    return;
  auto dependsOnTail = [&](int32_t id) {
    for (int32_t index : w.visitor->visits[id])
      for (const IndexExpr &e : w.space.interned(index))
        for (AtomId v : w.tailVars)
          if (w.space.dependsOn(e, v))
            return true;
    return false;
  };
  std::vector<bool> full(n);
  for (size_t i = 0; i < n; ++i)
    full[i] = dependsOnTail(i);
  for (auto [level, reduces] : llvm::enumerate(plan.levels))
    for (int32_t r : reduces)
      for (int32_t o : graph[r].operands)
        loops[o] |= uint32_t(1) << level;
  for (int32_t output : cluster.outputs)
    if (full[valueNode(graph, output)])
      loops[valueNode(graph, output)] |= uint32_t(1) << finalLoop;
  for (int i = static_cast<int>(n) - 1; i >= 0; --i) {
    if (!full[i])
      loops[i] = 0;
    const Node &node = graph[i];
    if (node.op == Op::Reduce || node.op == Op::Proj)
      continue;
    for (int32_t o : node.operands)
      loops[o] |= loops[i];
  }
  std::vector<bool> kept(n, false);
  // Is every user of a node in the same loops? Then the user is what to keep.
  auto sameAsUsers = [&](int32_t id) {
    bool any = false;
    for (size_t u = id + 1; u < n; ++u) {
      const Node &user = graph[u];
      if (!llvm::is_contained(user.operands, id) || user.op == Op::Reduce)
        continue;
      if (loops[u] != loops[id])
        return false;
      any = true;
    }
    for (const auto &reduces : plan.levels)
      for (int32_t r : reduces)
        if (llvm::is_contained(graph[r].operands, id))
          return false;
    if (llvm::is_contained(cluster.outputs, id))
      return false;
    return any;
  };
  IndexVector domainAt = w.rowIndex;
  llvm::append_range(domainAt, w.tailIndex);
  Shape domainShape = shapes.rows;
  llvm::append_range(domainShape, shapes.tail);
  IndexExpr domain = w.space.linearize(domainAt, rowMajorStrides(domainShape));
  int64_t bytes = 0;
  for (int i = static_cast<int>(n) - 1; i >= 0; --i) {
    const Node &node = graph[i];
    if (llvm::popcount(loops[i]) < 2 || !isElementwise(node.op) ||
        w.visitor->visits[i].size() != 1 || sameAsUsers(i))
      continue;
    // Only rows of the domain itself, in its order, have a place in scratch.
    IndexVector index = w.space.interned(*w.visitor->visits[i].begin());
    if (node.elements() != product(plan.rows) * product(plan.tail) ||
        !(w.space.linearize(index, rowMajorStrides(node.shape)) == domain))
      continue;
    // Cost of recomputing: the operations below, up to loads.
    int cost = 0;
    std::vector<int32_t> stack{i};
    std::set<int32_t> seen;
    while (!stack.empty()) {
      int32_t id = stack.back();
      stack.pop_back();
      if (!full[id] || kept[id] || !seen.insert(id).second)
        continue;
      cost += graph[id].op == Op::Param ? 1 : operationCost(graph[id]);
      if (graph[id].op != Op::Reduce && graph[id].op != Op::Proj)
        llvm::append_range(stack, graph[id].operands);
    }
    int64_t width = node.type == ElementType::F64 ? 8 : 4;
    if (cost < 6 || bytes + width * product(plan.tail) > 65536)
      continue;
    bytes += width * product(plan.tail);
    kept[i] = true;
    plan.scratch.push_back({i, llvm::countr_zero(loops[i])});
  }
}

void Planner::estimate() {
  double perElement = 0;
  int64_t elements = product(plan.rows) * product(plan.tail) * product(plan.reduced);
  double bytes = 0;
  for (const Node &node : graph.nodes) {
    if (node.op == Op::Param)
      bytes += std::min<double>(node.elements(), elements) * byteWidth(node.type);
    else if (node.op != Op::Extern)
      perElement += static_cast<double>(operationCost(node)) * node.elements();
  }
  // Sixteen f32 lanes at about 3 GHz; about 15 GB/s a core.
  plan.costNs = 50 + 0.02 * perElement + 0.05 * bytes;
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
  for (const Node &node : graph.nodes)
    if (node.op == Op::Sort) {
      plan.kind = KernelPlan::Kind::Sort;
      plan.tail = {product(node.shape)};
      int64_t n = node.shape[node.attrs[0][0]];
      plan.iterations = n ? product(node.shape) / n : 0;
      estimate();
      plan.costNs *= 50;
      return plan;
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
  Loops loops{singles(shapes.rows), singles(shapes.tail), singles(shapes.reduced)};
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
  plan.lanes = maxLanes;
  while (plan.lanes > inner)
    plan.lanes /= 2;
  auto w = walk(loops);
  if (!w->tailVars.empty()) {
    AtomId v = w->tailVars.back();
    for (const Visitor::Access &access : w->visitor->accesses) {
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
  if (plan.kind == KernelPlan::Kind::Map)
    chooseTransposed(*w);
  if (plan.kind != KernelPlan::Kind::Map)
    findLevels();
  if (plan.kind == KernelPlan::Kind::Row)
    chooseScratch(*w);
  estimate();
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

// How often is each node evaluated? Once for each iteration of the loops down to
// the deepest that its index needs.
std::optional<std::string> Planner::recomputes(const Walk &w) const {
  std::vector<std::pair<AtomId, int64_t>> order;
  auto append = [&](llvm::ArrayRef<AtomId> vars, llvm::ArrayRef<int64_t> sizes) {
    for (auto [v, s] : llvm::zip_equal(vars, sizes))
      order.push_back({v, s});
  };
  append(w.rowVars, shapes.rows);
  append(w.tailVars, shapes.tail);
  append(w.reducedVars, shapes.reduced);
  for (auto [i, node] : llvm::enumerate(graph.nodes)) {
    int cost = operationCost(node);
    const auto &visits = w.visitor->visits[i];
    if (cost == 0)
      continue;
    bool isOutput = llvm::is_contained(cluster.outputs, static_cast<int32_t>(i));
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
        return "a dear node would be computed more often than it has elements";
    }
  }
  return std::nullopt;
}

// Reduces of a fused cluster must be computed once for each of their elements,
// in the loops that the plan gives them.
std::optional<std::string> Planner::whyNot() {
  bool anyReduce = llvm::any_of(graph.nodes, [](const Node &n) {
    return n.op == Op::Reduce;
  });
  for (const Node &node : graph.nodes)
    if (node.op == Op::Sort || node.op == Op::Scatter)
      return std::nullopt;
  std::optional<Shapes> chosen = chooseDomain(cluster);
  if (!chosen)
    return "its reductions have different shapes";
  shapes = *chosen;
  int64_t rows = product(shapes.rows), full = rows * product(shapes.tail);
  for (int32_t output : cluster.outputs) {
    const Node &node = graph[valueNode(graph, output)];
    if (node.elements() != full &&
        !(shapes.kind == KernelPlan::Kind::Row && node.elements() == rows))
      return "its outputs have different sizes";
  }
  Loops loops{singles(shapes.rows), singles(shapes.tail), singles(shapes.reduced)};
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
    const IndexVector &index = w->space.interned(*w->visitor->visits[i].begin());
    IndexVector expected;
    if (shapes.kind == KernelPlan::Kind::Row) {
      if (!reducesSuffix(graph, node))
        return "a reduction mixes kept and reduced dimensions";
      expected = reshapeIndex(w->rowIndex, shapes.rows, node.shape, w->space);
    } else {
      IndexVector fullIndex = w->rowIndex;
      llvm::append_range(fullIndex, w->tailIndex);
      Shape domain = shapes.rows;
      llvm::append_range(domain, shapes.tail);
      expected = reshapeIndex(fullIndex, domain, node.shape, w->space);
    }
    if (index != expected)
      return "a reduction is needed at another index than it is computed";
    if (shapes.kind == KernelPlan::Kind::Column)
      for (int32_t o : node.operands)
        if (llvm::any_of(llvm::ArrayRef(graph.nodes).take_front(o + 1),
                         [](const Node &n) { return n.op == Op::Reduce; })) {
          // Conservative: a reduction below another one.
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
  if (out.op == Op::UpdateSlice || run().transposedRow >= 0 ||
      (plan.kind != KernelPlan::Kind::Map && plan.kind != KernelPlan::Kind::Row))
    return false;
  if (out.elements() != product(plan.rows) * product(plan.tail))
    return false;
  auto w = walk({plan.rowDims, plan.tailDims, {}});
  Shape domain = shapes.rows;
  llvm::append_range(domain, shapes.tail);
  IndexVector index = w->rowIndex;
  llvm::append_range(index, w->tailIndex);
  IndexExpr element = w->space.linearize(index, rowMajorStrides(domain));
  // Reduces without loops of the plan read as they like.
  if (plan.kind == KernelPlan::Kind::Map)
    for (const Node &node : graph.nodes)
      if (node.op == Op::Reduce || node.op == Op::ReduceWindow)
        return false;
  for (const Visitor::Access &access : w->visitor->accesses) {
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

KernelPlan planKernel(const Cluster &cluster, int maxLanes) {
  return Planner(cluster, maxLanes).run();
}

std::optional<std::string> whyNotFused(const Cluster &cluster) {
  return Planner(cluster, 16).whyNot();
}

} // namespace shardwright::cpu
