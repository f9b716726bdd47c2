//===- offer_handlers.h - XLA's handlers in programs ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CALLBACKS_OFFER_HANDLERS_H
#define SHARDWRIGHT_FRONTEND_CALLBACKS_OFFER_HANDLERS_H

#include <cstdint>

namespace shardwright::frontend::ffi {

/// From now on, programs look targets that are not functions of C++ up among
/// the handlers of XLA's FFI (xla_handlers.h).
void offerXlaHandlers();
/// How often targets were registered as batch partitionable: programs that were
/// compiled before may gather what they need not.
int64_t countOfPartitionable();

} // namespace shardwright::frontend::ffi

#endif // SHARDWRIGHT_FRONTEND_CALLBACKS_OFFER_HANDLERS_H
