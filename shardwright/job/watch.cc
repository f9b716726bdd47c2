//===- watch.cc - long waits for messages of peers ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/job/messenger.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace shardwright;
using namespace shardwright::messenger;

/// The thread that watches: wakes often while runs are open, else not at all.
void Messenger::watch() {
  const Clock::duration tick =
      std::min({options.quietAfter, options.pingAfter / 4,
                options.peerTimeout / 4, options.lateAfter / 4});
  Clock::time_point last = Clock::now();
  std::unique_lock lock(mutex);
  while (!isEnding) {
    if (numOpen == 0) {
      // A run may follow at once, so that this thread sleeps after one more
      // tick only.
      wakeWatcher.wait_for(lock, tick, [&] { return isEnding; });
      if (numOpen == 0 && !isEnding) {
        isActive = false;
        engine->setActive(false);
        watcherSleeps = true;
        wakeWatcher.wait(lock, [&] { return isEnding || numOpen != 0; });
        watcherSleeps = false;
      }
      last = Clock::now();
      continue;
    }
    wakeWatcher.wait_for(lock, tick, [&] { return isEnding; });
    Clock::time_point now = Clock::now();
    // A process that was stopped itself gives its peers time again.
    if (now - last > options.peerTimeout / 2)
      for (Peer &peer : peers)
        if (peer.pingedAt)
          peer.pingedAt = now;
    last = now;
    Calls calls;
    std::vector<std::string> lines;
    std::vector<int32_t> lost;
    watchRuns(now, calls, lines);
    watchPeers(now, lost);
    lock.unlock();
    for (int32_t p : lost)
      engine->dropPeer(p, "no answer for " +
                              describeDuration(options.peerTimeout));
    for (const std::string &line : lines) {
      if (options.report)
        options.report(line);
      else
        llvm::errs() << line << '\n';
    }
    for (auto &call : calls)
      call();
    lock.lock();
  }
}

std::string Messenger::describeDuration(Clock::duration duration) {
  auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
  return ms >= 1000 ? std::to_string(ms / 1000) + " s"
                    : std::to_string(ms) + " ms";
}

void Messenger::watchRuns(Clock::time_point now, Calls &calls,
                          std::vector<std::string> &lines) {
  for (auto &[key, run] : runs) {
    if (!run.isOpen || run.failure)
      continue;
    remindQuiet(key, run, now, calls);
    if (!run.failure)
      reportLate(key, run, now, calls, lines);
  }
}

/// Writes lines about peers that have not sent a message for long.
void Messenger::reportLate(const RunKey &key, Run &run, Clock::time_point now,
                           Calls &calls, std::vector<std::string> &lines) {
  std::map<int32_t, const Receive *> oldest;
  for (auto &[from, receive] : run.receives) {
    const Receive *&first = oldest[receive->peer];
    if (!first || receive->since < first->since)
      first = receive.get();
  }
  std::erase_if(run.lateAfter,
                [&](const auto &entry) { return !oldest.count(entry.first); });
  for (auto &[peer, receive] : oldest) {
    Clock::duration waited = now - receive->since;
    bool isOver = options.waitLimit.count() && waited >= options.waitLimit;
    if (waited < options.lateAfter && !isOver) {
      run.lateAfter.erase(peer);
      continue;
    }
    auto due = run.lateAfter.try_emplace(peer, options.lateAfter).first;
    if (waited < due->second && !isOver)
      continue;
    while (due->second <= waited)
      due->second *= 2;
    std::string text = "process " + std::to_string(self) + " has waited " +
                       describeDuration(waited) + " for process " +
                       std::to_string(peer) + " (launch " +
                       std::to_string(key.launch) + " of " +
                       run.description.name + ")";
    if (run.description.describeWait)
      text += ": " + run.description.describeWait(peer, receive->key);
    const Peer &of = peers[peer];
    if (of.askedRun == key && of.runState == RunState::NotStarted)
      text += "; process " + std::to_string(peer) + " has not started this run";
    if (isOver) {
      failRun(key, run, {-1, text + " (SHARDWRIGHT_WAIT_LIMIT)"}, calls);
      return;
    }
    lines.push_back("shardwright: " + text);
  }
}

/// Asks peers that are waited for whether they are alive, and collects those
/// that have not answered in time.
void Messenger::watchPeers(Clock::time_point now, std::vector<int32_t> &lost) {
  std::map<int32_t, std::pair<Clock::time_point, RunKey>> oldest;
  auto add = [&](int32_t peer, Clock::time_point since, const RunKey &run) {
    auto [it, isNew] = oldest.try_emplace(peer, since, run);
    if (!isNew && since < it->second.first)
      it->second = {since, run};
  };
  for (auto &[key, run] : runs) {
    for (auto &[from, receive] : run.receives)
      add(receive->peer, receive->since, key);
    for (auto &receive : run.receiving)
      add(receive->peer, receive->since, key);
  }
  for (int32_t p = 0; p < int32_t(peers.size()); ++p)
    for (auto &[tag, send] : peers[p].sends)
      if (send->done)
        add(p, send->since, send->run);
  for (auto &[p, wait] : oldest) {
    Peer &peer = peers[p];
    if (peer.state != PeerState::Connected ||
        now - wait.first < options.pingAfter)
      continue;
    if (peer.pingedAt) {
      // The peer was silent before the ping, too.
      if (now - *peer.pingedAt >=
          std::max<Clock::duration>(options.peerTimeout - options.pingAfter,
                                    options.peerTimeout / 2))
        lost.push_back(p);
      continue;
    }
    if (now - peer.lastPing < options.pingAfter)
      continue;
    peer.pingedAt = peer.lastPing = now;
    PacketHeader header;
    header.kind = PacketKind::Ping;
    header.run = wait.second;
    engine->sendPacket(p, encodePacket(header));
  }
}

void Messenger::pingArrived(int32_t peer, const PacketHeader &ping) {
  PacketHeader header;
  header.kind = PacketKind::Pong;
  header.run = ping.run;
  header.state = uint8_t(stateOf(ping.run).state);
  engine->sendPacket(peer, encodePacket(header));
}
