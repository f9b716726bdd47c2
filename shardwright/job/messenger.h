//===- messenger.h - a transport on any engine ------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matches messages by their keys. Each message has a header, which travels in a
// packet; short messages travel in it too. For a longer one the receiver, when
// it has the matching receive, posts the receive of the payload and answers
// "go ahead" (packet.h), so that no payload is under way that is not wanted.
//
// A thread of the messenger watches while runs are open: it asks peers for
// which a transfer has waited whether they are alive, writes a line about long
// waits, and starts the recognition of deadlocks.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_JOB_MESSENGER_H
#define SHARDWRIGHT_JOB_MESSENGER_H

#include "shardwright/job/engine.h"
#include "shardwright/job/job.h"
#include "shardwright/job/messenger_run.h"
#include "shardwright/job/transport.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace shardwright {

struct MessengerOptions {
  using Milliseconds = std::chrono::milliseconds;
  /// A peer without an answer for this long is lost.
  Milliseconds peerTimeout{30000};
  /// A wait for a message that is longer fails the run; 0: none.
  Milliseconds waitLimit{0};
  /// A wait that is longer gets a line, and again at doubled intervals.
  Milliseconds lateAfter{10000};
  /// A wait after which the peer is asked whether it is alive.
  Milliseconds pingAfter{1000};
  /// How long a run must be quiet before the others are asked.
  Milliseconds quietAfter{50};
  /// Most bytes of sendOwned under way to a peer before it returns false.
  int64_t maxOwnedBytes = int64_t(256) << 20;
  /// Takes the lines about long waits; default: standard error.
  std::function<void(llvm::StringRef)> report;

  /// The defaults, with SHARDWRIGHT_PEER_TIMEOUT and SHARDWRIGHT_WAIT_LIMIT in
  /// seconds. Fails if one is set to anything else than a number.
  static llvm::Expected<MessengerOptions> fromEnvironment();
};

class Messenger final : public Transport, EngineUser {
public:
  /// `processes` describes all processes, for messages.
  Messenger(std::unique_ptr<Engine> engine,
            llvm::ArrayRef<ProcessRecord> processes,
            MessengerOptions options = {});
  /// No run is open any more, or the process ends after a failure.
  ~Messenger() override;
  /// False if the system has granted no thread: no job can use it.
  bool isWatching() const { return watcher.joinable(); }

  void openRun(RunDescription run,
               llvm::unique_function<void(RunFailure)> fail) override;
  void closeRun(const RunKey &run) override;
  void abortRun(const RunDescription &run, RunFailure failure) override;
  void send(int32_t peer, const RunKey &run, const MessageKey &key,
            llvm::ArrayRef<char> bytes, Done done) override;
  bool sendOwned(int32_t peer, const RunKey &run, const MessageKey &key,
                 std::shared_ptr<const char> bytes, int64_t size,
                 Done done) override;
  void receive(int32_t peer, const RunKey &run, const MessageKey &key,
               llvm::MutableArrayRef<char> to, std::shared_ptr<void> owner,
               Done done) override;
  void reportQuiet(const RunKey &run, int64_t numDone, std::string where,
                   bool isThrottled = false) override;

  /// Tells the others that this process needs them no more: runs that need it
  /// fail with `process P has ended`.
  void sayGoodbye();
  /// Waits, not longer than the limit, until all others have said goodbye.
  /// False if one is lost.
  bool waitForGoodbyes(std::chrono::milliseconds limit);
  /// Ends the connection to a process that somebody else knows to have failed.
  void losePeer(int32_t peer, llvm::StringRef why) {
    if (peer >= 0 && peer < int32_t(peers.size()) && peer != self)
      engine->dropPeer(peer, why);
  }
  /// Tells the engine that all processes leave in order.
  void leaveEngine() { engine->leave(); }
  /// Replaces the descriptions of the processes; no run is open.
  void describeProcesses(llvm::ArrayRef<ProcessRecord> records);

private:
  using Run = messenger::Run;
  using Peer = messenger::Peer;
  using Send = messenger::Send;
  using Receive = messenger::Receive;
  using Clock = messenger::Clock;
  /// Calls of users, made after the mutex is released.
  using Calls = std::vector<llvm::unique_function<void()>>;

  // messenger.cc
  Run *findRun(const RunKey &key);
  Run *findUsable(const RunKey &key, std::string &why);
  void post(Calls calls);
  void complete(Run *run, Done done, std::string failure, Calls &calls);
  void dropArrived(Run &run, llvm::function_ref<bool(int32_t)> isFrom);
  void removeRun(const RunKey &key, bool hasSucceeded);
  void releaseBytes(int32_t peer, Send &send);
  void beginSend(int32_t peer, std::shared_ptr<Send> send);
  void match(const RunKey &key, Run &run, std::shared_ptr<Receive> receive,
             const messenger::Arrived &message, llvm::ArrayRef<char> bytes,
             Calls &calls);

  // arrivals.cc
  void packetArrived(int32_t peer, llvm::ArrayRef<char> packet) override;
  bool dispatch(int32_t peer, const PacketHeader &header,
                llvm::ArrayRef<char> rest, Calls &calls);
  void messageArrived(int32_t peer, const PacketHeader &header,
                      llvm::ArrayRef<char> bytes, Calls &calls);
  bool goAheadArrived(int32_t peer, uint32_t tag);
  bool withdrawArrived(int32_t peer, uint32_t tag, Calls &calls);
  void sendDone(int32_t peer, uint32_t tag, bool hasFailed);
  void receiveDone(const RunKey &key, const std::shared_ptr<Receive> &receive,
                   bool hasFailed);
  void withdraw(int32_t peer, uint32_t tag);

  // failures.cc
  void failRun(const RunKey &key, Run &run, RunFailure failure, Calls &calls);
  void failTransfers(const RunKey &key, Run &run, const std::string &why,
                     Calls &calls);
  void sendAbort(int32_t peer, const RunKey &key, const RunFailure &failure,
                 bool isVerbatim);
  void abortArrived(int32_t peer, const PacketHeader &header,
                    llvm::ArrayRef<char> rest, Calls &calls);
  void sendMismatch(int32_t peer, const RunKey &key, bool wantsAnswer);
  bool mismatchArrived(int32_t peer, const PacketHeader &header,
                       llvm::ArrayRef<char> rest, Calls &calls);
  std::string describeLoss(int32_t peer, const Run &run) const;
  static const Receive *firstReceive(const Run &run, int32_t peer);
  void goodbyeArrived(int32_t peer, Calls &calls);
  void peerLost(int32_t peer, llvm::StringRef why) override;

  // deadlock.cc
  ParticipantState stateOf(const RunKey &key) const;
  void remindQuiet(const RunKey &key, Run &run, Clock::time_point now,
                   Calls &calls);
  void startRound(const RunKey &key, Calls &calls);
  void ask(const RunKey &key, messenger::Round &round, Calls &calls);
  void askArrived(int32_t peer, const PacketHeader &question);
  bool answerArrived(int32_t peer, const PacketHeader &header,
                     llvm::ArrayRef<char> rest, Calls &calls);
  void addAnswer(const RunKey &key, int32_t peer, ParticipantState state,
                 Calls &calls);
  bool liftLimits(const RunKey &key, const messenger::Round &round,
                  Calls &calls);
  void sendBeyondLimit(const RunKey &key, Calls &calls);
  void reportDeadlock(const RunKey &key, const messenger::Round &round,
                      Calls &calls);

  // watch.cc
  void watch();
  static std::string describeDuration(Clock::duration duration);
  void watchRuns(Clock::time_point now, Calls &calls,
                 std::vector<std::string> &lines);
  void reportLate(const RunKey &key, Run &run, Clock::time_point now,
                  Calls &calls, std::vector<std::string> &lines);
  void watchPeers(Clock::time_point now, std::vector<int32_t> &lost);
  void pingArrived(int32_t peer, const PacketHeader &ping);

  std::vector<ProcessRecord> processes;
  const MessengerOptions options;
  std::unique_ptr<Engine> engine;
  const int32_t self;

  std::mutex mutex;
  /// Sends of aborted runs, and goodbyes.
  std::condition_variable changed;
  std::map<RunKey, Run> runs;
  messenger::ClosedRuns closedRuns;
  std::vector<Peer> peers;
  std::map<RunKey, messenger::Round> rounds;
  uint32_t nextRound = 0;
  int32_t numOpen = 0; ///< runs
  bool isActive = false;

  std::condition_variable wakeWatcher;
  bool watcherSleeps = false, isEnding = false;
  std::thread watcher;
};

} // namespace shardwright

#endif // SHARDWRIGHT_JOB_MESSENGER_H
