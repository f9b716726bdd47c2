//===- buffers.cc - buffers of FFI calls ------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/ffi/buffers.h"

#include "shardwright/ffi/types.h"
#include "shardwright/support/host_memory.h"
#include "shardwright/support/packed_elements.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardwright;
using namespace shardwright::ffi;

static constexpr int tokenType = 17;

FfiBuffers::FfiBuffers(llvm::ArrayRef<CustomCallBuffer> given,
                       llvm::ArrayRef<int64_t> tokens,
                       const FfiBuffers *inputs) {
  size_t count = given.size() + tokens.size();
  list.reserve(count);
  packed.reserve(given.size());
  static char tokenMemory;
  while (list.size() < count) {
    if (!tokens.empty() && tokens.front() == int64_t(list.size())) {
      tokens = tokens.drop_front();
      list.push_back({sizeof(XLA_FFI_Buffer), nullptr, tokenType, &tokenMemory,
                      0, nullptr});
      continue;
    }
    const CustomCallBuffer &buffer = given.front();
    given = given.drop_front();
    std::optional<int> type = ffiType(buffer.type);
    if (!type && problem.empty())
      problem =
          ("UNIMPLEMENTED: arrays of " + str(buffer.type) +
           " as operands or results of foreign functions are not supported")
              .str();
    void *data = buffer.data;
    if (int bits = bitWidth(buffer.type);
        bits < 8 && buffer.type != ElementType::Pred) {
      std::shared_ptr<void> bytes;
      if (inputs)
        for (const Packed &other : inputs->packed)
          if (other.plain.data == buffer.data)
            bytes = other.bytes;
      if (!bytes) // one byte per element, as in XLA
        bytes = cpu::allocateHost(std::max<int64_t>(buffer.elements(), 1));
      if (!bytes && problem.empty())
        problem = "RESOURCE_EXHAUSTED: not enough memory to pack an array of " +
                  str(buffer.type).str();
      data = bytes.get();
      packed.push_back({buffer, bits, std::move(bytes)});
    }
    list.push_back({sizeof(XLA_FFI_Buffer), nullptr, type.value_or(0), data,
                    int64_t(buffer.shape.size()),
                    const_cast<int64_t *>(buffer.shape.data())});
  }
  for (XLA_FFI_Buffer &buffer : list) {
    pointers.push_back(&buffer);
    types.push_back(XLA_FFI_ArgType_BUFFER);
  }
}

llvm::Error FfiBuffers::check() const {
  if (problem.empty())
    return llvm::Error::success();
  return llvm::createStringError(problem);
}

void FfiBuffers::pack() {
  for (const Packed &p : packed)
    packElements(p.plain.data, p.plain.elements(), p.bits, p.bytes.get());
}

void FfiBuffers::unpack() const {
  for (const Packed &p : packed)
    unpackElements(p.bytes.get(), p.plain.elements(), p.bits,
                   isSignedInteger(p.plain.type), p.plain.data);
}

XLA_FFI_Args FfiBuffers::args() {
  return {sizeof(XLA_FFI_Args), nullptr, int64_t(list.size()), types.data(),
          pointers.data()};
}

XLA_FFI_Rets FfiBuffers::rets() {
  return {sizeof(XLA_FFI_Rets), nullptr, int64_t(list.size()), types.data(),
          pointers.data()};
}
