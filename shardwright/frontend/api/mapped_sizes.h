//===- mapped_sizes.h - sizes of dimensions that are mapped -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_API_MAPPED_SIZES_H
#define SHARDWRIGHT_FRONTEND_API_MAPPED_SIZES_H

#include "shardwright/frontend/array/tensor.h"

namespace shardwright::frontend {

/// JAX's error that mapped dimensions have several sizes. `what`: `vmap` or
/// `pmap`; `dims`: one for each leaf, below 0 where it is not mapped;
/// `axisSize`: what the options say, below 0 if nothing; `names`: `args[0]` or
/// `argument x` for each leaf.
Error inconsistentSizes(const std::string &what, const Tensors &leaves,
                        const Ints &dims, int64_t axisSize,
                        const std::vector<std::string> &names);

/// The path of a leaf in the argument at `position`, `args[0]['w']`, as
/// messages name it: `argument x['w']` if there are names of parameters.
std::string argumentName(const std::string &path, size_t position,
                         const std::vector<std::string> &parameters);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_API_MAPPED_SIZES_H
