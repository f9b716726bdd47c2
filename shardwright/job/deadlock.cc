//===- deadlock.cc - recognition of deadlocks between processes -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A run is deadlocked if each participant has finished or only waits for
// messages of peers, and no message is under way. The lowest participant asks
// all, twice: if nothing has changed between the answers and every message that
// was sent has arrived, then there was a time at which all waited, and no
// message that could end a wait. If one of the waits is for the limit of owned
// bytes, that participant may exceed it; else the run fails.
//
//===----------------------------------------------------------------------===//

#include "shardwright/job/messenger.h"

#include <algorithm>

using namespace shardwright;
using namespace shardwright::messenger;

/// Reminders about a run that stays quiet come at doubled intervals up to this.
static constexpr std::chrono::milliseconds maxReminder{1000};
static constexpr size_t maxWhereBytes = 8 << 10;

void Messenger::reportQuiet(const RunKey &key, int64_t numDone,
                            std::string where, bool isThrottled) {
  std::lock_guard lock(mutex);
  Run *run = findRun(key);
  if (!run || !run->isOpen || run->numDone != numDone)
    return;
  where.resize(std::min(where.size(), maxWhereBytes));
  run->quiet =
      QuietReport{numDone, std::move(where), isThrottled,
                  Clock::now() + options.quietAfter, options.quietAfter};
}

static bool isQuiet(const Run &run) {
  return run.isOpen && !run.failure && run.quiet &&
         run.quiet->numDone == run.numDone && run.receiving.empty() &&
         run.numSending == 0;
}

ParticipantState Messenger::stateOf(const RunKey &key) const {
  ParticipantState state;
  auto it = runs.find(key);
  if (it == runs.end() || !it->second.isOpen) {
    if (const ClosedRun *closed = closedRuns.find(key))
      return closed->state;
    return state;
  }
  const Run &run = it->second;
  state.state = isQuiet(run) ? RunState::Quiet : RunState::Busy;
  state.numDone = run.numDone;
  state.counts = run.counts;
  if (run.quiet) {
    state.where = run.quiet->where;
    state.isThrottled = run.quiet->isThrottled;
  }
  return state;
}

/// Tells the lowest participant, at growing intervals, that the run is quiet.
void Messenger::remindQuiet(const RunKey &key, Run &run, Clock::time_point now,
                            Calls &calls) {
  if (!isQuiet(run) || now < run.quiet->sendAt)
    return;
  run.quiet->interval =
      std::min<Clock::duration>(2 * run.quiet->interval, maxReminder);
  run.quiet->sendAt = now + run.quiet->interval;
  int32_t lowest = run.description.participants.front();
  if (lowest == self)
    return startRound(key, calls);
  PacketHeader header;
  header.kind = PacketKind::Quiet;
  header.run = key;
  engine->sendPacket(lowest, encodePacket(header));
}

void Messenger::startRound(const RunKey &key, Calls &calls) {
  llvm::SmallVector<int32_t, 8> participants;
  if (Run *run = findRun(key); run && run->isOpen)
    participants = run->description.participants;
  else if (const ClosedRun *closed = closedRuns.find(key))
    participants = closed->participants;
  // A run that has not been opened here is not deadlocked. Of several reports
  // one starts a round.
  if (participants.empty() || rounds.count(key))
    return;
  for (int32_t p : participants)
    if (p != self && peers[p].state == PeerState::Lost)
      return;
  Round &round = rounds[key];
  round.participants = participants;
  ask(key, round, calls);
}

void Messenger::ask(const RunKey &key, Round &round, Calls &calls) {
  round.number = ++nextRound;
  round.answers.clear();
  PacketHeader header;
  header.kind = PacketKind::Ask;
  header.run = key;
  header.tag = round.number;
  for (int32_t p : round.participants)
    if (p != self)
      engine->sendPacket(p, encodePacket(header));
  addAnswer(key, self, stateOf(key), calls);
}

void Messenger::askArrived(int32_t peer, const PacketHeader &question) {
  ParticipantState state = stateOf(question.run);
  PacketHeader header;
  header.kind = PacketKind::Answer;
  header.run = question.run;
  header.tag = question.tag;
  header.state = uint8_t(state.state);
  header.value = state.numDone;
  header.flag = state.isThrottled;
  engine->sendPacket(peer, encodePacket(header, encodeState(state)));
}

bool Messenger::answerArrived(int32_t peer, const PacketHeader &header,
                              llvm::ArrayRef<char> rest, Calls &calls) {
  std::optional<ParticipantState> state = decodeState(header, rest);
  if (!state)
    return false;
  auto it = rounds.find(header.run);
  if (it != rounds.end() && it->second.number == header.tag)
    addAnswer(header.run, peer, std::move(*state), calls);
  return true;
}

/// True if all participants wait or have finished, and every message that was
/// sent has arrived.
static bool isStuck(const std::map<int32_t, ParticipantState> &answers) {
  for (auto &[p, state] : answers) {
    if (state.state != RunState::Quiet && state.state != RunState::Finished)
      return false;
    for (auto &[peer, counts] : state.counts) {
      auto other = answers.find(peer);
      if (other == answers.end())
        return false;
      auto back = other->second.counts.find(p);
      MessageCounts theirs;
      if (back != other->second.counts.end())
        theirs = back->second;
      if (counts.sent != theirs.received || counts.received != theirs.sent)
        return false;
    }
  }
  return true;
}

static bool isUnchanged(const std::map<int32_t, ParticipantState> &before,
                        const std::map<int32_t, ParticipantState> &now) {
  for (auto &[p, state] : now) {
    auto it = before.find(p);
    if (it == before.end() || it->second.state != state.state ||
        it->second.numDone != state.numDone ||
        it->second.counts != state.counts)
      return false;
  }
  return true;
}

void Messenger::addAnswer(const RunKey &key, int32_t peer,
                          ParticipantState state, Calls &calls) {
  Round &round = rounds.at(key);
  round.answers[peer] = std::move(state);
  if (round.answers.size() < round.participants.size())
    return;
  if (!isStuck(round.answers)) {
    rounds.erase(key);
    return;
  }
  if (!round.earlier) {
    round.earlier = std::move(round.answers);
    return ask(key, round, calls);
  }
  if (isUnchanged(*round.earlier, round.answers) &&
      !liftLimits(key, round, calls))
    reportDeadlock(key, round, calls);
  rounds.erase(key);
}

/// Lets the participants that are throttled send more. False: there is none.
bool Messenger::liftLimits(const RunKey &key, const Round &round,
                           Calls &calls) {
  bool isAny = false;
  for (auto &[p, state] : round.answers) {
    if (state.state != RunState::Quiet || !state.isThrottled)
      continue;
    isAny = true;
    if (p == self) {
      sendBeyondLimit(key, calls);
      continue;
    }
    PacketHeader header;
    header.kind = PacketKind::SendOn;
    header.run = key;
    engine->sendPacket(p, encodePacket(header));
  }
  return isAny;
}

void Messenger::sendBeyondLimit(const RunKey &key, Calls &calls) {
  Run *run = findRun(key);
  if (!run || !run->isOpen || run->failure)
    return;
  run->quiet.reset(); // until the run says so again
  calls.push_back([sendOn = run->description.sendBeyondLimit] {
    if (sendOn)
      sendOn();
  });
}

void Messenger::reportDeadlock(const RunKey &key, const Round &round,
                               Calls &calls) {
  std::string text = "deadlock: ";
  bool isFirst = true;
  for (auto &[p, state] : round.answers) {
    if (!isFirst)
      text += "; ";
    isFirst = false;
    text += "process " + std::to_string(p);
    text += state.state == RunState::Finished ? " has finished"
                                              : ": " + state.where;
  }
  for (auto &[p, state] : round.answers)
    if (p != self && state.state == RunState::Quiet)
      sendAbort(p, key, {-1, text}, /*isVerbatim=*/true);
  if (Run *run = findRun(key))
    failRun(key, *run, {-1, text}, calls);
}
