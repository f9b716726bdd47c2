//===- neutral_element.h - neutral elements of reductions -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_NEUTRAL_ELEMENT_H
#define SHARDWRIGHT_RUNTIME_NEUTRAL_ELEMENT_H

#include "shardwright/mesh/sharding.h"
#include "shardwright/support/element_type.h"

#include "llvm/Support/Error.h"

namespace shardwright {

/// Writes `count` elements that the reduction does not change by. Of a sum: 0,
/// or -0 for floats that have it, because adding -0 preserves the sign of a
/// zero. Of a maximum: -inf, or the lowest element; of a minimum: inf, or the
/// largest. Fails for a type that has none: f8E8M0FNU has no zero, complex
/// numbers have no order.
llvm::Error fillNeutral(ElementType type, ReductionKind kind, void *data,
                        int64_t count);

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_NEUTRAL_ELEMENT_H
