//===- machine_levels.cc - levels of links and mesh axes ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/cost/machine_levels.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace shardwright {

std::string levelsText(const MachineModel &machine) {
  return join(map_range(machine.levels,
                        [](const LevelModel &level) {
                          return level.name + "=" + std::to_string(level.size);
                        }),
              ", ");
}

Expected<SmallVector<int64_t, 4>> fillLevels(const MachineModel &machine,
                                             int64_t devices) {
  if (machine.levels.empty())
    return SmallVector<int64_t, 4>{devices};
  SmallVector<int64_t, 4> groups;
  int64_t rest = devices, inside = 1;
  std::string fitting;
  bool fits = true;
  for (const LevelModel &level : machine.levels) {
    fitting += fitting.empty() ? "up to " : ", or a multiple of ";
    if (inside > 1)
      fitting += std::to_string(inside) + " up to ";
    inside *= level.size;
    fitting += std::to_string(inside);
    int64_t taken = std::min(rest, level.size);
    fits &= rest % taken == 0;
    groups.push_back(taken);
    rest /= taken;
  }
  if (fits && rest == 1)
    return groups;
  return createStringError(Twine(devices) + " devices do not fill the levels " +
                           levelsText(machine) + " of machine '" +
                           machine.name + "'; numbers that do: " + fitting);
}

namespace {

/// The levels as numbers of devices in a group: 1, 8, 128.
class Levels {
public:
  Levels(const MachineModel &machine, const Mesh &mesh)
      : machine(machine), mesh(mesh) {
    for (const LevelModel &level : machine.levels)
      groups.push_back(groups.back() * level.size);
  }

  int64_t numDevices() const { return groups.back(); }

  /// The level in which an axis lies, if there is one.
  std::optional<size_t> levelOf(int32_t axis) const {
    for (size_t level = 0; level < machine.levels.size(); ++level)
      if (mesh.deviceIds().empty() ? liesIn(axis, level)
                                   : listLiesIn(axis, level))
        return level;
    return std::nullopt;
  }

  Error crossing(int32_t axis) const {
    size_t level = 0;
    while (groups[level + 1] <= mesh.stride(axis))
      ++level;
    SmallVector<std::string> fitting;
    int64_t most = groups[level + 1] / mesh.stride(axis);
    for (int64_t size = 1; size <= most; ++size)
      if (groups[level + 1] % (mesh.stride(axis) * size) == 0)
        fitting.push_back(std::to_string(size));
    std::string text = "axis \"" + mesh.axisName(axis).str() + "\" of size " +
                       std::to_string(mesh.axisSize(axis)) +
                       " does not lie in one level of machine '" +
                       machine.name + "' (" + levelsText(machine) + ")";
    if (mesh.deviceIds().empty())
      text += ": it begins in level \"" + machine.levels[level].name +
              "\", where the axes inside it take " +
              std::to_string(mesh.stride(axis)) + " of " +
              std::to_string(groups[level + 1]) + " devices; sizes that fit: " +
              (fitting.empty() ? "1" : join(fitting, ", "));
    return createStringError(text);
  }

private:
  bool liesIn(int32_t axis, size_t level) const {
    int64_t along = mesh.stride(axis) * mesh.axisSize(axis);
    return mesh.stride(axis) >= groups[level] &&
           (groups[level + 1] % along == 0 ||
            mesh.numDevices() <= groups[level + 1]);
  }
  /// Likewise with the device ids of the mesh.
  bool listLiesIn(int32_t axis, size_t level) const {
    ArrayRef<int64_t> ids = mesh.deviceIds();
    int64_t size = mesh.axisSize(axis), stride = mesh.stride(axis);
    for (int64_t first = 0; first < int64_t(ids.size()); ++first) {
      if (first / stride % size != 0)
        continue;
      SmallDenseSet<int64_t, 16> inside;
      for (int64_t i = 0; i < size; ++i) {
        int64_t id = ids[first + i * stride];
        if (id / groups[level + 1] != ids[first] / groups[level + 1] ||
            !inside.insert(id / groups[level]).second)
          return false;
      }
    }
    return true;
  }

  const MachineModel &machine;
  const Mesh &mesh;
  SmallVector<int64_t, 4> groups = {1};
};

} // namespace

Expected<MachineModel> withLinksOfLevels(const MachineModel &machine,
                                         const Mesh &mesh) {
  MachineModel found = machine;
  if (machine.levels.empty() || mesh.numAxes() == 0)
    return found;
  Levels levels(machine, mesh);
  if (mesh.numDevices() > levels.numDevices())
    return createStringError("the mesh has " + Twine(mesh.numDevices()) +
                             " devices, and the levels " + levelsText(machine) +
                             " of machine '" + machine.name + "' have " +
                             Twine(levels.numDevices()));
  for (int32_t axis = 0; axis < mesh.numAxes(); ++axis) {
    std::string name = mesh.axisName(axis).str();
    if (mesh.axisSize(axis) == 1 || machine.links.count(name))
      continue;
    std::optional<size_t> level = levels.levelOf(axis);
    if (!level)
      return levels.crossing(axis);
    found.links[name] = machine.levels[*level].link;
  }
  return found;
}

} // namespace shardwright
