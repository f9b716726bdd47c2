//===- counter_random.h - Threefry and Philox -------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions from a key and a counter to random words: Threefry-2x32 with 20
// rounds and Philox-4x32 with 10 rounds (Salmon et al., SC 2011).
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_LIBRARY_COUNTER_RANDOM_H
#define SHARDWRIGHT_CPU_LIBRARY_COUNTER_RANDOM_H

#include <bit>
#include <cstdint>

namespace shardwright::cpu {

/// Encrypts (x0, x1) in place.
inline void threefry2x32(uint32_t k0, uint32_t k1, uint32_t &x0, uint32_t &x1) {
  constexpr int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t key[3] = {k0, k1, k0 ^ k1 ^ 0x1BD11BDA};
  uint32_t a = x0 + key[0], b = x1 + key[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (int rotation : rotations[group % 2]) {
      a += b;
      b = std::rotl(b, rotation) ^ a;
    }
    a += key[(group + 1) % 3];
    b += key[(group + 2) % 3] + group + 1;
  }
  x0 = a;
  x1 = b;
}

struct PhiloxBlock {
  uint32_t word[4];
};

/// Encrypts a 128-bit counter.
inline PhiloxBlock philox4x32(uint64_t key, uint64_t low, uint64_t high) {
  uint32_t k0 = uint32_t(key), k1 = uint32_t(key >> 32);
  uint32_t x0 = uint32_t(low), x1 = uint32_t(low >> 32);
  uint32_t x2 = uint32_t(high), x3 = uint32_t(high >> 32);
  for (int round = 0; round < 10; ++round) {
    uint64_t p0 = uint64_t(x0) * 0xD2511F53, p2 = uint64_t(x2) * 0xCD9E8D57;
    x0 = uint32_t(p2 >> 32) ^ x1 ^ k0;
    x1 = uint32_t(p2);
    x2 = uint32_t(p0 >> 32) ^ x3 ^ k1;
    x3 = uint32_t(p0);
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return {{x0, x1, x2, x3}};
}

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_LIBRARY_COUNTER_RANDOM_H
