//===- jit_primitive.h - a program as an equation ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_TRANSFORM_JIT_PRIMITIVE_H
#define SHARDWRIGHT_FRONTEND_TRANSFORM_JIT_PRIMITIVE_H

#include "shardwright/frontend/transform/transform.h"

namespace shardwright::frontend {

/// Applies a jaxpr as one equation.
Tensors bindJit(const JaxprPtr &jaxpr, const std::string &name,
                const Tensors &args);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_TRANSFORM_JIT_PRIMITIVE_H
