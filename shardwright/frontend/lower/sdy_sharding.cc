//===- sdy_sharding.cc - specs as text of sdy -----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/lower/lower.h"

namespace shardwright::frontend {

std::string sdySharding(const std::string &meshName, const PartitionSpec &spec,
                        int64_t rank, bool openDims,
                        const AxisNames &replicated) {
  std::string out = cat("#sdy.sharding<", meshName, ", [");
  std::set<std::string> used = spec.unreduced();
  for (int64_t d = 0; d < rank; ++d) {
    const SpecEntry &entry = spec[d];
    out += d ? ", {" : "{";
    used.insert(entry.axes.begin(), entry.axes.end());
    for (size_t i = 0; i < entry.axes.size(); ++i)
      out += cat(i ? ", " : "", "\"", entry.axes[i], "\"");
    if (entry.unconstrained || openDims)
      out += entry.axes.empty() ? "?" : ", ?";
    out += "}";
  }
  out += "]";
  std::string unused;
  for (const std::string &axis : replicated)
    if (!used.count(axis))
      unused += cat(unused.empty() ? "" : ", ", "\"", axis, "\"");
  if (!unused.empty())
    out += cat(", replicated={", unused, "}");
  if (!spec.unreduced().empty()) {
    std::string names;
    for (const std::string &axis : spec.unreduced())
      names += cat(names.empty() ? "" : ", ", "\"", axis, "\"");
    out += cat(", unreduced={", names, "}");
  }
  return out + ">";
}

} // namespace shardwright::frontend
