//===- sdy_text.cc - meshes, shardings and symbols as text ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/lower/sdy_text.h"

#include <algorithm>

namespace shardwright::frontend {

std::string escapedText(const std::string &text) {
  std::string out;
  for (char c : text)
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (c == '\n')
      out += "\\0A";
    else
      out += c;
  return out;
}

std::string symbolText(const std::string &name) {
  bool isPlain = !name.empty() &&
                 !std::isdigit(static_cast<unsigned char>(name.front())) &&
                 std::all_of(name.begin(), name.end(), [](unsigned char c) {
                   return std::isalnum(c) || c == '_';
                 });
  return isPlain ? "@" + name : cat("@\"", escapedText(name), "\"");
}

std::string sdyMesh(const AbstractMesh &mesh) {
  std::string axes, named;
  for (int64_t a = 0; a < mesh.numAxes(); ++a) {
    std::string name = cat("\"", escapedText(mesh.names()[a]), "\"");
    int64_t size = mesh.sizes()[a];
    axes += cat(a ? ", " : "", name, "=", size);
    named += cat(a ? ", " : "", "{name = ", name, ", size = ", size, " : i64}");
  }
  return cat("<[", axes, "]> {stablehlo.mesh = {axes = [", named, "]}}");
}

std::string sdyMeshes(const std::vector<AbstractMesh> &meshes,
                      const std::set<int64_t> &devices) {
  std::string out;
  for (size_t i = 0; i < meshes.size(); ++i)
    out += cat("sdy.mesh ", i == 0 ? "@mesh" : cat("@mesh_", i - 1), " = ",
               sdyMesh(meshes[i]), "\n");
  for (int64_t device : devices)
    out += device < 0 ? "sdy.mesh @empty_mesh = <[]>\n"
                      : cat("sdy.mesh @maximal_mesh_", device,
                            " = <[], device_ids=[", device, "]>\n");
  return out;
}

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
