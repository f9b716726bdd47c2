//===- bounded_arrays.h - arrays with bounded dimensions --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program stores a dimension of bounded size in a buffer as large as the
// bound, with the size in a separate value (ValueSpec::sizeOf). The caller only
// sees arrays of the actual sizes.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_BOUNDED_ARRAYS_H
#define SHARDWRIGHT_RUNTIME_BOUNDED_ARRAYS_H

#include "shardwright/runtime/executable.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace shardwright {

/// The values that are not sizes.
llvm::ArrayRef<ValueSpec> withoutSizes(llvm::ArrayRef<ValueSpec> values);

/// True if an array of this shape can be value `index`.
bool hasShapeOf(llvm::ArrayRef<ValueSpec> values, size_t index,
                llvm::ArrayRef<int64_t> shape);
/// Checks the number, types and shapes of a program's arguments, given
/// without sizes.
llvm::Error checkArguments(
    llvm::ArrayRef<ValueSpec> values, size_t numGiven,
    llvm::function_ref<std::pair<ElementType, llvm::ArrayRef<int64_t>>(size_t)>
        given);
/// Formats the type of value `index` as `f32[<=8,16]`.
std::string str(llvm::ArrayRef<ValueSpec> values, size_t index);

/// Converts arrays of withoutSizes(values), whose shapes must fit, to arrays of
/// all values.
llvm::Expected<std::vector<Array>> padded(llvm::ArrayRef<ValueSpec> values,
                                          llvm::ArrayRef<Array> arrays);
/// The shapes of withoutSizes(values), given the sizes that the other values
/// hold: `read` returns that of value `index`. Fails if one exceeds its bound.
llvm::Expected<std::vector<llvm::SmallVector<int64_t, 4>>>
actualShapes(llvm::ArrayRef<ValueSpec> values,
             llvm::function_ref<llvm::Expected<int32_t>(size_t index)> read);
/// The inverse of `padded`.
llvm::Expected<std::vector<Array>> cutToSize(llvm::ArrayRef<ValueSpec> values,
                                             std::vector<Array> arrays);

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_BOUNDED_ARRAYS_H
