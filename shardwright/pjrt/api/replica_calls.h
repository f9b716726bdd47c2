//===- replica_calls.h - programs called on one device ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PyTorch/XLA starts a thread for each device (torch_xla.launch). Each thread
// calls Execute for its own device alone, with a program for all devices whose
// collectives communicate. ReplicaCalls gathers the calls of all devices of
// this process into one run.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_API_REPLICA_CALLS_H
#define SHARDWRIGHT_PJRT_API_REPLICA_CALLS_H

#include "shardwright/runtime/executable.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <list>
#include <map>
#include <mutex>
#include <thread>

struct PJRT_LoadedExecutable;
struct PJRT_Device;

namespace shardwright::pjrt {

/// The calls of a client. Which calls belong to one run is decided by their
/// order on each device: a call joins the oldest run that has been called on
/// another device, includes this device, and has not been called on it; else it
/// opens a run. The programs of a run need not be equal (the number of a
/// replica may be a constant of its program), but must have the same
/// collectives. A call never waits: its results are ready when the run is done.
/// Programs without collectives are no part of this and run at once.
///
/// If a call of a run fails, or is of a program with other collectives, the
/// calls of all other devices in this run fail with an error that names the
/// device and the program, also those that come later. A run that waits long
/// for a device is reported on stderr after 10 s, and again at doubled
/// intervals; after SHARDWRIGHT_WAIT_LIMIT seconds, if set, it fails.
/// Thread-safe.
class ReplicaCalls {
public:
  explicit ReplicaCalls(Client &client);
  /// Cancels all runs that are still waiting for devices.
  ~ReplicaCalls();
  ReplicaCalls(const ReplicaCalls &) = delete;

  /// Calls a program of several devices on one of them, which is one of its
  /// devices and addressable. Returns its results on that device. Errors that
  /// the call itself has not caused start with `ABORTED: ` or
  /// `DEADLINE_EXCEEDED: `.
  llvm::Expected<FlatExecution> call(const PJRT_LoadedExecutable &loaded,
                                     const PJRT_Device &device,
                                     llvm::ArrayRef<Buffer> arguments,
                                     ExecuteOptions options);
  /// A call as above that has failed: the other devices do not wait for it.
  void refuse(const PJRT_LoadedExecutable &loaded, const PJRT_Device &device,
              llvm::StringRef why);

  /// Blocks calls on several devices while it lives.
  using Exclusion =
      llvm::SmallVector<std::unique_lock<std::recursive_mutex>, 8>;
  /// For a call that starts a program on all of these devices together: cancels
  /// runs that some of them have joined and others have not, which could not
  /// begin, as a device works in order. Costs one load if no run was ever
  /// gathered.
  Exclusion excludeCalls(llvm::ArrayRef<PJRT_Device *> devices,
                         llvm::StringRef program);
  /// Cancels all runs that are waiting for devices.
  void cancelAll(llvm::StringRef why);

private:
  struct Gathering;
  struct DeviceCalls;
  using Clock = std::chrono::steady_clock;
  using Lock = std::unique_lock<std::mutex>;

  /// The run that a call belongs to, and the local position of its device.
  struct Place {
    std::shared_ptr<Gathering> gathering;
    size_t position = 0;
    bool isOpener = false; ///< the first call of the run
  };
  llvm::Expected<Place> takePlace(const PJRT_LoadedExecutable &loaded,
                                  const PJRT_Device &device,
                                  llvm::StringRef failure);
  llvm::Expected<std::shared_ptr<Gathering>>
  open(const PJRT_LoadedExecutable &loaded);
  DeviceCalls &callsOf(DeviceId device);
  template <typename Select> void cancelIf(Select select);
  std::string describeWait(const Gathering &gathering,
                           std::chrono::milliseconds waited);
  void watch();

  Client &client;
  std::atomic<bool> isUsed = false;
  std::mutex mutex;
  /// Runs that some device has not joined, the oldest first.
  std::list<std::shared_ptr<Gathering>> gatherings;
  std::map<int32_t, DeviceCalls> devices; ///< by device id
  std::chrono::milliseconds waitLimit{0}, lateAfter{0};
  std::condition_variable changed;
  bool isEnding = false;
  std::thread watcher;
};

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_API_REPLICA_CALLS_H
