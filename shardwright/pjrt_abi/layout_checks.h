//===- layout_checks.h - sizes and offsets as assertions --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_ABI_LAYOUT_CHECKS_H
#define SHARDWRIGHT_PJRT_ABI_LAYOUT_CHECKS_H

#include <cstddef>

// Some structs derive from others.
#pragma clang diagnostic ignored "-Winvalid-offsetof"

// The size of a struct.
#define SIZE(type, size) static_assert(sizeof(type) == size)
// The offset of a field.
#define AT(type, field, offset) static_assert(offsetof(type, field) == offset)
// The end of the last field, which callers pass as struct_size.
#define END(type, field, end)                                                  \
  static_assert(offsetof(type, field) + sizeof(type::field) == end)

#endif // SHARDWRIGHT_PJRT_ABI_LAYOUT_CHECKS_H
