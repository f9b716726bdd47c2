//===- did_you_mean.cc - the nearest known name, for diagnostics ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/did_you_mean.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace shardwright {

std::string didYouMean(llvm::StringRef name,
                       llvm::ArrayRef<llvm::StringRef> candidates) {
  if (candidates.empty())
    return "";
  unsigned nearest = std::max<size_t>(1, name.size() / 2) + 1;
  llvm::StringRef best;
  for (llvm::StringRef candidate : candidates) {
    unsigned distance = name.edit_distance(candidate, true, nearest);
    if (distance < nearest) {
      nearest = distance;
      best = candidate;
    }
  }
  if (!best.empty())
    return ", did you mean \"" + best.str() + "\"?";
  std::string known = ", known: ";
  for (auto [i, candidate] : llvm::enumerate(candidates.take_front(8)))
    known += (i ? ", \"" : "\"") + candidate.str() + "\"";
  return known + (candidates.size() > 8 ? ", ..." : "");
}

} // namespace shardwright
