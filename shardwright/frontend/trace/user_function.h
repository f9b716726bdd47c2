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

/// The error of the exception that is being handled; call it in a `catch
/// (...)`. That of orThrow's exceptions is their own. `what` names the function
/// that threw: `the function 'f'`.
Error errorOfException(std::string_view what);

/// The results of a function that is traced or transformed. An error if it
/// throws, or is, or calls, a null std::function. `name`, `role`: what errors
/// say: `the function 'f'`, `the derivative rule of 'f'`. The error of a
/// function without a name has that of the function around it.
Tensors callFunction(const TensorsFunction &function, const Tensors &args,
                     std::string_view name = {},
                     std::string_view role = "the function");

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_TRACE_USER_FUNCTION_H
