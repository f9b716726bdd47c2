//===- engine.h - what moves bytes between processes ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface of MPI, TCP, Gloo, and a job in memory (for tests) below the
// messenger: packets, which arrive unasked, and payloads, which both sides have
// agreed on before. Engines are modules of their own (engine_module.h), so that
// nothing else depends on their libraries. Modules do not link LLVM, of which
// the plugin for JAX has its own copy: this interface uses only what LLVM's
// headers define.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_JOB_ENGINE_H
#define SHARDWRIGHT_JOB_ENGINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/FunctionExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <vector>

namespace shardwright {

/// The user of an engine. Called on threads of the engine that hold no locks,
/// for one peer by one thread at a time.
class EngineUser {
public:
  virtual ~EngineUser() = default;
  /// A packet of a peer; those of one peer come in the order in which they were
  /// sent. The bytes are valid during the call.
  virtual void packetArrived(int32_t peer, llvm::ArrayRef<char> bytes) = 0;
  /// The connection to the peer has ended; called once for a peer, after all
  /// its packets. Its payloads fail.
  virtual void peerLost(int32_t peer, llvm::StringRef why) = 0;
};

class Engine {
public:
  /// Largest size of a packet in bytes.
  static constexpr int64_t maxPacketBytes = 64 << 10;

  virtual ~Engine() = default;

  virtual llvm::StringRef name() const = 0; ///< `mpi`, `tcp`, `gloo`
  int32_t process() const { return ownProcess; }
  int32_t numProcesses() const { return count; }

  /// Starts the callbacks; called once, before the functions below.
  virtual void start(EngineUser &user) = 0;
  /// Bytes of a message up to which it is faster inside of a packet than as a
  /// payload; less than maxPacketBytes by at least 1 KiB.
  virtual int64_t inlineBytes() const = 0;
  /// Sends a packet without blocking; it is dropped if the peer is lost.
  virtual void sendPacket(int32_t peer, std::vector<char> bytes) = 0;

  /// The text of a failure is empty after success.
  using Done = llvm::unique_function<void(llvm::StringRef failure)>;
  /// Sends and receives a payload of any size. Both sides use the same tag,
  /// which no other payload between them in that direction has at the time, and
  /// the receiving side is always called first. `done` is called on a thread of
  /// the engine, never inside of the call; the memory is in use until then. A
  /// sender that has given up sends a payload of no bytes, with which the
  /// receiver's `done` fails. Received are payloads of at least two bytes; they
  /// fail for no other reasons than that and a lost peer.
  virtual void sendPayload(int32_t peer, uint32_t tag,
                           llvm::ArrayRef<char> bytes, Done done) = 0;
  virtual void receivePayload(int32_t peer, uint32_t tag,
                              llvm::MutableArrayRef<char> to, Done done) = 0;

  /// Calls a function on a thread of the engine, as soon as possible.
  virtual void post(llvm::unique_function<void()> function) = 0;
  /// Ends the connection to a peer that does not answer: its payloads fail, and
  /// peerLost is called unless it was called before.
  virtual void dropPeer(int32_t peer, llvm::StringRef why) = 0;

  /// Called before `stop` if all other processes leave too, so that it may wait
  /// for them. No packets or payloads follow.
  virtual void leave() = 0;

  /// Ends the connections; called once, before the destructor, not on a thread
  /// of the engine. Callbacks may still run during it, but not afterwards.
  /// Payloads that have not been done are dropped.
  virtual void stop() = 0;

  /// While inactive, which it is at first, the engine may take half a second to
  /// notice a packet, and uses no processor time.
  virtual void setActive(bool isActive) = 0;

protected:
  int32_t ownProcess = 0, count = 1;
};

} // namespace shardwright

#endif // SHARDWRIGHT_JOB_ENGINE_H
