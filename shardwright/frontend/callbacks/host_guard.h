//===- host_guard.h - calls of the user's functions by programs -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CALLBACKS_HOST_GUARD_H
#define SHARDWRIGHT_FRONTEND_CALLBACKS_HOST_GUARD_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace shardwright::frontend {

/// Calls a function of the user. Returns what the exception says that it
/// throws, or nothing.
std::optional<std::string> exceptionOf(llvm::function_ref<void()> call);

/// Calls a function of the user on the thread of a running program. Programs
/// that the function runs have devices of their own, and are not part of what
/// this thread traces. Returns the function's error. `what` names the function
/// where it takes long (call_watch.h). `fail` makes the error of an exception,
/// or of programs and functions that are nested too deeply.
llvm::Error
callForProgram(const std::string &what,
               llvm::function_ref<llvm::Error()> function,
               llvm::function_ref<llvm::Error(const std::string &why)> fail);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_CALLBACKS_HOST_GUARD_H
