//===- packed_elements.h - elements of fewer than 8 bits --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_SUPPORT_PACKED_ELEMENTS_H
#define SHARDWRIGHT_SUPPORT_PACKED_ELEMENTS_H

#include <cstdint>

namespace shardwright {

// Our arrays have a byte for each element. DLPack and FFI handlers of XLA have
// several elements of 1, 2 or 4 bits in a byte, the first in its lowest bits.

/// The bytes of packed elements.
int64_t packedBytes(int64_t count, int bits);
/// Writes packedBytes(count, bits) bytes.
void packElements(const void *elements, int64_t count, int bits, void *bytes);
/// Writes `count` bytes, which keep the sign of signed elements.
void unpackElements(const void *bytes, int64_t count, int bits, bool isSigned,
                    void *elements);

} // namespace shardwright

#endif // SHARDWRIGHT_SUPPORT_PACKED_ELEMENTS_H
