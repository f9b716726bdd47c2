//===- machine_levels_test.cc - levels of links and mesh axes -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/cost/machine_levels.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

using namespace shardwright;

namespace {

constexpr llvm::StringLiteral kPod(R"({"name": "pods",
  "link": {"bytes_per_second": 4e10, "directions": 2},
  "levels": [
    {"name": "host", "size": 8},
    {"name": "pod", "size": 4, "link": {"bytes_per_second": 1e10}},
    {"name": "site", "size": 16, "link": {"bytes_per_second": 1e9, "directions": 1}}]})");

MachineModel machineOf(llvm::StringRef text) {
  llvm::Expected<MachineModel> machine = MachineModel::parse(text, "m.json");
  if (machine)
    return std::move(*machine);
  ADD_FAILURE() << llvm::toString(machine.takeError());
  return {};
}

std::string errorOf(llvm::StringRef text) {
  llvm::Expected<MachineModel> machine = MachineModel::parse(text, "m.json");
  return machine ? "" : llvm::toString(machine.takeError());
}

Mesh meshOf(llvm::ArrayRef<int64_t> sizes,
            llvm::SmallVector<int64_t, 0> ids = {}) {
  llvm::SmallVector<MeshAxis, 4> axes;
  for (auto [i, size] : llvm::enumerate(sizes))
    axes.push_back({std::string(1, char('a' + i)), size});
  return Mesh(axes, std::move(ids));
}

std::string placed(const Mesh &mesh) {
  auto machine = withLinksOfLevels(machineOf(kPod), mesh);
  if (!machine)
    return llvm::toString(machine.takeError());
  std::string text;
  for (const MeshAxis &axis : mesh.axes())
    if (axis.size > 1)
      text += axis.name + ":" +
              std::to_string(
                  int64_t(machine->linkOf(axis.name).bytesPerSecond / 1e9)) +
              " ";
  return text;
}

TEST(MachineLevels, AreReadFromInsideToOutside) {
  MachineModel machine = machineOf(kPod);
  ASSERT_EQ(machine.levels.size(), 3u);
  EXPECT_EQ(machine.levels[0].name, "host");
  EXPECT_EQ(machine.levels[0].link, machine.link);
  EXPECT_EQ(machine.levels[1].link, (LinkModel{1e10, 1e-6, 2}));
  EXPECT_EQ(machine.levels[2].size, 16);
  EXPECT_EQ(machineOf(machine.json()).levels, machine.levels);
  EXPECT_EQ(levelsText(machine), "host=8, pod=4, site=16");
}

TEST(MachineLevels, MistakesAreNamed) {
  EXPECT_EQ(errorOf(R"({"levels": 8})"),
            "m.json:1: levels: expected a list of levels from inside to "
            "outside, found 8");
  EXPECT_EQ(errorOf(R"({"levels": [{"name": "host", "sise": 8}]})"),
            "m.json:1: levels.1.sise: unknown key, did you mean \"size\"?");
  EXPECT_EQ(errorOf(R"({"levels": [{"name": "host", "size": 0}]})"),
            "m.json:1: levels.1.size: expected an integer from 1 to 1048576, "
            "found 0");
  EXPECT_EQ(errorOf(R"({"levels": [{"size": 8}]})"),
            "m.json:1: levels.1: expected a name");
  EXPECT_EQ(errorOf(R"({"levels": [{"name": "host"}]})"),
            "m.json:1: levels.1: expected size, the number of devices (of the "
            "first level) or of groups of the level before");
  EXPECT_EQ(errorOf(R"({"levels": [{"name": "a", "size": 2},
                                   {"name": "a", "size": 2}]})"),
            "m.json:1: levels.2: two levels are called 'a'");
  EXPECT_EQ(errorOf(R"({"levels": [{"name": "a", "size": 1024},
                                   {"name": "b", "size": 2048}]})"),
            "m.json:1: levels.2: the levels up to 'b' multiply to more than "
            "1048576 devices");
}

TEST(MachineLevels, AnAxisHasTheLinkOfItsLevel) {
  EXPECT_EQ(placed(meshOf({8})), "a:40 ");
  EXPECT_EQ(placed(meshOf({4, 8})), "a:10 b:40 ");
  EXPECT_EQ(placed(meshOf({16, 2, 2, 4, 2})), "a:1 b:10 c:10 d:40 e:40 ");
  EXPECT_EQ(placed(meshOf({2, 1, 4})), "a:40 c:40 ");
  EXPECT_EQ(placed(meshOf({3, 4, 8})), "a:1 b:10 c:40 ");
  EXPECT_EQ(placed(meshOf({})), "");
}

TEST(MachineLevels, AnAxisOfSeveralLevelsIsRefused) {
  EXPECT_EQ(placed(meshOf({8, 4})),
            "axis \"a\" of size 8 does not lie in one level of machine 'pods' "
            "(host=8, pod=4, site=16): it begins in level \"host\", where the "
            "axes inside it take 4 of 8 devices; sizes that fit: 1, 2");
  EXPECT_EQ(placed(meshOf({4, 3})),
            "axis \"a\" of size 4 does not lie in one level of machine 'pods' "
            "(host=8, pod=4, site=16): it begins in level \"host\", where the "
            "axes inside it take 3 of 8 devices; sizes that fit: 1");
  EXPECT_EQ(placed(meshOf({1024})),
            "the mesh has 1024 devices, and the levels host=8, pod=4, site=16 "
            "of machine 'pods' have 512");
}

TEST(MachineLevels, TheOrderOfDevicesCounts) {
  // Device i of host h has id 8h + i; the outer axis goes through a host.
  llvm::SmallVector<int64_t, 0> turned;
  for (int64_t i = 0; i < 8; ++i)
    for (int64_t host = 0; host < 4; ++host)
      turned.push_back(8 * host + i);
  EXPECT_EQ(placed(meshOf({8, 4}, turned)), "a:40 b:10 ");
  std::swap(turned[0], turned[5]);
  EXPECT_NE(placed(meshOf({8, 4}, turned)).find("does not lie in one level"),
            std::string::npos);
}

TEST(MachineLevels, NamedLinksStay) {
  MachineModel machine = machineOf(kPod);
  machine.links["a"] = {7, 0, 1};
  auto found = withLinksOfLevels(machine, meshOf({8, 4}));
  ASSERT_TRUE(bool(found));
  EXPECT_EQ(found->linkOf("a").bytesPerSecond, 7);
}

TEST(MachineLevels, FillFromInside) {
  auto fill = [](int64_t devices) {
    auto groups = fillLevels(machineOf(kPod), devices);
    return groups ? std::vector<int64_t>(groups->begin(), groups->end())
                  : std::vector<int64_t>();
  };
  EXPECT_EQ(fill(1), (std::vector<int64_t>{1, 1, 1}));
  EXPECT_EQ(fill(6), (std::vector<int64_t>{6, 1, 1}));
  EXPECT_EQ(fill(24), (std::vector<int64_t>{8, 3, 1}));
  EXPECT_EQ(fill(64), (std::vector<int64_t>{8, 4, 2}));
  EXPECT_EQ(fill(1024), std::vector<int64_t>());
  auto wrong = fillLevels(machineOf(kPod), 12);
  ASSERT_FALSE(bool(wrong));
  EXPECT_EQ(llvm::toString(wrong.takeError()),
            "12 devices do not fill the levels host=8, pod=4, site=16 of "
            "machine 'pods'; numbers that do: up to 8, or a multiple of 8 up "
            "to 32, or a multiple of 32 up to 512");
}

/// Whether each line of devices along the axis lies in one level, by the
/// definition.
std::optional<size_t> levelByDefinition(const MachineModel &machine,
                                        const Mesh &mesh, int32_t axis) {
  int64_t inside = 1;
  for (size_t level = 0; level < machine.levels.size(); ++level) {
    int64_t outside = inside * machine.levels[level].size;
    bool lies = true;
    for (int64_t a = 0; a < mesh.numDevices(); ++a)
      for (int64_t b = a + 1; b < mesh.numDevices(); ++b) {
        bool sameLine = true;
        for (int32_t other = 0; other < mesh.numAxes(); ++other)
          sameLine &=
              other == axis || mesh.coordinate(a, mesh.fullAxis(other)) ==
                                   mesh.coordinate(b, mesh.fullAxis(other));
        if (sameLine)
          lies &= mesh.deviceId(a) / outside == mesh.deviceId(b) / outside &&
                  mesh.deviceId(a) / inside != mesh.deviceId(b) / inside;
      }
    if (lies)
      return level;
    inside = outside;
  }
  return std::nullopt;
}

RC_GTEST_PROP(MachineLevels, AgreeWithTheDefinition, ()) {
  MachineModel machine;
  for (int i = 0; i < 3; ++i)
    machine.levels.push_back({std::to_string(i), *rc::gen::inRange(1, 5),
                              LinkModel{double(i + 1), 0, 1}});
  llvm::SmallVector<int64_t, 4> sizes;
  int64_t devices = 1;
  for (int i = *rc::gen::inRange(1, 4); i > 0; --i) {
    sizes.push_back(*rc::gen::inRange(1, 5));
    devices *= sizes.back();
  }
  llvm::SmallVector<int64_t, 0> ids;
  if (*rc::gen::arbitrary<bool>()) {
    std::vector<int64_t> order(devices);
    std::iota(order.begin(), order.end(), 0);
    // Mostly in runs, so that some axes lie in one level.
    int64_t run = *rc::gen::elementOf(std::vector<int64_t>{1, 2, devices});
    if (devices % run == 0)
      for (int64_t i = 0; i < devices; ++i)
        ids.push_back(i % (devices / run) * run + i / (devices / run));
  }
  Mesh mesh = meshOf(sizes, ids);
  int64_t most = 1;
  for (const LevelModel &level : machine.levels)
    most *= level.size;
  auto found = withLinksOfLevels(machine, mesh);
  bool expected = mesh.numDevices() <= most;
  for (int32_t axis = 0; axis < mesh.numAxes() && expected; ++axis)
    if (mesh.axisSize(axis) > 1) {
      auto level = levelByDefinition(machine, mesh, axis);
      expected &= level.has_value();
      if (level && found)
        RC_ASSERT(found->linkOf(mesh.axisName(axis)).bytesPerSecond ==
                  double(*level + 1));
    }
  RC_ASSERT(bool(found) == expected);
  if (!found)
    llvm::consumeError(found.takeError());
}

} // namespace
