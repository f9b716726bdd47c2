//===- loaded_program.h - a loaded per-device program -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_BACKEND_LOADED_PROGRAM_H
#define SHARDWRIGHT_BACKEND_LOADED_PROGRAM_H

#include "shardwright/backend/loop_spans.h"
#include "shardwright/backend/storage.h"
#include "shardwright/backend/trace.h"

#include "llvm/ADT/FunctionExtras.h"

#include <optional>
#include <vector>

namespace shardwright {

class Backend;

/// How a program may use the memory of one argument.
struct ArgumentDonation {
  bool isDonated = false;
  /// Of a donated argument: the result that should reuse its memory; -1: any.
  int32_t aliasedResult = -1;
};

/// One argument on one device.
struct RunArgument {
  std::shared_ptr<DeviceStorage> storage;
  /// The argument is donated, and the storage has no other holder: the run may
  /// overwrite it, or use it for a result.
  bool mayOverwrite = false;
};

/// Arguments, and storage of results: [local position * number of arguments +
/// argument].
using RunArguments = llvm::SmallVector<RunArgument, 4>;
using RunResults = llvm::SmallVector<std::shared_ptr<DeviceStorage>, 4>;

/// One run of a program. Argument and result lists cover the positions whose
/// device is addressable in this process, in order, flattened: [local position
/// * number of arguments + argument].
struct RunRequest {
  /// The global device at each position of the program.
  llvm::SmallVector<DeviceId, 8> devices;
  RunArguments arguments;
  /// Preferred storage of the results; null or an empty list if there is none.
  /// A backend that cannot write there returns other storage.
  RunResults results;
  /// Events to wait for. If one fails, the run fails with its error.
  llvm::SmallVector<Event, 2> after;

  enum class Mode : uint8_t {
    /// Runs in the order of the devices' work. `start` returns immediately, or
    /// runs a short program itself.
    Queued,
    /// As Queued, but on the calling thread if its devices are idle.
    HereIfIdle,
    /// Runs immediately on the calling thread, concurrently with other work of
    /// the devices. All of `after` must be ready.
    Now,
  };
  Mode mode = Mode::Queued;
  /// Data for host functions that the program calls; kept alive until the run
  /// ends.
  std::shared_ptr<const void> callData;
  /// Filled by the run, by local position. May be null; a backend may ignore
  /// it.
  std::shared_ptr<Trace> trace;
  /// Filled before `start` returns, only in mode Now; may be null.
  RunStatistics *statistics = nullptr;
  /// If the run fails without modifying its arguments, receives the arguments
  /// back before the run's event is set. May be null.
  llvm::unique_function<void(RunArguments)> returnArguments;
};

/// A run in flight.
struct StartedRun {
  /// Storage of the results of each local position; ready with `done`.
  RunResults results;
  Event done;
};

class LoadedProgram;

/// A run of which each device is started by a call of its own. It begins once
/// all devices of this process have joined, each after the work that was
/// started on that device before. Thread-safe.
class GatheredRun {
public:
  virtual ~GatheredRun();
  /// Starts `program` on the device at this local position, once for each, and
  /// moves the contents out of `part`, a request with the arguments of that
  /// device alone (devices, mode and statistics are ignored). The program is
  /// that with which the run was opened, or one that `runsWith` it. `done` is
  /// the same event for all positions. Fails without modifying the arguments,
  /// if memory for the results is exhausted or the run was cancelled; then the
  /// caller cancels the run.
  virtual llvm::Expected<StartedRun>
  join(size_t position, LoadedProgram &program, RunRequest &part) = 0;
  /// If a device has not joined, fails the run: `done` of the devices that have
  /// joined fails with `why`, and they get their arguments back.
  virtual void cancel(llvm::StringRef why) = 0;
};

/// Memory statistics of one device in bytes.
struct MemoryStatistics {
  int64_t arguments = 0, results = 0, temporaries = 0, constants = 0,
          reusedByResults = 0;
};

/// Estimated costs of one device; loops and branches are counted once.
struct CostAnalysis {
  /// Arithmetic operations: two per product of a dot or convolution, one per
  /// element of any other op, none for other library calls.
  double flops = 0;
  /// Calls of functions such as exp, which are no arithmetic operations.
  double transcendentals = 0;
  /// Bytes that steps read and write.
  double bytesAccessed = 0;
  /// What steps read as their operand of one position: bytes, and the number of
  /// such steps.
  struct Operand {
    double bytes = 0, uses = 0;
  };
  std::vector<Operand> operands;
  double bytesWritten = 0;

  /// The costs that are not zero, by XLA's names: `flops`, `bytes accessed`,
  /// `bytes accessed0{}`, `utilization0{}`, `bytes accessedout{}`.
  std::vector<std::pair<std::string, double>> named() const;
};

/// Work of one execution of a step on one device.
struct StepCost {
  /// Arithmetic operations, and calls of functions such as exp.
  double flops = 0, transcendentals = 0;
  double bytesRead = 0, bytesWritten = 0;
  /// Of a collective: the bytes that a device sends, on average.
  double bytesSent = 0;
  /// Of its first result.
  ElementType type = ElementType::F32;
  /// A dot or a convolution, which matrix units can serve.
  bool isContraction = false;
};

/// The live values at the peak of temporary memory.
struct PeakMemory {
  struct Value {
    ArrayType type;
    /// The op that wrote it (LoadedProgram::stepName); may be empty.
    std::string writer;
  };
  /// The op at the peak; empty if unknown.
  std::string place;
  std::vector<Value> values; ///< the largest first
};

/// A per-device program that its backend has compiled. Immutable and
/// thread-safe. Runs in flight do not depend on this object.
class LoadedProgram {
public:
  virtual ~LoadedProgram();

  /// The name of the backend whose devices run it.
  virtual llvm::StringRef backendName() const = 0;

  /// The arguments and results of one device.
  llvm::ArrayRef<ArrayType> arguments() const { return argumentTypes; }
  llvm::ArrayRef<ArrayType> results() const { return resultTypes; }
  int64_t numReplicas() const { return replicas; }
  int64_t numPartitions() const { return partitions; }
  /// Number of positions of the program.
  int64_t numDevices() const { return replicas * partitions; }

  /// Starts a run on devices of `backend`, and moves the contents out of the
  /// request. Fails without modifying the arguments if the backend cannot run
  /// the program or memory for the results is exhausted; in mode Now also if
  /// the run fails. `done` reports all other failures.
  virtual llvm::Expected<StartedRun> start(Backend &backend,
                                           RunRequest &request) = 0;

  /// Opens a run on devices of `backend`, by position, that the devices of this
  /// process join. The backend must outlive it. `only`: the run is at this
  /// position alone, which must be local, of a program that does not
  /// communicate; its local position is 0. Fails if the backend starts runs on
  /// all devices at once only.
  virtual llvm::Expected<std::shared_ptr<GatheredRun>>
  gather(Backend &backend, llvm::ArrayRef<DeviceId> devices,
         std::optional<int32_t> only = std::nullopt);
  /// True if devices may run this program and `other` together, in a
  /// GatheredRun, because the collectives of both exchange the same.
  virtual bool runsWith(const LoadedProgram &other) const {
    return this == &other;
  }
  /// True if a device depends on what others do in the same run.
  virtual bool communicates() const { return numDevices() > 1; }

  /// Says that this process does not start a run, for the reason given, that it
  /// was asked to start on these devices: other processes, which start it, do
  /// not wait then. `start` does that itself when it fails.
  virtual void abandon(Backend &, llvm::ArrayRef<DeviceId>, llvm::StringRef) {}

  virtual MemoryStatistics memory() const = 0;
  virtual CostAnalysis cost() const = 0;
  virtual PeakMemory peakMemory() const = 0;
  /// The name of a step in a trace, like `stablehlo.add at file.py:12:3`; may
  /// be empty.
  virtual std::string stepName(int32_t step) const = 0;
  /// The names of the other ops that the backend has fused into a step, each
  /// once, in the form of stepName.
  virtual std::vector<std::string> fusedOps(int32_t step) const;
  /// An estimate; zero if the backend knows none.
  virtual StepCost stepCost(int32_t step) const;
  /// The loops of the program, in order of begin, an enclosing loop before
  /// those inside; they nest or are disjoint. None if the backend knows none.
  virtual std::vector<ProgramLoop> loops() const;
  /// Bytes for Backend::load, in this or another process. Deterministic.
  virtual llvm::Expected<std::string> serialize() const = 0;

protected:
  std::vector<ArrayType> argumentTypes, resultTypes;
  int64_t replicas = 1, partitions = 1;
};

} // namespace shardwright

#endif // SHARDWRIGHT_BACKEND_LOADED_PROGRAM_H
