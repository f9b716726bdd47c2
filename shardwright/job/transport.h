//===- transport.h - messages between the processes of a job ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What runs of programs on several processes need of each other: messages that
// are matched by keys that both sides know beforehand, failures, and the
// recognition of deadlocks. A transport does no arithmetic and knows no groups.
// messenger.h implements it on an engine such as MPI or Gloo.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_JOB_TRANSPORT_H
#define SHARDWRIGHT_JOB_TRANSPORT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/FunctionExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace shardwright {

/// A run of a program, the same in all processes that take part: each counts
/// its own launches, and all launch the same programs in the same order.
struct RunKey {
  uint64_t deviceSet = 0; ///< hash of the device at each position
  uint64_t launch = 0;    ///< number of earlier runs on that device set

  friend auto operator<=>(const RunKey &, const RunKey &) = default;
};

/// One message of a run from one process to another.
struct MessageKey {
  int32_t step = 0; ///< the number of a collective step of the program
  int32_t group = 0;
  /// How often the group has come to that step in this run before.
  int32_t occurrence = 0;
  /// Of the messages that one occurrence sends to a peer.
  int32_t part = 0;

  friend auto operator<=>(const MessageKey &, const MessageKey &) = default;
};

/// A run as its participants see it.
struct RunDescription {
  RunKey key;
  /// Differs between programs that would not do the same together: compared
  /// with every message.
  uint64_t programHash = 0;
  std::string name;    ///< of the program, like `jit_f`
  std::string devices; ///< on which it runs, like `devices 0-7`
  /// The processes with a device in the run, ascending, this one included.
  llvm::SmallVector<int32_t, 8> participants;
  /// Describes a wait for a message of a peer: `stablehlo.all_reduce at f.py:3
  /// waits for its devices 4-7`. Called on any thread until the run is closed;
  /// must not take locks.
  std::function<std::string(int32_t peer, const MessageKey &)> describeWait;
  /// Called when all participants only wait, one of them here for `done` of
  /// owned bytes: nothing ends that wait, so it may send beyond the limit.
  /// Called on a thread of the transport, as `fail` is; may be null.
  std::function<void()> sendBeyondLimit;
};

/// The failure of a run.
struct RunFailure {
  /// Position in the program of the device that failed, or -1: of several
  /// failures the one of the lowest position is reported.
  int32_t position = -1;
  std::string text;
};

/// Moves messages between the processes of a job, which are numbered from 0.
/// One object a process serves all its runs. Thread-safe; no function blocks,
/// except as noted.
class Transport {
public:
  virtual ~Transport() = default;

  /// Opens a run. `fail` is called at most once, on a thread of the transport,
  /// when the run cannot succeed: a participant is lost or has failed, runs
  /// another program, or all wait for each other. It must be short and may take
  /// locks that callers of the functions below hold. Transfers of the run fail
  /// too, later or before. The run must still be closed by `abortRun`. A call
  /// that has begun may end after that, so `fail` owns what it uses.
  virtual void openRun(RunDescription run,
                       llvm::unique_function<void(RunFailure)> fail) = 0;
  /// Closes a run that has succeeded here. Messages that have not been received
  /// are dropped; all sends and receives of this process have been done, except
  /// sends of owned bytes, which go on.
  virtual void closeRun(const RunKey &run) = 0;
  /// Closes a run that has failed here, and tells the participants, whose
  /// `fail` gets `process P: <text>`; after `fail` they get that failure, not
  /// this one. Transfers that have not been done fail. Waits for sends under
  /// way, so that afterwards their bytes are the caller's: must not be called
  /// inside of `done` or `fail`. Also for a run that was launched, but never
  /// opened.
  virtual void abortRun(const RunDescription &run, RunFailure failure) = 0;

  /// Called once for each transfer, on a thread of the transport and never
  /// inside of the functions below, so that it may take locks that their
  /// callers hold. It must be short: longer work goes to other threads. After
  /// `abortRun` it may still be called with an error, so it owns what it uses.
  using Done = llvm::unique_function<void(llvm::Error)>;

  /// Sends bytes, which stay unchanged until `done`.
  ///
  /// A message matches the `receive` of its peer that has the same run and key,
  /// in whatever order both are called, and whichever side is first. A key is
  /// used once in each direction between two processes. If the sizes differ,
  /// both sides fail.
  ///
  /// `done` succeeds when the bytes may change, which need not mean that the
  /// peer has the message.
  virtual void send(int32_t peer, const RunKey &run, const MessageKey &key,
                    llvm::ArrayRef<char> bytes, Done done) = 0;
  /// As `send`, with bytes that the transport keeps alive itself. It limits
  /// what is kept for a peer: returns false if the caller should wait for
  /// `done`, or for RunDescription::sendBeyondLimit, before it sends more.
  virtual bool sendOwned(int32_t peer, const RunKey &run, const MessageKey &key,
                         std::shared_ptr<const char> bytes, int64_t size,
                         Done done) = 0;

  /// Receives a message. `owner` keeps `to` alive as long as the transport may
  /// write there, which after a failure may be longer than `done`; after an
  /// error the contents of `to` are undefined.
  virtual void receive(int32_t peer, const RunKey &run, const MessageKey &key,
                       llvm::MutableArrayRef<char> to,
                       std::shared_ptr<void> owner, Done done) = 0;

  /// Says that the run does nothing in this process but wait for messages of
  /// peers, and where: `devices 0-3 wait at ... for devices 4-7`. `numDone` is
  /// the number of transfers of the run for which the caller has seen `done`:
  /// the report is ignored if there are more by now, and stands until the next.
  /// When all participants have said so and no message is under way, the run
  /// fails everywhere: deadlock. `isThrottled`: something waits for `done` of
  /// owned bytes; then the run goes on by RunDescription::sendBeyondLimit.
  virtual void reportQuiet(const RunKey &run, int64_t numDone,
                           std::string where, bool isThrottled = false) = 0;
};

} // namespace shardwright

#endif // SHARDWRIGHT_JOB_TRANSPORT_H
