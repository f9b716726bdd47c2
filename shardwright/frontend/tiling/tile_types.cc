//===- tile_types.cc - types of tiles of arrays ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/tiling/tile_types.h"

#include <algorithm>
#include <set>

namespace shardwright::frontend {
namespace {

/// Checks the names and dimensions of a mapping.
Status checkMapping(const AbstractMesh &mesh, const ArrayMapping &axes,
                    const Aval &type) {
  std::set<std::string> seen;
  for (const auto &[name, dim] : axes) {
    if (mesh.find(name) < 0)
      return valueError("Resource axis: ", name,
                        " is not found in mesh: ", namesText(mesh.names()),
                        ".");
    if (!seen.insert(name).second)
      return valueError("Axis ", name, " is mapped to two dimensions of ",
                        type.longStr());
    if (dim < 0 || dim >= type.rank())
      return valueError("Axis ", name, " is mapped to dimension ", dim, " of ",
                        type.longStr(), ", which has rank ", type.rank());
  }
  return {};
}

} // namespace

Expected<ArrayMapping> getArrayMapping(const PartitionSpec &spec) {
  ArrayMapping out;
  for (size_t d = 0; d < spec.entries().size(); ++d) {
    const SpecEntry &entry = spec.entries()[d];
    if (entry.unconstrained)
      return valueError("Unconstrained dims are not allowed in ", spec.str());
    for (const std::string &axis : entry.axes)
      out.emplace_back(axis, static_cast<int64_t>(d));
  }
  return out;
}

Expected<Aval> tileAval(const AbstractMesh &mesh, const ArrayMapping &axes,
                        const Aval &type) {
  SW_TRY(checkMapping(mesh, axes, type));
  Expected<ShardingSpec> divides =
      meshShardingSpec(mesh.sizes(), mesh.names(), type.shape, axes);
  if (!divides)
    return divides.error();
  Shape shape = type.shape;
  for (const auto &[name, dim] : axes)
    shape.at(dim) /= mesh.sizeOf(name);
  return type.withShape(shape);
}

Expected<Aval> untileAval(const AbstractMesh &mesh, const ArrayMapping &axes,
                          const Aval &type) {
  SW_TRY(checkMapping(mesh, axes, type));
  Shape shape = type.shape;
  for (const auto &[name, dim] : axes)
    if (__builtin_mul_overflow(shape.at(dim), mesh.sizeOf(name),
                               &shape.at(dim)))
      return valueError("Tiles of ", type.longStr(),
                        " make up too large an array along dimension ", dim);
  return type.withShape(shape);
}

Expected<Aval> meshGlobalToLocal(const Mesh &mesh, const ArrayMapping &axes,
                                 const Aval &type) {
  // The local mesh of the only process is the mesh.
  Expected<Aval> tile = tileAval(mesh.abstractMesh(), axes, type);
  return tile ? untileAval(mesh.abstractMesh(), axes, *tile) : tile;
}
Expected<Aval> meshLocalToGlobal(const Mesh &mesh, const ArrayMapping &axes,
                                 const Aval &type) {
  return meshGlobalToLocal(mesh, axes, type);
}

Expected<std::string> manualProto(int64_t rank, const AxisNames &manualAxes,
                                  const AbstractMesh &mesh) {
  for (const std::string &axis : manualAxes)
    if (mesh.find(axis) < 0)
      return valueError("Resource axis: ", axis,
                        " is not found in mesh: ", namesText(mesh.names()),
                        ".");
  AxisNames sorted = manualAxes;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  Ints order;
  int64_t replicated = 1, manual = 1;
  for (const std::string &axis : mesh.names())
    if (!std::binary_search(sorted.begin(), sorted.end(), axis)) {
      order.push_back(mesh.find(axis));
      replicated *= mesh.sizeOf(axis);
    }
  for (const std::string &axis : sorted) {
    order.push_back(mesh.find(axis));
    manual *= mesh.sizeOf(axis);
  }
  Ints dims(std::max<int64_t>(rank, 0), 1);
  dims.push_back(replicated);
  dims.push_back(manual);
  // Devices in their order are one list.
  std::string devices =
      std::is_sorted(order.begin(), order.end())
          ? cat("[", Shape(mesh.sizes()).elements(), "]")
          : cat("[", commaText(mesh.sizes()), "]T(", commaText(order), ")");
  return cat("{devices=[", commaText(dims), "]<=", devices,
             " last_tile_dims={replicated, manual}}");
}

} // namespace shardwright::frontend
