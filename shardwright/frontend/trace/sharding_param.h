//===- sharding_param.h - shardings as parameters ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_TRACE_SHARDING_PARAM_H
#define SHARDWRIGHT_FRONTEND_TRACE_SHARDING_PARAM_H

#include "shardwright/frontend/mesh/layout.h"
#include "shardwright/frontend/trace/jaxpr.h"

namespace shardwright::frontend {

/// A sharding in an equation.
struct ShardingParam : ParamObject {
  explicit ShardingParam(Sharding s) : sharding(std::move(s)) {}
  std::string str() const override { return sharding.str(); }
  std::string key() const override {
    return cat(reinterpret_cast<uintptr_t>(sharding.mesh().identity()),
               sharding.str());
  }
  Sharding sharding;
};

/// Shardings of the operands or results of an equation; not specified: none.
struct ShardingsParam : ParamObject {
  explicit ShardingsParam(std::vector<Sharding> s) : shardings(std::move(s)) {}
  std::string str() const override {
    std::string out = "(";
    for (size_t i = 0; i < shardings.size(); ++i)
      out +=
          cat(i ? ", " : "", shardings[i].isSpecified() ? shardings[i].str()
                                                        : "UnspecifiedValue");
    return out + (shardings.size() == 1 ? ",)" : ")");
  }
  std::string key() const override {
    std::string out = str();
    for (const Sharding &s : shardings)
      out += cat(" ", reinterpret_cast<uintptr_t>(s.mesh().identity()));
    return out;
  }
  std::vector<Sharding> shardings;
};

/// Layouts of the operands or results of an equation.
struct LayoutsParam : ParamObject {
  explicit LayoutsParam(std::vector<std::optional<Layout>> l)
      : layouts(std::move(l)) {}
  std::string str() const override {
    std::string out = "(";
    for (size_t i = 0; i < layouts.size(); ++i)
      out += cat(i ? ", " : "", layouts[i] ? layouts[i]->str() : "None");
    return out + (layouts.size() == 1 ? ",)" : ")");
  }
  std::vector<std::optional<Layout>> layouts;
};

/// Calls `visit` with each sharding in the parameters of a program's equations,
/// those of inner programs included.
inline void forEachSharding(
    const Jaxpr &jaxpr,
    const std::function<void(const Eqn &, const Sharding &)> &visit) {
  for (const Eqn &eqn : jaxpr.eqns) {
    for (const auto &[name, value] : eqn.params)
      if (const auto *param = eqn.params.object<ShardingParam>(name))
        visit(eqn, param->sharding);
      else if (const auto *list = eqn.params.object<ShardingsParam>(name))
        for (const Sharding &s : list->shardings)
          visit(eqn, s);
    Jaxpr::forEachInner(eqn.params, [&](const JaxprPtr &inner) {
      forEachSharding(*inner, visit);
    });
  }
}

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_TRACE_SHARDING_PARAM_H
