//===- hlo_sharding_test.cc - conversions keep every device's data --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/hlo/named_conversion.h"
#include "shardwright/mesh/hlo/partition_spec.h"

#include "llvm/ADT/STLExtras.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

using namespace shardwright;
using testing::HasSubstr;

namespace {

std::string canonical(llvm::StringRef text) {
  auto s = HloSharding::parse(text);
  return s ? s->str() : "error: " + llvm::toString(s.takeError());
}

std::string ofSpec(llvm::StringRef spec, const Mesh &mesh, int64_t rank) {
  auto parsed = PartitionSpec::parse(spec);
  EXPECT_TRUE(bool(parsed)) << spec.str();
  auto s = toTiled(*parsed, mesh, rank);
  return s ? s->str() : "error: " + llvm::toString(s.takeError());
}

TEST(HloSharding, CanonicalForms) {
  EXPECT_EQ(canonical("{}"), "{}");
  EXPECT_EQ(canonical(" { replicated }"), "{replicated}");
  EXPECT_EQ(canonical("{devices=[4,2]<=[2, 4] T(1,0)}"),
            "{devices=[4,2]<=[2,4]T(1,0)}");
  EXPECT_EQ(canonical("{devices=[8]<=[2,4]T(0,1)}"), "{devices=[8]<=[8]}");
  EXPECT_EQ(canonical("{devices=[1,4]<=[4] last_tile_dims={manual}}"),
            "{manual}");
  EXPECT_EQ(canonical("{devices=[2,1]<=[2] last_tile_dim_replicate}"),
            "{devices=[2]<=[2]}");
  EXPECT_EQ(
      canonical("{devices=[2,2,2]<=[8] last_tile_dims={replicated,manual}}"),
      "{devices=[2,2,2]<=[2,2,2]T(0,2,1) last_tile_dims={manual, "
      "replicated}}");
  EXPECT_EQ(canonical("{devices=[2,2,1,2]<=[8] "
                      "last_tile_dims={replicated,manual,manual}}"),
            "{devices=[2,2,2]<=[2,2,2]T(0,2,1) last_tile_dims={manual, "
            "replicated}}");
  EXPECT_EQ(canonical("{devices=[2,4]7,6,5,4,3,2,1,0 "
                      "last_tile_dim_replicate}"),
            "{devices=[2,4]4,5,6,7,0,1,2,3 last_tile_dim_replicate}");
  EXPECT_EQ(canonical("{{replicated},{manual},{replicated},{replicated},"
                      "{replicated},{maximal device=3}}"),
            "{{replicated}, {manual}, {replicated}, {replicated}, "
            "{replicated}, /*index=5*/{maximal device=3}}");
}

TEST(HloSharding, RefusesWhatHasNoMeaning) {
  EXPECT_THAT(canonical("{devices=[4,2]0,1,2}"), HasSubstr("8 tiles but 3"));
  EXPECT_THAT(canonical("{devices=[3,2]<=[8]}"), HasSubstr("6 tiles but 8"));
  EXPECT_THAT(canonical("{devices=[2]1,1}"),
              HasSubstr("device 1 occurs twice"));
  EXPECT_THAT(canonical("{devices=[4]<=[2,2]T(1,1)}"),
              HasSubstr("permutation of 0 to 1"));
  EXPECT_THAT(canonical("{replicated manual}"), HasSubstr("contradicts"));
  EXPECT_THAT(canonical("{replicated last_tile_dim_replicate}"),
              HasSubstr("needs 'devices'"));
  EXPECT_THAT(canonical("{replicat}"),
              HasSubstr("did you mean \"replicated\""));
  EXPECT_THAT(canonical("{replicated}x"), HasSubstr("column 13: text after"));
  EXPECT_THAT(canonical("{devices=[9223372036854775807,2]<=[4]}"),
              HasSubstr("fit 64 bits"));
  EXPECT_THAT(canonical("{mesh['x\xff'=4], [{}]}"), HasSubstr("not UTF-8"));
}

TEST(PartitionSpec, NamesWithQuotesComeBack) {
  std::string text = R"(P("it's", ('a"b', 'c')))";
  EXPECT_EQ(llvm::cantFail(PartitionSpec::parse(text)).str(), text);
}

/// The worked examples of a mesh of 2 x 4 and of 2 x 2 x 2.
TEST(HloSharding, SpecsOnAMesh) {
  Mesh xy({{"x", 2}, {"y", 4}});
  EXPECT_EQ(ofSpec("P('x', 'y')", xy, 2), "{devices=[2,4]<=[8]}");
  EXPECT_EQ(ofSpec("P('y', 'x')", xy, 2), "{devices=[4,2]<=[2,4]T(1,0)}");
  EXPECT_EQ(ofSpec("P('x', None)", xy, 2),
            "{devices=[2,1,4]<=[8] last_tile_dim_replicate}");
  EXPECT_EQ(ofSpec("P('y', None)", xy, 2),
            "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}");
  EXPECT_EQ(ofSpec("P(None, 'x')", xy, 2),
            "{devices=[1,2,4]<=[8] last_tile_dim_replicate}");
  EXPECT_EQ(ofSpec("P(None, 'y')", xy, 2),
            "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}");
  EXPECT_EQ(ofSpec("P(('x', 'y'), None)", xy, 2), "{devices=[8,1]<=[8]}");
  EXPECT_EQ(ofSpec("P(('y', 'x'), None)", xy, 2),
            "{devices=[8,1]<=[2,4]T(1,0)}");
  EXPECT_EQ(ofSpec("P(None, ('x', 'y'))", xy, 2), "{devices=[1,8]<=[8]}");
  EXPECT_EQ(ofSpec("P(None, ('y', 'x'))", xy, 2),
            "{devices=[1,8]<=[2,4]T(1,0)}");
  EXPECT_EQ(ofSpec("P()", xy, 2), "{replicated}");
  Mesh xyz({{"x", 2}, {"y", 2}, {"z", 2}});
  EXPECT_EQ(ofSpec("P('z', ('x', 'y'))", xyz, 2),
            "{devices=[2,4]<=[4,2]T(1,0)}");
  EXPECT_EQ(ofSpec("P(('z', 'x'),)", xyz, 2),
            "{devices=[4,1,2]<=[4,2]T(1,0) last_tile_dim_replicate}");
  EXPECT_EQ(ofSpec("P('y')", xyz, 2),
            "{devices=[2,1,4]<=[2,2,2]T(1,0,2) last_tile_dim_replicate}");
  EXPECT_EQ(ofSpec("P('y', 'x')", xyz, 2),
            "{devices=[2,2,2]<=[2,2,2]T(1,0,2) last_tile_dim_replicate}");
  EXPECT_EQ(ofSpec("P(('x', 'z'),)", xyz, 2),
            "{devices=[4,1,2]<=[2,2,2]T(0,2,1) last_tile_dim_replicate}");
  EXPECT_EQ(ofSpec("P('z')", xyz, 2),
            "{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}");
  EXPECT_EQ(ofSpec("P(('z', 'y', 'x'),)", xyz, 2),
            "{devices=[8,1]<=[2,2,2]T(2,1,0)}");
  Mesh permuted({{"x", 2}, {"y", 4}}, {7, 6, 5, 4, 3, 2, 1, 0});
  EXPECT_EQ(ofSpec("P('y', 'x')", permuted, 2),
            "{devices=[4,2]7,3,6,2,5,1,4,0}");
  EXPECT_EQ(ofSpec("P('q')", xy, 2),
            "error: P('q',): 'q' is not an axis of the mesh, did you mean "
            "\"x\"?");
  EXPECT_EQ(ofSpec("P('x', 'x')", xy, 2),
            "error: P('x', 'x'): axis 'x' occurs twice");
}

TEST(HloSharding, SubAxesAndUnreduced) {
  auto tiled = [](llvm::StringRef named) {
    auto s = HloSharding::parse(named);
    EXPECT_TRUE(bool(s)) << llvm::toString(s.takeError());
    return toTiled(*s).str();
  };
  EXPECT_EQ(tiled("{mesh['a'=2,'b'=2,'c'=4], [{'c':(2)2}, {'a'}]}"),
            "{devices=[2,2,4]<=[8,2]T(1,0) last_tile_dim_replicate}");
  EXPECT_EQ(tiled("{mesh['a'=2,'b'=2,'c'=4], [{'c'}, {}], unreduced={'a'}}"),
            "{devices=[4,1,2,2]<=[4,4]T(1,0) last_tile_dims={unreduced, "
            "replicated}}");
  EXPECT_EQ(tiled("{mesh['a'=2,'b'=4,'c'=2], [{'c'}, {}], unreduced={'b'}, "
                  "manual={'a'}}"),
            "{devices=[2,1,2,4]<=[8,2]T(1,0) last_tile_dims={manual, "
            "unreduced}}");
}

TEST(MeshInference, CoarsestMesh) {
  MeshInference inference;
  for (llvm::StringRef text :
       {"{devices=[4,8]<=[8,4]T(1,0)}",
        "{devices=[1,2,16]<=[32] last_tile_dim_replicate}",
        "{devices=[4,4,2]<=[2,16]T(1,0) last_tile_dim_replicate}"})
    inference.add(llvm::cantFail(HloSharding::parse(text)));
  Mesh mesh = llvm::cantFail(inference.infer());
  EXPECT_EQ(mesh, Mesh({{"_axis_0", 2}, {"_axis_1", 4}, {"_axis_2", 4}}));
  auto named = toNamed(
      llvm::cantFail(HloSharding::parse("{devices=[4,8]<=[8,4]T(1,0)}")), mesh,
      2);
  EXPECT_EQ(str(llvm::cantFail(std::move(named)).sharding, mesh),
            "[{\"_axis_2\"}, {\"_axis_0\", \"_axis_1\"}]");
}

TEST(MeshInference, NoMeshForBoth) {
  MeshInference inference;
  inference.add(llvm::cantFail(HloSharding::parse("{devices=[2,3]<=[6]}")));
  inference.add(llvm::cantFail(HloSharding::parse("{devices=[3,2]<=[6]}")));
  auto mesh = inference.infer();
  ASSERT_FALSE(bool(mesh));
  EXPECT_THAT(llvm::toString(mesh.takeError()), HasSubstr("no mesh has axes"));
}

//===----------------------------------------------------------------------===//
// Properties
//===----------------------------------------------------------------------===//

llvm::SmallVector<int64_t, 4> sizesOf(int64_t n, int64_t parts) {
  llvm::SmallVector<int64_t, 4> sizes(parts, 1);
  for (int64_t prime : {2, 3})
    for (; n % prime == 0; n /= prime)
      sizes[*rc::gen::inRange<int64_t>(0, parts)] *= prime;
  return sizes;
}

IotaOrder anyIota(int64_t n) {
  auto reshape = sizesOf(n, *rc::gen::inRange(1, 5));
  llvm::SmallVector<int32_t, 4> perm(reshape.size());
  std::iota(perm.begin(), perm.end(), 0);
  for (size_t i = perm.size(); i > 1; --i)
    std::swap(perm[i - 1], perm[*rc::gen::inRange<size_t>(0, i)]);
  return IotaOrder(reshape, perm);
}

HloSharding anyTiled() {
  int64_t n = *rc::gen::element<int64_t>(2, 4, 6, 8, 12, 16, 24, 36);
  llvm::SmallVector<Subgroup, 2> subgroups;
  for (int64_t i = *rc::gen::inRange(0, 3); i > 0; --i)
    subgroups.push_back(*rc::gen::element(
        Subgroup::Replicated, Subgroup::Manual, Subgroup::Unreduced));
  auto dims = sizesOf(n, *rc::gen::inRange(1, 4) + subgroups.size());
  DeviceOrder order = anyIota(n);
  return HloSharding::tiled(
      dims, *rc::gen::arbitrary<bool>() ? DeviceOrder(order.list()) : order,
      subgroups);
}

/// The part of a value that each device holds.
std::map<int64_t, std::vector<IndexRange>> parts(const HloSharding &s,
                                                 int64_t n) {
  std::map<int64_t, std::vector<IndexRange>> result;
  int64_t rank = s.isTiled() ? s.dataDims().size() : 0;
  llvm::SmallVector<int64_t, 4> shape(rank, 36 * 16);
  for (int64_t position = 0; position < n; ++position) {
    int64_t device = s.isTiled() ? s.devices().deviceAt(position) : position;
    auto box = shardBox(shape, s, position);
    result[device].assign(box.begin(), box.end());
  }
  return result;
}

RC_GTEST_PROP(IotaOrder, ListsComeBack, ()) {
  int64_t n = *rc::gen::element<int64_t>(2, 4, 8, 12, 24, 36, 64);
  IotaOrder iota = anyIota(n);
  auto list = DeviceOrder(iota).list();
  auto back = IotaOrder::fromList(list);
  RC_ASSERT(back.has_value());
  RC_ASSERT(*back == iota);
}

RC_GTEST_PROP(HloSharding, TextAndProtoComeBack, ()) {
  // Joining subgroups may leave one that covers all devices, which parses as
  // `unreduced`; XLA behaves the same.
  HloSharding s = llvm::cantFail(HloSharding::parse(anyTiled().str()));
  RC_ASSERT(llvm::cantFail(HloSharding::parse(s.str())) == s);
  RC_ASSERT(llvm::cantFail(HloSharding::fromProto(s.toProto())) == s);
  RC_ASSERT(s.withDeviceList() == s);
  RC_ASSERT(s.withDeviceList().withIota() == s);
}

RC_GTEST_PROP(HloSharding, AxesHoldTheSameData, ()) {
  HloSharding s = anyTiled();
  RC_PRE(s.isTiled());
  MeshInference inference;
  inference.add(s);
  Mesh mesh = llvm::cantFail(inference.infer());
  NamedHloSharding named =
      llvm::cantFail(toNamed(s, mesh, s.dataDims().size()));
  HloSharding back = toTiled(named);
  RC_ASSERT(holdsSameData(back, s));
  if (back.isTiled())
    RC_ASSERT(parts(back, s.devices().size()) == parts(s, s.devices().size()));
}

RC_GTEST_PROP(HloSharding, AnIotaKnowsItsDevices, ()) {
  HloSharding s = anyTiled();
  RC_PRE(s.isTiled());
  auto list = s.devices().list();
  for (int64_t i = 0; i < s.devices().size(); ++i)
    RC_ASSERT(s.devices().deviceAt(i) == list[i]);
  llvm::sort(list);
  for (auto [i, device] : llvm::enumerate(list))
    RC_ASSERT(device == int64_t(i));
}

TEST(HloSharding, AMillionDevicesCostNothing) {
  auto s = llvm::cantFail(
      HloSharding::parse("{devices=[1000,1000]<=[1000,1000]T(1,0)}"));
  MeshInference inference;
  inference.add(s);
  Mesh mesh = llvm::cantFail(inference.infer());
  EXPECT_EQ(toTiled(llvm::cantFail(toNamed(s, mesh, 2))), s);
  EXPECT_EQ(s.devices().deviceAt(1), 1000);
}

} // namespace
