//===- draw_parameters.h - shapes of random draws ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_SCIPY_DRAW_PARAMETERS_H
#define SHARDWRIGHT_FRONTEND_SCIPY_DRAW_PARAMETERS_H

#include "shardwright/frontend/array/tensor.h"

#include <optional>

namespace shardwright::frontend::random {

/// The shape to which the parameters of a distribution broadcast, which must be
/// the wanted one, if there is one. `name`: the function, in the error.
Expected<Shape> commonShape(const char *name, const Tensors &parameters,
                            const std::optional<Shape> &wanted);

} // namespace shardwright::frontend::random

#endif // SHARDWRIGHT_FRONTEND_SCIPY_DRAW_PARAMETERS_H
