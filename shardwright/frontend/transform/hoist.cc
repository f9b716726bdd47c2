//===- hoist.cc - moves known values out of a program ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/transform/split_trace.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

/// The order in which JAX gives numbers to the constants of a program: that of
/// its topological sort, which begins at the inputs and results.
class ConstantOrder {
public:
  explicit ConstantOrder(const Jaxpr &jaxpr)
      : parents(jaxpr.types.size()), constantOf(jaxpr.types.size(), -1),
        isConstant(jaxpr.types.size()) {
    for (int32_t var : jaxpr.constVars)
      isConstant[var] = true;
    for (const Eqn &eqn : jaxpr.eqns) {
      std::vector<int32_t> nodes;
      for (const Atom &atom : eqn.ins)
        if (atom.isVar())
          nodes.push_back(nodeOf(atom.var));
      for (int32_t var : eqn.outs)
        parents[var] = nodes;
    }
    ends = jaxpr.ins;
    for (const Atom &atom : jaxpr.outs)
      if (atom.isVar())
        ends.push_back(nodeOf(atom.var));
  }
  /// The constant variables, in order.
  std::vector<int32_t> get() {
    std::vector<int32_t> found;
    for (int32_t node : sorted())
      if (int32_t var = constantOf[node]; var >= 0)
        if (std::find(found.begin(), found.end(), var) == found.end())
          found.push_back(var);
    return found;
  }

private:
  /// Each use of a constant is a node of its own.
  int32_t nodeOf(int32_t var) {
    if (!isConstant[var])
      return var;
    constantOf.push_back(var);
    parents.emplace_back();
    return static_cast<int32_t>(parents.size()) - 1;
  }
  std::vector<int32_t> sorted() {
    std::vector<int32_t> unique, stack, out;
    std::vector<int64_t> uses(parents.size());
    for (int32_t node : ends)
      if (std::find(unique.begin(), unique.end(), node) == unique.end())
        unique.push_back(node);
    stack = unique;
    while (!stack.empty()) {
      int32_t node = stack.back();
      stack.pop_back();
      if (uses[node]++ == 0)
        stack.insert(stack.end(), parents[node].begin(), parents[node].end());
    }
    for (int32_t node : unique)
      if (--uses[node] == 0)
        stack.push_back(node);
    while (!stack.empty()) {
      int32_t node = stack.back();
      stack.pop_back();
      out.push_back(node);
      for (int32_t before : parents[node])
        if (uses[before] == 1)
          stack.push_back(before);
        else
          --uses[before];
    }
    std::reverse(out.begin(), out.end());
    return out;
  }

  std::vector<std::vector<int32_t>> parents;
  /// Of each node: the constant of which it is a use, or -1.
  std::vector<int32_t> constantOf, ends;
  std::vector<bool> isConstant;
};

/// The program with its constants in JAX's order.
JaxprPtr withOrderedConstants(const Jaxpr &jaxpr) {
  auto out = std::make_shared<Jaxpr>(jaxpr);
  out->constVars = ConstantOrder(jaxpr).get();
  out->consts.clear();
  for (int32_t var : out->constVars)
    out->consts.push_back(jaxpr.consts[std::find(jaxpr.constVars.begin(),
                                                 jaxpr.constVars.end(), var) -
                                       jaxpr.constVars.begin()]);
  return out;
}

} // namespace

Expected<HoistedJaxpr> hoistKnown(const JaxprPtr &jaxpr, const Tensors &known,
                                  size_t numResults) {
  auto inside = std::make_shared<JaxprTrace>();
  inside->parent = currentTrace();
  Tensors args = known;
  for (size_t i = known.size(); i < jaxpr->ins.size(); ++i)
    args.push_back(inside->input(jaxpr->types[jaxpr->ins[i]]));
  Tensors outs;
  {
    ScopedTrace scope(std::make_shared<SplitTrace>(currentTrace(), inside));
    outs = evalJaxpr(*jaxpr, args);
  }
  HoistedJaxpr result;
  Tensors made;
  for (size_t i = 0; i < outs.size(); ++i) {
    bool isKnown = outs[i].ok() && i >= numResults &&
                   !tracerOf<JaxprTracer>(outs[i], inside.get());
    result.known.push_back(isKnown ? MaybeTensor(outs[i]) : MaybeTensor());
    if (!isKnown)
      made.push_back(outs[i]);
  }
  Expected<JaxprPtr> finished = inside->finish(made, jaxpr->name);
  if (!finished)
    return finished.error();
  JaxprPtr ordered = withOrderedConstants(*eliminateDeadCode(**finished));
  result.consts = ordered->consts;
  result.jaxpr = constantsToInputs(ordered);
  return result;
}

} // namespace shardwright::frontend
