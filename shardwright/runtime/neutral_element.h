//===- neutral_element.h - the neutral element of a sum ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_NEUTRAL_ELEMENT_H
#define SHARDWRIGHT_RUNTIME_NEUTRAL_ELEMENT_H

#include "shardwright/support/element_type.h"

#include "llvm/Support/Error.h"

namespace shardwright {

/// Writes `count` neutral elements of a sum: 0, or -0 for floats that have it,
/// because adding -0 preserves the sign of a zero. Fails for a type without
/// zero (f8E8M0FNU).
llvm::Error fillNeutral(ElementType type, void *data, int64_t count);

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_NEUTRAL_ELEMENT_H
