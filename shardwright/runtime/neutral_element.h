//===- neutral_element.h - what a sum does not change -----------*- C++ -*-===//
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

/// Writes `count` elements that a sum does not change: 0; of floats -0, which
/// leaves the sign of a zero as it is, where the type has one. Fails for a type
/// without zero (f8E8M0FNU).
llvm::Error fillNeutral(ElementType type, void *data, int64_t count);

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_NEUTRAL_ELEMENT_H
