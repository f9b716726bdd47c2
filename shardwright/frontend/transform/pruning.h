//===- pruning.h - programs without dead code ------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_TRANSFORM_PRUNING_H
#define SHARDWRIGHT_FRONTEND_TRANSFORM_PRUNING_H

#include "shardwright/frontend/base/lists.h"
#include "shardwright/frontend/transform/forwarding.h"

#include <map>

namespace shardwright::frontend {

/// Which inputs the equations and results of a program use.
inline std::vector<bool> inputsInUse(const Jaxpr &jaxpr) {
  std::vector<bool> used = usedVariables(jaxpr), out;
  for (int32_t var : jaxpr.ins)
    out.push_back(used[var]);
  return out;
}

/// The program that computes only some results; its inputs stay.
inline JaxprPtr withLiveResults(const JaxprPtr &jaxpr,
                                const std::vector<bool> &live) {
  return eliminateDeadCode(*withResults(jaxpr, live));
}

/// The program with only these inputs.
inline JaxprPtr withInputs(const JaxprPtr &jaxpr,
                           const std::vector<bool> &keep) {
  auto out = std::make_shared<Jaxpr>(*jaxpr);
  out->ins = chosenEntries(jaxpr->ins, keep);
  return out;
}

/// A program that computes only some results, from the inputs that it needs.
struct PrunedProgram {
  JaxprPtr jaxpr;
  std::vector<bool> inputs; ///< which of them it needs
};

/// Equal programs and results in use give one program, and a program without
/// dead code is itself, so that functions of a module are shared.
inline PrunedProgram prunedProgram(const JaxprPtr &jaxpr,
                                   const std::vector<bool> &live) {
  struct Entry {
    JaxprPtr original;
    PrunedProgram pruned;
  };
  using Key = std::pair<const Jaxpr *, std::vector<bool>>;
  static thread_local std::map<Key, Entry> made;
  constexpr size_t kMost = 64;
  auto found = made.find({jaxpr.get(), live});
  if (found != made.end())
    return found->second.pruned;
  JaxprPtr body = withLiveResults(jaxpr, live);
  PrunedProgram out{nullptr, inputsInUse(*body)};
  auto isWhole = [](const std::vector<bool> &list) {
    return std::find(list.begin(), list.end(), false) == list.end();
  };
  bool same = body->eqns.size() == jaxpr->eqns.size() && isWhole(live) &&
              isWhole(out.inputs);
  out.jaxpr = same ? jaxpr : withInputs(body, out.inputs);
  if (made.size() >= kMost)
    made.clear();
  made[{jaxpr.get(), live}] = {jaxpr, out};
  return out;
}

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_TRANSFORM_PRUNING_H
