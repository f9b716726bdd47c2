//===- partition_spec.cc - the mesh axes of each dimension ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/mesh/partition_spec.h"

#include "shardwright/frontend/base/lists.h"

#include <algorithm>

namespace shardwright::frontend {

namespace {
SpecEntry makeUnconstrained() {
  SpecEntry entry;
  entry.unconstrained = true;
  return entry;
}
std::string setText(const std::set<std::string> &names) {
  return cat("{", quotedNames(names), "}");
}
} // namespace

const SpecEntry Unconstrained = makeUnconstrained();

Expected<PartitionSpec> PartitionSpec::get(std::vector<SpecEntry> entries,
                                           std::set<std::string> unreduced,
                                           std::set<std::string> reduced) {
  PartitionSpec spec;
  spec.dims = std::move(entries);
  std::string partitions = spec.str().substr(1);
  for (const SpecEntry &entry : spec.dims)
    for (const std::string &axis : entry.axes)
      for (bool isReduced : {false, true})
        if ((isReduced ? reduced : unreduced).count(axis))
          return valueError(
              "partitions cannot overlap with ",
              isReduced ? "reduced" : "unreduced",
              " axes passed to PartitionSpec. Got partitions: ", partitions,
              " and ", isReduced ? "reduced" : "unreduced", " axes: frozenset(",
              setText(isReduced ? reduced : unreduced), ")");
  for (const std::string &axis : unreduced)
    if (reduced.count(axis))
      return valueError("`unreduced` and `reduced` argument to PartitionSpec "
                        "cannot overlap. Got unreduced: frozenset(",
                        setText(unreduced), ") and reduced: frozenset(",
                        setText(reduced), ")");
  spec.sums = std::move(unreduced);
  spec.copies = std::move(reduced);
  return spec;
}

const SpecEntry &PartitionSpec::operator[](int64_t dim) const {
  static const auto &none = *new SpecEntry;
  return dim >= 0 && dim < static_cast<int64_t>(dims.size()) ? dims[dim] : none;
}

bool PartitionSpec::hasUnconstrained() const {
  return std::any_of(dims.begin(), dims.end(), [](const SpecEntry &entry) {
    return entry.unconstrained;
  });
}

std::string PartitionSpec::str() const {
  std::string out = "P(";
  size_t parts = 0;
  auto separate = [&] { out += parts++ ? ", " : ""; };
  for (const SpecEntry &entry : dims) {
    separate();
    if (entry.unconstrained)
      out += "UNCONSTRAINED";
    else if (entry.axes.empty())
      out += "None";
    else if (entry.axes.size() == 1)
      out += "'" + entry.axes[0] + "'";
    else
      out += namesText(entry.axes);
  }
  if (!sums.empty())
    separate(), out += "unreduced=" + setText(sums);
  if (!copies.empty())
    separate(), out += "reduced=" + setText(copies);
  return out + (parts == 1 && dims.size() == 1 ? ",)" : ")");
}

PartitionSpec PartitionSpec::normalized(int64_t rank) const {
  PartitionSpec out = *this;
  out.dims.resize(rank);
  return out;
}

} // namespace shardwright::frontend
