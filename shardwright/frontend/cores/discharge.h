//===- discharge.h - programs without references ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CORES_DISCHARGE_H
#define SHARDWRIGHT_FRONTEND_CORES_DISCHARGE_H

#include "shardwright/frontend/trace/primitive.h"

namespace shardwright::frontend {

/// The program with values in place of its references: inputs are what they
/// hold, and the results are followed by what the references among the inputs
/// hold at the end. JAX: discharge_state.
Expected<JaxprPtr> discharge(const JaxprPtr &jaxpr);

/// Applies an equation to values in place of references. `refs`: which of the
/// operands those are. On success `ins` has their new values.
Tensors dischargeEqn(const Eqn &eqn, Tensors &ins,
                     const std::vector<bool> &refs);
/// The same for loops and branches.
Tensors dischargeScan(const Params &params, Tensors &ins,
                      const std::vector<bool> &refs);
Tensors dischargeWhile(const Eqn &eqn, Tensors &ins,
                       const std::vector<bool> &refs);
Tensors dischargeCond(const Params &params, Tensors &ins,
                      const std::vector<bool> &refs);

/// Which inputs of a program are references.
std::vector<bool> refInputs(const Jaxpr &jaxpr);
/// Takes the last results, one for each reference, as their new values.
Tensors takeNewValues(Tensors outs, Tensors &ins,
                      const std::vector<bool> &refs);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_CORES_DISCHARGE_H
