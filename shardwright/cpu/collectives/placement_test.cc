//===- placement_test.cc - groups with members in other processes ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/collectives/collectives.h"

#include "llvm/ADT/STLExtras.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <rapidcheck/gtest.h>

#include <array>
#include <set>

using namespace shardwright;
using namespace shardwright::cpu;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

using Members = llvm::SmallVector<int32_t, 8>;

CollectivePlan plan(const CollectiveSpec &spec, int64_t positions,
                    const Placement &placement) {
  return llvm::cantFail(CollectivePlan::create(spec, positions, {}, placement));
}

CollectiveSpec allReduce(std::vector<Members> groups) {
  CollectiveSpec spec;
  spec.kind = CollectiveKind::AllReduce;
  spec.type = ElementType::F32;
  spec.groups = std::move(groups);
  return spec;
}

TEST(Placement, CountsLocalPositions) {
  Placement all;
  EXPECT_TRUE(all.fits(5));
  EXPECT_TRUE(all.isLocal(4));
  EXPECT_EQ(all.localIndex(4), 4);
  EXPECT_THAT(all.localPositions(3), ElementsAre(0, 1, 2));
  int32_t owners[] = {1, 0, 1, 2};
  Placement some(1, owners);
  EXPECT_TRUE(some.fits(4));
  EXPECT_FALSE(some.fits(5));
  EXPECT_FALSE(some.isLocal(1));
  EXPECT_EQ(some.owner(3), 2);
  EXPECT_EQ(some.localIndex(2), 1);
  EXPECT_THAT(some.localPositions(4), ElementsAre(0, 2));
  EXPECT_THAT(Placement(3, owners).localPositions(4), IsEmpty());
}

TEST(Placement, SplitsGroupsInTheirOrder) {
  int32_t owners[] = {0, 0, 0, 2, 2, 1, 1};
  CollectivePlan split =
      plan(allReduce({{0, 1}, {6, 4, 2, 3}, {5}}), 7, {0, owners});
  EXPECT_THAT(split.localGroups(), ElementsAre(0));
  ASSERT_EQ(split.sharedGroups().size(), 1u);
  const CollectivePlan::SharedGroup &group = split.sharedGroups()[0];
  EXPECT_EQ(group.group, 1);
  EXPECT_THAT(group.localMembers, ElementsAre(2));
  ASSERT_EQ(group.peers.size(), 2u);
  EXPECT_EQ(group.peers[0].process, 1);
  EXPECT_THAT(group.peers[0].members, ElementsAre(6));
  EXPECT_EQ(group.peers[1].process, 2);
  EXPECT_THAT(group.peers[1].members, ElementsAre(4, 3));
}

TEST(Placement, EachPairOfAPermuteIsAGroup) {
  CollectiveSpec spec;
  spec.kind = CollectiveKind::CollectivePermute;
  spec.type = ElementType::F32;
  spec.pairs = {{0, 1}, {1, 2}, {3, 0}, {2, 3}, {1, 4}};
  int32_t owners[] = {0, 0, 1, 1, 2};
  CollectivePlan split = plan(spec, 5, {0, owners});
  EXPECT_THAT(split.localGroups(), IsEmpty());
  std::vector<std::array<int32_t, 4>> found;
  for (const CollectivePlan::SharedGroup &group : split.sharedGroups()) {
    ASSERT_EQ(group.localMembers.size(), 1u);
    ASSERT_EQ(group.peers.size(), 1u);
    ASSERT_EQ(group.peers[0].members.size(), 1u);
    found.push_back({group.group, group.localMembers[0], group.peers[0].process,
                     group.peers[0].members[0]});
  }
  using Pair = std::array<int32_t, 4>;
  EXPECT_THAT(
      found, ElementsAre(Pair{2, 1, 1, 2}, Pair{0, 0, 1, 3}, Pair{4, 1, 2, 4}));
}

/// Groups of random sizes over a part of the positions, and their owners.
struct Job {
  int32_t processes = 1;
  std::vector<int32_t> owners;
  std::vector<Members> groups;
};

Job randomJob() {
  Job job;
  job.processes = *rc::gen::inRange(1, 5);
  int32_t positions = *rc::gen::inRange(1, 17);
  std::vector<int32_t> order;
  for (int32_t p = 0; p < positions; ++p) {
    job.owners.push_back(*rc::gen::inRange(0, job.processes));
    order.insert(order.begin() + *rc::gen::inRange(0, p + 1), p);
  }
  int32_t count = *rc::gen::inRange(1, positions + 1);
  job.groups.resize(count);
  for (auto [i, position] : llvm::enumerate(order))
    if (int32_t(i) < count)
      job.groups[i].push_back(position);
    else if (int32_t group = *rc::gen::inRange(-1, count); group >= 0)
      job.groups[group].push_back(position);
  return job;
}

RC_GTEST_PROP(Placement, EveryProcessSeesTheSameGroups, ()) {
  Job job = randomJob();
  int64_t positions = job.owners.size();
  std::vector<int32_t> timesLocal(job.groups.size()),
      timesShared(job.groups.size());
  for (int32_t process = 0; process < job.processes; ++process) {
    Placement placement(process, job.owners);
    CollectivePlan split = plan(allReduce(job.groups), positions, placement);
    for (int32_t group : split.localGroups()) {
      ++timesLocal[group];
      for (int32_t member : job.groups[group])
        RC_ASSERT(job.owners[member] == process);
    }
    for (const CollectivePlan::SharedGroup &shared : split.sharedGroups()) {
      ++timesShared[shared.group];
      // By process, the members that it owns, in the order of the group.
      std::vector<Members> byOwner(job.processes);
      for (int32_t member : job.groups[shared.group])
        byOwner[job.owners[member]].push_back(member);
      RC_ASSERT(!byOwner[process].empty());
      RC_ASSERT(shared.localMembers == byOwner[process]);
      byOwner[process].clear();
      int32_t last = -1;
      for (const CollectivePlan::Peer &peer : shared.peers) {
        RC_ASSERT(peer.process > last);
        last = peer.process;
        RC_ASSERT(!peer.members.empty());
        RC_ASSERT(peer.members == byOwner[peer.process]);
        byOwner[peer.process].clear();
      }
      for (const Members &left : byOwner)
        RC_ASSERT(left.empty());
    }
  }
  for (auto [g, group] : llvm::enumerate(job.groups)) {
    std::set<int32_t> owners;
    for (int32_t member : group)
      owners.insert(job.owners[member]);
    RC_ASSERT(timesLocal[g] == (owners.size() == 1 ? 1 : 0));
    RC_ASSERT(timesShared[g] ==
              (owners.size() == 1 ? 0 : int32_t(owners.size())));
  }
}

RC_GTEST_PROP(Placement, AllLocalSharesNothing, ()) {
  Job job = randomJob();
  int64_t positions = job.owners.size();
  CollectivePlan split = plan(allReduce(job.groups), positions, {});
  RC_ASSERT(split.sharedGroups().empty());
  RC_ASSERT(split.localGroups().size() == job.groups.size());
  std::fill(job.owners.begin(), job.owners.end(), 3);
  CollectivePlan own = plan(allReduce(job.groups), positions, {3, job.owners});
  RC_ASSERT(own.sharedGroups().empty());
  RC_ASSERT(own.localGroups() == split.localGroups());
}

} // namespace
