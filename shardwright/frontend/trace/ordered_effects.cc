//===- ordered_effects.cc - where effects have no order -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/trace/ordered_effects.h"

#include <utility>

namespace shardwright::frontend {

static thread_local const char *unorderedText = nullptr;

ScopedUnordered::ScopedUnordered(const char *text)
    : old(std::exchange(unorderedText, text)) {}
ScopedUnordered::~ScopedUnordered() { unorderedText = old; }

Status checkOrder(EffectSet effects) {
  if (!unorderedText || effects.ordered().empty())
    return {};
  return valueError(unorderedText);
}

} // namespace shardwright::frontend
