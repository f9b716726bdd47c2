//===- optimized_program.h - collectives of compiled programs ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_CLIENT_OPTIMIZED_PROGRAM_H
#define SHARDWRIGHT_PJRT_CLIENT_OPTIMIZED_PROGRAM_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace shardwright::pjrt_client {

/// Collectives of one kind in a compiled program; loops count once.
struct CollectiveCount {
  std::string kind; ///< `all-reduce`
  int64_t count = 0;
  int64_t resultBytes = 0; ///< 0 if unknown
};

/// Counts the collectives of a program in the format that its compiler names:
/// `hlo`, `hlo_with_config` (xla.HloModuleProto) or `mlir` (text). The result
/// of an asynchronous start counts, without its operands. Returns nothing for
/// malformed bytes and other formats.
std::optional<std::vector<CollectiveCount>>
countCollectives(llvm::StringRef format, llvm::StringRef code);

} // namespace shardwright::pjrt_client

#endif // SHARDWRIGHT_PJRT_CLIENT_OPTIMIZED_PROGRAM_H
