//===- user_data.h - objects for the handlers of runs -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_MESH_USER_DATA_H
#define SHARDWRIGHT_FRONTEND_MESH_USER_DATA_H

#include <cstdint>

namespace shardwright::frontend::detail {

/// User data of the FFI handlers of runs that this thread starts.
struct UserDataEntry {
  int64_t type;
  void *object;
  const UserDataEntry *outer;
};
/// The innermost entry of this thread, or null. There is nothing to destroy:
/// objects that end after the thread may start runs.
const UserDataEntry *&innermostUserData();

} // namespace shardwright::frontend::detail

#endif // SHARDWRIGHT_FRONTEND_MESH_USER_DATA_H
