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

/// Waits for the elements and hands out the buffer's memory, without a copy
/// where the host can address it.
/// The memory lives until the tensor's deleter is called, also when the buffer
/// ends before. Whoever takes it must not write. Types that DLPack lacks (4
/// bits and less, f8) are an error.
llvm::Expected<DLManagedTensor *> toDLPack(const Buffer &buffer);

/// Takes the tensor over, on success only: its deleter is called when the last
/// user of the memory is done. No copy when it is dense and aligned to 64
/// bytes. Only CPU memory.
llvm::Expected<Buffer> fromDLPack(DLManagedTensor *tensor, DeviceId device,
                                  Client &client = Client::shared());

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_DLPACK_H
