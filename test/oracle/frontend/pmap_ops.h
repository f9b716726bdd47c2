//===- pmap_ops.h - pmap as a step of programs ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TEST_ORACLE_FRONTEND_PMAP_OPS_H
#define SHARDWRIGHT_TEST_ORACLE_FRONTEND_PMAP_OPS_H

#include "../frontend_mesh_ops.h"

namespace shardwright::frontend {

/// Options from the keys of a step: `name`, `in` and `out` (trees of axes such
/// as `(0,n,[1])`), `devices` (the first and how many), `size`, `donate`.
PmapOptions pmapOptions(const std::map<std::string, std::string> &keys);

/// A function of a list of tensors, pmapped. `form`: how the list becomes
/// arguments and results. Empty: one list to one list; `one`: a tensor to a
/// tensor; `two`: two tensors to a list; `static`: a tensor and a static factor
/// 3 to a list; `keywords`: a tensor, and a map by keyword, to a list; `tree`:
/// a tensor and a list to a tuple of a tensor and a map.
FlatFunction pmapped(const FlatFunction &body, const PmapOptions &options,
                     const std::string &form);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_TEST_ORACLE_FRONTEND_PMAP_OPS_H
