//===- user_function.h - calls of functions of the user ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_TRACE_USER_FUNCTION_H
#define SHARDWRIGHT_FRONTEND_TRACE_USER_FUNCTION_H

#include "shardwright/frontend/trace/trace.h"

namespace shardwright::frontend {

/// An error if this thread's stack is nearly used up: a function transforms
/// itself without end. `what`: what is done to the function.
Status checkStack(std::string_view what);

/// The results of a function that is traced or transformed. An error if it is,
/// or calls, a null std::function.
Tensors callFunction(const TensorsFunction &function, const Tensors &args);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_TRACE_USER_FUNCTION_H
