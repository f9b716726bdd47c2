//===- callback_store.h - the client's key-value store ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_API_CALLBACK_STORE_H
#define SHARDWRIGHT_PJRT_API_CALLBACK_STORE_H

#include "shardwright/job/key_value_store.h"
#include "shardwright/pjrt_abi/client.h"

#include <memory>

namespace shardwright::pjrt {

/// The store behind the callbacks of PJRT_Client_Create, which a client may
/// only use within that call. All keys get the prefix `prefix`. Returns an
/// error if there are no callbacks.
///
/// Clients that create no job leave the callbacks uninitialised: call this only
/// for a job.
llvm::Expected<std::unique_ptr<KeyValueStore>>
makeCallbackStore(const PJRT_Client_Create_Args &args, std::string prefix);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_API_CALLBACK_STORE_H
