//===- bounded_arrays.h - arrays of dimensions with bounds ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program keeps a dimension of bounded size in a buffer as large as the
// bound, with the size beside it as a value of its own (ValueSpec::sizeOf).
// Whoever calls it sees arrays of the sizes alone.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_BOUNDED_ARRAYS_H
#define SHARDWRIGHT_RUNTIME_BOUNDED_ARRAYS_H

#include "shardwright/runtime/executable.h"

namespace shardwright {

/// Those that are no sizes.
llvm::ArrayRef<ValueSpec> withoutSizes(llvm::ArrayRef<ValueSpec> values);

/// Whether an array of that shape can be value `index`.
bool hasShapeOf(llvm::ArrayRef<ValueSpec> values, size_t index,
                llvm::ArrayRef<int64_t> shape);
/// `f32[<=8,16]`.
std::string str(llvm::ArrayRef<ValueSpec> values, size_t index);

/// Arrays for withoutSizes(values), whose shapes fit, to arrays for all values.
llvm::Expected<std::vector<Array>> padded(llvm::ArrayRef<ValueSpec> values,
                                          llvm::ArrayRef<Array> arrays);
/// And back.
llvm::Expected<std::vector<Array>> cutToSize(llvm::ArrayRef<ValueSpec> values,
                                             std::vector<Array> arrays);

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_BOUNDED_ARRAYS_H
