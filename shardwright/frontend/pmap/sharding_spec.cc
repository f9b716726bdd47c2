//===- sharding_spec.cc - how pmap divides arrays -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/pmap/sharding_spec.h"

#include "shardwright/frontend/mesh/sharding.h"
#include "shardwright/support/sort_by.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

/// More devices than a spec may name.
constexpr int64_t maxDevices = int64_t(1) << 20;

std::string text(const DimSharding &dim) {
  if (const auto *chunked = std::get_if<Chunked>(&dim))
    return cat("Chunked([", commaText(chunked->chunks), "])");
  if (const auto *unstacked = std::get_if<Unstacked>(&dim))
    return cat("Unstacked(", unstacked->size, ")");
  return "NoSharding()";
}

std::string text(const MeshDim &dim) {
  if (const auto *sharded = std::get_if<ShardedAxis>(&dim))
    return cat("ShardedAxis(axis=", sharded->axis, ")");
  return cat("Replicated(replicas=", std::get<Replicated>(dim).replicas, ")");
}

template <typename T> std::string tupleOf(const std::vector<T> &items) {
  std::string out;
  for (size_t i = 0; i < items.size(); ++i)
    out += cat(i ? ", " : "", text(items[i]));
  return cat("(", out, items.size() == 1 ? ",)" : ")");
}

int64_t product(const Ints &values) { return Shape(values).elements(); }

/// The sharded axes of a dimension.
Ints axesOf(const DimSharding &dim) {
  if (const auto *chunked = std::get_if<Chunked>(&dim))
    return chunked->chunks;
  if (const auto *unstacked = std::get_if<Unstacked>(&dim))
    return {unstacked->size};
  return {};
}

/// Row-major coordinates of a position.
Ints coordinates(int64_t position, const Ints &sizes) {
  Ints out(sizes.size());
  for (size_t d = sizes.size(); d-- > 0;) {
    out[d] = position % sizes[d];
    position /= sizes[d];
  }
  return out;
}

/// The stable order by dimension that JAX puts names of axes in.
ArrayMapping byDimension(ArrayMapping axes) {
  sortBy(axes, [](const auto &axis) { return axis.second; });
  return axes;
}

} // namespace

std::string str(const ShardIndex &index) {
  std::string out;
  for (const ShardDim &dim : index) {
    std::string one = dim.kind == ShardDim::Kind::All ? "slice(None)"
                      : dim.kind == ShardDim::Kind::Element
                          ? cat(dim.begin)
                          : cat("slice(", dim.begin, ", ", dim.end, ")");
    out += cat(out.empty() ? "" : ", ", one);
  }
  return cat("(", out, index.size() == 1 ? ",)" : ")");
}

Ints ShardingSpec::axisSizes() const {
  Ints out;
  for (const DimSharding &dim : sharding)
    for (int64_t size : axesOf(dim))
      out.push_back(size);
  return out;
}

Expected<Shape> ShardingSpec::meshShape() const {
  Ints sizes = axisSizes();
  std::vector<bool> used(sizes.size());
  Shape out;
  for (const MeshDim &dim : meshMapping) {
    const auto *sharded = std::get_if<ShardedAxis>(&dim);
    int64_t size = 0;
    if (sharded) {
      if (sharded->axis < 0 ||
          sharded->axis >= static_cast<int64_t>(sizes.size()))
        return valueError("Mesh dimension ", out.size(), " of ", str(),
                          " names sharded axis ", sharded->axis,
                          ", but there are ", sizes.size(), " sharded axes");
      if (used[sharded->axis])
        return valueError("Mesh dimensions of ", str(), " name sharded axis ",
                          sharded->axis, " twice");
      used[sharded->axis] = true;
      size = sizes[sharded->axis];
    } else {
      size = std::get<Replicated>(dim).replicas;
    }
    if (size < 1)
      return valueError("Mesh dimension ", out.size(), " of ", str(),
                        " has size ", size, ", which must be at least 1");
    out.push_back(size);
  }
  for (size_t i = 0; i < used.size(); ++i)
    if (!used[i])
      return valueError("Sharded axis ", i, " of ", str(),
                        " is not assigned to a mesh dimension");
  if (out.elements() > maxDevices)
    return valueError(str(), " names more than ", maxDevices, " devices");
  return out;
}

Expected<Shape> ShardingSpec::shardShape(const Shape &shape) const {
  if (Expected<Shape> mesh = meshShape(); !mesh)
    return mesh;
  if (shape.size() != sharding.size())
    return valueError("Shape ", tupleText(shape), " has rank ", shape.rank(),
                      ", but ", str(), " describes ", sharding.size(),
                      " dimensions");
  Shape out;
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t size = shape[d];
    if (const auto *unstacked = std::get_if<Unstacked>(&sharding[d])) {
      if (unstacked->size != size)
        return valueError("Dimension ", d, " of shape ", tupleText(shape),
                          " must have size ", unstacked->size, " for ", str());
      continue;
    }
    int64_t chunks = product(axesOf(sharding[d]));
    if (size % chunks)
      return makeError(ErrorKind::Indivisible, "Dimension ", d, " of shape ",
                       tupleText(shape), " is not divisible by the ", chunks,
                       " chunks of ", str());
    out.push_back(size / chunks);
  }
  return out;
}

Expected<std::vector<ShardIndex>>
ShardingSpec::indices(const Shape &shape) const {
  if (Expected<Shape> shard = shardShape(shape); !shard)
    return shard.error();
  Shape mesh = *meshShape();
  size_t numAxes = axisSizes().size();
  std::vector<ShardIndex> out;
  for (int64_t device = 0; device < mesh.elements(); ++device) {
    Ints place = coordinates(device, mesh);
    // The position along each sharded axis.
    Ints along(numAxes);
    for (size_t m = 0; m < meshMapping.size(); ++m)
      if (const auto *sharded = std::get_if<ShardedAxis>(&meshMapping[m]))
        along[sharded->axis] = place[m];
    ShardIndex &index = out.emplace_back();
    size_t next = 0;
    for (size_t d = 0; d < sharding.size(); ++d) {
      if (std::holds_alternative<NoSharding>(sharding[d])) {
        index.emplace_back();
        continue;
      }
      Ints counts = axesOf(sharding[d]);
      int64_t chunk = 0;
      for (int64_t count : counts)
        chunk = chunk * count + along[next++];
      int64_t size = shape[d] / product(counts);
      if (std::holds_alternative<Unstacked>(sharding[d]))
        index.push_back({ShardDim::Kind::Element, chunk, chunk + 1});
      else
        index.push_back(
            {ShardDim::Kind::Slice, chunk * size, (chunk + 1) * size});
    }
  }
  return out;
}

Expected<std::string> ShardingSpec::hloText() const {
  Expected<Shape> mesh = meshShape();
  if (!mesh)
    return mesh.error();
  // The mesh dimension of each sharded axis as a name.
  AxisNames names, ofAxis(axisSizes().size());
  for (size_t m = 0; m < meshMapping.size(); ++m) {
    names.push_back(cat("d", m));
    if (const auto *sharded = std::get_if<ShardedAxis>(&meshMapping[m]))
      ofAxis[sharded->axis] = names[m];
  }
  std::vector<SpecEntry> entries;
  size_t next = 0;
  for (const DimSharding &dim : sharding) {
    if (std::holds_alternative<Unstacked>(dim))
      return makeError(
          ErrorKind::Runtime,
          "Cannot convert unstacked sharding specs to XLA OpSharding");
    AxisNames own;
    for (size_t k = axesOf(dim).size(); k-- > 0;)
      own.push_back(ofAxis[next++]);
    entries.emplace_back(own);
  }
  if (names.empty())
    return std::string("{replicated}");
  Expected<AbstractMesh> abstract = AbstractMesh::get(*mesh, names);
  if (!abstract)
    return abstract.error();
  Expected<PartitionSpec> spec = PartitionSpec::get(entries);
  Expected<Sharding> named =
      spec ? Sharding::named(*abstract, *spec) : spec.error();
  if (!named)
    return named.error();
  return named->hloText(static_cast<int64_t>(sharding.size()));
}

std::string ShardingSpec::str() const {
  return cat("ShardingSpec(", tupleOf(sharding), ", ", tupleOf(meshMapping),
             ")");
}

Expected<std::vector<ShardIndex>> specToIndices(const Shape &shape,
                                                const ShardingSpec &spec) {
  return spec.indices(shape);
}

Expected<ShardingSpec>
pmapShardingSpec(int64_t numReplicas, int64_t axisSize, const Shape &innerShape,
                 const std::optional<int64_t> &mapAxis,
                 const std::optional<ShardingSpec> &inner) {
  ShardingSpec spec =
      inner ? *inner
            : ShardingSpec(std::vector<DimSharding>(innerShape.size()), {});
  if (spec.sharding.size() != innerShape.size())
    return valueError(spec.str(), " does not describe slices of shape ",
                      tupleText(innerShape));
  if (axisSize < 1 || numReplicas < 1 || numReplicas % axisSize)
    return valueError("The number of replicas ", numReplicas,
                      " must be a multiple of the axis size ", axisSize);
  std::vector<MeshDim> mapping;
  if (mapAxis) {
    if (*mapAxis < 0 || *mapAxis > innerShape.rank())
      return valueError("The mapped axis ", *mapAxis,
                        " is out of range for slices of shape ",
                        tupleText(innerShape));
    int64_t before = 0;
    for (int64_t d = 0; d < *mapAxis; ++d)
      before += static_cast<int64_t>(axesOf(spec.sharding[d]).size());
    for (MeshDim &dim : spec.meshMapping)
      if (auto *sharded = std::get_if<ShardedAxis>(&dim);
          sharded && sharded->axis >= before)
        ++sharded->axis;
    spec.sharding.insert(spec.sharding.begin() + *mapAxis, Unstacked{axisSize});
    mapping.emplace_back(ShardedAxis{before});
  } else {
    mapping.emplace_back(Replicated{axisSize});
  }
  // The replicas are those of nested pmaps, whose axes are minor.
  if (numReplicas != axisSize)
    mapping.emplace_back(Replicated{numReplicas / axisSize});
  mapping.insert(mapping.end(), spec.meshMapping.begin(),
                 spec.meshMapping.end());
  spec.meshMapping = std::move(mapping);
  return spec;
}

Expected<ShardingSpec>
createPmapShardingSpec(const Shape &shape,
                       const std::optional<int64_t> &shardedDim,
                       const std::optional<int64_t> &size) {
  Shape inner = shape;
  if (!shardedDim) {
    if (!size)
      return valueError("`size` must be given when no dimension is sharded");
    return pmapShardingSpec(*size, *size, inner, {});
  }
  if (*shardedDim < 0 || *shardedDim >= shape.rank())
    return valueError("The sharded dimension ", *shardedDim,
                      " is out of range for shape ", tupleText(shape));
  inner.erase(inner.begin() + *shardedDim);
  int64_t own = size.value_or(shape[*shardedDim]);
  return pmapShardingSpec(own, own, inner, shardedDim);
}

Expected<ShardingSpec>
makeShardingSpec(const Ints &axisSizes,
                 const std::map<std::string, int64_t> &positions, int64_t rank,
                 const ArrayMapping &axes) {
  ShardingSpec out(std::vector<DimSharding>(std::max<int64_t>(rank, 0)), {});
  for (int64_t size : axisSizes)
    out.meshMapping.emplace_back(Replicated{size});
  int64_t next = 0;
  for (const auto &[name, dim] : byDimension(axes)) {
    auto found = positions.find(name);
    if (found == positions.end() || found->second < 0 ||
        found->second >= static_cast<int64_t>(axisSizes.size()))
      return valueError("Axis ", name, " is not an axis of the mesh");
    if (dim < 0 || dim >= rank)
      return valueError("Axis ", name, " divides dimension ", dim,
                        ", but the value has rank ", rank);
    MeshDim &place = out.meshMapping[found->second];
    if (!std::holds_alternative<Replicated>(place))
      return valueError("Value mapped to the same mesh axis twice");
    auto *chunked = std::get_if<Chunked>(&out.sharding[dim]);
    if (!chunked)
      chunked = &out.sharding[dim].emplace<Chunked>();
    chunked->chunks.push_back(axisSizes[found->second]);
    place = ShardedAxis{next++};
  }
  return out;
}

Expected<ShardingSpec> meshShardingSpec(const Ints &axisSizes,
                                        const std::vector<std::string> &names,
                                        const Shape &shape,
                                        const ArrayMapping &axes) {
  if (names.size() != axisSizes.size())
    return valueError("Number of axis names should match the number of axis "
                      "sizes. Got axis_names=",
                      namesText(names), " and sizes ", tupleText(axisSizes));
  std::map<std::string, int64_t> positions;
  for (size_t i = 0; i < names.size(); ++i)
    positions[names[i]] = static_cast<int64_t>(i);
  Expected<ShardingSpec> spec =
      makeShardingSpec(axisSizes, positions, shape.rank(), axes);
  if (!spec)
    return spec;
  Shape left = shape;
  for (const auto &[name, dim] : byDimension(axes)) {
    int64_t size = axisSizes[positions[name]];
    if (size < 1 || left[dim] % size)
      return valueError("The aval shape on dimension ", dim, " is ", left[dim],
                        " and the size of axis ", name, " is ", size,
                        ". The aval shape % axis size should be zero but got ",
                        size < 1 ? left[dim] : left[dim] % size);
    left.at(dim) /= size;
  }
  return spec;
}

ShardingSpec tokenShardingSpec(const Ints &axisSizes) {
  ShardingSpec out;
  for (int64_t size : axisSizes)
    out.meshMapping.emplace_back(Replicated{size});
  return out;
}

} // namespace shardwright::frontend
