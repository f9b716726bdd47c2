//===- messenger.cc - runs and transfers of a messenger -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/job/messenger.h"

#include "shardwright/support/error.h"
#include "shardwright/support/start_thread.h"

#include "llvm/ADT/STLExtras.h"

#include <cstdlib>
#include <cstring>

using namespace shardwright;
using namespace shardwright::messenger;

/// Tags of payloads are less than this: MPICH has 28 bits, of which the engine
/// uses some itself.
static constexpr uint32_t numTags = 1u << 24;

static llvm::Error readSeconds(const char *variable,
                               std::chrono::milliseconds &value) {
  const char *text = std::getenv(variable);
  if (!text || !*text)
    return llvm::Error::success();
  double seconds = 0;
  if (llvm::StringRef(text).getAsDouble(seconds) || !(seconds >= 0) ||
      seconds > 1e9)
    return fail(variable, " is `", text, "`: expected a number of seconds");
  value = std::chrono::milliseconds(int64_t(seconds * 1000));
  return llvm::Error::success();
}

llvm::Expected<MessengerOptions> MessengerOptions::fromEnvironment() {
  MessengerOptions options;
  if (llvm::Error error =
          readSeconds("SHARDWRIGHT_PEER_TIMEOUT", options.peerTimeout))
    return std::move(error);
  if (llvm::Error error =
          readSeconds("SHARDWRIGHT_WAIT_LIMIT", options.waitLimit))
    return std::move(error);
  if (options.peerTimeout.count() == 0)
    return fail("SHARDWRIGHT_PEER_TIMEOUT is 0: expected at least 0.001");
  return options;
}

Messenger::Messenger(std::unique_ptr<Engine> theEngine,
                     llvm::ArrayRef<ProcessRecord> processes,
                     MessengerOptions options)
    : processes(processes), options(std::move(options)),
      engine(std::move(theEngine)), self(engine->process()),
      peers(engine->numProcesses()) {
  engine->start(*this);
  (void)cpu::startThread(watcher, [this] { watch(); });
}

Messenger::~Messenger() {
  {
    std::lock_guard lock(mutex);
    isEnding = true;
  }
  wakeWatcher.notify_all();
  if (watcher.joinable())
    watcher.join();
  engine->stop(); // no callback runs afterwards
}

void Messenger::describeProcesses(llvm::ArrayRef<ProcessRecord> records) {
  std::lock_guard lock(mutex);
  processes.assign(records.begin(), records.end());
}

Messenger::Run *Messenger::findRun(const RunKey &key) {
  auto it = runs.find(key);
  return it == runs.end() ? nullptr : &it->second;
}

void Messenger::post(Calls calls) {
  if (!calls.empty())
    engine->post([calls = std::move(calls)]() mutable {
      for (auto &call : calls)
        call();
    });
}

void Messenger::complete(Run *run, Done done, std::string failure,
                         Calls &calls) {
  if (run)
    ++run->numDone;
  calls.push_back(
      [done = std::move(done), failure = std::move(failure)]() mutable {
        if (failure.empty())
          done(llvm::Error::success());
        else
          done(llvm::createStringError(failure));
      });
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

void Messenger::openRun(RunDescription description,
                        llvm::unique_function<void(RunFailure)> fail) {
  std::lock_guard lock(mutex);
  Calls calls;
  RunKey key = description.key;
  Run &run = runs[key];
  run.isOpen = true;
  run.description = std::move(description);
  run.fail = std::move(fail);
  ++numOpen;
  if (!isActive) {
    isActive = true;
    engine->setActive(true);
  }
  if (watcherSleeps)
    wakeWatcher.notify_one();

  if (std::optional<RunFailure> early = std::exchange(run.failure, {}))
    failRun(key, run, std::move(*early), calls);
  for (int32_t p : run.description.participants)
    if (p != self && peers[p].state == PeerState::Lost)
      failRun(key, run, {-1, describeLoss(p, run)}, calls);
  // Messages of other programs have arrived before?
  std::set<int32_t> others;
  for (auto &[from, message] : run.arrived)
    if (message.programHash != run.description.programHash)
      others.insert(from.first);
  for (int32_t p : others) {
    sendMismatch(p, key, /*wantsAnswer=*/true);
    run.mismatches.insert(p);
    dropArrived(run, [&](int32_t from) { return from == p; });
  }
  post(std::move(calls));
}

/// Tells the senders of longer messages that nobody wants them.
void Messenger::dropArrived(Run &run,
                            llvm::function_ref<bool(int32_t)> isFrom) {
  for (auto it = run.arrived.begin(); it != run.arrived.end();) {
    if (!isFrom(it->first.first)) {
      ++it;
      continue;
    }
    if (!it->second.isInline) {
      withdraw(it->first.first, it->second.tag);
      ++run.counts[it->first.first].sent;
    }
    it = run.arrived.erase(it);
  }
}

/// Forgets a run but for what `closedRuns` keeps.
void Messenger::removeRun(const RunKey &key, bool hasSucceeded) {
  auto it = runs.find(key);
  Run &run = it->second;
  dropArrived(run, [](int32_t) { return true; });
  ClosedRun details;
  details.programHash = run.description.programHash;
  details.name = run.description.name;
  details.devices = run.description.devices;
  details.hasSucceeded = hasSucceeded;
  details.participants = run.description.participants;
  details.state.state = hasSucceeded ? RunState::Finished : RunState::Busy;
  details.state.numDone = run.numDone;
  details.state.counts = run.counts;
  closedRuns.add(key, std::move(details));
  if (run.isOpen)
    --numOpen;
  runs.erase(it);
}

void Messenger::closeRun(const RunKey &key) {
  std::lock_guard lock(mutex);
  Run *run = findRun(key);
  if (!run || !run->isOpen)
    return;
  Calls calls;
  // Owned bytes are sent on: their peers may come to receive them later.
  for (int32_t p : run->description.participants)
    for (auto &[tag, send] : peers[p].sends)
      if (send->run == key && send->owner && send->done) {
        complete(run, std::move(send->done), "", calls);
        send->done = nullptr;
      }
  failTransfers(key, *run, "the run has been closed", calls);
  removeRun(key, /*hasSucceeded=*/true);
  post(std::move(calls));
}

void Messenger::abortRun(const RunDescription &description,
                         RunFailure failure) {
  std::unique_lock lock(mutex);
  const RunKey &key = description.key;
  if (closedRuns.contains(key) && !findRun(key))
    return;
  Run &run = runs[key];
  if (!run.isOpen)
    run.description = description;
  bool isVerbatim = run.failure.has_value();
  if (!run.failure)
    run.failure = std::move(failure);
  run.fail = nullptr;
  Calls calls;
  failTransfers(key, run, run.failure->text, calls);
  for (int32_t p : description.participants)
    if (p != self)
      sendAbort(p, key, *run.failure, isVerbatim);
  post(std::move(calls));
  changed.wait(lock, [&] { return run.numSending == 0; });
  removeRun(key, /*hasSucceeded=*/false);
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

/// Returns the run if its transfers can begin, else null and the reason.
Messenger::Run *Messenger::findUsable(const RunKey &key, std::string &why) {
  Run *run = findRun(key);
  if (!run || !run->isOpen)
    why = "the run is not open";
  else if (run->failure)
    why = run->failure->text;
  else
    return run;
  return nullptr;
}

void Messenger::send(int32_t peer, const RunKey &key, const MessageKey &message,
                     llvm::ArrayRef<char> bytes, Done done) {
  std::lock_guard lock(mutex);
  auto send = std::make_shared<Send>();
  send->run = key;
  send->key = message;
  send->bytes = bytes;
  send->done = std::move(done);
  beginSend(peer, std::move(send));
}

bool Messenger::sendOwned(int32_t peer, const RunKey &key,
                          const MessageKey &message,
                          std::shared_ptr<const char> bytes, int64_t size,
                          Done done) {
  std::lock_guard lock(mutex);
  auto send = std::make_shared<Send>();
  send->run = key;
  send->key = message;
  send->bytes = {bytes.get(), size_t(size)};
  send->owner = std::move(bytes);
  send->done = std::move(done);
  peers[peer].ownedBytes += size;
  beginSend(peer, std::move(send));
  return peers[peer].ownedBytes <= options.maxOwnedBytes;
}

/// The bytes of a send are not needed any more.
void Messenger::releaseBytes(int32_t peer, Send &send) {
  if (send.owner)
    peers[peer].ownedBytes -= send.bytes.size();
  send.owner = nullptr;
  send.bytes = {};
}

void Messenger::beginSend(int32_t peer, std::shared_ptr<Send> send) {
  Calls calls;
  std::string why;
  Run *run = findUsable(send->run, why);
  if (run && peers[peer].state != PeerState::Connected) {
    why = describeLoss(peer, *run);
    failRun(send->run, *run, {-1, why}, calls);
    run = nullptr;
  }
  if (!run) {
    releaseBytes(peer, *send);
    complete(nullptr, std::move(send->done), why, calls);
    return post(std::move(calls));
  }
  ++run->counts[peer].sent;
  PacketHeader header;
  header.run = send->run;
  header.key = send->key;
  header.programHash = run->description.programHash;
  header.value = send->bytes.size();
  if (header.value <= engine->inlineBytes()) {
    header.isInline = true;
    engine->sendPacket(peer, encodePacket(header, send->bytes));
    releaseBytes(peer, *send);
    complete(run, std::move(send->done), "", calls);
    return post(std::move(calls));
  }
  Peer &to = peers[peer];
  do
    to.nextTag = (to.nextTag + 1) % numTags;
  while (to.sends.count(to.nextTag));
  header.tag = to.nextTag;
  send->since = Clock::now();
  to.sends[header.tag] = std::move(send);
  engine->sendPacket(peer, encodePacket(header));
}

void Messenger::receive(int32_t peer, const RunKey &key,
                        const MessageKey &message,
                        llvm::MutableArrayRef<char> to,
                        std::shared_ptr<void> owner, Done done) {
  std::lock_guard lock(mutex);
  Calls calls;
  std::string why;
  Run *run = findUsable(key, why);
  if (!run) {
    complete(nullptr, std::move(done), why, calls);
    return post(std::move(calls));
  }
  auto receive = std::make_shared<Receive>();
  receive->peer = peer;
  receive->key = message;
  receive->to = to;
  receive->owner = std::move(owner);
  receive->done = std::move(done);
  receive->since = Clock::now();
  auto it = run->arrived.find({peer, message});
  if (it != run->arrived.end()) {
    Arrived arrived = std::move(it->second);
    run->arrived.erase(it);
    match(key, *run, std::move(receive), arrived, arrived.bytes, calls);
  } else {
    run->receives[{peer, message}] = std::move(receive);
    if (peers[peer].state != PeerState::Connected)
      failRun(key, *run, {-1, describeLoss(peer, *run)}, calls);
  }
  post(std::move(calls));
}

/// Both sides of a message are known; `bytes` are those of an inline message.
void Messenger::match(const RunKey &key, Run &run,
                      std::shared_ptr<Receive> receive, const Arrived &message,
                      llvm::ArrayRef<char> bytes, Calls &calls) {
  int32_t peer = receive->peer;
  if (message.size != int64_t(receive->to.size())) {
    std::string text = "process " + std::to_string(peer) + " sends " +
                       std::to_string(message.size) + " bytes where process " +
                       std::to_string(self) + " expects " +
                       std::to_string(receive->to.size());
    run.receives[{peer, receive->key}] = std::move(receive);
    sendAbort(peer, key, {-1, text}, /*isVerbatim=*/true);
    if (!message.isInline)
      withdraw(peer, message.tag);
    return failRun(key, run, {-1, text}, calls);
  }
  if (message.isInline) {
    if (!bytes.empty())
      std::memcpy(receive->to.data(), bytes.data(), bytes.size());
    return complete(&run, std::move(receive->done), "", calls);
  }
  run.receiving.insert(receive);
  engine->receivePayload(peer, message.tag, receive->to,
                         [this, key, receive](llvm::StringRef failure) {
                           receiveDone(key, receive, !failure.empty());
                         });
  PacketHeader header;
  header.kind = PacketKind::GoAhead;
  header.tag = message.tag;
  engine->sendPacket(peer, encodePacket(header));
}
