//===- tcp_engine.cc - an engine on TCP connections -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/job/tcp_engine.h"

#include "shardwright/job/tcp_connect.h"
#include "shardwright/job/tcp_stream.h"
#include "shardwright/support/error.h"
#include "shardwright/support/start_thread.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

using namespace shardwright;
using namespace shardwright::tcp;

namespace {

class TcpEngine final : public Engine {
public:
  TcpEngine(const EngineOptions &options, std::vector<FileDescriptor> sockets);
  ~TcpEngine() override {
    if (thread.joinable())
      stop();
  }
  llvm::Error initialize();

  llvm::StringRef name() const override { return "tcp"; }
  int64_t inlineBytes() const override { return 32 << 10; }
  void start(EngineUser &theUser) override;
  void sendPacket(int32_t peer, std::vector<char> bytes) override;
  void sendPayload(int32_t peer, uint32_t tag, llvm::ArrayRef<char> bytes,
                   Done done) override;
  void receivePayload(int32_t peer, uint32_t tag,
                      llvm::MutableArrayRef<char> to, Done done) override;
  void post(llvm::unique_function<void()> function) override;
  void dropPeer(int32_t peer, llvm::StringRef why) override;
  void leave() override { isLeaving = true; }
  void stop() override;
  void setActive(bool) override {} // the thread sleeps

private:
  struct Peer {
    std::mutex mutex;
    FileDescriptor socket;
    OutStream out;
    std::map<uint32_t, InStream::Destination> destinations;
    bool isLost = false;
    bool isWaiting = false; ///< for the socket to take more
    InStream in;            ///< used by the thread only, without the mutex
  };
  struct Reader;

  void work();
  void runCalls();
  void wake();
  void read(int32_t p);
  void write(int32_t p);
  void waitForOutput(int32_t p, Peer &peer, bool isWaiting);
  void lose(int32_t p, const std::string &why);
  void drain();

  std::vector<std::unique_ptr<Peer>> peers;
  EngineUser *user = nullptr;
  FileDescriptor events, wakeUp;
  std::thread thread;
  std::atomic<bool> isStarted = false, isEnding = false, isLeaving = false;

  std::mutex mutex;
  std::deque<llvm::unique_function<void()>> calls;
};

constexpr uint32_t wakeUpNumber = ~0u; ///< in place of a peer's

} // namespace

//===----------------------------------------------------------------------===//
// The thread
//===----------------------------------------------------------------------===//

TcpEngine::TcpEngine(const EngineOptions &options,
                     std::vector<FileDescriptor> sockets) {
  ownProcess = options.process;
  count = options.numProcesses;
  for (FileDescriptor &socket : sockets) {
    peers.push_back(std::make_unique<Peer>());
    peers.back()->socket = std::move(socket);
  }
}

llvm::Error TcpEngine::initialize() {
  events = FileDescriptor(epoll_create1(EPOLL_CLOEXEC));
  wakeUp = FileDescriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  auto add = [&](const FileDescriptor &file, uint32_t number) {
    epoll_event event = {};
    event.events = EPOLLIN;
    event.data.u32 = number;
    return epoll_ctl(events.get(), EPOLL_CTL_ADD, file.get(), &event) == 0;
  };
  bool isGood = events.isOpen() && wakeUp.isOpen() && add(wakeUp, wakeUpNumber);
  for (int32_t p = 0; isGood && p < count; ++p)
    if (p != ownProcess)
      isGood = add(peers[p]->socket, p);
  if (!isGood)
    return fail("the system grants no event queue");
  if (!cpu::startThread(thread, [this] { work(); }))
    return fail("the system grants no thread");
  return llvm::Error::success();
}

void TcpEngine::start(EngineUser &theUser) {
  user = &theUser;
  isStarted = true;
  isStarted.notify_all();
}

void TcpEngine::work() {
  isStarted.wait(false);
  while (!isEnding) {
    epoll_event found[64];
    int number = epoll_wait(events.get(), found, 64, -1);
    for (int i = 0; i < number && !isEnding; ++i) {
      uint32_t which = found[i].data.u32;
      if (which == wakeUpNumber) {
        runCalls();
        continue;
      }
      if (found[i].events & EPOLLOUT)
        write(which);
      if (found[i].events & ~uint32_t(EPOLLOUT))
        read(which);
    }
  }
  if (isLeaving)
    drain();
}

void TcpEngine::wake() {
  uint64_t one = 1;
  [[maybe_unused]] ssize_t size = ::write(wakeUp.get(), &one, sizeof(one));
}

void TcpEngine::post(llvm::unique_function<void()> function) {
  std::lock_guard lock(mutex);
  calls.push_back(std::move(function));
  if (calls.size() == 1)
    wake();
}

void TcpEngine::runCalls() {
  uint64_t number = 0;
  [[maybe_unused]] ssize_t size = ::read(wakeUp.get(), &number, sizeof(number));
  std::deque<llvm::unique_function<void()>> taken;
  {
    std::lock_guard lock(mutex);
    taken.swap(calls);
  }
  for (auto &call : taken)
    call();
}

void TcpEngine::stop() {
  isEnding = true;
  isStarted = true;
  isStarted.notify_all();
  wake();
  if (thread.joinable())
    thread.join();
}

/// Sends what is left, for a second at most.
void TcpEngine::drain() {
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  for (auto &peer : peers) {
    std::lock_guard lock(peer->mutex);
    std::vector<Done> sent;
    while (!peer->isLost && !peer->out.isEmpty() &&
           std::chrono::steady_clock::now() < end) {
      if (peer->out.write(peer->socket.get(), sent) == Progress::Ended)
        break;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

//===----------------------------------------------------------------------===//
// Sending
//===----------------------------------------------------------------------===//

/// Requires the mutex of the peer.
void TcpEngine::waitForOutput(int32_t p, Peer &peer, bool isWaiting) {
  if (peer.isWaiting == isWaiting)
    return;
  peer.isWaiting = isWaiting;
  epoll_event event = {};
  event.events = EPOLLIN;
  if (isWaiting)
    event.events |= EPOLLOUT;
  event.data.u32 = p;
  epoll_ctl(events.get(), EPOLL_CTL_MOD, peer.socket.get(), &event);
}

void TcpEngine::sendPacket(int32_t p, std::vector<char> bytes) {
  Peer &peer = *peers[p];
  std::lock_guard lock(peer.mutex);
  if (peer.isLost)
    return;
  bool isFirst = peer.out.isEmpty();
  peer.out.addPacket(std::move(bytes));
  if (!isFirst)
    return; // the thread waits for the socket
  // This thread sends it itself, which wakes no other. A connection that has
  // ended is noticed by the thread that reads it.
  std::vector<Done> sent;
  peer.out.write(peer.socket.get(), sent);
  waitForOutput(p, peer, !peer.out.isEmpty());
}

void TcpEngine::sendPayload(int32_t p, uint32_t tag, llvm::ArrayRef<char> bytes,
                            Done done) {
  Peer &peer = *peers[p];
  std::lock_guard lock(peer.mutex);
  if (peer.isLost)
    return post([done = std::move(done)]() mutable { done("it has ended"); });
  peer.out.addPayload(tag, bytes, std::move(done));
  waitForOutput(p, peer, true);
}

/// The socket takes bytes.
void TcpEngine::write(int32_t p) {
  Peer &peer = *peers[p];
  std::vector<Done> sent;
  {
    std::lock_guard lock(peer.mutex);
    if (peer.isLost)
      return;
    Progress progress = peer.out.write(peer.socket.get(), sent);
    waitForOutput(p, peer, !peer.out.isEmpty() && progress != Progress::Ended);
  }
  for (Done &done : sent)
    done("");
}

//===----------------------------------------------------------------------===//
// Receiving
//===----------------------------------------------------------------------===//

void TcpEngine::receivePayload(int32_t p, uint32_t tag,
                               llvm::MutableArrayRef<char> to, Done done) {
  Peer &peer = *peers[p];
  std::lock_guard lock(peer.mutex);
  if (peer.isLost)
    return post([done = std::move(done)]() mutable { done("it has ended"); });
  peer.destinations[tag] = {to, 0, std::move(done)};
}

struct TcpEngine::Reader final : InStream::User {
  Reader(TcpEngine &engine, int32_t p)
      : engine(engine), p(p), peer(*engine.peers[p]) {}
  void takePacket(llvm::ArrayRef<char> bytes) override {
    engine.user->packetArrived(p, bytes);
  }
  InStream::Destination *find(uint32_t tag) override {
    std::lock_guard lock(peer.mutex);
    auto it = peer.destinations.find(tag);
    return it == peer.destinations.end() ? nullptr : &it->second;
  }
  void finish(uint32_t tag, bool isGood) override {
    Done done;
    {
      std::lock_guard lock(peer.mutex);
      auto it = peer.destinations.find(tag);
      done = std::move(it->second.done);
      peer.destinations.erase(it);
    }
    done(isGood ? "" : "the sender has given up");
  }

  TcpEngine &engine;
  int32_t p;
  Peer &peer;
};

/// The socket has bytes, or the connection has ended.
void TcpEngine::read(int32_t p) {
  Peer &peer = *peers[p];
  if (peer.isLost) // is set on this thread
    return;
  Reader reader(*this, p);
  if (peer.in.read(peer.socket.get(), reader) == Progress::Ended)
    lose(p, "connection closed");
}

void TcpEngine::lose(int32_t p, const std::string &why) {
  Peer &peer = *peers[p];
  std::vector<Done> failed;
  {
    std::lock_guard lock(peer.mutex);
    if (peer.isLost)
      return;
    peer.isLost = true;
    failed = peer.out.clear();
    for (auto &[tag, destination] : peer.destinations)
      failed.push_back(std::move(destination.done));
    peer.destinations.clear();
    peer.socket.close(); // which removes it from the event queue
  }
  for (Done &done : failed)
    done("the connection has ended");
  user->peerLost(p, why);
}

void TcpEngine::dropPeer(int32_t p, llvm::StringRef why) {
  if (p != ownProcess)
    post([this, p, why = why.str()] { lose(p, why); });
}

llvm::Expected<std::unique_ptr<Engine>>
shardwright::makeTcpEngine(const EngineOptions &options) {
  auto sockets = connectByTcp(options);
  if (!sockets)
    return sockets.takeError();
  auto engine = std::make_unique<TcpEngine>(options, std::move(*sockets));
  if (llvm::Error error = engine->initialize())
    return std::move(error);
  return engine;
}
