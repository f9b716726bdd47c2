//===- warning.cc - messages that are no errors ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/base/warning.h"

#include <cstdio>
#include <memory>
#include <mutex>

namespace shardwright::frontend {
namespace {
std::mutex &mutex() {
  static auto *shared = new std::mutex;
  return *shared;
}
std::shared_ptr<WarningHandler> &current() {
  static auto *shared = new std::shared_ptr<WarningHandler>;
  return *shared;
}
} // namespace

WarningHandler setWarningHandler(WarningHandler handler) {
  auto next =
      handler ? std::make_shared<WarningHandler>(std::move(handler)) : nullptr;
  std::lock_guard lock(mutex());
  std::swap(current(), next);
  return next ? *next : WarningHandler();
}

void warn(const std::string &text) {
  std::shared_ptr<WarningHandler> handler;
  {
    std::lock_guard lock(mutex());
    handler = current();
  }
  // Called without the lock: a handler may set another one.
  if (handler)
    (*handler)(text);
  else
    std::fprintf(stderr, "%s\n", text.c_str());
}

} // namespace shardwright::frontend
