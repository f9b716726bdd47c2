//===- callbacks.h - calls of host functions as equations ----- -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CALLBACKS_CALLBACKS_H
#define SHARDWRIGHT_FRONTEND_CALLBACKS_CALLBACKS_H

#include "shardwright/frontend/callbacks/host_callback.h"

namespace shardwright::frontend {

/// Applies pure_callback. `method`: how it is batched, as JAX names it; empty:
/// not at all. `device`: that of the call; none: the first of the program.
Tensors bindPureCallback(const CallbackPtr &callback,
                         const std::vector<Aval> &results,
                         const std::string &method,
                         std::optional<Device> device, const Tensors &args);
/// Applies io_callback.
Tensors bindIoCallback(const CallbackPtr &callback,
                       const std::vector<Aval> &results, bool ordered,
                       std::optional<Device> device, const Tensors &args);
/// Applies debug_callback, or debug_print if there is a format.
Status bindDebugCallback(const CallbackPtr &callback,
                         const std::optional<std::string> &format, bool ordered,
                         bool partitioned, const Tensors &args);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_CALLBACKS_CALLBACKS_H
