//===- split_axes.cc - dimensions of tiles --------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/tiling/split_axes.h"

#include "shardwright/frontend/primitives/lax.h"
#include "shardwright/frontend/shard_map/manual_axes.h"

namespace shardwright::frontend {
namespace {

/// Every dimension as those of its axes, and the rest.
struct Factors {
  /// Of all dimensions, one after another.
  Ints sizes;
  /// Positions in `sizes` of `axes`, in their order, then of the others.
  Ints order;
  /// How many of them are leading.
  size_t leading = 0;
  /// The sizes after the axes have left their dimensions.
  Shape tile;
};

/// `shape`: of the whole value.
Factors factorsOf(const Shape &shape, const ArrayMapping &mapping,
                  const AbstractMesh &mesh, const AxisNames &axes) {
  Factors out;
  std::map<std::string, int64_t> places;
  Ints others;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    int64_t rest = shape[d], tile = shape[d];
    for (const auto &[name, dim] : mapping) {
      if (dim != d)
        continue;
      int64_t size = mesh.sizeOf(name);
      auto place = static_cast<int64_t>(out.sizes.size());
      out.sizes.push_back(size);
      rest /= size;
      if (contains(axes, name)) {
        places[name] = place;
        tile /= size;
      } else {
        others.push_back(place);
      }
    }
    others.push_back(static_cast<int64_t>(out.sizes.size()));
    out.sizes.push_back(rest);
    out.tile.push_back(tile);
  }
  for (const std::string &axis : axes)
    if (auto found = places.find(axis); found != places.end())
      out.order.push_back(found->second);
  out.leading = out.order.size();
  out.order.insert(out.order.end(), others.begin(), others.end());
  return out;
}

Shape permuted(const Ints &sizes, const Ints &order) {
  Shape out;
  for (int64_t place : order)
    out.push_back(sizes[place]);
  return out;
}

} // namespace

Tensor splitAxes(const Tensor &x, const ArrayMapping &mapping,
                 const AbstractMesh &mesh, const AxisNames &axes) {
  if (!x.ok())
    return x;
  Factors f = factorsOf(x.shape(), mapping, mesh, axes);
  if (f.leading == 0)
    return x;
  Tensor parts = lax::transpose(lax::reshape(x, f.sizes), f.order);
  Shape shape = permuted(f.sizes, f.order);
  shape.resize(f.leading);
  shape.insert(shape.end(), f.tile.begin(), f.tile.end());
  return lax::reshape(parts, shape);
}

Tensor joinAxes(const Tensor &x, const ArrayMapping &mapping,
                const AbstractMesh &mesh, const AxisNames &axes) {
  if (!x.ok())
    return x;
  size_t leading = 0;
  for (const auto &[name, dim] : mapping)
    leading += contains(axes, name);
  if (leading == 0)
    return x;
  // The shape of the whole value.
  Shape shape(x.shape().begin() + static_cast<int64_t>(leading),
              x.shape().end());
  for (const auto &[name, dim] : mapping) {
    if (dim >= shape.rank())
      return valueError("Axis ", name, " is mapped to dimension ", dim,
                        " of a result of rank ", shape.rank());
    if (contains(axes, name))
      shape.at(dim) *= mesh.sizeOf(name);
    else if (shape[dim] % mesh.sizeOf(name))
      return valueError("A result of size ", shape[dim], " along dimension ",
                        dim, " does not divide by axis ", name, " of size ",
                        mesh.sizeOf(name));
  }
  Factors f = factorsOf(shape, mapping, mesh, axes);
  Ints back(f.order.size());
  for (size_t i = 0; i < back.size(); ++i)
    back[f.order[i]] = static_cast<int64_t>(i);
  Tensor parts = lax::reshape(x, permuted(f.sizes, f.order));
  return lax::reshape(lax::transpose(parts, back), shape);
}

PartitionSpec keepAxes(const PartitionSpec &spec, const AxisNames &axes) {
  std::vector<SpecEntry> entries;
  for (const SpecEntry &entry : spec.entries()) {
    AxisNames kept;
    for (const std::string &axis : entry.axes)
      if (contains(axes, axis))
        kept.push_back(axis);
    entries.emplace_back(kept);
  }
  return *PartitionSpec::get(std::move(entries));
}

} // namespace shardwright::frontend
