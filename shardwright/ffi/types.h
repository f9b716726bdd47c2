//===- types.h - element types of FFI -----------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FFI_TYPES_H
#define SHARDWRIGHT_FFI_TYPES_H

#include "shardwright/support/element_type.h"

#include <optional>

namespace shardwright::ffi {

/// The xla.PrimitiveType, which is also the XLA_FFI_DataType; none for 6-bit
/// floats.
std::optional<int> ffiType(ElementType type);

} // namespace shardwright::ffi

#endif // SHARDWRIGHT_FFI_TYPES_H
