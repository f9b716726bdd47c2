//===- exchange_test.cc - collectives between processes -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/collectives/exchange.h"

#include "shardwright/support/shape.h"

#include "llvm/ADT/STLExtras.h"

#include "gtest/gtest.h"

#include <cstring>
#include <map>
#include <numeric>
#include <random>

using namespace shardwright;
using namespace shardwright::cpu;
using E = ElementType;

namespace {

using Bytes = std::vector<char>;

struct Case {
  CollectiveSpec spec;
  int32_t positions = 1, processes = 1;
  int64_t operands = 1;
  std::vector<int32_t> owners;
  /// [operand][position]
  std::vector<std::vector<Bytes>> inputs;
};

/// Elements without NaN: kernels may give it any bits.
Bytes randomElements(E type, int64_t n, std::mt19937_64 &random) {
  Bytes bytes(n * byteWidth(type));
  for (int64_t i = 0; i < n; ++i) {
    char *p = bytes.data() + i * byteWidth(type);
    double real = double(int64_t(random() % 2000001) - 1000000) / 999;
    auto put = [&](auto value) { std::memcpy(p, &value, sizeof value); };
    if (type == E::F32)
      put(float(real));
    else if (type == E::F64)
      put(real);
    else if (type == E::C64)
      put(std::pair(float(real), float(real / 3)));
    else if (type == E::BF16 || type == E::F16)
      put(uint16_t((random() & 0x81ff) | 0x3c00));
    else if (type == E::Pred)
      *p = char(random() & 1);
    else if (type == E::S4)
      *p = char(int(random() % 16) - 8);
    else
      for (int64_t b = 0; b < byteWidth(type); ++b)
        p[b] = char(random());
  }
  return bytes;
}

Case randomCase(std::mt19937_64 &random, bool isLarge) {
  Case c;
  const CollectiveKind kinds[] = {
      CollectiveKind::AllReduce,     CollectiveKind::AllReduce,
      CollectiveKind::ReduceScatter, CollectiveKind::AllGather,
      CollectiveKind::AllToAll,      CollectiveKind::CollectiveBroadcast};
  const E types[] = {E::F32,  E::F64, E::C64, E::BF16, E::F16,
                     E::Pred, E::S4,  E::S32, E::U8};
  CollectiveSpec &s = c.spec;
  s.kind = kinds[random() % std::size(kinds)];
  s.type = types[random() % std::size(types)];
  do
    s.reduce = ReduceKind(random() % 7);
  while (!llvm::expectedToOptional(Reduction::create(s.type, s.reduce)));
  int64_t groups = 1 + random() % 3, members = 1 + random() % 6;
  int64_t unused = random() % 3;
  c.positions = int32_t(groups * members + unused);
  c.processes = 1 + random() % 4;
  bool isScattered = random() % 3 == 0;
  for (int32_t p = 0; p < c.positions; ++p)
    c.owners.push_back(isScattered ? random() % c.processes
                                   : p * c.processes / c.positions);
  std::vector<int32_t> order(c.positions);
  std::iota(order.begin(), order.end(), 0);
  if (random() % 2)
    std::shuffle(order.begin(), order.end(), random);
  s.groups.resize(groups);
  for (int64_t i = 0; i < groups * members; ++i)
    s.groups[i % groups].push_back(order[i]);
  int64_t rank = 1 + random() % 3;
  for (int64_t d = 0; d < rank; ++d)
    s.inputShape.push_back(random() % 25 == 0 ? 0 : 1 + random() % 5);
  if (isLarge)
    s.inputShape[random() % rank] *= 40 + random() % 900;
  s.dim = random() % rank;
  s.concatDim = random() % rank;
  if (s.kind == CollectiveKind::ReduceScatter ||
      s.kind == CollectiveKind::AllToAll)
    s.inputShape[s.dim] *= members;
  s.outputShape = s.inputShape;
  if (s.kind == CollectiveKind::ReduceScatter)
    s.outputShape[s.dim] /= members;
  if (s.kind == CollectiveKind::AllGather)
    s.outputShape[s.dim] *= members;
  if (s.kind == CollectiveKind::AllToAll) {
    s.outputShape[s.dim] /= members;
    s.outputShape[s.concatDim] *= members;
  }
  c.operands = 1 + random() % 3;
  for (int64_t k = 0; k < c.operands; ++k) {
    auto &arrays = c.inputs.emplace_back();
    for (int32_t p = 0; p < c.positions; ++p)
      arrays.push_back(randomElements(s.type, product(s.inputShape), random));
  }
  return c;
}

using Arrays = std::vector<std::vector<Bytes>>; ///< [operand][position]

Arrays newOutputs(const Case &c) {
  return Arrays(c.operands, std::vector<Bytes>(
                                c.positions, Bytes(product(c.spec.outputShape) *
                                                       byteWidth(c.spec.type),
                                                   0x5a)));
}

/// All members in one process.
Arrays runTogether(const Case &c) {
  auto plan = llvm::cantFail(CollectivePlan::create(c.spec, c.positions));
  Arrays outputs = newOutputs(c);
  for (int64_t k = 0; k < c.operands; ++k)
    for (int32_t g : plan.localGroups()) {
      std::vector<const void *> in;
      std::vector<void *> out;
      for (int32_t member : plan.groups()[g]) {
        in.push_back(c.inputs[k][member].data());
        out.push_back(outputs[k][member].data());
      }
      for (int64_t task = 0; task < plan.tasks(g); ++task)
        plan.run(g, in.data(), out.data(), task);
    }
  return outputs;
}

/// What the cost model knows of an exchange sends the same bytes.
void checkSizes(const Case &c, const CollectivePlan &plan,
                const CollectivePlan::SharedGroup &group, int32_t process,
                const Exchange &exchange) {
  // Programs have a step for each operand.
  if (c.operands != 1)
    return;
  using Kind = ExchangeShape::Kind;
  const CollectiveSpec &s = c.spec;
  ExchangeShape shape{Kind::Broadcast, product(s.inputShape), byteWidth(s.type),
                      byteWidth(s.type)};
  bool reduces = false;
  if (s.kind == CollectiveKind::AllReduce ||
      s.kind == CollectiveKind::ReduceScatter) {
    reduces = true;
    shape.kind = s.kind == CollectiveKind::AllReduce ? Kind::AllReduce
                                                     : Kind::ReduceScatter;
    shape.sumWidth = byteWidth(plan.reductionOf().accumulator());
  } else if (s.kind == CollectiveKind::AllGather) {
    shape.kind = Kind::AllGather;
  } else if (s.kind == CollectiveKind::AllToAll) {
    shape.kind = Kind::AllToAll;
  }
  GroupShare share;
  share.members = plan.groups()[group.group].size();
  share.ownMembers = group.localMembers.size();
  share.processes = group.peers.size() + 1;
  for (const CollectivePlan::Peer &peer : group.peers)
    share.rank += peer.process < process;
  share.hasRoot =
      llvm::is_contained(group.localMembers, plan.groups()[group.group][0]);
  if (reduces) {
    std::vector<int32_t> owners;
    for (int32_t index : plan.ascendingMembers(group.group))
      owners.push_back(c.owners[plan.groups()[group.group][index]]);
    for (const ReductionSubtree &tree : ownedSubtrees(owners))
      if (tree.owner == process)
        ++(tree.count == 1 ? share.subtrees.ofOne : share.subtrees.ofSeveral);
  }
  EXPECT_EQ(bytesToProcesses(shape, share), exchange.sentBytes());
  auto rounds = roundsToProcesses(shape, share);
  for (size_t i = 0; i < exchange.numStages(); ++i) {
    const Exchange::Stage &stage = exchange.stage(i);
    int64_t bytes = 0;
    for (const Exchange::Send &send : stage.sends)
      bytes += int64_t(send.bytes.size());
    ExchangeRound round = i < rounds.size() ? rounds[i] : ExchangeRound();
    EXPECT_EQ(round.messages, int64_t(stage.sends.size()));
    EXPECT_EQ(round.bytes, bytes);
  }
}

/// The shared groups of each process, stage by stage.
void runApart(const Case &c, Arrays &outputs, std::mt19937_64 &random) {
  struct Part {
    int32_t process;
    const CollectivePlan::SharedGroup *group;
    std::unique_ptr<Exchange> exchange;
  };
  std::vector<std::unique_ptr<CollectivePlan>> plans;
  std::vector<Part> parts;
  for (int32_t process = 0; process < c.processes; ++process) {
    plans.push_back(std::make_unique<CollectivePlan>(llvm::cantFail(
        CollectivePlan::create(c.spec, c.positions, {}, {process, c.owners}))));
    for (const auto &group : plans.back()->sharedGroups()) {
      std::vector<const void *> in;
      std::vector<void *> out;
      for (int64_t k = 0; k < c.operands; ++k)
        for (int32_t member : group.localMembers) {
          in.push_back(c.inputs[k][member].data());
          out.push_back(outputs[k][member].data());
        }
      parts.push_back({process, &group,
                       llvm::cantFail(Exchange::create(
                           {*plans.back(), group, c.operands, in, out}))});
      checkSizes(c, *plans.back(), group, process, *parts.back().exchange);
    }
  }
  for (size_t stage = 0; stage < 3; ++stage) {
    // (group, from, to, part) -> bytes
    std::map<std::array<int32_t, 4>, llvm::ArrayRef<char>> sent;
    for (Part &part : parts) {
      if (stage >= part.exchange->numStages())
        continue;
      const Exchange::Stage &now = part.exchange->stage(stage);
      std::vector<int64_t> tasks(now.tasks);
      std::iota(tasks.begin(), tasks.end(), 0);
      std::shuffle(tasks.begin(), tasks.end(), random);
      for (int64_t task : tasks)
        part.exchange->run(stage, task);
      for (const Exchange::Send &send : now.sends)
        EXPECT_TRUE(sent.try_emplace({part.group->group, part.process,
                                      send.peer, send.part},
                                     send.bytes)
                        .second);
    }
    for (Part &part : parts) {
      if (stage >= part.exchange->numStages())
        continue;
      for (const auto &receive : part.exchange->stage(stage).receives) {
        auto it = sent.find(
            {part.group->group, receive.peer, part.process, receive.part});
        ASSERT_NE(it, sent.end());
        ASSERT_EQ(it->second.size(), receive.bytes.size());
        if (!receive.bytes.empty())
          std::memcpy(receive.bytes.data(), it->second.data(),
                      receive.bytes.size());
        sent.erase(it);
      }
    }
    ASSERT_TRUE(sent.empty());
  }
}

void check(int rounds, bool isLarge, uint64_t seed) {
  std::mt19937_64 random(seed);
  int64_t sharedGroups = 0;
  for (int round = 0; round < rounds; ++round) {
    Case c = randomCase(random, isLarge);
    Arrays expected = runTogether(c), outputs = newOutputs(c);
    runApart(c, outputs, random);
    auto whole = llvm::cantFail(CollectivePlan::create(c.spec, c.positions));
    for (const auto &group : whole.groups()) {
      auto owner = [&](int32_t member) { return c.owners[member]; };
      if (llvm::all_equal(llvm::map_range(group, owner)))
        continue;
      ++sharedGroups;
      for (int64_t k = 0; k < c.operands; ++k)
        for (int32_t member : group)
          ASSERT_EQ(outputs[k][member], expected[k][member])
              << "round " << round << ": " << str(c.spec.kind).str() << " of "
              << shardwright::str(c.spec.type).str() << ", operand " << k
              << ", position " << member << " of " << c.positions << " on "
              << c.processes << " processes";
    }
  }
  EXPECT_GT(sharedGroups, rounds / 3);
}

TEST(Exchange, SmallArraysEqualThoseOfOneProcess) { check(3000, false, 1); }
TEST(Exchange, LargeArraysEqualThoseOfOneProcess) { check(400, true, 2); }

} // namespace
