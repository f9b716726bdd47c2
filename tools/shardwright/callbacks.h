//===- callbacks.h - callbacks into Python that a run stubs --- -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TOOLS_CALLBACKS_H
#define SHARDWRIGHT_TOOLS_CALLBACKS_H

namespace shardwright {

/// What a run does where its program calls a function of the Python process
/// that traced it, which is not here.
enum class Callbacks {
  Refuse, ///< an error names the call
  Print,  ///< prints the operands on standard error; results are zeros
  Skip,   ///< results are zeros
};

/// Lets programs that are compiled from now on do so. A function that is
/// registered under the name of a call stays in place.
void stubCallbacks(Callbacks callbacks);

} // namespace shardwright

#endif // SHARDWRIGHT_TOOLS_CALLBACKS_H
