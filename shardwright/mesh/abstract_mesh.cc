//===- abstract_mesh.cc - a mesh without devices --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/abstract_mesh.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

namespace shardwright {

llvm::StringRef stringify(AxisType type) {
  switch (type) {
  case AxisType::Auto:
    return "Auto";
  case AxisType::Explicit:
    return "Explicit";
  case AxisType::Manual:
    return "Manual";
  }
  return "";
}

std::string AbstractMesh::textOf(const Data &data) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "AbstractMesh(";
  for (const MeshAxis &axis : data.axes)
    os << "'" << axis.name << "': " << axis.size << ", ";
  os << (data.axes.empty() ? "(), " : "") << "axis_types=(";
  for (auto [i, type] : llvm::enumerate(data.types))
    os << (i ? ", " : "") << stringify(type);
  // Python writes a tuple of one element with a trailing comma.
  os << (data.types.size() == 1 ? ",))" : "))");
  return text;
}

/// Returns one object for each distinct mesh in use. Axis names are keyed with
/// their lengths, because a name with a quote could imitate another mesh's
/// text.
AbstractMesh AbstractMesh::intern(Data data) {
  static std::mutex mutex;
  static llvm::StringMap<std::weak_ptr<const Data>> table;
  std::string key;
  for (auto [axis, type] : llvm::zip_equal(data.axes, data.types))
    key += std::to_string(axis.name.size()) + ":" + axis.name +
           std::to_string(axis.size) + stringify(type).str();
  std::lock_guard<std::mutex> lock(mutex);
  std::weak_ptr<const Data> &slot = table[key];
  if (auto known = slot.lock())
    return AbstractMesh(known);
  auto made = std::make_shared<const Data>(std::move(data));
  slot = made;
  // Drop expired entries when there may be many.
  static size_t limit = 64;
  if (table.size() > limit) {
    for (auto it = table.begin(); it != table.end();) {
      auto here = it++;
      if (here->second.expired())
        table.erase(here);
    }
    limit = std::max<size_t>(64, 2 * table.size());
  }
  return AbstractMesh(made);
}

AbstractMesh::AbstractMesh() : AbstractMesh(intern({})) {}

llvm::Expected<AbstractMesh> AbstractMesh::get(llvm::ArrayRef<MeshAxis> axes,
                                               llvm::ArrayRef<AxisType> types) {
  auto fail = [](const std::string &why) {
    return llvm::createStringError(why);
  };
  Data data;
  data.axes.assign(axes.begin(), axes.end());
  data.types.assign(types.begin(), types.end());
  if (types.empty())
    data.types.assign(axes.size(), AxisType::Auto);
  if (data.types.size() != axes.size())
    return fail("a mesh of " + std::to_string(axes.size()) +
                " axes cannot have " + std::to_string(types.size()) +
                " axis types; give one for each axis");
  for (auto [i, axis] : llvm::enumerate(axes)) {
    if (axis.size < 1)
      return fail("axis '" + axis.name + "' has size " +
                  std::to_string(axis.size) + "; sizes start at 1");
    for (const MeshAxis &other : axes.take_front(i))
      if (other.name == axis.name)
        return fail("axis '" + axis.name +
                    "' occurs twice; name each axis differently");
  }
  if (Mesh::numDevicesOverflows(axes))
    return fail("the product of the axis sizes of " + textOf(data) +
                " is above 2^63 - 1; use smaller axes");
  return intern(std::move(data));
}

int64_t AbstractMesh::size() const {
  if (isEmpty())
    return 0;
  int64_t n = 1;
  for (const MeshAxis &axis : axes())
    n *= axis.size;
  return n;
}

std::optional<int32_t> AbstractMesh::find(llvm::StringRef axisName) const {
  for (auto [i, axis] : llvm::enumerate(axes()))
    if (axis.name == axisName)
      return int32_t(i);
  return std::nullopt;
}

bool AbstractMesh::allAre(AxisType type) const {
  return !isEmpty() &&
         llvm::all_of(types(), [&](AxisType t) { return t == type; });
}

bool AbstractMesh::anyIs(AxisType type) const {
  return llvm::is_contained(types(), type);
}

llvm::SmallVector<std::string, 4> AbstractMesh::axesOf(AxisType type) const {
  llvm::SmallVector<std::string, 4> names;
  for (auto [axis, t] : llvm::zip_equal(axes(), types()))
    if (t == type)
      names.push_back(axis.name);
  return names;
}

llvm::Expected<AbstractMesh> AbstractMesh::withTypes(
    llvm::ArrayRef<std::pair<std::string, AxisType>> changes) const {
  Data changed = *data;
  for (const auto &[name, type] : changes) {
    std::optional<int32_t> axis = find(name);
    if (!axis)
      return llvm::createStringError("'" + name + "' is not an axis of " +
                                     str() + "; use the name of one");
    changed.types[*axis] = type;
  }
  return intern(std::move(changed));
}

std::string AbstractMesh::str() const { return textOf(*data); }

} // namespace shardwright
