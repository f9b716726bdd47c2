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
/// Each is without its article: " input c has type ...".
std::string listOfDifferences(const std::vector<std::string> &differences);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_CONTROL_MISMATCH_H
