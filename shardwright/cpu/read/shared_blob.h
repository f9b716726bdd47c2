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

/// The bytes of a resource where they are, alive as long as the pointer or the
/// context, whichever is longer. From then on they cannot be changed through
/// the context. Null for a resource that does not own its bytes: nobody knows
/// how long they are there. No other thread may use the entry meanwhile.
std::shared_ptr<const void>
shareBlob(mlir::DialectResourceBlobManager::BlobEntry &entry);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_READ_SHARED_BLOB_H
