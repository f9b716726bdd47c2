//===- sort_runtime.h - runtime of Sort kernels -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_KERNEL_SUPPORT_SORT_RUNTIME_H
#define SHARDWRIGHT_CPU_KERNEL_SUPPORT_SORT_RUNTIME_H

#include <cstdint>

namespace shardwright::cpu {

/// Stably sorts lines [begin, end) of `size` elements that are `stride`
/// elements apart. `less(buffers, a, b)` compares the elements at two offsets.
/// `columns` holds triples: input buffer, output buffer, bytes of an element.
/// If memory is exhausted the kernel fails (program.h).
void sortLines(void *const *buffers, int64_t begin, int64_t end, int64_t size,
               int64_t stride, const int64_t *columns, int64_t numColumns,
               uint8_t (*less)(void *const *, int64_t, int64_t));

/// Sorts by unsigned keys of `keyBits` bits; `key(buffers, a)` is the key of
/// the element at an offset.
void sortLinesByKey(void *const *buffers, int64_t begin, int64_t end,
                    int64_t size, int64_t stride, const int64_t *columns,
                    int64_t numColumns, uint64_t (*key)(void *const *, int64_t),
                    int64_t keyBits);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_KERNEL_SUPPORT_SORT_RUNTIME_H
