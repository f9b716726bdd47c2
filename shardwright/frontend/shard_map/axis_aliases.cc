//===- axis_aliases.cc - other names of manual axes -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/shard_map/axis_aliases.h"

#include "shardwright/frontend/shard_map/collectives.h"
#include "shardwright/frontend/trace/trace.h"

namespace shardwright::frontend {
namespace {

struct Alias {
  std::string name;
  AxisNames axes;
  /// The number of axes that are bound around the alias.
  size_t depth = 0;
};
thread_local std::vector<Alias> aliases;

/// The alias that a name stands for, or null.
const Alias *findAlias(const std::string &name) {
  for (size_t i = aliases.size(); i-- > 0;) {
    if (aliases[i].name != name)
      continue;
    const std::vector<NamedAxis> &bound = axisEnvironment();
    for (size_t k = aliases[i].depth; k < bound.size(); ++k)
      if (bound[k].name == name)
        return nullptr;
    return &aliases[i];
  }
  return nullptr;
}

} // namespace

ScopedAxisAlias::ScopedAxisAlias(std::string name, AxisNames axes) {
  aliases.push_back(
      {std::move(name), std::move(axes), axisEnvironment().size()});
}
ScopedAxisAlias::~ScopedAxisAlias() { aliases.pop_back(); }

AxisNames resolveAliases(const AxisNames &names) {
  AxisNames out;
  for (const std::string &name : names) {
    if (const Alias *alias = findAlias(name))
      out.insert(out.end(), alias->axes.begin(), alias->axes.end());
    else
      out.push_back(name);
  }
  return out;
}

CollectiveAxes::CollectiveAxes(std::string name)
    : names(resolveAliases({std::move(name)})), isTuple(names.size() != 1) {}
CollectiveAxes::CollectiveAxes(AxisNames list)
    : names(resolveAliases(list)), isTuple(true) {}

} // namespace shardwright::frontend
