//===- einsum_path.h - the order of contractions of einsum ---- -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_NUMPY_EINSUM_PATH_H
#define SHARDWRIGHT_FRONTEND_NUMPY_EINSUM_PATH_H

#include "shardwright/frontend/array/tensor.h"

namespace shardwright::frontend {

/// One step of einsum: one or two operands, removed from the list of operands
/// in this order, give a result, which is appended to the list.
struct EinsumStep {
  std::vector<size_t> operands;
  std::vector<std::string> terms; ///< letters of each operand
  std::string result;
  std::string contracted; ///< letters that the step removes, sorted
};

/// The steps of an einsum, in the order that opt_einsum calls "optimal", or the
/// error for a wrong specification.
Expected<std::vector<EinsumStep>> einsumPath(const std::string &spec,
                                             const std::vector<Shape> &shapes);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_NUMPY_EINSUM_PATH_H
