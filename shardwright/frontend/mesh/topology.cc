//===- topology.cc - orders of devices by their wires ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/mesh/topology.h"

#include <algorithm>
#include <map>

namespace shardwright::frontend {

Topology Topology::of(const std::vector<Device> &devices) {
  Topology out;
  for (Device device : devices)
    out.devices.push_back({device});
  return out;
}

namespace {

using Devices = std::vector<Device>;

Devices inList(const Topology &topology) {
  Devices out;
  for (const PlacedDevice &d : topology.devices)
    out.push_back(d.device);
  return out;
}

Devices byNumber(const Topology &topology) {
  Devices out = inList(topology);
  std::sort(out.begin(), out.end(),
            [](Device a, Device b) { return a.id < b.id; });
  return out;
}

/// Reorders each run of order.size() devices.
void permuteRuns(Devices &devices, const Ints &order) {
  for (size_t i = 0; i + order.size() <= devices.size(); i += order.size()) {
    Devices run(devices.begin() + i, devices.begin() + i + order.size());
    for (size_t k = 0; k < order.size(); ++k)
      devices[i + k] = run[order[k]];
  }
}

/// The devices as a box, row-major over the coordinates.
struct Box {
  Ints sizes;
  Devices devices;
};

Expected<Box> boxOf(const Topology &topology) {
  Box box{{1, 1, 1}, {}};
  for (const PlacedDevice &d : topology.devices) {
    for (size_t i = 0; i < 3; ++i)
      box.sizes[i] = std::max(box.sizes[i], d.coordinates[i] + 1);
    if (d.core)
      return valueError("A torus has one device per chip, but device ",
                        d.device.id, " is core ", d.core);
    if (*std::min_element(d.coordinates.begin(), d.coordinates.end()) < 0)
      return valueError("Coordinates of device ", d.device.id, " are negative");
  }
  int64_t count = 1;
  for (int64_t size : box.sizes)
    count = size > static_cast<int64_t>(topology.devices.size()) ? -1
            : count < 0                                          ? -1
                                                                 : count * size;
  std::map<std::array<int64_t, 3>, Device> places;
  for (const PlacedDevice &d : topology.devices)
    places.emplace(d.coordinates, d.device);
  if (count != static_cast<int64_t>(topology.devices.size()) ||
      places.size() != topology.devices.size())
    return valueError("The devices do not fill a box of size ",
                      tupleText(box.sizes), ", one at each place: there are ",
                      topology.devices.size());
  // A std::map is in row-major order of its keys.
  for (const auto &entry : places)
    box.devices.push_back(entry.second);
  return box;
}

/// How much of each axis of the torus an axis of the mesh takes.
using Factors = std::vector<Ints>;

/// Chooses `count` of the axes with this product, the first in lexicographic
/// order; false if there are none.
bool chooseAxes(const Ints &left, size_t count, int64_t product, size_t from,
                std::vector<size_t> &chosen) {
  if (count == 0)
    return product == 1;
  for (size_t i = from; i < left.size(); ++i) {
    if (left[i] == 0 || product % left[i])
      continue;
    chosen.push_back(i);
    if (chooseAxes(left, count - 1, product / left[i], i + 1, chosen))
      return true;
    chosen.pop_back();
  }
  return false;
}

/// Whole axes of the torus for each axis of the mesh, as many as possible.
Expected<Factors> wholeFactors(const Ints &shape, const Ints &torus) {
  Factors out(shape.size(), Ints(torus.size(), 1));
  Ints left = torus;
  for (size_t axis = shape.size(); axis-- > 0;) {
    std::vector<size_t> chosen;
    bool found = false;
    for (size_t count = torus.size(); count > 0 && !found; --count) {
      chosen.clear();
      found = chooseAxes(left, count, shape[axis], 0, chosen);
    }
    if (!found && shape[axis] > 1) {
      std::string rest;
      for (int64_t size : left)
        rest += cat(rest.empty() ? "" : ", ", size);
      return notImplemented(
          "Failed to find assignment for logical_axis_index ", axis,
          " of size ", shape[axis], " with remaining assignable mesh [", rest,
          "]. The size of each axis in your logical mesh must be equal to the "
          "product of some subset of the physical mesh axis sizes. E.g. "
          "logical "
          "mesh (4, 16) is compatible with physical mesh 4x4x4 since 4=4 and "
          "16=4x4. If you want to split physical axes, set  "
          "allow_split_physical_axes to True.");
    }
    if (!found)
      chosen.clear();
    for (size_t i : chosen) {
      out[axis][i] = torus[i];
      left[i] = 0;
    }
  }
  return out;
}

/// All ways to write `size` as a product of divisors of `left`.
void appendFactors(const Ints &left, int64_t size, Ints &factors,
                   Factors &out) {
  size_t at = factors.size();
  if (at == left.size()) {
    if (size == 1)
      out.push_back(factors);
    return;
  }
  for (int64_t f = 1; f <= left[at] && f <= size; ++f) {
    if (left[at] % f || size % f)
      continue;
    factors.push_back(f);
    appendFactors(left, size / f, factors, out);
    factors.pop_back();
  }
}

/// Parts of axes of the torus for each axis of the mesh. Whole axes are
/// preferred, then parts of axes that are taken already, then earlier axes.
Expected<Factors> splitFactors(const Ints &shape, const Ints &torus) {
  Factors out(shape.size());
  Ints left = torus, taken(torus.size(), 1);
  for (size_t axis = shape.size(); axis-- > 0;) {
    Factors choices;
    Ints factors;
    appendFactors(left, shape[axis], factors, choices);
    auto rank = [&](const Ints &f) {
      int64_t whole = 1, numWhole = 0, untouched = 1;
      for (size_t i = 0; i < f.size(); ++i) {
        whole *= f[i] == torus[i] ? f[i] : 1;
        numWhole += f[i] == torus[i];
        untouched *= taken[i] == 1 ? f[i] : 1;
      }
      return std::tuple(whole, numWhole, -untouched, f);
    };
    if (choices.empty())
      return notImplemented("Failed to find assignment for logical_axis_index ",
                            axis, " of size ", shape[axis],
                            " with remaining assignable mesh ",
                            tupleText(left));
    out[axis] = *std::max_element(
        choices.begin(), choices.end(),
        [&](const Ints &a, const Ints &b) { return rank(a) < rank(b); });
    for (size_t i = 0; i < left.size(); ++i) {
      left[i] /= out[axis][i];
      taken[i] *= out[axis][i];
    }
  }
  return out;
}

/// The devices row-major over the axes of the mesh, each of which is the
/// product of its factors, the first one major. Of an axis of the torus, the
/// first axis of the mesh has the major part.
Devices arranged(const Box &box, const Factors &factors) {
  size_t numAxes = factors.size(), numTorus = box.sizes.size();
  // Digits of a position: (axis of the mesh, axis of the torus).
  Ints digit(numAxes * numTorus);
  Devices out;
  for (size_t n = 0; n < box.devices.size(); ++n) {
    size_t rest = n;
    for (size_t k = digit.size(); k-- > 0;) {
      auto size = static_cast<size_t>(factors[k / numTorus][k % numTorus]);
      digit[k] = static_cast<int64_t>(rest % size);
      rest /= size;
    }
    int64_t at = 0;
    for (size_t i = 0; i < numTorus; ++i)
      for (size_t axis = 0; axis < numAxes; ++axis)
        at = at * factors[axis][i] + digit[axis * numTorus + i];
    out.push_back(box.devices[at]);
  }
  return out;
}

Expected<Devices> onTorus(const Ints &shape, const Topology &topology,
                          bool allowSplit) {
  Expected<Box> box = boxOf(topology);
  if (!box)
    return box.error();
  Expected<Factors> factors = allowSplit ? splitFactors(shape, box->sizes)
                                         : wholeFactors(shape, box->sizes);
  if (!factors)
    return factors.error();
  return arranged(*box, *factors);
}

/// The ring of a small torus of two dimensions, or nothing.
std::optional<Devices> smallRing(const Topology &topology) {
  Expected<Box> box = boxOf(topology);
  if (!box)
    return {};
  auto twos = std::count(box->sizes.begin(), box->sizes.end(), 2);
  Devices out = byNumber(topology);
  if (out.size() == 4 && twos == 2)
    permuteRuns(out, {0, 1, 3, 2});
  else if (out.size() == 8 && twos < 3)
    permuteRuns(out, {0, 1, 2, 3, 7, 6, 5, 4});
  else
    return {};
  return out;
}

} // namespace

Expected<Devices> createDeviceMesh(const Ints &shape, const Topology &topology,
                                   const DeviceMeshOptions &options) {
  auto count = static_cast<int64_t>(topology.devices.size());
  bool isPositive = std::all_of(shape.begin(), shape.end(),
                                [](int64_t size) { return size > 0; });
  if (!isPositive || Shape(shape).elements() != count)
    return valueError("Number of devices ", count,
                      " must equal the product of mesh_shape ",
                      tupleText(shape));
  switch (topology.wiring) {
  case Topology::Wiring::Given:
    return inList(topology);
  case Topology::Wiring::ByNumber:
    return byNumber(topology);
  case Topology::Wiring::Rings: {
    Devices out = byNumber(topology);
    if (count == 8 || (!shape.empty() && shape.back() == 8))
      permuteRuns(out, {0, 1, 2, 3, 6, 7, 4, 5});
    return out;
  }
  case Topology::Wiring::SmallTorus:
    if (std::optional<Devices> ring = smallRing(topology))
      return *ring;
    break;
  case Topology::Wiring::Torus:
    break;
  }
  return onTorus(shape, topology, options.allowSplitPhysicalAxes);
}

Expected<Devices> createHybridDeviceMesh(const Ints &shape,
                                         const Ints &networkShape,
                                         const Topology &topology,
                                         const DeviceMeshOptions &options) {
  std::map<int64_t, Topology> groups;
  for (const PlacedDevice &d : topology.devices) {
    Topology &group = groups[options.processIsGranule ? d.process : d.slice];
    group.wiring = topology.wiring;
    group.devices.push_back(d);
  }
  bool isPositive = std::all_of(networkShape.begin(), networkShape.end(),
                                [](int64_t size) { return size > 0; });
  if (!isPositive ||
      Shape(networkShape).elements() != static_cast<int64_t>(groups.size()))
    return valueError("Number of slices ", groups.size(),
                      " must equal the product of dcn_mesh_shape ",
                      tupleText(networkShape));
  if (shape.size() != networkShape.size())
    return valueError("mesh_shape and dcn_mesh_shape must have as many axes. "
                      "Got ",
                      tupleText(shape), " and ", tupleText(networkShape));
  std::vector<Devices> parts;
  for (const auto &entry : groups) {
    Expected<Devices> part = createDeviceMesh(shape, entry.second, options);
    if (!part)
      return part;
    parts.push_back(*part);
  }
  Devices out;
  for (size_t n = 0; n < topology.devices.size(); ++n) {
    size_t rest = n, inside = 0, group = 0, insideStep = 1, groupStep = 1;
    for (size_t d = shape.size(); d-- > 0;) {
      auto size = static_cast<size_t>(shape[d]),
           number = static_cast<size_t>(networkShape[d]);
      inside += rest % size * insideStep;
      rest /= size;
      group += rest % number * groupStep;
      rest /= number;
      insideStep *= size;
      groupStep *= number;
    }
    out.push_back(parts[group][inside]);
  }
  return out;
}

Expected<Mesh> makeMesh(const Ints &sizes, const AxisNames &names,
                        std::vector<AxisType> types, const Topology &topology) {
  Topology used = topology;
  int64_t count = Shape(sizes).elements();
  if (count > static_cast<int64_t>(used.devices.size()))
    return valueError("Number of devices ", used.devices.size(),
                      " must be >= the product of mesh_shape ",
                      tupleText(sizes));
  if (count >= 0)
    used.devices.resize(count);
  for (const PlacedDevice &d : used.devices)
    if (d.slice != used.devices[0].slice)
      return valueError(
          "`jax.make_mesh` does not support multi-slice "
          "topologies. Please use "
          "jax.experimental.mesh_utils.create_hybrid_device_mesh");
  Expected<Devices> ordered = createDeviceMesh(sizes, used);
  if (!ordered)
    return ordered.error();
  if (types.empty())
    types.assign(names.size(), AxisType::Explicit);
  return Mesh::get(*ordered, sizes, names, std::move(types));
}

} // namespace shardwright::frontend
