//===- mapped_sizes.cc - sizes of dimensions that are mapped --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/api/mapped_sizes.h"

#include "shardwright/support/sort_by.h"

#include <algorithm>

namespace shardwright::frontend {

Error inconsistentSizes(const std::string &what, const Tensors &leaves,
                        const Ints &dims, int64_t axisSize,
                        const std::vector<std::string> &names) {
  struct Group {
    int64_t size = 0;
    size_t count = 0, first = 0;
  };
  std::vector<Group> groups;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (dims[i] < 0)
      continue;
    int64_t size = leaves[i].dim(dims[i]);
    auto found = std::find_if(groups.begin(), groups.end(),
                              [&](const Group &g) { return g.size == size; });
    if (found == groups.end())
      found = groups.insert(found, {size, 0, i});
    ++found->count;
  }
  sortBy(groups, [](const Group &group) { return -int64_t(group.count); });
  std::string lines;
  if (axisSize >= 0)
    lines = cat("\n  * the `axis_size` argument was ", axisSize);
  for (size_t i = 0; i < groups.size(); ++i) {
    const Group &g = groups[i];
    std::string which = g.count == 1
                            ? cat("one axis had size ", g.size, ":")
                            : cat(i ? "some axes (" : "most axes (", g.count,
                                  " of them) had size ", g.size, ", e.g.");
    lines += cat(lines.empty() ? "" : ";", "\n  * ", which, " axis ",
                 dims[g.first], " of ",
                 g.first < names.size() ? names[g.first]
                                        : cat("args[", g.first, "]"),
                 " of type ", leaves[g.first].aval().longStr());
  }
  return valueError(
      what, " got inconsistent sizes for array axes to be mapped:", lines);
}

std::string argumentName(const std::string &path, size_t position,
                         const std::vector<std::string> &parameters) {
  if (position >= parameters.size())
    return path;
  return cat("argument ", parameters[position],
             path.substr(cat("args[", position, "]").size()));
}

} // namespace shardwright::frontend
