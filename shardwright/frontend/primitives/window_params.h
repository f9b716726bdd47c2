//===- window_params.h - windows as parameters -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_PRIMITIVES_WINDOW_PARAMS_H
#define SHARDWRIGHT_FRONTEND_PRIMITIVES_WINDOW_PARAMS_H

#include "shardwright/frontend/primitives/helpers.h"

namespace shardwright::frontend {

/// A window as parameters of an equation on arrays of this rank. `dilated`:
/// with the dilations, which select_and_scatter_add does not have.
Params windowParams(const Window &w, int64_t rank, bool dilated);
Window windowOf(const Params &params);
/// The number of elements of a dimension with gaps.
int64_t dilatedSize(int64_t size, int64_t by);
/// The number of positions of the window along each dimension, or an error that
/// names the primitive.
Expected<Shape> windowShape(const std::string &name, const Shape &shape,
                            const Params &params);
/// The attributes of the StableHLO ops.
std::string windowAttributes(const Params &params);
/// Inserts a dimension of windows of size 1.
Params withWindowBatch(const Params &params, int64_t at);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_PRIMITIVES_WINDOW_PARAMS_H
