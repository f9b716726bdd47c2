//===- shared_blob.h - a resource that outlives its context -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_READ_SHARED_BLOB_H
#define SHARDWRIGHT_CPU_READ_SHARED_BLOB_H

#include "mlir/IR/DialectResourceBlobManager.h"

#include <memory>

namespace shardwright::cpu {

/// Shares ownership of the bytes of a resource without a copy. They live as
/// long as the returned pointer or the context, whichever is longer, and can no
/// longer be changed through the context. Returns null for a resource that does
/// not own its bytes. No other thread may use the entry during the call.
std::shared_ptr<const void>
shareBlob(mlir::DialectResourceBlobManager::BlobEntry &entry);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_READ_SHARED_BLOB_H
