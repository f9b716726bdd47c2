//===- bytecode_version.h - versions of sdy in bytecode ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_SDY_BYTECODE_VERSION_H
#define SHARDWRIGHT_DIALECT_SDY_BYTECODE_VERSION_H

#include "mlir/Bytecode/BytecodeImplementation.h"

#include <tuple>

namespace shardwright::sdy {

/// Version of the encoding of sdy attributes; by default the current one. Give
/// it to `BytecodeWriterConfig::setDialectVersion<SdyDialect>` to write for
/// older readers. Before 0.0.2 all unreduced axes are sums: writing those of
/// another kind is an error.
struct SdyVersion : mlir::DialectVersion {
  uint64_t major = 0, minor = 0, patch = 2;

  SdyVersion() = default;
  SdyVersion(uint64_t major, uint64_t minor, uint64_t patch)
      : major(major), minor(minor), patch(patch) {}
  bool isOlderThan(const SdyVersion &other) const {
    return std::tie(major, minor, patch) <
           std::tie(other.major, other.minor, other.patch);
  }
};

} // namespace shardwright::sdy

#endif // SHARDWRIGHT_DIALECT_SDY_BYTECODE_VERSION_H
