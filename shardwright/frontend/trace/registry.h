//===- registry.h - the names of all primitives ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_TRACE_REGISTRY_H
#define SHARDWRIGHT_FRONTEND_TRACE_REGISTRY_H

#include <string>
#include <vector>

namespace shardwright::frontend {

/// The names of all primitives, sorted.
std::vector<std::string> primitiveNames();

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_TRACE_REGISTRY_H
