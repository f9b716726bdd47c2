//===- traced_text.h - how traced values print ---------------- -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_ARRAY_TRACED_TEXT_H
#define SHARDWRIGHT_FRONTEND_ARRAY_TRACED_TEXT_H

#include "shardwright/frontend/array/tensor.h"

namespace shardwright::frontend::detail {

/// The text of a traced value whose elements are known, or none.
using TracedText = std::optional<std::string> (*)(const Tensor &x);
/// Sets the function that Tensor::str asks, for the process.
void setTracedText(TracedText text);

} // namespace shardwright::frontend::detail

#endif // SHARDWRIGHT_FRONTEND_ARRAY_TRACED_TEXT_H
