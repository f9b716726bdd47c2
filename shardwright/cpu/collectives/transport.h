//===- transport.h - bytes between the processes of a job -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What collectives between processes need of an engine such as MPI or Gloo: a
// message at a time, matched by keys that both sides know beforehand. Engines
// do no arithmetic and know no groups. No executor calls one yet: Executor
// refuses the collectives that CollectivePlan::sharedGroups lists.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_COLLECTIVES_TRANSPORT_H
#define SHARDWRIGHT_CPU_COLLECTIVES_TRANSPORT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/FunctionExtras.h"
#include "llvm/Support/Error.h"

#include <compare>
#include <cstdint>

namespace shardwright::cpu {

/// A run of a program, the same in all processes that take part: each counts
/// its own launches, and all launch the same programs in the same order.
struct RunKey {
  uint64_t deviceSet = 0; ///< hash of the device at each position
  uint64_t launch = 0;    ///< number of earlier runs on that device set

  friend auto operator<=>(const RunKey &, const RunKey &) = default;
};

/// One message from one process to another.
struct MessageKey {
  RunKey run;
  int32_t step = 0;
  int32_t group = 0; ///< CollectivePlan::SharedGroup::group
  /// How often the group has come to that step in this run before.
  int32_t occurrence = 0;
  int32_t part = 0; ///< of the messages that one occurrence sends to a peer

  friend auto operator<=>(const MessageKey &, const MessageKey &) = default;
};

/// Moves messages between the processes of a job, which are numbered from 0.
/// One object a process serves all its runs. Thread-safe; no function blocks.
class Transport {
public:
  virtual ~Transport() = default;

  /// Called once for each transfer, on a thread of the transport and never
  /// inside of the functions below, so that it may take locks that their
  /// callers hold. It must be short: longer work goes to other threads.
  using Done = llvm::unique_function<void(llvm::Error)>;

  /// Sends the pieces one after another as one message. They stay unchanged
  /// until `done`; the list itself is read before this returns.
  ///
  /// A message matches the `receive` of its peer that has the same key, in
  /// whatever order both are called, and whichever side is first. A key is used
  /// once in each direction between two processes. Pieces may be empty, and the
  /// two sides may cut a message into different pieces, but if the total sizes
  /// differ, both sides fail.
  ///
  /// `done` succeeds when the pieces may change, which need not mean that the
  /// peer has the message. It fails if the peer is lost.
  virtual void send(int32_t peer, const MessageKey &key,
                    llvm::ArrayRef<llvm::ArrayRef<char>> pieces, Done done) = 0;

  /// Receives a message into the pieces, which are the transport's until
  /// `done`; after an error their contents are undefined.
  virtual void receive(int32_t peer, const MessageKey &key,
                       llvm::ArrayRef<llvm::MutableArrayRef<char>> pieces,
                       Done done) = 0;

  /// Ends the transfers of a run in this process, for a run that has failed:
  /// when this returns, their pieces are the caller's again. Those that have
  /// not succeeded fail, as do new ones. Messages that peers send in this run
  /// are taken and dropped. Peers are not told: what they receive from this
  /// process waits until they cancel the run themselves.
  virtual void cancel(const RunKey &run) = 0;
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_COLLECTIVES_TRANSPORT_H
