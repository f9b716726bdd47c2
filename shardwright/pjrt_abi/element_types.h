//===- element_types.h - conversion of element types ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_ABI_ELEMENT_TYPES_H
#define SHARDWRIGHT_PJRT_ABI_ELEMENT_TYPES_H

#include "shardwright/pjrt_abi/base.h"
#include "shardwright/support/element_type.h"

namespace shardwright::pjrt {

/// None for types without elements in Shardwright (1-bit integers, tokens).
std::optional<ElementType> fromPjrt(PJRT_Buffer_Type type);
PJRT_Buffer_Type toPjrt(ElementType type);
/// The name of the type, like `S4`.
llvm::StringRef name(PJRT_Buffer_Type type);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_ABI_ELEMENT_TYPES_H
