//===- host_guard.cc - calls of the user's functions by programs ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/callbacks/host_guard.h"

#include "shardwright/frontend/mesh/call_depth.h"
#include "shardwright/frontend/mesh/device.h"
#include "shardwright/frontend/trace/trace.h"

namespace shardwright::frontend {

llvm::Error
callForProgram(llvm::function_ref<llvm::Error()> function,
               llvm::function_ref<llvm::Error(const std::string &why)> fail) {
  ScopedCallbackClient ownDevices;
  if (detail::callDepth() > detail::maxCallDepth)
    return fail(cat("programs and the functions that they call are more than ",
                    detail::maxCallDepth,
                    " deep in each other; end the recursion"));
  ScopedTopLevel topLevel;
  try {
    return function();
  } catch (const std::exception &e) {
    return fail(e.what());
  } catch (...) {
    return fail("it threw an exception that is not derived from "
                "std::exception");
  }
}

} // namespace shardwright::frontend
