//===- result_types.h - calls whose results have given types ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CALLBACKS_RESULT_TYPES_H
#define SHARDWRIGHT_FRONTEND_CALLBACKS_RESULT_TYPES_H

#include "shardwright/frontend/trace/primitive.h"

namespace shardwright::frontend {

/// The parameter `result_avals`.
Param resultTypesParam(std::vector<Aval> types);
const std::vector<Aval> &resultsOf(const Params &params);

/// Calls with one example after another, in a loop.
BatchResult batchCallInLoop(const Primitive &self, const BatchAxis &axis,
                            const Tensors &in, const Ints &dims,
                            const Params &params, int64_t unroll);
/// As the parameter `vmap_method` says: in a loop, or once with all examples.
BatchResult batchCall(const Primitive &self, const BatchAxis &axis,
                      const Tensors &in, const Ints &dims,
                      const Params &params);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_CALLBACKS_RESULT_TYPES_H
