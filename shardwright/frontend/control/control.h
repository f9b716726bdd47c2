//===- control.h - loops and branches ---------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CONTROL_CONTROL_H
#define SHARDWRIGHT_FRONTEND_CONTROL_CONTROL_H

#include "shardwright/frontend/transform/transform.h"

namespace shardwright::frontend {

/// `body`: carry, then one slice of each of `xs`, to carry, then results that
/// are stacked. JAX: lax.scan.
Tensors scanFlat(const TensorsFunction &body, const Tensors &init,
                 const Tensors &xs, int64_t length, bool reverse);
/// JAX: lax.while_loop.
Tensors whileFlat(const TensorsFunction &condition, const TensorsFunction &body,
                  const Tensors &init);
/// Applies the branch of this number (clamped). JAX: lax.switch.
Tensors switchFlat(const Tensor &index,
                   const std::vector<TensorsFunction> &branches,
                   const Tensors &operands);
/// Computes the body again in the backward pass. JAX: jax.checkpoint.
Tensors checkpointFlat(const TensorsFunction &body, const Tensors &args);

/// The program with its inputs and results in another order.
JaxprPtr reordered(const JaxprPtr &jaxpr, const std::vector<size_t> &ins,
                   const std::vector<size_t> &outs);
/// Which of the values are given.
std::vector<bool> given(const MaybeTensors &values);
/// Error results for a failed rule.
JvpResult failedJvp(const Error &error);
/// Types of a loop's carry before and after, or JAX's error.
Status checkCarry(const std::string &loop, const std::vector<Aval> &before,
                  const std::vector<Aval> &after);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_CONTROL_CONTROL_H
