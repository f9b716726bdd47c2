//===- arrivals.cc - packets that arrive at a messenger -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/job/messenger.h"

using namespace shardwright;
using namespace shardwright::messenger;

void Messenger::packetArrived(int32_t peer, llvm::ArrayRef<char> packet) {
  Calls calls;
  llvm::ArrayRef<char> rest;
  std::optional<PacketHeader> header = decodePacket(packet, rest);
  bool isBad = !header;
  {
    std::lock_guard lock(mutex);
    peers[peer].lastPacket = Clock::now();
    peers[peer].pingedAt.reset();
    if (header)
      isBad = !dispatch(peer, *header, rest, calls);
  }
  if (isBad)
    engine->dropPeer(peer, "it has sent a malformed packet");
  for (auto &call : calls)
    call();
}

/// Returns false if the packet is malformed.
bool Messenger::dispatch(int32_t peer, const PacketHeader &header,
                         llvm::ArrayRef<char> rest, Calls &calls) {
  switch (header.kind) {
  case PacketKind::Message:
    messageArrived(peer, header, rest, calls);
    return true;
  case PacketKind::GoAhead:
    return goAheadArrived(peer, header.tag);
  case PacketKind::Withdraw:
    return withdrawArrived(peer, header.tag, calls);
  case PacketKind::Abort:
    abortArrived(peer, header, rest, calls);
    return true;
  case PacketKind::Mismatch:
    return mismatchArrived(peer, header, rest, calls);
  case PacketKind::Quiet:
    startRound(header.run, calls);
    return true;
  case PacketKind::Ask:
    askArrived(peer, header);
    return true;
  case PacketKind::Answer:
    return answerArrived(peer, header, rest, calls);
  case PacketKind::SendOn:
    sendBeyondLimit(header.run, calls);
    return true;
  case PacketKind::Ping:
    pingArrived(peer, header);
    return true;
  case PacketKind::Pong:
    peers[peer].askedRun = header.run;
    peers[peer].runState = RunState(header.state);
    return true;
  case PacketKind::Goodbye:
    goodbyeArrived(peer, calls);
    return true;
  }
  return false;
}

void Messenger::withdraw(int32_t peer, uint32_t tag) {
  PacketHeader header;
  header.kind = PacketKind::Withdraw;
  header.tag = tag;
  engine->sendPacket(peer, encodePacket(header));
}

void Messenger::messageArrived(int32_t peer, const PacketHeader &header,
                               llvm::ArrayRef<char> bytes, Calls &calls) {
  auto drop = [&] {
    if (!header.isInline)
      withdraw(peer, header.tag);
  };
  Run *run = findRun(header.run);
  if (!run && closedRuns.contains(header.run)) {
    if (ClosedRun *details = closedRuns.find(header.run)) {
      ++details->state.counts[peer].received;
      if (!header.isInline)
        ++details->state.counts[peer].sent;
      if (details->programHash != header.programHash)
        sendMismatch(peer, header.run, /*wantsAnswer=*/false);
    }
    return drop();
  }
  if (!run)
    run = &runs[header.run];
  ++run->counts[peer].received;
  if (run->failure)
    return drop();
  if (run->isOpen && run->description.programHash != header.programHash) {
    if (run->mismatches.insert(peer).second)
      sendMismatch(peer, header.run, /*wantsAnswer=*/true);
    return drop();
  }
  Arrived message;
  message.programHash = header.programHash;
  message.size = header.value;
  message.isInline = header.isInline;
  message.tag = header.tag;
  auto it = run->receives.find({peer, header.key});
  if (it != run->receives.end()) {
    std::shared_ptr<Receive> receive = std::move(it->second);
    run->receives.erase(it);
    return match(header.run, *run, std::move(receive), message, bytes, calls);
  }
  message.bytes.assign(bytes.begin(), bytes.end());
  if (!run->arrived.try_emplace({peer, header.key}, std::move(message))
           .second) {
    drop();
    failRun(header.run, *run,
            {-1, "process " + std::to_string(peer) +
                     " has sent two messages of the same key"},
            calls);
  }
}

bool Messenger::goAheadArrived(int32_t peer, uint32_t tag) {
  auto it = peers[peer].sends.find(tag);
  if (it == peers[peer].sends.end() || it->second->isUnderWay)
    return false;
  Send &send = *it->second;
  send.isUnderWay = true;
  // Of a send that has failed, the payload is empty: the peer gives up too.
  Run *run = send.done ? findRun(send.run) : nullptr;
  if (run)
    ++run->numSending;
  engine->sendPayload(peer, tag, send.bytes,
                      [this, peer, tag](llvm::StringRef failure) {
                        sendDone(peer, tag, !failure.empty());
                      });
  return true;
}

void Messenger::sendDone(int32_t peer, uint32_t tag, bool hasFailed) {
  Calls calls;
  {
    std::lock_guard lock(mutex);
    auto it = peers[peer].sends.find(tag);
    std::shared_ptr<Send> send = it->second;
    releaseBytes(peer, *send);
    peers[peer].sends.erase(it);
    Run *run = send->done ? findRun(send->run) : nullptr;
    if (run) {
      --run->numSending;
      changed.notify_all();
    }
    // The peer is lost: the run fails if it has not failed already.
    if (run && hasFailed)
      run->failedSends.push_back(std::move(send->done));
    else if (run && run->failure)
      complete(run, std::move(send->done), run->failure->text, calls);
    else if (send->done)
      complete(run, std::move(send->done), "", calls);
    if (run && hasFailed && run->failure)
      failTransfers(send->run, *run, run->failure->text, calls);
  }
  for (auto &call : calls)
    call();
}

bool Messenger::withdrawArrived(int32_t peer, uint32_t tag, Calls &calls) {
  auto it = peers[peer].sends.find(tag);
  if (it == peers[peer].sends.end() || it->second->isUnderWay)
    return false;
  std::shared_ptr<Send> send = std::move(it->second);
  peers[peer].sends.erase(it);
  releaseBytes(peer, *send);
  Run *run = findRun(send->run);
  if (run)
    ++run->counts[peer].received;
  if (send->done)
    complete(run, std::move(send->done), "", calls);
  return true;
}

void Messenger::receiveDone(const RunKey &key,
                            const std::shared_ptr<Receive> &receive,
                            bool hasFailed) {
  Calls calls;
  {
    std::lock_guard lock(mutex);
    peers[receive->peer].lastPacket = Clock::now();
    Run *run = findRun(key);
    if (!run || !run->receiving.erase(receive))
      return; // has failed before
    // If the sender is lost or has given up, the run fails.
    if (hasFailed)
      run->receives[{receive->peer, receive->key}] = receive;
    else
      complete(run, std::move(receive->done), "", calls);
  }
  for (auto &call : calls)
    call();
}
