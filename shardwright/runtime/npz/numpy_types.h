//===- numpy_types.h - element types that numpy lacks -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_NPZ_NUMPY_TYPES_H
#define SHARDWRIGHT_RUNTIME_NPZ_NUMPY_TYPES_H

#include "shardwright/support/element_type.h"

#include "llvm/Support/Error.h"

namespace shardwright {

/// The bits of an integer type of less than a byte, else 0.
int narrowBits(ElementType type);

/// Fails if elements of a file, of type `found`, cannot be those of `type`.
llvm::Error checkNumpyType(ElementType found, ElementType type);

/// Converts elements of `type` in place from what numpy may store: any true
/// byte of Pred, and narrow integers without their extension.
void fromNumpyBits(ElementType type, void *elements, int64_t count);

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_NPZ_NUMPY_TYPES_H
