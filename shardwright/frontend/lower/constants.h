//===- constants.h - constants as attributes --------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_LOWER_CONSTANTS_H
#define SHARDWRIGHT_FRONTEND_LOWER_CONSTANTS_H

#include "shardwright/frontend/array/value.h"

namespace shardwright::frontend {

/// `dense<...> : tensor<...>` of host elements.
std::string denseText(const void *data, const Aval &aval);
/// A splat; infinities are the least and greatest integers of integer types.
std::string splatText(const Aval &aval, double value);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_LOWER_CONSTANTS_H
