//===- host_guard.cc - calls of the user's functions by programs ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/callbacks/host_guard.h"

#include "shardwright/frontend/callbacks/call_watch.h"
#include "shardwright/frontend/mesh/call_depth.h"
#include "shardwright/frontend/mesh/device.h"
#include "shardwright/frontend/trace/trace.h"

namespace shardwright::frontend {

std::optional<std::string> exceptionOf(llvm::function_ref<void()> call) {
  try {
    call();
    return {};
  } catch (const std::exception &e) {
    return e.what();
  } catch (...) {
    return "it threw an exception that is not derived from std::exception";
  }
}

llvm::Error
callForProgram(const std::string &what,
               llvm::function_ref<llvm::Error()> function,
               llvm::function_ref<llvm::Error(const std::string &why)> fail) {
  WatchedCall watched(what);
  ScopedCallbackClient ownDevices;
  if (detail::callDepth() > detail::maxCallDepth)
    return fail(cat("programs and the functions that they call nest more than ",
                    detail::maxCallDepth, " levels deep; end the recursion"));
  ScopedTopLevel topLevel;
  std::optional<llvm::Error> result;
  if (auto why = exceptionOf([&] { result.emplace(function()); }))
    return fail(*why);
  return std::move(*result);
}

} // namespace shardwright::frontend
