//===- content_key.h - keys of programs by content --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_JIT_CONTENT_KEY_H
#define SHARDWRIGHT_FRONTEND_JIT_CONTENT_KEY_H

#include "shardwright/frontend/trace/params.h"

namespace shardwright::frontend {

/// Appends a text that is equal for equal parameters. Programs in them are
/// compared by content; their constants, and functions of the user, by
/// identity. Whoever keeps the text keeps the parameters alive, so that an
/// identity is not used again.
void appendContentKey(std::string &out, const Params &params);
/// Appends a text that is equal for equal types: weakness and mesh included.
void appendContentKey(std::string &out, const Aval &aval);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_JIT_CONTENT_KEY_H
