//===- buffers.h - buffers of FFI calls ---------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FFI_BUFFERS_H
#define SHARDWRIGHT_FFI_BUFFERS_H

#include "shardwright/pjrt_abi/ffi.h"
#include "shardwright/runtime/custom_call.h"

#include <memory>
#include <vector>

namespace shardwright::ffi {

/// The operands or the results of one call, including tokens. Our buffers hold
/// elements of less than 8 bits in one byte each; handlers get them packed, the
/// first element in the lowest bits, in memory of this object.
class FfiBuffers {
public:
  /// A buffer that shares memory with one of `inputs` also shares its packed
  /// memory.
  FfiBuffers(llvm::ArrayRef<CustomCallBuffer> buffers,
             llvm::ArrayRef<int64_t> tokens,
             const FfiBuffers *inputs = nullptr);
  FfiBuffers(const FfiBuffers &) = delete;

  /// Fails for element types that FFI does not support, or if memory is
  /// exhausted.
  llvm::Error check() const;
  /// Copies operands to the packed memory, and results from it.
  void pack();
  void unpack() const;

  llvm::MutableArrayRef<XLA_FFI_Buffer> buffers() { return list; }
  XLA_FFI_Args args();
  XLA_FFI_Rets rets();

private:
  struct Packed {
    CustomCallBuffer plain;
    int bits;
    std::shared_ptr<void> bytes;
  };
  std::vector<XLA_FFI_Buffer> list;
  std::vector<void *> pointers;
  std::vector<int> types;
  std::vector<Packed> packed;
  std::string problem;
};

} // namespace shardwright::ffi

#endif // SHARDWRIGHT_FFI_BUFFERS_H
