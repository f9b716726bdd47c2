//===- remote_permutes.cc - permutes to devices of other processes --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A source sends copies of its operands, so that it may go on: its target may
// come later. What is kept of copies for a process is limited. A source beyond
// the limit waits until that process has taken one, or until the transport
// knows that nothing else can happen: programs that need more memory than the
// limit still end.
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/execute/run.h"

#include "shardwright/support/host_memory.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace shardwright;
using namespace shardwright::cpu;

/// Copies the operands of a local source. Empty: the run has failed, because
/// there is no memory. The source must not go on meanwhile.
Run::Operands Run::copyOperands(int32_t step, const Device &source) {
  const StepInfo &s = prepared.steps[step];
  int64_t bytes = prepared.collectives[s.payload].outputBytes();
  Operands copies;
  for (SlotId in : prepared.inputs(s)) {
    std::shared_ptr<void> copy = allocateHost(std::max<int64_t>(bytes, 1));
    if (!copy) {
      fail(source.number, step, "not enough memory to send its operand");
      return {};
    }
    std::memcpy(copy.get(), source.table[in], bytes);
    copies.push_back(std::shared_ptr<const char>(
        copy, static_cast<const char *>(copy.get())));
  }
  return copies;
}

/// Sends copies to a remote target. Returns what the source must wait for
/// before it goes on; null: nothing. Requires the mutex.
std::shared_ptr<OpenExchange>
Run::sendOperands(int32_t step, const CollectivePlan::SharedGroup &pair,
                  const Operands &copies) {
  const CollectivePlan &plan =
      prepared.collectives[prepared.steps[step].payload];
  int32_t target = pair.group, peer = pair.peers.front().process;
  MessageKey key{prepared.collectiveNumbers[step], target,
                 remote->sentOccurrences[{step, target}]++, 0};
  int64_t bytes = plan.outputBytes();
  bool mayGoOn = true;
  for (const std::shared_ptr<const char> &copy : copies) {
    remote->sentBytes += bytes;
    bool isWithinLimit = remote->options.transport->sendOwned(
        peer, remote->description.key, key, copy, bytes,
        [remote = remote, peer](llvm::Error e) {
          llvm::consumeError(std::move(e)); // the run is told
          remote->withRun([&](Run &run) { run.ownedSendDone(peer); });
        });
    if (!isWithinLimit && remote->bytesBeyondLimit > 0)
      remote->bytesBeyondLimit -= bytes;
    else
      mayGoOn &= isWithinLimit;
    ++key.part;
  }
  if (mayGoOn)
    return nullptr;
  auto open = std::make_shared<OpenExchange>(step, pair);
  open->waiter = plan.sourceOf(target);
  remote->open.push_back(open);
  remote->throttled.emplace_back(peer, open);
  at(open->waiter).permuteWaits += isDiverged;
  return open;
}

/// Receives the operands of a remote source. Requires the mutex.
std::shared_ptr<OpenExchange>
Run::receiveOperands(int32_t step, const CollectivePlan::SharedGroup &pair) {
  const StepInfo &s = prepared.steps[step];
  int32_t target = pair.group, peer = pair.peers.front().process;
  int64_t bytes = prepared.collectives[s.payload].outputBytes();
  auto open = std::make_shared<OpenExchange>(step, pair);
  open->waiter = target;
  open->occurrence = remote->receivedOccurrences[{step, target}]++;
  MessageKey key{prepared.collectiveNumbers[step], target, open->occurrence, 0};
  open->transfers = s.numOutputs;
  remote->open.push_back(open);
  at(target).permuteWaits += isDiverged;
  std::shared_ptr<void> owner = ownerOf(open);
  for (SlotId out : prepared.outputs(s)) {
    llvm::MutableArrayRef<char> to(static_cast<char *>(at(target).table[out]),
                                   bytes);
    remote->options.transport->receive(peer, remote->description.key, key, to,
                                       owner, whenDone(open));
    ++key.part;
  }
  return open;
}

/// In lockstep: sends and receives all operands of the permute.
Run::Exchanges Run::startPermutes(int32_t step) {
  const CollectivePlan &plan =
      prepared.collectives[prepared.steps[step].payload];
  llvm::ArrayRef<CollectivePlan::SharedGroup> pairs = plan.sharedGroups();
  auto sends = [&](const CollectivePlan::SharedGroup &pair) {
    return !prepared.placement.isLocal(pair.group);
  };
  std::vector<Operands> copies(pairs.size());
  pool->parallelFor(pairs.size(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      if (sends(pairs[i]))
        copies[i] = copyOperands(step, at(plan.sourceOf(pairs[i].group)));
  });
  Exchanges exchanges;
  if (failed())
    return exchanges;
  Lock lock(mutex);
  for (auto [pair, operands] : llvm::zip_equal(pairs, copies)) {
    auto open = sends(pair) ? sendOperands(step, pair, operands)
                            : receiveOperands(step, pair);
    if (open)
      exchanges.push_back(std::move(open));
  }
  return exchanges;
}

/// Called by the transport: a peer has taken a copy, or the send has failed.
void Run::ownedSendDone(int32_t peer) {
  Lock lock(mutex);
  remote->isReportedQuiet = false;
  ++remote->numDone;
  endThrottles([&](int32_t other) { return other == peer; });
}

/// Called by the transport: all processes wait.
void Run::sendBeyondLimit() {
  Lock lock(mutex);
  remote->isReportedQuiet = false;
  remote->bytesBeyondLimit = remote->nextBytesBeyondLimit;
  remote->nextBytesBeyondLimit *= 2;
  endThrottles([](int32_t) { return true; });
}

/// Lets sources go on that have sent too much to such peers. Requires the
/// mutex.
void Run::endThrottles(llvm::function_ref<bool(int32_t peer)> ofPeer) {
  auto ended = llvm::make_filter_range(
      remote->throttled, [&](auto &entry) { return ofPeer(entry.first); });
  Exchanges done;
  for (auto &entry : ended)
    done.push_back(entry.second);
  if (done.empty())
    return;
  llvm::erase_if(remote->throttled,
                 [&](auto &entry) { return ofPeer(entry.first); });
  for (const auto &open : done)
    stageDone(open);
  callHelpers(Caller::Other);
  if (!isDiverged)
    leaderWakes.notify_one();
}

/// One of the waits of a diverged device at a permute has ended. Requires the
/// mutex.
void Run::finishPermuteWait(Device &d) {
  if (--d.permuteWaits == 0 && d.state == State::Waiting)
    leave(d);
}
