//===- linked_code.h - object code linked into this process -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_JIT_LINKED_CODE_H
#define SHARDWRIGHT_CPU_JIT_LINKED_CODE_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace shardwright::cpu {

/// An object file linked into this process by JITLink. Its external symbols are
/// functions of our runtime and of loaded libraries. The code is unmapped with
/// its last owner. (An LLJIT does the same through an execution session, whose
/// threads, queues and tables take longer to construct than a kernel takes to
/// link.)
class LinkedCode {
public:
  static llvm::Expected<std::shared_ptr<LinkedCode>>
  link(std::unique_ptr<llvm::MemoryBuffer> object);
  ~LinkedCode();

  /// The object file, for storing the code beyond the process.
  llvm::StringRef object() const { return bytes->getBuffer(); }

  /// Address of a function that the object defines, or null.
  void *find(llvm::StringRef symbol) const { return symbols.lookup(symbol); }

private:
  friend class LinkContext;
  LinkedCode() = default;

  std::unique_ptr<llvm::jitlink::InProcessMemoryManager> memory;
  llvm::jitlink::JITLinkMemoryManager::FinalizedAlloc allocation;
  llvm::StringMap<void *> symbols;
  std::unique_ptr<llvm::MemoryBuffer> bytes;
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_JIT_LINKED_CODE_H
