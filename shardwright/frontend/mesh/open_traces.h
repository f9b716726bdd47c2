//===- open_traces.h - whether this thread traces ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_MESH_OPEN_TRACES_H
#define SHARDWRIGHT_FRONTEND_MESH_OPEN_TRACES_H

namespace shardwright::frontend::detail {

/// Number of traces that this thread is in (ScopedTrace): the mesh in context
/// may not change within them.
int &openTraces();

} // namespace shardwright::frontend::detail

#endif // SHARDWRIGHT_FRONTEND_MESH_OPEN_TRACES_H
