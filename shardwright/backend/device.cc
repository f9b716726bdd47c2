//===- device.cc - devices and their memories -----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/backend/device.h"

#include "llvm/ADT/StringSwitch.h"

using namespace shardwright;

llvm::StringRef shardwright::str(MemoryKind kind) {
  switch (kind) {
  case MemoryKind::Device:
    return "device";
  case MemoryKind::PinnedHost:
    return "pinned_host";
  case MemoryKind::UnpinnedHost:
    return "unpinned_host";
  }
  return "";
}

std::optional<MemoryKind> shardwright::memoryKindNamed(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<MemoryKind>>(name)
      .Case("device", MemoryKind::Device)
      .Case("pinned_host", MemoryKind::PinnedHost)
      .Case("unpinned_host", MemoryKind::UnpinnedHost)
      .Default(std::nullopt);
}
