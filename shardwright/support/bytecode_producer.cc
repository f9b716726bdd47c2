//===- bytecode_producer.cc - who writes MLIR bytecode --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/support/bytecode_producer.h"

#include "llvm/ADT/bit.h"

using namespace shardwright;
using llvm::StringRef;

/// The first version of MLIR, built from its main branch, that jaxlib 0.12
/// contains.
static constexpr unsigned newMlir = 24;

static thread_local bool isNew = false;
static thread_local bool forOldReaders = false;
static thread_local bool isRefused = false;

StringRef shardwright::bytecodeProducer(StringRef content) {
  if (!content.consume_front("ML\xefR") || content.empty())
    return {};
  // A varint: as many zero bits at the end of its first byte as bytes follow.
  content = content.drop_front(std::min<size_t>(
      content.size(), 1 + llvm::countr_zero(uint8_t(content.front()))));
  size_t end = content.find('\0');
  return end == StringRef::npos ? StringRef() : content.take_front(end);
}

ReadsBytecodeOf::ReadsBytecodeOf(StringRef content) {
  StringRef producer = bytecodeProducer(content);
  unsigned major = 0;
  isNew = producer.ends_with("git") && producer.consume_front("MLIR") &&
          !producer.consumeInteger(10, major) && major >= newMlir;
}

ReadsBytecodeOf::~ReadsBytecodeOf() { isNew = false; }

bool ReadsBytecodeOf::isNewProducer() { return isNew; }

WritesBytecodeForOldReaders::WritesBytecodeForOldReaders() {
  forOldReaders = true;
  isRefused = false;
}

WritesBytecodeForOldReaders::~WritesBytecodeForOldReaders() {
  forOldReaders = false;
}

bool WritesBytecodeForOldReaders::isActive() { return forOldReaders; }

void WritesBytecodeForOldReaders::refuse() { isRefused = true; }

bool WritesBytecodeForOldReaders::hasRefused() { return isRefused; }
