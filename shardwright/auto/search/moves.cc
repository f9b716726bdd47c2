//===- moves.cc - changes of a plan ---------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/search/moves.h"

#include "shardwright/support/sort_by.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace shardwright {

/// Ops (equal ones count as one) and values at the peak whose moves are tried.
constexpr size_t kMostOps = 5, kMostHeld = 5;
/// Ops that are read to find the costliest ones.
constexpr size_t kMostRead = 256;

Moves::Moves(ModuleOp imported, const AutoProblem &problem, bool specsOnly)
    : problem(problem), specsOnly(specsOnly), factorMoves(imported, problem) {
  addFixed();
}

int32_t Moves::number(Move move) {
  auto [it, isNew] = numbers.try_emplace(std::move(move), int32_t(all.size()));
  if (isNew)
    all.push_back(it->first);
  return it->second;
}

std::vector<int32_t> Moves::against(const Blame &blame) {
  // Equal layers have equal moves; their costs add up.
  llvm::MapVector<std::vector<int32_t>, double,
                  std::map<std::vector<int32_t>, unsigned>>
      costOf;
  for (const Blame::Op &op : ArrayRef(blame.ops).take_front(kMostRead)) {
    std::vector<int32_t> list;
    for (LayoutMove &move : factorMoves.ofOp(op.number))
      list.push_back(number({.layout = std::move(move)}));
    if (!list.empty())
      costOf[list] += op.seconds;
  }
  std::vector<std::pair<double, const std::vector<int32_t> *>> costliest;
  for (auto &[list, seconds] : costOf)
    costliest.push_back({seconds, &list});
  sortBy(costliest, [](const auto &entry) { return -entry.first; });
  costliest.resize(std::min(costliest.size(), kMostOps));

  std::vector<int32_t> found;
  std::vector<bool> isFound;
  auto add = [&](int32_t n) {
    isFound.resize(all.size());
    if (!isFound[n])
      found.push_back(n);
    isFound[n] = true;
  };
  for (auto [seconds, list] : costliest)
    llvm::for_each(*list, add);
  for (const Blame::Held &held : ArrayRef(blame.held).take_front(kMostHeld)) {
    using Kind = Blame::Held::Kind;
    std::vector<LayoutMove> moves =
        held.kind == Kind::Argument ? factorMoves.ofArgument(held.number)
        : held.kind == Kind::Result ? factorMoves.ofResult(held.number)
                                    : factorMoves.ofResultsOf(held.number);
    for (LayoutMove &move : moves)
      add(number({.layout = std::move(move)}));
  }
  return found;
}

void Moves::addColourMoves() {
  std::vector<int32_t> colours;
  double flops = 1e-30, bytes = 1e-30;
  for (auto [c, use] : llvm::enumerate(problem.colours)) {
    if (!problem.classesOf[c].empty())
      colours.push_back(c);
    flops = std::max(flops, use.kept + use.summed);
    bytes = std::max(bytes, use.argumentBytes);
  }
  auto weight = [&](int32_t c) {
    const ColourUse &use = problem.colours[c];
    return (use.kept + use.summed) / flops + use.argumentBytes / bytes;
  };
  llvm::sort(colours, [&](int32_t a, int32_t b) {
    return std::pair(-weight(a), a) < std::pair(-weight(b), b);
  });
  auto add = [&](int32_t colour, ColourDim which) {
    for (Move::Kind kind :
         {Move::Kind::ColourOfArguments, Move::Kind::ColourEverywhere})
      for (int32_t axis = 0; axis < int32_t(problem.axes.size()); ++axis)
        if (!specsOnly || kind == Move::Kind::ColourOfArguments)
          fixed.push_back(number(
              {.kind = kind, .a = axis, .b = colour, .c = int32_t(which)}));
  };
  for (int32_t colour : colours)
    add(colour, ColourDim::First);
  for (int32_t colour : colours)
    for (int32_t axis = 0; axis < int32_t(problem.axes.size()); ++axis)
      fixed.push_back(
          number({.kind = Move::Kind::NotOnColour, .a = axis, .b = colour}));
  for (int32_t colour : colours)
    if (llvm::any_of(problem.classesOf[colour], [&](int32_t c) {
          return llvm::count(problem.classes[c].colours, colour) > 1;
        }))
      add(colour, ColourDim::Last);
}

void Moves::addClassMoves() {
  std::vector<int32_t> classes;
  for (size_t c = 0; c < problem.classes.size(); ++c)
    classes.push_back(c);
  auto bytesIn = [&](int32_t c) {
    return problem.classes[c].bytes * double(problem.classes[c].sites.size());
  };
  llvm::sort(classes, [&](int32_t a, int32_t b) {
    return std::pair(-bytesIn(a), a) < std::pair(-bytesIn(b), b);
  });
  for (int32_t c : classes) {
    const SiteClass &cls = problem.classes[c];
    if (!mayAnnotate(cls))
      continue;
    for (int32_t axis = 0; axis < int32_t(problem.axes.size()); ++axis)
      for (int32_t dim = -1; dim < cls.type.getRank(); ++dim)
        fixed.push_back(
            number({.kind = Move::Kind::Class, .a = axis, .b = c, .c = dim}));
    if (cls.kind() != Site::Kind::Argument)
      fixed.push_back(number({.kind = Move::Kind::Unset, .b = c}));
  }
}

void Moves::addFixed() {
  int32_t numAxes = problem.axes.size();
  addColourMoves();
  for (int32_t axis = 0; axis < numAxes; ++axis)
    fixed.push_back(number({.kind = Move::Kind::State, .a = axis}));
  for (Move::Kind kind : {Move::Kind::Swap, Move::Kind::Order})
    for (int32_t a = 0; a < numAxes; ++a)
      for (int32_t b = a + 1; b < numAxes; ++b)
        fixed.push_back(number({.kind = kind, .a = a, .b = b}));
  llvm::copy_if(fixed, std::back_inserter(ofOrder), [&](int32_t move) {
    return all[move].kind == Move::Kind::Order;
  });
  std::vector<int32_t> batch;
  if (!specsOnly)
    batch = batchColours(problem);
  for (size_t i = 0; i < std::min<size_t>(batch.size(), 2); ++i)
    fixed.push_back(number({.kind = Move::Kind::BatchFirst, .b = batch[i]}));
  addClassMoves();
}

bool Moves::applyBatchFirst(int32_t colour, Plan &plan) const {
  bool changed = false;
  for (auto [c, cls] : llvm::enumerate(problem.classes)) {
    uint8_t priority = !llvm::is_contained(cls.colours, colour);
    if (!plan.of(c).isSet || plan.of(c).priority == priority)
      continue;
    plan.setPriority(c, priority);
    changed = true;
  }
  return changed;
}

bool Moves::applySwap(int32_t a, int32_t b, Plan &plan) const {
  bool changed = false;
  for (int32_t c = 0; c < plan.numClasses(); ++c) {
    int8_t first = plan.of(c).dimOf[a];
    int8_t second = plan.of(c).dimOf[b];
    if (first == second || !plan.of(c).isSet)
      continue;
    Plan moved = plan;
    moved.put(problem, c, a, -1);
    moved.put(problem, c, b, -1);
    if ((second >= 0 && !moved.put(problem, c, a, second)) ||
        (first >= 0 && !moved.put(problem, c, b, first)))
      continue;
    plan = std::move(moved);
    changed = true;
  }
  return changed;
}

bool Moves::apply(int32_t n, Plan &plan) const {
  const Move &move = all[n];
  switch (move.kind) {
  case Move::Kind::Layout:
    return factorMoves.apply(move.layout, plan, [&](const SiteClass &cls) {
      return mayAnnotate(cls);
    });
  case Move::Kind::ColourOfArguments:
    return putOnColour(problem, plan, move.a, move.b, false, ColourDim(move.c));
  case Move::Kind::ColourEverywhere:
    return putOnColour(problem, plan, move.a, move.b, true, ColourDim(move.c));
  case Move::Kind::NotOnColour:
    return takeFromColour(problem, plan, move.a, move.b);
  case Move::Kind::State:
    return shardState(
        problem, plan, move.a, [](const SiteClass &cls) { return cls.isState; },
        Plan(plan));
  case Move::Kind::BatchFirst:
    return applyBatchFirst(move.b, plan);
  case Move::Kind::Class:
    return plan.putInPlace(problem, move.b, move.a, move.c);
  case Move::Kind::Unset:
    if (!plan.of(move.b).isSet)
      return false;
    plan.unset(problem, move.b);
    return true;
  case Move::Kind::Swap:
    return applySwap(move.a, move.b, plan);
  case Move::Kind::Order:
    return plan.swapOrder(move.a, move.b);
  }
  llvm_unreachable("all kinds of moves return");
}

} // namespace shardwright
