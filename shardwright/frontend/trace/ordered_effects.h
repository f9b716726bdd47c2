//===- ordered_effects.h - where effects have no order ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_TRACE_ORDERED_EFFECTS_H
#define SHARDWRIGHT_FRONTEND_TRACE_ORDERED_EFFECTS_H

#include "shardwright/frontend/base/error.h"
#include "shardwright/frontend/trace/effects.h"

namespace shardwright::frontend {

/// While it lives, this thread is in a function whose effects have no order:
/// that of a pmap, or of tiles.
class ScopedUnordered {
public:
  /// `text`: of the error for an ordered effect; a literal.
  explicit ScopedUnordered(const char *text);
  ~ScopedUnordered();
  ScopedUnordered(const ScopedUnordered &) = delete;
  ScopedUnordered &operator=(const ScopedUnordered &) = delete;

private:
  const char *old;
};

/// An error if one of the effects is ordered where effects have no order.
Status checkOrder(EffectSet effects);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_TRACE_ORDERED_EFFECTS_H
