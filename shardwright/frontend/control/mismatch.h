//===- mismatch.h - why two types differ ---------------------- -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CONTROL_MISMATCH_H
#define SHARDWRIGHT_FRONTEND_CONTROL_MISMATCH_H

#include "shardwright/frontend/array/aval.h"

namespace shardwright::frontend {

/// `, so the dtypes do not match, and the shapes do not match`; empty if only
/// the shardings of the types differ.
std::string mismatchText(const Aval &a, const Aval &b);

/// Differences as a sentence if there is one, as a list if there are several.
/// Each is without its article: " input c has type ...". `between`: what stands
/// between two of them that are not the last one.
std::string listOfDifferences(const std::vector<std::string> &differences,
                              const char *between = ";\n");

/// The cast of `object` that makes a value of type `from` vary as one of type
/// `to` does; empty if there is none.
std::string castAdvice(const Aval &from, const Aval &to,
                       const std::string &object);
/// `This might be fixed by ...` with these casts; empty if there are none.
std::string adviceText(const std::vector<std::string> &casts,
                       const char *between = ";\n");

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_CONTROL_MISMATCH_H
