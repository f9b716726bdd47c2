//===- mpi_engine.cc - an engine on MPI -----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Of MPI this uses messages between two processes, no collectives (but for one
// at the start). One thread makes all calls, and no call blocks but those of
// the start and of the end. Packets have tag 0 and are received from any
// process; payloads have tags of their own.
//
//===----------------------------------------------------------------------===//

#include "shardwright/job/engine_module.h"
#include "shardwright/job/engines/mpi_world.h"

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <sched.h>
#include <system_error>
#include <thread>

using namespace shardwright;

namespace {

using Clock = std::chrono::steady_clock;
constexpr size_t numReceives = 16; ///< of packets, always posted
constexpr int packetTag = 0;
/// Longer payloads are cut: counts of MPI are ints.
constexpr size_t partBytes = size_t(1) << 30;

class MpiEngine final : public Engine {
public:
  explicit MpiEngine(const EngineOptions &options) : options(options) {}
  ~MpiEngine() override {
    if (thread.joinable())
      thread.join();
  }

  /// Starts the thread and MPI; returns an error, or an empty text.
  std::string initialize();

  llvm::StringRef name() const override { return "mpi"; }
  int64_t inlineBytes() const override { return 8 << 10; }
  void start(EngineUser &theUser) override {
    user = &theUser;
    add({.kind = Command::Start});
  }
  void sendPacket(int32_t peer, std::vector<char> bytes) override {
    add({.kind = Command::Packet, .peer = peer, .bytes = std::move(bytes)});
  }
  void sendPayload(int32_t peer, uint32_t tag, llvm::ArrayRef<char> bytes,
                   Done done) override {
    add({.kind = Command::Send,
         .peer = peer,
         .tag = tag,
         .data = const_cast<char *>(bytes.data()),
         .size = bytes.size(),
         .done = std::move(done)});
  }
  void receivePayload(int32_t peer, uint32_t tag,
                      llvm::MutableArrayRef<char> to, Done done) override {
    add({.kind = Command::Receive,
         .peer = peer,
         .tag = tag,
         .data = to.data(),
         .size = to.size(),
         .done = std::move(done)});
  }
  void post(llvm::unique_function<void()> function) override {
    add({.kind = Command::Call, .call = std::move(function)});
  }
  void dropPeer(int32_t peer, llvm::StringRef why) override {
    add({.kind = Command::Drop,
         .peer = peer,
         .bytes = std::vector<char>(why.begin(), why.end())});
  }
  void leave() override { isLeaving = true; }
  void stop() override {
    {
      std::lock_guard lock(mutex);
      isEnding = true;
    }
    changed.notify_all();
    if (thread.joinable())
      thread.join();
  }
  void setActive(bool value) override {
    {
      std::lock_guard lock(mutex);
      isActive = value;
    }
    if (value)
      changed.notify_all();
  }

private:
  /// A call of the engine, for its thread.
  struct Command {
    enum Kind { Start, Packet, Send, Receive, Call, Drop } kind = Start;
    int32_t peer = 0;
    uint32_t tag = 0;
    char *data = nullptr;
    size_t size = 0;
    Done done;
    std::vector<char> bytes;
    llvm::unique_function<void()> call;
  };
  struct Payload {
    int32_t peer = 0;
    Done done; ///< null: has been called
    int32_t numParts = 0;
    bool isReceive = false, hasFailed = false;
    size_t expected = 0, arrived = 0; ///< bytes of the receive
  };
  /// What a request of MPI is about.
  struct Operation {
    int32_t peer = 0;
    std::shared_ptr<Payload> payload; ///< null: a packet is sent
    std::vector<char> packet;
  };
  struct PacketReceive {
    std::vector<char> bytes = std::vector<char>(maxPacketBytes);
    MPI_Request request = MPI_REQUEST_NULL;
  };

  void add(Command command) {
    std::lock_guard lock(mutex);
    commands.push_back(std::move(command));
    hasCommands.store(true, std::memory_order_release);
    if (isSleeping)
      changed.notify_one();
  }

  void finalizeMpi();
  void work();
  bool runCommands();
  void run(Command &command);
  void beginPayload(Command &command, bool isReceive);
  void postReceive(PacketReceive &receive);
  bool takePackets();
  bool testOperations();
  void finishPart(Operation &operation, const MPI_Status &status);
  void lose(int32_t peer, const std::string &why);
  void idle(bool hasProgressed);

  const EngineOptions options;
  EngineUser *user = nullptr;
  std::thread thread;

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Command> commands;
  std::atomic<bool> hasCommands = false;
  bool isActive = false, isEnding = false, isSleeping = false;
  std::atomic<bool> isLeaving = false;

  // Used by the thread only.
  MpiWorld world;
  std::vector<char> isLost;
  std::vector<PacketReceive> receives;
  size_t nextReceive = 0;
  std::vector<MPI_Request> requests;
  std::vector<Operation> operations; ///< those of `requests`
  std::vector<int> indices;
  std::vector<MPI_Status> statuses;
  int32_t numIdle = 0;
  Clock::time_point idleSince;
  std::chrono::microseconds pause{0};
};

//===----------------------------------------------------------------------===//
// Start and end
//===----------------------------------------------------------------------===//

std::string MpiEngine::initialize() {
  std::optional<std::string> error;
  try {
    thread = std::thread([&] {
      std::string result = world.initialize(options);
      bool isGood = result.empty();
      ownProcess = world.process;
      count = world.rankOf.size();
      isLost.assign(count, false);
      {
        std::lock_guard lock(mutex);
        error = std::move(result);
        changed.notify_all();
      }
      if (isGood)
        work();
    });
  } catch (const std::system_error &) {
    return "the system grants no thread";
  }
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return error.has_value(); });
  return *error;
}

/// All processes have said that they leave: sends what is left and ends MPI.
void MpiEngine::finalizeMpi() {
  Clock::time_point limit = Clock::now() + std::chrono::seconds(5);
  while (!requests.empty() && Clock::now() < limit) {
    testOperations();
    sched_yield();
  }
  if (!requests.empty())
    return; // a process ends without finalizing
  for (PacketReceive &receive : receives) {
    MPI_Cancel(&receive.request);
    MPI_Wait(&receive.request, MPI_STATUS_IGNORE);
  }
  world.finalize();
}

//===----------------------------------------------------------------------===//
// The thread
//===----------------------------------------------------------------------===//

void MpiEngine::work() {
  while (true) {
    bool hasProgressed = runCommands();
    hasProgressed |= takePackets();
    hasProgressed |= testOperations();
    {
      std::lock_guard lock(mutex);
      if (isEnding && commands.empty())
        break;
    }
    idle(hasProgressed);
  }
  if (isLeaving)
    finalizeMpi();
}

/// Waits a little if there is nothing to do: first not at all, then by giving
/// other threads the processor, then asleep.
void MpiEngine::idle(bool hasProgressed) {
  constexpr int32_t numPolls = 50;
  constexpr std::chrono::microseconds yieldFor(200), leastPause(50),
      mostPause(1000);
  if (hasProgressed) {
    numIdle = 0;
    pause = leastPause;
    return;
  }
  if (++numIdle < numPolls)
    return;
  if (numIdle == numPolls)
    idleSince = Clock::now();
  std::chrono::microseconds sleep = pause;
  {
    std::lock_guard lock(mutex);
    if (!isActive && requests.empty())
      sleep = std::chrono::milliseconds(500);
  }
  if (sleep <= mostPause && Clock::now() - idleSince < yieldFor) {
    sched_yield();
    return;
  }
  std::unique_lock lock(mutex);
  isSleeping = true;
  changed.wait_for(lock, sleep, [&] {
    return !commands.empty() || isEnding || (isActive && sleep > mostPause);
  });
  isSleeping = false;
  pause = std::min(2 * pause, mostPause);
}

bool MpiEngine::runCommands() {
  if (!hasCommands.load(std::memory_order_acquire))
    return false;
  std::deque<Command> taken;
  {
    std::lock_guard lock(mutex);
    taken.swap(commands);
    hasCommands.store(false, std::memory_order_relaxed);
  }
  for (Command &command : taken)
    run(command);
  return true;
}

void MpiEngine::run(Command &command) {
  switch (command.kind) {
  case Command::Start:
    receives.resize(numReceives);
    for (PacketReceive &receive : receives)
      postReceive(receive);
    return;
  case Command::Packet: {
    if (isLost[command.peer])
      return;
    Operation operation;
    operation.peer = command.peer;
    operation.packet = std::move(command.bytes);
    MPI_Request request;
    int code =
        MPI_Isend(operation.packet.data(), operation.packet.size(), MPI_BYTE,
                  world.rankOf[command.peer], packetTag, world.comm, &request);
    if (code)
      return lose(command.peer, textOf(code));
    requests.push_back(request);
    operations.push_back(std::move(operation));
    return;
  }
  case Command::Send:
  case Command::Receive:
    return beginPayload(command, command.kind == Command::Receive);
  case Command::Call:
    return command.call();
  case Command::Drop:
    return lose(command.peer,
                std::string(command.bytes.begin(), command.bytes.end()));
  }
}

//===----------------------------------------------------------------------===//
// Packets
//===----------------------------------------------------------------------===//

void MpiEngine::postReceive(PacketReceive &receive) {
  int code = MPI_Irecv(receive.bytes.data(), receive.bytes.size(), MPI_BYTE,
                       MPI_ANY_SOURCE, packetTag, world.comm, &receive.request);
  if (code)
    for (int32_t p = 0; p < count; ++p)
      lose(p, textOf(code));
}

/// Packets of a process match the receives in the order in which these were
/// posted, so they are taken in that order.
bool MpiEngine::takePackets() {
  bool hasProgressed = false;
  while (!receives.empty()) {
    PacketReceive &receive = receives[nextReceive];
    int isDone = 0, size = 0;
    MPI_Status status;
    int code = MPI_Test(&receive.request, &isDone, &status);
    if (!isDone && !code)
      break;
    hasProgressed = true;
    nextReceive = (nextReceive + 1) % numReceives;
    if (code) {
      if (status.MPI_SOURCE >= 0 && status.MPI_SOURCE < count)
        lose(world.processOf[status.MPI_SOURCE], textOf(code));
    } else {
      int32_t peer = world.processOf[status.MPI_SOURCE];
      MPI_Get_count(&status, MPI_BYTE, &size);
      if (!isLost[peer])
        user->packetArrived(peer, {receive.bytes.data(), size_t(size)});
    }
    postReceive(receive);
  }
  return hasProgressed;
}

//===----------------------------------------------------------------------===//
// Payloads
//===----------------------------------------------------------------------===//

void MpiEngine::beginPayload(Command &command, bool isReceive) {
  int32_t peer = command.peer;
  auto payload = std::make_shared<Payload>();
  payload->peer = peer;
  payload->done = std::move(command.done);
  payload->isReceive = isReceive;
  payload->expected = command.size;
  if (isLost[peer])
    return payload->done("the connection has ended");
  size_t at = 0;
  do { // a send of no bytes has one part
    size_t size = std::min(command.size - at, partBytes);
    MPI_Request request;
    int tag = int(command.tag) + 1;
    int code = isReceive
                   ? MPI_Irecv(command.data + at, int(size), MPI_BYTE,
                               world.rankOf[peer], tag, world.comm, &request)
                   : MPI_Isend(command.data + at, int(size), MPI_BYTE,
                               world.rankOf[peer], tag, world.comm, &request);
    if (code) {
      Done done = std::exchange(payload->done, nullptr);
      lose(peer, textOf(code));
      return done("the connection has ended");
    }
    ++payload->numParts;
    Operation operation;
    operation.peer = peer;
    operation.payload = payload;
    requests.push_back(request);
    operations.push_back(std::move(operation));
    at += size;
  } while (at < command.size);
}

bool MpiEngine::testOperations() {
  if (requests.empty())
    return false;
  int number = 0;
  indices.resize(requests.size());
  statuses.resize(requests.size());
  int code = MPI_Testsome(requests.size(), requests.data(), &number,
                          indices.data(), statuses.data());
  if (number == MPI_UNDEFINED || number == 0)
    return false;
  std::vector<std::pair<int, MPI_Status>> done;
  for (int i = 0; i < number; ++i)
    done.emplace_back(indices[i], statuses[i]);
  std::sort(done.begin(), done.end(),
            [](const auto &a, const auto &b) { return a.first < b.first; });
  // From the last on, so that the positions before it stay.
  std::vector<std::pair<Operation, MPI_Status>> finished;
  for (auto it = done.rbegin(); it != done.rend(); ++it) {
    auto &[at, status] = *it;
    if (!code)
      status.MPI_ERROR = MPI_SUCCESS;
    finished.emplace_back(std::move(operations[at]), status);
    operations[at] = std::move(operations.back());
    requests[at] = requests.back();
    operations.pop_back();
    requests.pop_back();
  }
  for (auto &[operation, status] : finished)
    finishPart(operation, status);
  return true;
}

void MpiEngine::finishPart(Operation &operation, const MPI_Status &status) {
  Payload *payload = operation.payload.get();
  if (status.MPI_ERROR != MPI_SUCCESS && !isLost[operation.peer])
    lose(operation.peer, textOf(status.MPI_ERROR));
  if (!payload)
    return;
  if (payload->isReceive) {
    int size = 0, isCancelled = 0;
    MPI_Test_cancelled(&status, &isCancelled);
    if (!isCancelled)
      MPI_Get_count(&status, MPI_BYTE, &size);
    payload->arrived += size;
    if (size == 0 && !payload->hasFailed) {
      // The sender has given up: nothing comes for the other parts.
      payload->hasFailed = true;
      for (size_t i = 0; i < operations.size(); ++i)
        if (operations[i].payload == operation.payload)
          MPI_Cancel(&requests[i]);
    }
  }
  if (--payload->numParts || !payload->done)
    return;
  bool isGood = !isLost[payload->peer] &&
                (!payload->isReceive || payload->arrived == payload->expected);
  std::exchange(payload->done, nullptr)(isGood ? "" : "it has not arrived");
}

/// Ends the connection to a peer: MPI keeps what is under way, but nobody waits
/// for it.
void MpiEngine::lose(int32_t peer, const std::string &why) {
  if (peer == ownProcess || isLost[peer])
    return;
  isLost[peer] = true;
  for (size_t i = 0; i < operations.size(); ++i) {
    Payload *payload = operations[i].payload.get();
    if (operations[i].peer != peer || !payload)
      continue;
    if (payload->isReceive)
      MPI_Cancel(&requests[i]);
    if (payload->done)
      std::exchange(payload->done, nullptr)("the connection has ended");
  }
  user->peerLost(peer, why);
}

} // namespace

extern "C" __attribute__((visibility("default"))) Engine *
shardwrightMakeEngine(int32_t version, const EngineOptions &options,
                      std::string &error) {
  if (version != engineInterfaceVersion) {
    error = "it belongs to another build of Shardwright";
    return nullptr;
  }
  auto engine = std::make_unique<MpiEngine>(options);
  error = engine->initialize();
  return error.empty() ? engine.release() : nullptr;
}
