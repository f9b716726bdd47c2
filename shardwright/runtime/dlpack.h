//===- dlpack.h - buffers shared with other libraries -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_DLPACK_H
#define SHARDWRIGHT_RUNTIME_DLPACK_H

#include "shardwright/runtime/client.h"

struct DLManagedTensor;

namespace shardwright {

/// Waits for the elements and exports the buffer's memory, without a copy if
/// the host can address it. The memory lives until the tensor's deleter is
/// called, even if the buffer is deleted earlier. The consumer must not write
/// to it. Elements of f4E2M1FN are copied, two to a
/// byte. Fails for types that DLPack lacks (integers of 4 bits and less, f6).
llvm::Expected<DLManagedTensor *> toDLPack(const Buffer &buffer);

/// Takes ownership of the tensor on success: its deleter is called when the
/// last user of the memory is done. Dense memory aligned to 64 bytes is not
/// copied. Supports only CPU memory.
llvm::Expected<Buffer> fromDLPack(DLManagedTensor *tensor, DeviceId device,
                                  Client &client = Client::shared());

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_DLPACK_H
