//===- named_scope.h - names of operations ---------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_BASE_NAMED_SCOPE_H
#define SHARDWRIGHT_FRONTEND_BASE_NAMED_SCOPE_H

#include <memory>
#include <source_location>
#include <string>

namespace shardwright::frontend {

/// A name around operations: that of a scope, or of a transformation of the
/// function, such as `jvp`.
struct NameEntry {
  std::shared_ptr<const NameEntry> outer;
  std::string name;
  bool isTransform = false;
  /// Of a scope: where it was entered.
  std::source_location where = {};
};
/// The names around an operation, innermost first; null: none.
using NameStack = std::shared_ptr<const NameEntry>;

/// Names the operations that this thread applies while it lives. Modules have
/// the names in their locations: `jit(f)/attention/dot_general`, with the
/// place of the innermost scope in the source. JAX: jax.named_scope.
class NamedScope {
public:
  explicit NamedScope(std::string name, std::source_location where =
                                            std::source_location::current());
  ~NamedScope();
  NamedScope(const NamedScope &) = delete;
  NamedScope &operator=(const NamedScope &) = delete;

private:
  NameStack old;
};

namespace detail {

/// The names around what this thread applies.
const NameStack &currentNames();
/// Replaces them for a scope.
class ScopedNames {
public:
  explicit ScopedNames(NameStack names);
  ~ScopedNames();
  ScopedNames(const ScopedNames &) = delete;
  ScopedNames &operator=(const ScopedNames &) = delete;

private:
  NameStack old;
};
/// The current names with those of a transformation or of an equation inside.
NameStack namesWithin(const char *transform);
NameStack namesWithin(const NameStack &inner);
/// `jvp(attention)/heads`: a transformation encloses the next name. Empty for
/// null.
std::string nameText(const NameStack &names);
/// The place of the innermost scope; line 0: there is none.
std::source_location placeOf(const NameStack &names);

} // namespace detail
} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_BASE_NAMED_SCOPE_H
