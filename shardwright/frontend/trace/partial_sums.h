//===- partial_sums.h - unreduced and reduced axes of types ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_TRACE_PARTIAL_SUMS_H
#define SHARDWRIGHT_FRONTEND_TRACE_PARTIAL_SUMS_H

#include "shardwright/frontend/trace/primitive.h"

namespace shardwright::frontend {

/// True if the type has unreduced or reduced axes.
bool hasPartialSums(const Aval &aval);
/// The spec with the unreduced and reduced axes that a primitive gives its
/// results, or JAX's error: along unreduced axes devices hold parts of a sum,
/// along reduced ones the value is replicated and its cotangent is unreduced.
Expected<PartitionSpec> withPartialSums(const Primitive &primitive,
                                        const std::vector<Aval> &args,
                                        const PartitionSpec &spec);
/// The same for manual axes: sets those of the results' types.
Status setManualSums(const Primitive &primitive, const std::vector<Aval> &args,
                     std::vector<Aval> &results);
/// The type with unreduced axes reduced, and reduced ones unreduced.
Aval swapPartialSums(const Aval &aval);
/// The type of the cotangents of a value: that of its tangents, swapped.
Aval cotangentAval(const Aval &aval);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_TRACE_PARTIAL_SUMS_H
