//===- failures.cc - runs that fail, and peers that leave -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/job/job.h"
#include "shardwright/job/messenger.h"
#include "shardwright/support/byte_stream.h"

#include "llvm/ADT/Sequence.h"

using namespace shardwright;
using namespace shardwright::messenger;

/// Texts are cut so that they fit into a packet.
static constexpr size_t maxTextBytes = 16 << 10;

/// Of several failures the one of the lowest position is kept; -1 is the last.
static bool isBefore(const RunFailure &a, const RunFailure &b) {
  return uint32_t(a.position) < uint32_t(b.position);
}

void Messenger::failRun(const RunKey &key, Run &run, RunFailure failure,
                        Calls &calls) {
  if (run.failure) {
    if (!run.isOpen && isBefore(failure, *run.failure))
      run.failure = std::move(failure);
    return;
  }
  run.failure = failure;
  dropArrived(run, [](int32_t) { return true; });
  if (!run.isOpen)
    return;
  std::string why = failure.text;
  calls.push_back(
      [fail = std::move(run.fail), failure = std::move(failure)]() mutable {
        if (fail)
          fail(std::move(failure));
      });
  failTransfers(key, run, why, calls);
}

/// Fails the transfers of a run, except for sends whose payload is under way:
/// they fail as soon as the engine does not need their bytes any more.
void Messenger::failTransfers(const RunKey &key, Run &run,
                              const std::string &why, Calls &calls) {
  for (auto &[from, receive] : run.receives)
    complete(&run, std::move(receive->done), why, calls);
  run.receives.clear();
  for (const std::shared_ptr<Receive> &receive : run.receiving)
    complete(&run, std::move(receive->done), why, calls);
  run.receiving.clear();
  for (Done &done : run.failedSends)
    complete(&run, std::move(done), why, calls);
  run.failedSends.clear();
  for (int32_t p : run.description.participants) {
    for (auto &[tag, send] : peers[p].sends) {
      if (send->run != key || send->isUnderWay || !send->done)
        continue;
      releaseBytes(p, *send);
      complete(&run, std::move(send->done), why, calls);
      send->done = nullptr;
    }
  }
}

void Messenger::sendAbort(int32_t peer, const RunKey &key,
                          const RunFailure &failure, bool isVerbatim) {
  if (peers[peer].state != PeerState::Connected)
    return;
  PacketHeader header;
  header.kind = PacketKind::Abort;
  header.run = key;
  header.value = failure.position;
  header.flag = isVerbatim;
  llvm::StringRef text = llvm::StringRef(failure.text).take_front(maxTextBytes);
  engine->sendPacket(peer, encodePacket(header, {text.data(), text.size()}));
}

void Messenger::abortArrived(int32_t peer, const PacketHeader &header,
                             llvm::ArrayRef<char> rest, Calls &calls) {
  Run *run = findRun(header.run);
  if (!run && closedRuns.contains(header.run))
    return;
  if (!run)
    run = &runs[header.run];
  RunFailure failure;
  failure.position = int32_t(header.value);
  if (!header.flag)
    failure.text = "process " + std::to_string(peer) + ": ";
  failure.text.append(rest.data(), rest.size());
  failRun(header.run, *run, std::move(failure), calls);
}

//===----------------------------------------------------------------------===//
// Different programs
//===----------------------------------------------------------------------===//

static std::string describeMismatch(int32_t processA, llvm::StringRef nameA,
                                    int32_t processB, llvm::StringRef nameB,
                                    const RunKey &key,
                                    llvm::StringRef devices) {
  if (processA > processB) {
    std::swap(processA, processB);
    std::swap(nameA, nameB);
  }
  std::string a = std::to_string(processA), b = std::to_string(processB);
  std::string text = nameA == nameB
                         ? "processes " + a + " and " + b +
                               " run different programs named " + nameA.str()
                         : "process " + a + " runs " + nameA.str() +
                               " where process " + b + " runs " + nameB.str();
  text += " (launch " + std::to_string(key.launch);
  if (!devices.empty())
    text += " on " + devices.str();
  return text + "): all processes must launch the same programs in the same "
                "order";
}

/// Tells a peer which program runs here.
void Messenger::sendMismatch(int32_t peer, const RunKey &key,
                             bool wantsAnswer) {
  PacketHeader header;
  header.kind = PacketKind::Mismatch;
  header.run = key;
  header.flag = wantsAnswer;
  std::string name = "another program", devices;
  if (Run *run = findRun(key); run && run->isOpen) {
    header.programHash = run->description.programHash;
    name = run->description.name;
    devices = run->description.devices;
  } else if (const ClosedRun *closed = closedRuns.find(key)) {
    header.programHash = closed->programHash;
    name = closed->name;
    devices = closed->devices;
  }
  cpu::ByteWriter writer;
  writer.string(llvm::StringRef(name).take_front(maxTextBytes));
  writer.string(llvm::StringRef(devices).take_front(maxTextBytes));
  std::string text = writer.take();
  engine->sendPacket(peer, encodePacket(header, {text.data(), text.size()}));
}

bool Messenger::mismatchArrived(int32_t peer, const PacketHeader &header,
                                llvm::ArrayRef<char> rest, Calls &calls) {
  cpu::ByteReader reader(llvm::StringRef(rest.data(), rest.size()));
  llvm::StringRef name = reader.string(), devices = reader.string();
  if (reader.failed())
    return false;
  if (header.flag)
    sendMismatch(peer, header.run, /*wantsAnswer=*/false);
  Run *run = findRun(header.run);
  if (!run || !run->isOpen)
    return true;
  if (!run->description.devices.empty())
    devices = run->description.devices;
  failRun(header.run, *run,
          {-1, describeMismatch(self, run->description.name, peer, name,
                                header.run, devices)},
          calls);
  return true;
}

//===----------------------------------------------------------------------===//
// Peers that leave
//===----------------------------------------------------------------------===//

Job::~Job() = default;

std::string ProcessRecord::describe(int32_t process) const {
  return "process " + std::to_string(process) + " (" + host + ", pid " +
         std::to_string(pid) + ")";
}

std::string Messenger::describeLoss(int32_t peer, const Run &run) const {
  if (peers[peer].state == PeerState::Ended)
    return "process " + std::to_string(peer) + " has ended";
  std::string text =
      processes[peer].describe(peer) + " has gone (" + peers[peer].why + ")";
  const Receive *first = firstReceive(run, peer);
  if (first && run.description.describeWait)
    return text + "; " + run.description.describeWait(peer, first->key);
  const std::string &name = run.description.name;
  return text + "; " + (name.empty() ? "the program" : name) +
         ", which needs it, was not waiting for it here";
}

/// Returns the receive that has waited longest for the peer, or null.
const Receive *Messenger::firstReceive(const Run &run, int32_t peer) {
  const Receive *first = nullptr;
  auto add = [&](const Receive &receive) {
    if (receive.peer == peer && (!first || receive.since < first->since))
      first = &receive;
  };
  for (auto &[from, receive] : run.receives)
    add(*receive);
  for (auto &receive : run.receiving)
    add(*receive);
  return first;
}

void Messenger::goodbyeArrived(int32_t peer, Calls &calls) {
  if (peers[peer].state != PeerState::Connected)
    return;
  peers[peer].state = PeerState::Ended;
  changed.notify_all();
  for (auto &[key, run] : runs) {
    // All packets of the peer have arrived; payloads may still be under way.
    bool needsPeer = llvm::any_of(run.receives, [&](const auto &entry) {
      return entry.first.first == peer;
    });
    for (auto &[tag, send] : peers[peer].sends)
      needsPeer |= send->run == key && send->done && !send->isUnderWay;
    if (run.isOpen && needsPeer)
      failRun(key, run, {-1, describeLoss(peer, run)}, calls);
  }
}

void Messenger::peerLost(int32_t peer, llvm::StringRef why) {
  Calls calls;
  {
    std::lock_guard lock(mutex);
    if (peers[peer].state == PeerState::Connected) {
      peers[peer].state = PeerState::Lost;
      peers[peer].why = why.str();
      for (auto &[key, run] : runs)
        if (run.isOpen &&
            llvm::is_contained(run.description.participants, peer))
          failRun(key, run, {-1, describeLoss(peer, run)}, calls);
    }
    std::erase_if(peers[peer].sends, [](const auto &entry) {
      return !entry.second->done && !entry.second->isUnderWay;
    });
    std::erase_if(rounds, [&](const auto &entry) {
      return llvm::is_contained(entry.second.participants, peer);
    });
    changed.notify_all();
  }
  for (auto &call : calls)
    call();
}

void Messenger::sayGoodbye() {
  std::lock_guard lock(mutex);
  PacketHeader header;
  header.kind = PacketKind::Goodbye;
  for (int32_t p = 0; p < int32_t(peers.size()); ++p)
    if (p != self)
      engine->sendPacket(p, encodePacket(header));
}

bool Messenger::waitForGoodbyes(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex);
  auto all = llvm::seq<int32_t>(peers.size());
  auto isLost = [&](int32_t p) { return peers[p].state == PeerState::Lost; };
  changed.wait_for(lock, limit, [&] {
    return llvm::any_of(all, isLost) || llvm::none_of(all, [&](int32_t p) {
             return p != self && peers[p].state == PeerState::Connected;
           });
  });
  return llvm::none_of(all, isLost);
}
