//===- sharding_param.h - shardings as parameters ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_JIT_SHARDING_PARAM_H
#define SHARDWRIGHT_FRONTEND_JIT_SHARDING_PARAM_H

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

/// Calls `visit` with each sharding in the parameters of a program's equations,
/// those of inner programs included.
inline void forEachSharding(
    const Jaxpr &jaxpr,
    const std::function<void(const Eqn &, const Sharding &)> &visit) {
  for (const Eqn &eqn : jaxpr.eqns) {
    for (const auto &[name, value] : eqn.params)
      if (const auto *param = eqn.params.object<ShardingParam>(name))
        visit(eqn, param->sharding);
    Jaxpr::forEachInner(eqn.params, [&](const JaxprPtr &inner) {
      forEachSharding(*inner, visit);
    });
  }
}

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_JIT_SHARDING_PARAM_H
