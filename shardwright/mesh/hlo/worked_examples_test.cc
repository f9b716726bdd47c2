//===- worked_examples_test.cc - examples checked against jaxlib ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/hlo/named_conversion.h"
#include "shardwright/mesh/hlo/partition_spec.h"

#include "llvm/Support/FormatVariadic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

using namespace shardwright;

namespace {

HloSharding parse(llvm::StringRef text) {
  auto s = HloSharding::parse(text);
  EXPECT_TRUE(bool(s)) << text.str() << ": " << llvm::toString(s.takeError());
  return *s;
}
std::string canonical(llvm::StringRef text) { return parse(text).str(); }

std::string ofSpec(llvm::StringRef spec, const Mesh &mesh, int64_t rank,
                   llvm::ArrayRef<std::string> manual = {}) {
  return llvm::cantFail(toTiled(llvm::cantFail(PartitionSpec::parse(spec)),
                                mesh, rank, manual))
      .str();
}
std::string tiled(llvm::StringRef named) { return toTiled(parse(named)).str(); }

TEST(WorkedExamples, PrintsAsItWasRead) {
  for (llvm::StringRef text :
       {"{}", "{replicated}", "{manual}", "{unreduced}", "{unknown shard_as 7}",
        "{maximal device=3}", "{maximal device=-1}",
        "{devices=[4,2]0,4,1,5,2,6,3,7}", "{devices=[4,2]<=[2,4]T(1,0)}",
        "{devices=[2,4]<=[8]}", "{devices=[1,1]<=[1]}",
        "{mesh['a'=2,'b'=4], [{'b'}, {'a', ?}]}",
        "{{mesh['a'=2,'b'=4], [{'b'}, {}]}, {replicated}}"})
    EXPECT_EQ(canonical(text), text);
}

TEST(WorkedExamples, NormalisedWhileParsing) {
  EXPECT_EQ(canonical("{devices=[1,4]<=[4] last_tile_dims={manual}}"),
            "{manual}");
  EXPECT_EQ(canonical("{devices=[1,4]<=[4] last_tile_dims={replicated}}"),
            "{replicated}");
  EXPECT_EQ(canonical("{devices=[1,4]<=[4] last_tile_dims={unreduced}}"),
            "{unreduced}");
  EXPECT_EQ(canonical("{devices=[4]<=[4] last_tile_dim_replicate}"),
            "{replicated}");
  EXPECT_EQ(canonical("{devices=[2,1]<=[2] last_tile_dim_replicate}"),
            "{devices=[2]<=[2]}");
  EXPECT_EQ(canonical("{devices=[2,4]<=[8] last_tile_dims={replicated}}"),
            "{devices=[2,4]<=[8] last_tile_dim_replicate}");
  EXPECT_EQ(canonical("{devices=[2,4]<=[8] last_tile_dims={}}"),
            "{devices=[2,4]<=[8]}");
  EXPECT_EQ(llvm::cantFail(
                HloSharding::fromProto(parse("{devices=[1,1]<=[1]}").toProto()))
                .str(),
            "{replicated}");
}

TEST(WorkedExamples, Iotas) {
  auto iota = [](llvm::StringRef text) {
    std::string s = canonical(("{devices=[" + text.split('<').first.trim() +
                               "]<" + text.split('<').second + "}")
                                  .str());
    return s.substr(s.find("<=") + 2, s.size() - s.find("<=") - 3);
  };
  EXPECT_EQ(iota("60<=[3,4,5]T(0,1,2)"), "[60]");
  EXPECT_EQ(iota("60<=[3,4,5]T(1,2,0)"), "[3,20]T(1,0)");
  EXPECT_EQ(iota("60<=[3,4,5]T(2,0,1)"), "[12,5]T(1,0)");
  EXPECT_EQ(iota("8<=[1,2,1,4]T(3,2,1,0)"), "[2,4]T(1,0)");
  EXPECT_EQ(iota("8<=[2,2,2]T(1,2,0)"), "[2,4]T(1,0)");
}

TEST(WorkedExamples, PartialTilesAndSubgroups) {
  EXPECT_EQ(
      canonical("{devices=[2,4]<=[2,2,2]T(0,2,1) last_tile_dim_replicate}"),
      "{devices=[2,4]<=[8] last_tile_dim_replicate}");
  EXPECT_EQ(
      canonical("{devices=[2,4]<=[2,2,2]T(2,1,0) last_tile_dim_replicate}"),
      "{devices=[2,4]<=[4,2]T(1,0) last_tile_dim_replicate}");
  EXPECT_EQ(
      canonical("{devices=[2,2,1,2]<=[8] last_tile_dims={replicated,manual}}"),
      "{devices=[2,2,2]<=[8] last_tile_dims={manual}}");
}

TEST(WorkedExamples, Protos) {
  auto hex = [](llvm::StringRef text) {
    std::string digits;
    for (unsigned char c : parse(text).toProto())
      digits += llvm::formatv("{0:x-2}", c).str();
    return digits;
  };
  EXPECT_EQ(hex("{devices=[4,2]<=[2,4]T(1,0)}"),
            "08031a0204024a02020452020100");
  EXPECT_EQ(hex("{replicated}"), "");
}

TEST(WorkedExamples, MoreSpecs) {
  Mesh one({{"a", 2}, {"b", 1}, {"c", 4}});
  EXPECT_EQ(ofSpec("P('b', 'c')", one, 2),
            "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}");
  EXPECT_EQ(ofSpec("P(('a', 'b'),)", one, 2),
            "{devices=[2,1,4]<=[8] last_tile_dim_replicate}");
  EXPECT_EQ(ofSpec("P('b',)", one, 2), "{replicated}");
  Mesh mixed({{"a", 2}, {"b", 4}, {"c", 2}});
  EXPECT_EQ(ofSpec("P('b')", mixed, 2, {"a"}),
            "{devices=[4,1,2,2]<=[2,4,2]T(1,0,2) last_tile_dims={manual, "
            "replicated}}");
  EXPECT_EQ(ofSpec("P('c', 'b')", mixed, 2, {"a"}),
            "{devices=[2,4,2]<=[2,4,2]T(2,1,0) last_tile_dims={manual}}");
  EXPECT_EQ(ofSpec("P()", mixed, 2, {"a"}),
            "{devices=[1,1,2,8]<=[16] last_tile_dims={manual, replicated}}");
  EXPECT_EQ(ofSpec("P('b', unreduced={'c'})", mixed, 2, {"a"}),
            "{devices=[4,1,2,2]<=[2,4,2]T(1,0,2) last_tile_dims={manual, "
            "unreduced}}");
  Mesh xy({{"x", 2}, {"y", 4}});
  EXPECT_EQ(ofSpec("P('x', unreduced={'y'})", xy, 2),
            "{devices=[2,1,4]<=[8] last_tile_dims={unreduced}}");
  EXPECT_EQ(ofSpec("P()", xy, 0), "{replicated}");
  Mesh even({{"x", 2}, {"y", 4}}, {0, 2, 4, 6, 1, 3, 5, 7});
  EXPECT_EQ(ofSpec("P('y')", even, 2),
            "{devices=[4,1,2]0,1,2,3,4,5,6,7 last_tile_dim_replicate}");
  EXPECT_EQ(tiled("{mesh['a'=2,'b'=2,'c'=2], device_ids=(0,2,4,6,1,3,5,7), "
                  "[{'c'}, {'a', 'b'}]}"),
            "{devices=[2,4]0,4,1,5,2,6,3,7}");
}

TEST(WorkedExamples, Unreduced) {
  EXPECT_EQ(tiled("{mesh['a'=2,'b'=2,'c'=4], [{}, {}], unreduced={'b'}}"),
            "{devices=[1,1,2,8]<=[2,2,4]T(1,0,2) last_tile_dims={unreduced, "
            "replicated}}");
  EXPECT_EQ(tiled("{mesh['a'=2,'b'=4], [{}, {}], unreduced={'a', 'b'}}"),
            "{unreduced}");
}

TEST(WorkedExamples, AxesOfOneSharding) {
  struct Case {
    llvm::StringRef text;
    std::vector<int64_t> mesh;
    std::vector<std::vector<int32_t>> axes;
  };
  for (const Case &c : std::vector<Case>{
           {"{devices=[4,2]<=[2,4]T(1,0)}", {2, 4}, {{1}, {0}}},
           {"{devices=[2,1,4]<=[8] last_tile_dim_replicate}",
            {2, 4},
            {{0}, {}, {1}}},
           {"{devices=[6,35]<=[7,10,3]T(2,1,0)}",
            {7, 2, 5, 3},
            {{3, 1}, {2, 0}}},
           {"{devices=[4,4,2]<=[2,16]T(1,0) last_tile_dim_replicate}",
            {2, 4, 4},
            {{1}, {2}, {0}}},
           {"{devices=[2,2,2,2]<=[4,4]T(1,0)}",
            {2, 2, 2, 2},
            {{2}, {3}, {0}, {1}}}}) {
    HloSharding s = parse(c.text);
    auto local = s.devices().asIota()->localAxes(s.tileDims());
    ASSERT_TRUE(local.has_value()) << c.text.str();
    EXPECT_THAT(local->sizes, testing::ElementsAreArray(c.mesh));
    ASSERT_EQ(local->axesOfTile.size(), c.axes.size());
    for (size_t i = 0; i < c.axes.size(); ++i)
      EXPECT_THAT(local->axesOfTile[i], testing::ElementsAreArray(c.axes[i]));
  }
  HloSharding none = parse("{devices=[2,3]<=[2,3]T(1,0)}");
  EXPECT_FALSE(none.devices().asIota()->localAxes(none.tileDims()));
}

TEST(WorkedExamples, BackToSpecs) {
  Mesh xy({{"x", 2}, {"y", 4}});
  auto spec = [&](llvm::StringRef text) {
    auto s = toPartitionSpec(parse(text), xy);
    return s ? s->str() : llvm::toString(s.takeError());
  };
  EXPECT_EQ(spec("{devices=[8,1]<=[2,4]T(1,0)}"), "P(('y', 'x'),)");
  EXPECT_EQ(spec("{devices=[4,2]0,4,1,5,2,6,3,7}"), "P('y', 'x')");
  EXPECT_EQ(spec("{replicated}"), "P()");
}

TEST(WorkedExamples, WhatADeviceHolds) {
  HloSharding s = parse("{devices=[4,2]<=[2,4]T(1,0)}");
  auto boxOf = [&](int64_t device) {
    for (int64_t i = 0; i < s.devices().size(); ++i)
      if (s.devices().deviceAt(i) == device)
        return shardBox({8, 4}, s, i);
    return llvm::SmallVector<IndexRange, 4>();
  };
  EXPECT_THAT(boxOf(1),
              testing::ElementsAre(IndexRange{2, 4}, IndexRange{0, 2}));
  EXPECT_THAT(boxOf(4),
              testing::ElementsAre(IndexRange{0, 2}, IndexRange{2, 4}));
  // The last shards of an uneven dimension are short or empty.
  HloSharding uneven = parse("{devices=[4]<=[4]}");
  EXPECT_THAT(shardShape({6}, uneven), testing::ElementsAre(2));
  EXPECT_THAT(shardBox({6}, uneven, 3), testing::ElementsAre(IndexRange{6, 6}));
}

TEST(WorkedExamples, V1ThatNoIotaSays) {
  EXPECT_FALSE(IotaOrder::fromList({0, 3, 1, 2}));
  EXPECT_FALSE(IotaOrder::fromList({7, 6, 5, 4, 3, 2, 1, 0}));
  // Number of permutations of 4, 6 and 8 devices that are iotas.
  for (auto [n, expected] : {std::pair<int64_t, int>{4, 2}, {6, 3}, {8, 6}}) {
    llvm::SmallVector<int64_t, 8> list(n);
    std::iota(list.begin(), list.end(), 0);
    int found = 0;
    do
      found += IotaOrder::fromList(list).has_value();
    while (std::next_permutation(list.begin(), list.end()));
    EXPECT_EQ(found, expected) << n;
  }
}

/// 2^38 devices: a loop over all of them would not terminate in time.
TEST(IotaCost, DoesNotGrowWithDevices) {
  int64_t half = int64_t(1) << 19, n = half * half;
  Mesh mesh({{"x", half}, {"y", half}});
  std::string h = std::to_string(half), all = h + "," + h;
  HloSharding s = parse("{devices=[" + all + "]<=[" + all + "]T(1,0)}");
  EXPECT_EQ(parse(s.str()), s);
  EXPECT_EQ(llvm::cantFail(HloSharding::fromProto(s.toProto())), s);
  EXPECT_EQ(s.withIota().str(), s.str());
  EXPECT_EQ(s.devices().deviceAt(1), half);
  EXPECT_EQ(s.numDevices(), n);
  EXPECT_FALSE(bool(s.validate({half, half}, n)));
  EXPECT_THAT(shardShape({half * 2, half}, s), testing::ElementsAre(2, 1));
  EXPECT_THAT(shardBox({half * 2, half}, s, n - 1),
              testing::ElementsAre(IndexRange{half * 2 - 2, half * 2},
                                   IndexRange{half - 1, half}));
  EXPECT_TRUE(holdsSameData(s, s));
  HloSharding partial = parse("{devices=[" + all + "]<=[" + all +
                              "]T(1,0) last_tile_dim_replicate}");
  EXPECT_TRUE(partial.replicatesOnLastTileDim());
  HloSharding manual =
      parse("{devices=[" + h + ",2," + std::to_string(half / 2) + "]<=[" + all +
            "]T(1,0) last_tile_dims={replicated,manual}}");
  EXPECT_EQ(manual.subgroups().size(), 2u);
  MeshInference inference;
  for (const HloSharding &one : {s, partial})
    inference.add(one);
  Mesh common = llvm::cantFail(inference.infer());
  EXPECT_EQ(common.numAxes(), 2);
  NamedHloSharding named = llvm::cantFail(toNamed(s, common, 2));
  EXPECT_EQ(toTiled(named), s);
  EXPECT_TRUE(holdsSameData(toTiled(named), s));
  PartitionSpec spec = llvm::cantFail(toPartitionSpec(s, mesh));
  EXPECT_EQ(spec.str(), "P('y', 'x')");
  EXPECT_EQ(llvm::cantFail(toTiled(spec, mesh, 2)), s);
  HloSharding v3 = HloSharding::named(named);
  EXPECT_EQ(parse(v3.str()), v3);
  EXPECT_EQ(llvm::cantFail(HloSharding::fromProto(v3.toProto())), v3);
}

} // namespace
