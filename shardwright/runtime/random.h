//===- random.h - reproducible random inputs --------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_RANDOM_H
#define SHARDWRIGHT_RUNTIME_RANDOM_H

#include "shardwright/runtime/array.h"

namespace shardwright {

/// Random elements that depend only on (seed, stream, flat index) and the type,
/// on every machine and with any number of threads. Floats and complex parts
/// are uniform in [-1, 1), rounded to the type; integers are uniform in 0..7
/// (or the range of the type), so that they can serve as indices; pred is a
/// fair coin. `stream` distinguishes the arguments of one program.
llvm::Expected<Array> randomArray(ElementType type,
                                  llvm::ArrayRef<int64_t> shape, uint64_t seed,
                                  uint64_t stream);

/// The same elements from number `first` on, in memory for `count` elements.
void fillRandom(ElementType type, uint64_t seed, uint64_t stream, int64_t first,
                int64_t count, void *to);

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_RANDOM_H
