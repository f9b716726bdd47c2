//===- gloo_engine.cc - an engine on Gloo's TCP connections ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Of Gloo this uses connections and messages on slots, no collectives. Packets
// travel in frames on slot 0; the receiver has several receives posted.
// Payloads have slots of their own. Waits of Gloo block their thread, so that
// each peer has a thread that reads and one that writes, and payloads in flight
// have one each. A wait of Gloo that times out closes all connections: the
// waits here have no limit and are aborted instead.
//
// Gloo throws exceptions; none leaves this file.
//
//===----------------------------------------------------------------------===//

#include "shardwright/job/engine_module.h"
#include "shardwright/job/engines/task_threads.h"

#include <gloo/rendezvous/context.h>
#include <gloo/transport/tcp/device.h>

#include <csignal>
#include <cstring>
#include <set>

using namespace shardwright;

namespace {

using GlooBuffer = gloo::transport::UnboundBuffer;
constexpr std::chrono::milliseconds noLimit = std::chrono::hours(24 * 3650);

/// A frame holds packets, each behind its size; the frame begins with their
/// number.
using Size = uint32_t;
constexpr size_t maxFrameBytes = Engine::maxPacketBytes + 2 * sizeof(Size);
constexpr size_t numFrames = 8; ///< in flight with a peer in each direction
constexpr uint64_t packetSlot = 0;
uint64_t dataSlot(uint32_t tag) { return 2 * uint64_t(tag) + 2; }
uint64_t statusSlot(uint32_t tag) { return 2 * uint64_t(tag) + 3; }

/// Memory of a message with Gloo's handle of it.
struct Frame {
  std::vector<char> bytes = std::vector<char>(maxFrameBytes);
  std::unique_ptr<GlooBuffer> buffer;
  explicit Frame(gloo::Context &context)
      : buffer(context.createUnboundBuffer(bytes.data(), bytes.size())) {}
};

/// Blocks SIGPIPE on this thread, which Gloo does not prevent when it writes to
/// a connection that has ended.
class NoBrokenPipe {
public:
  NoBrokenPipe() {
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
  }
  ~NoBrokenPipe() {
    if (sigismember(&before, SIGPIPE))
      return;
    timespec none = {};
    while (sigtimedwait(&pipe, nullptr, &none) < 0 && errno == EINTR)
      ;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

private:
  sigset_t pipe, before;
};

class Store final : public gloo::rendezvous::Store {
public:
  explicit Store(const EngineOptions &options) : options(options) {}
  void set(const std::string &key, const std::vector<char> &data) override {
    std::string error;
    if (!options.put(key, std::string(data.begin(), data.end()), error))
      throw std::runtime_error(error);
  }
  std::vector<char> get(const std::string &key) override {
    std::string value, error;
    if (!options.get(key, value, error))
      throw std::runtime_error(error);
    return {value.begin(), value.end()};
  }
  void wait(const std::vector<std::string> &) override {} // `get` waits
  void wait(const std::vector<std::string> &,
            const std::chrono::milliseconds &) override {}

private:
  const EngineOptions &options;
};

class GlooEngine final : public Engine {
public:
  GlooEngine(std::shared_ptr<gloo::Context> theContext)
      : context(std::move(theContext)), payloadThreads(4096), postThread(1) {
    ownProcess = context->rank;
    count = context->size;
    for (int32_t p = 0; p < count; ++p) {
      peers.push_back(std::make_unique<Peer>());
      for (size_t i = 0; p != ownProcess && i < numFrames; ++i) {
        peers[p]->incoming.push_back(std::make_unique<Frame>(*context));
        peers[p]->outgoing.push_back(std::make_unique<Frame>(*context));
        peers[p]->free.push_back(peers[p]->outgoing.back().get());
      }
    }
  }
  ~GlooEngine() override {
    peers.clear(); // buffers before the connections
  }

  llvm::StringRef name() const override { return "gloo"; }
  int64_t inlineBytes() const override { return 32 << 10; }
  void start(EngineUser &theUser) override;
  void sendPacket(int32_t peer, std::vector<char> bytes) override;
  void sendPayload(int32_t peer, uint32_t tag, llvm::ArrayRef<char> bytes,
                   Done done) override;
  void receivePayload(int32_t peer, uint32_t tag,
                      llvm::MutableArrayRef<char> to, Done done) override;
  void post(llvm::unique_function<void()> function) override {
    (void)postThread.run(std::move(function));
  }
  void dropPeer(int32_t peer, llvm::StringRef why) override;
  void leave() override { isLeaving = true; }
  void stop() override;
  void setActive(bool) override {} // waiting threads sleep

private:
  struct Peer {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::unique_ptr<Frame>> incoming, outgoing;
    std::deque<Frame *> free, sending;   ///< of `outgoing`
    std::deque<std::vector<char>> queue; ///< packets that wait for a frame
    /// Buffers of payloads, for which a thread waits.
    std::set<GlooBuffer *> payloads;
    bool isLost = false, isEnding = false;
    std::string why; ///< the connection has been dropped
    std::thread reader, writer;
  };
  struct Payload;

  void read(int32_t p);
  bool deliver(int32_t p, const Frame &frame);
  void write(int32_t p);
  bool sendFrame(int32_t p, Peer &peer, Frame *frame);
  void abortWaits(Peer &peer);
  void begin(int32_t p, uint32_t tag, char *data, size_t size, Done done,
             bool isSend);
  bool transfer(int32_t p, Payload &payload, bool isSend);

  std::shared_ptr<gloo::Context> context;
  EngineUser *user = nullptr;
  std::vector<std::unique_ptr<Peer>> peers;
  std::atomic<bool> isLeaving = false;
  TaskThreads payloadThreads, postThread;
};

//===----------------------------------------------------------------------===//
// Packets
//===----------------------------------------------------------------------===//

void GlooEngine::start(EngineUser &theUser) {
  user = &theUser;
  for (int32_t p = 0; p < count; ++p) {
    if (p == ownProcess)
      continue;
    peers[p]->reader = std::thread([this, p] { read(p); });
    peers[p]->writer = std::thread([this, p] { write(p); });
  }
}

/// Calls the user for the packets of a frame; false if it is malformed.
bool GlooEngine::deliver(int32_t p, const Frame &frame) {
  const char *at = frame.bytes.data(), *end = at + frame.bytes.size();
  auto take = [&](Size &size) {
    if (size_t(end - at) < sizeof(size))
      return false;
    std::memcpy(&size, at, sizeof(size));
    at += sizeof(size);
    return true;
  };
  Size number = 0, size = 0;
  if (!take(number))
    return false;
  for (; number; --number) {
    if (!take(size) || size > size_t(end - at))
      return false;
    user->packetArrived(p, {at, size});
    at += size;
  }
  return true;
}

void GlooEngine::read(int32_t p) {
  NoBrokenPipe block;
  Peer &peer = *peers[p];
  std::string why = "connection closed";
  try {
    for (auto &frame : peer.incoming)
      frame->buffer->recv(p, packetSlot);
    for (size_t next = 0;; next = (next + 1) % numFrames) {
      Frame &frame = *peer.incoming[next];
      if (!frame.buffer->waitRecv(nullptr, noLimit))
        break; // aborted
      if (!deliver(p, frame)) {
        why = "it has sent a malformed frame";
        break;
      }
      frame.buffer->recv(p, packetSlot);
    }
  } catch (const std::exception &) {
    // The connection has ended.
  }
  bool isEnding;
  {
    std::lock_guard lock(peer.mutex);
    peer.isLost = true;
    isEnding = peer.isEnding;
    if (!peer.why.empty())
      why = peer.why;
    peer.queue.clear();
    abortWaits(peer);
  }
  peer.changed.notify_all();
  if (isEnding)
    return;
  // The peer notices too.
  try {
    context->getPair(p)->close();
  } catch (const std::exception &) {
  }
  user->peerLost(p, why);
}

/// Aborts all waits for messages of a peer but those of its reader. With the
/// mutex of the peer.
void GlooEngine::abortWaits(Peer &peer) {
  for (GlooBuffer *buffer : peer.payloads) {
    buffer->abortWaitRecv();
    buffer->abortWaitSend();
  }
  for (auto &frame : peer.outgoing)
    frame->buffer->abortWaitSend();
}

void GlooEngine::dropPeer(int32_t p, llvm::StringRef why) {
  Peer &peer = *peers[p];
  std::lock_guard lock(peer.mutex);
  if (peer.isLost)
    return;
  peer.why = why.str();
  for (auto &frame : peer.incoming)
    frame->buffer->abortWaitRecv();
}

void GlooEngine::sendPacket(int32_t p, std::vector<char> bytes) {
  Peer &peer = *peers[p];
  {
    std::lock_guard lock(peer.mutex);
    if (peer.isLost)
      return;
    peer.queue.push_back(std::move(bytes));
    if (peer.free.empty())
      return; // the writer takes it when a frame is free
    // Sent at once by this thread; the writer waits for the end.
    if (!sendFrame(p, peer, peer.free.front()))
      return;
  }
  peer.changed.notify_one();
}

/// Puts packets that wait into the first free frame and begins to send it.
bool GlooEngine::sendFrame(int32_t p, Peer &peer, Frame *frame) {
  size_t at = sizeof(Size);
  Size number = 0;
  while (!peer.queue.empty()) {
    const std::vector<char> &packet = peer.queue.front();
    if (at + sizeof(Size) + packet.size() > maxFrameBytes)
      break;
    Size size = packet.size();
    std::memcpy(frame->bytes.data() + at, &size, sizeof(size));
    at += sizeof(size);
    std::memcpy(frame->bytes.data() + at, packet.data(), size);
    at += size;
    ++number;
    peer.queue.pop_front();
  }
  std::memcpy(frame->bytes.data(), &number, sizeof(number));
  NoBrokenPipe block;
  try {
    frame->buffer->send(p, packetSlot, 0, at);
  } catch (const std::exception &) {
    peer.queue.clear(); // the reader notices
    return false;
  }
  peer.free.pop_front();
  peer.sending.push_back(frame);
  return true;
}

void GlooEngine::write(int32_t p) {
  NoBrokenPipe block;
  Peer &peer = *peers[p];
  std::unique_lock lock(peer.mutex);
  while (!peer.isLost && !peer.isEnding) {
    if (!peer.queue.empty() && !peer.free.empty()) {
      sendFrame(p, peer, peer.free.front());
      continue;
    }
    if (peer.sending.empty()) {
      peer.changed.wait(lock);
      continue;
    }
    Frame *frame = peer.sending.front();
    lock.unlock();
    bool isSent = false;
    try {
      isSent = frame->buffer->waitSend(nullptr, noLimit);
    } catch (const std::exception &) {
      // The reader notices too.
    }
    lock.lock();
    if (!isSent)
      break;
    peer.sending.pop_front();
    peer.free.push_back(frame);
    if (peer.sending.empty())
      peer.changed.notify_all();
  }
}

//===----------------------------------------------------------------------===//
// Payloads
//===----------------------------------------------------------------------===//

/// The bytes of a payload, and a byte that is 1 if the sender has given up:
/// receivers in Gloo do not learn how many bytes have arrived.
struct GlooEngine::Payload {
  std::unique_ptr<GlooBuffer> data, status;
  uint32_t tag = 0;
  size_t size = 0;
  char statusByte = 0, none = 0;
  Done done;
};

/// Waits for a payload whose receives have been posted, or sends one. True if
/// it has gone well.
bool GlooEngine::transfer(int32_t p, Payload &payload, bool isSend) {
  NoBrokenPipe block;
  try {
    if (!isSend)
      return payload.data->waitRecv(nullptr, noLimit) &&
             payload.status->waitRecv(nullptr, noLimit) &&
             payload.statusByte == 0;
    payload.data->send(p, dataSlot(payload.tag), 0, payload.size);
    payload.status->send(p, statusSlot(payload.tag), 0, 1);
    return payload.data->waitSend(nullptr, noLimit) &&
           payload.status->waitSend(nullptr, noLimit);
  } catch (const std::exception &) {
    return false;
  }
}

void GlooEngine::sendPayload(int32_t p, uint32_t tag,
                             llvm::ArrayRef<char> bytes, Done done) {
  begin(p, tag, bytes.empty() ? nullptr : const_cast<char *>(bytes.data()),
        bytes.size(), std::move(done), /*isSend=*/true);
}

void GlooEngine::receivePayload(int32_t p, uint32_t tag,
                                llvm::MutableArrayRef<char> to, Done done) {
  begin(p, tag, to.data(), to.size(), std::move(done), /*isSend=*/false);
}

void GlooEngine::begin(int32_t p, uint32_t tag, char *data, size_t size,
                       Done done, bool isSend) {
  auto payload = std::make_unique<Payload>();
  payload->tag = tag;
  payload->size = data ? size : 1;
  payload->statusByte = data ? 0 : 1;
  payload->done = std::move(done);
  Peer &peer = *peers[p];
  bool hasBegun = false;
  NoBrokenPipe block; // a receive sends a note
  try {
    payload->data = context->createUnboundBuffer(data ? data : &payload->none,
                                                 payload->size);
    payload->status = context->createUnboundBuffer(&payload->statusByte, 1);
    std::lock_guard lock(peer.mutex);
    if (!peer.isLost && !peer.isEnding) {
      if (!isSend) {
        payload->data->recv(p, dataSlot(tag));
        payload->status->recv(p, statusSlot(tag));
      }
      peer.payloads.insert(payload->data.get());
      peer.payloads.insert(payload->status.get());
      hasBegun = true;
    }
  } catch (const std::exception &) {
  }
  auto finish = [this, p, isSend, hasBegun,
                 payload = std::move(payload)]() mutable {
    Peer &peer = *peers[p];
    bool isGood = hasBegun && transfer(p, *payload, isSend);
    bool isEnding;
    {
      std::lock_guard lock(peer.mutex);
      peer.payloads.erase(payload->data.get());
      peer.payloads.erase(payload->status.get());
      isEnding = peer.isEnding;
    }
    // Gloo forgets the memory before the user may use it again.
    payload->data.reset();
    payload->status.reset();
    if (!isEnding)
      payload->done(isGood ? "" : "the payload has not arrived");
  };
  // Only if the system grants no thread at all: the peer cannot be served.
  if (!payloadThreads.run(std::move(finish)))
    dropPeer(p, "no thread for a payload");
}

//===----------------------------------------------------------------------===//
// Start and end
//===----------------------------------------------------------------------===//

void GlooEngine::stop() {
  for (auto &peer : peers) {
    std::unique_lock lock(peer->mutex);
    if (isLeaving) // the last packets
      peer->changed.wait_for(lock, std::chrono::seconds(1), [&] {
        return peer->isLost || (peer->queue.empty() && peer->sending.empty());
      });
    peer->isEnding = true;
    for (auto &frame : peer->incoming)
      frame->buffer->abortWaitRecv();
    abortWaits(*peer);
    lock.unlock();
    peer->changed.notify_all();
  }
  for (auto &peer : peers) {
    if (peer->reader.joinable())
      peer->reader.join();
    if (peer->writer.joinable())
      peer->writer.join();
  }
  payloadThreads.end();
  postThread.end();
}

} // namespace

extern "C" __attribute__((visibility("default"))) Engine *
shardwrightMakeEngine(int32_t version, const EngineOptions &options,
                      std::string &error) {
  if (version != engineInterfaceVersion) {
    error = "it belongs to another build of Shardwright";
    return nullptr;
  }
  NoBrokenPipe block; // threads of Gloo inherit it
  try {
    gloo::transport::tcp::attr attribute;
    attribute.hostname = options.address;
    auto device = gloo::transport::tcp::CreateDevice(attribute);
    auto context = std::make_shared<gloo::rendezvous::Context>(
        options.process, options.numProcesses);
    context->setTimeout(std::chrono::milliseconds(options.startTimeout));
    Store store(options);
    context->connectFullMesh(store, device);
    return new GlooEngine(std::move(context));
  } catch (const std::exception &e) {
    error = e.what();
  }
  return nullptr;
}
