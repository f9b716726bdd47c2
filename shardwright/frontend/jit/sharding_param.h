//===- sharding_param.h - shardings as parameters ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_JIT_SHARDING_PARAM_H
#define SHARDWRIGHT_FRONTEND_JIT_SHARDING_PARAM_H

#include "shardwright/frontend/trace/params.h"

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

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_JIT_SHARDING_PARAM_H
