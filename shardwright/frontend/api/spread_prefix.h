//===- spread_prefix.h - options of the leaves of trees ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_API_SPREAD_PREFIX_H
#define SHARDWRIGHT_FRONTEND_API_SPREAD_PREFIX_H

#include "shardwright/frontend/api/sharding_tree.h"

namespace shardwright::frontend {

/// One option for each leaf of `values`, with the path of the place below
/// `root`; or JAX's error that `tree` is no prefix of `values`. None is an
/// option. `root`: the name of the tree in the message; `path`: where the
/// comparison begins, `root` followed by steps.
Expected<std::vector<PlacedOption>> spreadPrefix(const ShardingTree &tree,
                                                 const TreeNode &values,
                                                 const std::string &root,
                                                 const std::string &path);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_API_SPREAD_PREFIX_H
