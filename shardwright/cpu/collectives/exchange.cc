//===- exchange.cc - collectives between processes ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/collectives/exchange.h"

#include "shardwright/cpu/collectives/exchange_kinds.h"
#include "shardwright/support/error.h"
#include "shardwright/support/host_memory.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardwright;
using namespace shardwright::cpu;

Exchange::Exchange(const ExchangeOperands &given)
    : plan(given.plan), spec(plan.specification()), group(given.group.group),
      operands(given.operands), members(spec.groups[group].size()),
      width(byteWidth(spec.type)), inputs(given.inputs),
      outputs(given.outputs) {
  for (int32_t member : given.group.localMembers)
    localIndices.push_back(plan.positionOf(member));
  for (const CollectivePlan::Peer &peer : given.group.peers) {
    Side &side = peers.emplace_back(Side{peer.process, {}});
    for (int32_t member : peer.members)
      side.indices.push_back(plan.positionOf(member));
  }
}

bool Exchange::allocate(int64_t bytes) {
  memory = allocateHost(std::max<int64_t>(bytes, 1));
  staging = static_cast<char *>(memory.get());
  return staging != nullptr;
}

/// Numbers the messages of one stage to or from one peer.
static int32_t
countPart(std::vector<std::pair<std::pair<size_t, int32_t>, int32_t>> &counts,
          size_t stage, int32_t peer) {
  constexpr int32_t partsPerStage = 1 << 24;
  auto it = llvm::find_if(counts, [&](auto &entry) {
    return entry.first == std::pair(stage, peer);
  });
  if (it == counts.end())
    it = counts.insert(it, {{stage, peer}, int32_t(stage) * partsPerStage});
  return it->second++;
}

void Exchange::send(size_t stage, int32_t peer, const void *data,
                    int64_t bytes) {
  stages[stage].sends.push_back(
      {peer, countPart(sent, stage, peer),
       llvm::ArrayRef(static_cast<const char *>(data), bytes)});
}

void Exchange::receive(size_t stage, int32_t peer, void *data, int64_t bytes) {
  stages[stage].receives.push_back(
      {peer, countPart(received, stage, peer),
       llvm::MutableArrayRef(static_cast<char *>(data), bytes)});
}

int32_t Exchange::localOf(int32_t index) const {
  auto it = llvm::find(localIndices, index);
  return it == localIndices.end() ? -1 : int32_t(it - localIndices.begin());
}

int64_t Exchange::sentBytes() const {
  int64_t bytes = 0;
  for (const Stage &stage : stages)
    for (const Send &send : stage.sends)
      bytes += send.bytes.size();
  return bytes;
}

llvm::Expected<std::unique_ptr<Exchange>>
Exchange::create(const ExchangeOperands &given) {
  const CollectivePlan &plan = given.plan;
  std::unique_ptr<Exchange> made;
  switch (plan.kind()) {
  case CollectiveKind::AllReduce:
    made = makeAllReduceExchange(given);
    break;
  case CollectiveKind::ReduceScatter:
    made = makeReduceScatterExchange(given);
    break;
  case CollectiveKind::AllGather:
    made = makeAllGatherExchange(given);
    break;
  case CollectiveKind::AllToAll:
    made = makeAllToAllExchange(given);
    break;
  case CollectiveKind::CollectiveBroadcast:
    made = makeBroadcastExchange(given);
    break;
  case CollectiveKind::CollectivePermute:
    llvm_unreachable("the pairs of a permute are messages of their own");
  }
  if (!made)
    return fail("not enough memory for the messages of a collective of ",
                plan.inputBytes(), " bytes a device between ",
                given.group.peers.size() + 1, " processes");
  return made;
}
