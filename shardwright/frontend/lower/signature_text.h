//===- signature_text.h - signatures of functions as text -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_LOWER_SIGNATURE_TEXT_H
#define SHARDWRIGHT_FRONTEND_LOWER_SIGNATURE_TEXT_H

#include "shardwright/frontend/trace/primitive.h"

namespace shardwright::frontend {

using Names = std::vector<std::string>;

/// The words with commas between them.
std::string join(const Names &words);
/// Tokens among the arguments of a function.
std::string tokenHeader(const Names &tokens);
/// Types of results, of which the first are the tokens of effects.
std::string resultHeader(EffectSet ordered, Names types);
/// The rank of the tensor that holds a value: keys are pairs of words.
inline int64_t storedRank(const Aval &aval) {
  return aval.rank() + (aval.dtype == DType::Key);
}
Names mlirTypesOf(const std::vector<Aval> &avals);
/// A text that is equal for equal placements.
std::string placementKey(const CallPlacement &placement);
/// `{attribute, attribute}` after a blank, or nothing.
std::string attributeList(const Names &attributes);
/// Adds the attribute for layout `i`, if there is one to say.
void addLayout(Names &attributes,
               const std::vector<std::optional<Layout>> &layouts, size_t i);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_LOWER_SIGNATURE_TEXT_H
