//===- packed_elements.cc - elements of fewer than 8 bits -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/support/packed_elements.h"

#include <algorithm>

namespace shardwright {

int64_t packedBytes(int64_t count, int bits) {
  int64_t perByte = 8 / bits;
  return (count + perByte - 1) / perByte;
}

void packElements(const void *elements, int64_t count, int bits, void *bytes) {
  const auto *from = static_cast<const uint8_t *>(elements);
  auto *to = static_cast<uint8_t *>(bytes);
  int64_t perByte = 8 / bits;
  auto mask = static_cast<uint8_t>((1 << bits) - 1);
  std::fill_n(to, packedBytes(count, bits), 0);
  for (int64_t i = 0; i < count; ++i)
    to[i / perByte] |= (from[i] & mask) << (i % perByte * bits);
}

void unpackElements(const void *bytes, int64_t count, int bits, bool isSigned,
                    void *elements) {
  const auto *from = static_cast<const uint8_t *>(bytes);
  auto *to = static_cast<uint8_t *>(elements);
  int64_t perByte = 8 / bits;
  auto mask = static_cast<uint8_t>((1 << bits) - 1);
  for (int64_t i = 0; i < count; ++i) {
    uint8_t value = from[i / perByte] >> (i % perByte * bits) & mask;
    if (isSigned && value >> (bits - 1))
      value |= ~mask;
    to[i] = value;
  }
}

} // namespace shardwright
