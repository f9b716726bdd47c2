//===- factor_moves.cc - layouts that change together ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/search/factor_moves.h"

#include "shardwright/auto/search/trial_context.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/rules/rule_interface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <set>

using namespace mlir;

namespace shardwright {

template <typename List> static void sortUnique(List &list) {
  llvm::sort(list);
  list.erase(llvm::unique(list), list.end());
}

/// Sites may be results of @main, which have no value of their own.
static Value valueOf(ModuleOp imported, const Site &site) {
  if (site.kind != Site::Kind::Result)
    return site.value;
  return sdy::getMainFunc(imported)
      .getBody()
      .front()
      .getTerminator()
      ->getOperand(site.index);
}

FactorMoves::FactorMoves(ModuleOp imported, const AutoProblem &problem)
    : problem(problem), imported(imported),
      groups(imported, Colours::Reach::UpToCommunication),
      ops(numberedOps(imported)) {
  for (const SiteClass &cls : problem.classes)
    for (const Site &site : cls.sites)
      for (int64_t dim = 0; dim < cls.type.getRank(); ++dim)
        groups.join(groups.of(valueOf(imported, cls.sites.front()), dim),
                    groups.of(valueOf(imported, site), dim));
  for (auto [c, cls] : llvm::enumerate(problem.classes))
    for (int64_t dim = 0; dim < cls.type.getRank(); ++dim)
      members[groups.of(valueOf(imported, cls.sites.front()), dim)].push_back(
          {int32_t(c), int32_t(dim)});
  readFactors();
}

std::vector<FactorMoves::Groups> FactorMoves::factorsOf(Operation *op) {
  std::vector<Groups> found;
  std::optional<ShardingRule> rule = getShardingRule(op, {.extraRules = true});
  auto isShardable = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.hasStaticShape() ? type : RankedTensorType();
  };
  if (!rule) {
    auto addDims = [&](Value value) {
      if (RankedTensorType type = isShardable(value))
        for (int64_t dim = 0; dim < type.getRank(); ++dim)
          if (type.getDimSize(dim) > 1)
            found.push_back({groups.of(value, dim)});
    };
    llvm::for_each(op->getResults(), addDims);
    if (op->getNumResults() == 0)
      llvm::for_each(op->getOperands(), addDims);
  } else {
    found.resize(rule->factors.size());
    auto addTensor = [&](Value value, const TensorMapping &mapping) {
      RankedTensorType type = isShardable(value);
      if (!type || type.getRank() != int64_t(mapping.size()))
        return;
      for (auto [dim, factors] : llvm::enumerate(mapping))
        for (int32_t f : factors)
          if (rule->factors[f].size > 1) {
            found[f].push_back(groups.of(value, dim));
            break;
          }
    };
    for (auto [value, mapping] : llvm::zip(op->getOperands(), rule->operands))
      addTensor(value, mapping);
    for (auto [value, mapping] : llvm::zip(op->getResults(), rule->results))
      addTensor(value, mapping);
  }
  for (Groups &list : found)
    sortUnique(list);
  sortUnique(found);
  llvm::erase_if(found, [](const Groups &list) { return list.empty(); });
  return found;
}

void FactorMoves::readFactors() {
  std::set<Groups> known;
  for (Operation *op : ops) {
    if (!mayCommunicate(op))
      continue;
    for (Groups &factor : factorsOf(op))
      if (factor.size() > 1)
        known.insert(std::move(factor));
  }
  factors.assign(known.begin(), known.end());
  for (auto [f, factor] : llvm::enumerate(factors))
    for (int32_t group : factor)
      factorsWith[group].push_back(f);
}

FactorMoves::Groups FactorMoves::withNeighbours(const Groups &groups) const {
  Groups all = groups;
  llvm::SmallDenseSet<int32_t> seen;
  for (int32_t group : groups)
    if (auto it = factorsWith.find(group); it != factorsWith.end())
      for (int32_t factor : it->second)
        if (seen.insert(factor).second)
          llvm::append_range(all, factors[factor]);
  sortUnique(all);
  return all;
}

std::vector<LayoutMove> FactorMoves::ofOp(int32_t number) {
  std::vector<LayoutMove> moves;
  const std::vector<Groups> own = factorsOf(ops[number]);
  Groups all;
  for (const Groups &factor : own)
    llvm::append_range(all, factor);
  sortUnique(all);
  int32_t numAxes = problem.axes.size();
  using Reach = LayoutMove::Reach;
  auto without = [](const Groups &from, const Groups &other) {
    Groups rest;
    llvm::copy_if(from, std::back_inserter(rest), [&](int32_t group) {
      return !std::binary_search(other.begin(), other.end(), group);
    });
    return rest;
  };
  std::vector<Groups> near;
  for (const Groups &factor : own)
    near.push_back(withNeighbours(factor));
  // The op and its neighbours, the op alone, and this with the axis taken from
  // whatever else it has.
  for (const Groups &groups : near)
    for (int32_t axis = 0; axis < numAxes; ++axis)
      moves.push_back({axis, Reach::All, {}, groups});
  for (auto [factor, groups] : llvm::zip_equal(own, near))
    for (int32_t axis = 0; axis < numAxes; ++axis) {
      moves.push_back({axis, Reach::All, without(all, factor), factor});
      moves.push_back({axis, Reach::Arguments, {}, groups});
    }
  for (const Groups &factor : own)
    for (int32_t axis = 0; axis < numAxes; ++axis)
      moves.push_back({axis, Reach::All, {}, factor});
  for (int32_t axis = 0; axis < numAxes; ++axis)
    moves.push_back({axis, Reach::All, all, {}});
  return moves;
}

void FactorMoves::addValue(Value value, std::vector<LayoutMove> &moves) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape())
    return;
  SmallVector<int32_t> dims =
      llvm::to_vector(llvm::seq<int32_t>(0, int32_t(type.getRank())));
  llvm::sort(dims, [&](int32_t a, int32_t b) {
    return std::pair(-type.getDimSize(a), a) <
           std::pair(-type.getDimSize(b), b);
  });
  for (int32_t dim : dims)
    for (int32_t axis = 0; axis < int32_t(problem.axes.size()); ++axis)
      if (type.getDimSize(dim) > 1)
        moves.push_back(
            {axis, LayoutMove::Reach::All, {}, {groups.of(value, dim)}});
}

std::vector<LayoutMove> FactorMoves::ofArgument(int32_t index) {
  std::vector<LayoutMove> moves;
  addValue(sdy::getMainFunc(imported).getArgument(index), moves);
  return moves;
}

std::vector<LayoutMove> FactorMoves::ofResult(int32_t index) {
  std::vector<LayoutMove> moves;
  addValue(valueOf(imported, {Site::Kind::Result, index, Value()}), moves);
  return moves;
}

std::vector<LayoutMove> FactorMoves::ofResultsOf(int32_t number) {
  std::vector<LayoutMove> moves;
  for (Value result : ops[number]->getResults())
    addValue(result, moves);
  return moves;
}

bool FactorMoves::apply(
    const LayoutMove &move, Plan &plan,
    llvm::function_ref<bool(const SiteClass &)> mayAnnotate) const {
  bool changed = false;
  auto forEach = [&](ArrayRef<int32_t> list, auto change) {
    for (int32_t group : list) {
      auto it = members.find(group);
      if (it == members.end())
        continue;
      for (auto [c, dim] : it->second) {
        const SiteClass &cls = problem.classes[c];
        if (mayAnnotate(cls) && (move.reach == LayoutMove::Reach::All ||
                                 cls.kind() == Site::Kind::Argument))
          change(c, dim);
      }
    }
  };
  forEach(move.clear, [&](int32_t c, int32_t dim) {
    if (plan.of(c).dimOf[move.axis] == dim)
      changed |= plan.put(problem, c, move.axis, -1);
  });
  llvm::SmallDenseSet<int32_t> done;
  forEach(move.put, [&](int32_t c, int32_t dim) {
    // A value that has the group twice gets the axis in one dimension.
    if (plan.of(c).dimOf[move.axis] == dim)
      done.insert(c);
    if (done.contains(c) || !plan.mayPut(problem, c, move.axis, dim))
      return;
    done.insert(c);
    changed |= plan.put(problem, c, move.axis, dim);
  });
  return changed;
}

} // namespace shardwright
