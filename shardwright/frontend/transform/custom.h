//===- custom.h - functions with derivatives of their own -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_TRANSFORM_CUSTOM_H
#define SHARDWRIGHT_FRONTEND_TRANSFORM_CUSTOM_H

#include "shardwright/frontend/transform/transform.h"

namespace shardwright::frontend {

/// Applies a function whose derivative is `rule`: primals, then tangents (zeros
/// where there is none), to results, then their tangents. `name`: of the
/// function, in programs and messages. JAX: jax.custom_jvp.
Tensors customJvpFlat(const std::string &name, const TensorsFunction &function,
                      const TensorsFunction &rule, const Tensors &args,
                      const std::string &ruleName = "<lambda>");

/// Applies a function whose reverse derivative is given. `forward`: arguments
/// to results, then residuals. `backward`: residuals, then cotangents of the
/// results, to those of the arguments. JAX: jax.custom_vjp.
Tensors customVjpFlat(const std::string &name, const TensorsFunction &function,
                      const TensorsFunction &forward,
                      const TensorsFunction &backward, const Tensors &args);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_TRANSFORM_CUSTOM_H
