//===- inspect_sharding.h - the shardings that were chosen ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_API_INSPECT_SHARDING_H
#define SHARDWRIGHT_FRONTEND_API_INSPECT_SHARDING_H

#include "shardwright/frontend/array/tensor.h"

#include <functional>

namespace shardwright::frontend {

/// Calls the function with the sharding of a value: of an array at once, of a
/// traced value while its program is compiled for several devices, after
/// propagation, or lowered for one. An exception is the error of the program.
/// JAX: jax.debug.inspect_array_sharding.
Status inspectArraySharding(const Tensor &x,
                            std::function<void(const Sharding &)> callback);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_API_INSPECT_SHARDING_H
