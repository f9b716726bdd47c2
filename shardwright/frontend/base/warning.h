//===- warning.h - messages that are no errors ------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_BASE_WARNING_H
#define SHARDWRIGHT_FRONTEND_BASE_WARNING_H

#include <functional>
#include <string>

namespace shardwright::frontend {

using WarningHandler = std::function<void(const std::string &)>;

/// Sets what happens to warnings and log messages, on all threads; returns the
/// old handler. Null: they are printed to stderr, as at the start.
WarningHandler setWarningHandler(WarningHandler handler);

/// Passes a message to the handler.
void warn(const std::string &text);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_BASE_WARNING_H
