//===- op_place.h - where an operation is in the source ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_LOWER_OP_PLACE_H
#define SHARDWRIGHT_FRONTEND_LOWER_OP_PLACE_H

#include "shardwright/frontend/trace/primitive.h"

namespace shardwright::frontend {

/// Where an equation is: its names as JAX writes them, and its source position.
struct OpPlace {
  std::string around;    ///< names around the equations of its programs
  std::string operation; ///< with its own name; empty: none
  std::source_location source;

  /// The place of an equation in a program of this one.
  OpPlace of(const Eqn &eqn) const;
  /// ` loc("jit(f)/sin"("f.cc":1:2))`; empty without a name.
  std::string text() const;
};

/// An error if config::hloSourceFileCanonicalizationRegex is no regular
/// expression (POSIX, extended).
Status checkFilePattern();

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_LOWER_OP_PLACE_H
