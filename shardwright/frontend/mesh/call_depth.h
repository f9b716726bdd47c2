//===- call_depth.h - programs that host functions run ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_MESH_CALL_DEPTH_H
#define SHARDWRIGHT_FRONTEND_MESH_CALL_DEPTH_H

#include <cstddef>

namespace shardwright::frontend::detail {

/// The depth of the programs that this thread starts: 0, or in a function that
/// a program of depth n calls, n + 1. Each depth has devices of its own. A
/// program with calls passes its depth on (run_data.h).
size_t callDepth();
/// The greatest depth. Deeper calls are errors.
constexpr size_t maxCallDepth = 32;

} // namespace shardwright::frontend::detail

#endif // SHARDWRIGHT_FRONTEND_MESH_CALL_DEPTH_H
