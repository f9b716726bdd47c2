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

/// Elements that depend only on (seed, stream, flat index) and the type: the
/// same on every machine, for any number of threads. Floats are uniform in
/// [-1, 1) (then rounded to the type), complex parts likewise; integers uniform
/// in 0..7 (as far as the type goes), so that they serve as indices; pred is a
/// fair coin. `stream` tells the arguments of one program apart.
llvm::Expected<Array> randomArray(ElementType type,
                                  llvm::ArrayRef<int64_t> shape, uint64_t seed,
                                  uint64_t stream);

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_RANDOM_H
