//===- resources.cc - names of axes and the mesh axes for them ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/tiling/resources.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

/// The mesh axes that a name stands for.
AxisNames resourcesOf(const std::string &name, const TilingOptions &options) {
  auto found = options.axisResources.find(name);
  return found == options.axisResources.end() ? AxisNames{name} : found->second;
}

AxisNames namesIn(const std::vector<PartitionSpec> &specs) {
  AxisNames out;
  for (const PartitionSpec &spec : specs)
    for (const SpecEntry &entry : spec.entries())
      for (const std::string &name : entry.axes)
        if (std::find(out.begin(), out.end(), name) == out.end())
          out.push_back(name);
  return out;
}

/// The error that two of these names share an axis of the mesh.
Status checkShared(const AxisNames &names, const TilingOptions &options,
                   const std::string &what) {
  for (size_t i = 0; i < names.size(); ++i)
    for (size_t k = 0; k < i; ++k) {
      AxisNames a = resourcesOf(names[k], options);
      for (const std::string &r : resourcesOf(names[i], options))
        if (std::find(a.begin(), a.end(), r) != a.end())
          return typeError("Axes `", names[k], "` and `", names[i],
                           "` are both mapped to the resource `", r,
                           "`, but they coincide in the named_shape of ", what);
    }
  return {};
}

} // namespace

Status checkResources(const TilingOptions &options) {
  const AbstractMesh &mesh = options.mesh.abstractMesh();
  for (const auto &[name, axes] : options.axisResources)
    for (size_t i = 0; i < axes.size(); ++i) {
      if (mesh.find(axes[i]) < 0)
        return valueError("Resource axis: ", axes[i], " of axis ", name,
                          " is not found in mesh: ", namesText(mesh.names()),
                          ".");
      if (std::find(axes.begin(), axes.begin() + i, axes[i]) !=
          axes.begin() + i)
        return valueError("Axis ", name, " is mapped to the resource ", axes[i],
                          " twice");
    }
  for (const PartitionSpec &spec : options.in)
    SW_TRY(checkShared(namesIn({spec}), options, "an input"));
  for (const PartitionSpec &spec : options.out)
    SW_TRY(checkShared(namesIn({spec}), options, "an output"));
  // Values along different names may meet in any operation.
  std::vector<PartitionSpec> all = options.in;
  all.insert(all.end(), options.out.begin(), options.out.end());
  return checkShared(namesIn(all), options, "a value of the function");
}

std::vector<PartitionSpec> onResources(const std::vector<PartitionSpec> &specs,
                                       const TilingOptions &options) {
  std::vector<PartitionSpec> out;
  for (const PartitionSpec &spec : specs) {
    std::vector<SpecEntry> entries = spec.entries();
    for (SpecEntry &entry : entries) {
      AxisNames axes;
      for (const std::string &name : entry.axes)
        for (const std::string &axis : resourcesOf(name, options))
          axes.push_back(axis);
      entry.axes = axes;
    }
    Expected<PartitionSpec> made =
        PartitionSpec::get(entries, spec.unreduced(), spec.reduced());
    out.push_back(made ? *made : spec);
  }
  return out;
}

} // namespace shardwright::frontend
