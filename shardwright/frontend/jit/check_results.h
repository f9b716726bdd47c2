//===- check_results.h - NaN and infinity in results ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_JIT_CHECK_RESULTS_H
#define SHARDWRIGHT_FRONTEND_JIT_CHECK_RESULTS_H

#include "shardwright/frontend/array/tensor.h"

namespace shardwright::frontend {

/// An error that names `where` if a result contains NaN and config::debugNans
/// is set, or infinity and config::debugInfs is set. Waits for the results.
Status checkResults(const Tensors &results, const std::string &where);

/// The error for a jitted function whose results are invalid, though no
/// primitive gives an invalid result without jit.
Error invalidResult(const std::string &function, const Tensors &results);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_JIT_CHECK_RESULTS_H
