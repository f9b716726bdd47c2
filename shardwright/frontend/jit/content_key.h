//===- content_key.h - keys of programs by content --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hashes and equality of what a cached program depends on. Programs in
// parameters are compared by content; their constants, and functions of the
// user, by identity. Whoever keeps the parameters keeps those alive, so that an
// identity is not used again.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_JIT_CONTENT_KEY_H
#define SHARDWRIGHT_FRONTEND_JIT_CONTENT_KEY_H

#include "shardwright/frontend/trace/params.h"

namespace shardwright::frontend {

/// A hash that grows by what is added.
class Hash {
public:
  void add(uint64_t v) {
    value = (value ^ v) * 0x9e3779b97f4a7c15u;
    value ^= value >> 29;
  }
  void add(std::string_view text) { add(std::hash<std::string_view>()(text)); }
  void add(const void *identity) { add(reinterpret_cast<uintptr_t>(identity)); }
  /// Equal for values with the same content.
  void add(const Params &params);
  void add(const Aval &aval);
  void add(const Sharding &sharding);

  uint64_t value = 0;
};

bool sameContent(const Params &a, const Params &b);
/// Weakness and mesh included.
bool sameContent(const Aval &a, const Aval &b);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_JIT_CONTENT_KEY_H
