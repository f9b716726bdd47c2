//===- split_trace.h - known and unknown values ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_TRANSFORM_SPLIT_TRACE_H
#define SHARDWRIGHT_FRONTEND_TRANSFORM_SPLIT_TRACE_H

#include "shardwright/frontend/transform/transform.h"

namespace shardwright::frontend {

/// Records what depends on unknown values in one trace, and does the rest in
/// another.
class SplitTrace final : public Trace {
public:
  SplitTrace(TracePtr k, std::shared_ptr<JaxprTrace> u)
      : known(std::move(k)), unknown(std::move(u)) {
    parent = known;
  }
  Tensors bind(const Primitive &primitive, const Tensors &args,
               const Params &params) override {
    for (const Tensor &arg : args)
      if (tracerOf<JaxprTracer>(arg, unknown.get()))
        return unknown->bind(primitive, args, params);
    return bindIn(known, primitive, args, params);
  }

private:
  TracePtr known;
  std::shared_ptr<JaxprTrace> unknown;
};

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_TRANSFORM_SPLIT_TRACE_H
