//===- bytecode_producer.h - who writes MLIR bytecode -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain MLIR bytecode does not number the versions of StableHLO and CHLO. Ops
// that have got properties since are told apart by the producer in the header:
// jaxlib 0.10.2 says MLIR23.0.0git, 0.12 MLIR24.0.0git.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_SUPPORT_BYTECODE_PRODUCER_H
#define SHARDWRIGHT_SUPPORT_BYTECODE_PRODUCER_H

#include "llvm/ADT/StringRef.h"

namespace shardwright {

/// The producer that the header of MLIR bytecode names, a part of `content`;
/// empty if it is no bytecode.
llvm::StringRef bytecodeProducer(llvm::StringRef content);

/// While it lives, ops that this thread reads from bytecode are read as the
/// producer of `content` writes them. One at a time in each thread.
class ReadsBytecodeOf {
public:
  explicit ReadsBytecodeOf(llvm::StringRef content);
  ~ReadsBytecodeOf();
  ReadsBytecodeOf(const ReadsBytecodeOf &) = delete;
  ReadsBytecodeOf &operator=(const ReadsBytecodeOf &) = delete;

  /// True if the producer is jaxlib 0.12 or as new; false if it is older, ours
  /// or unknown.
  static bool isNewProducer();
};

/// While it lives, this thread writes ops to bytecode as jaxlib 0.10 reads
/// them, where that can say the op; otherwise as jaxlib 0.12 does. One at a
/// time in each thread.
class WritesBytecodeForOldReaders {
public:
  WritesBytecodeForOldReaders();
  ~WritesBytecodeForOldReaders();
  WritesBytecodeForOldReaders(const WritesBytecodeForOldReaders &) = delete;
  WritesBytecodeForOldReaders &
  operator=(const WritesBytecodeForOldReaders &) = delete;

  static bool isActive();
  /// An op that older readers would take for another one was written.
  static void refuse();
  /// True if refuse() was called since the constructor.
  static bool hasRefused();
};

} // namespace shardwright

#endif // SHARDWRIGHT_SUPPORT_BYTECODE_PRODUCER_H
