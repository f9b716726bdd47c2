//===- loaded_program.h - a per-device program, ready to run ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_BACKEND_LOADED_PROGRAM_H
#define SHARDWRIGHT_BACKEND_LOADED_PROGRAM_H

#include "shardwright/backend/storage.h"
#include "shardwright/backend/trace.h"

#include "llvm/ADT/FunctionExtras.h"

#include <vector>

namespace shardwright {

class Backend;

/// What the caller of a program does with the memory of one argument.
struct ArgumentDonation {
  bool isDonated = false;
  /// Of a donated argument: the result that should get its memory; -1: any.
  int32_t aliasedResult = -1;
};

/// One argument on one device.
struct RunArgument {
  std::shared_ptr<DeviceStorage> storage;
  /// The argument is donated, and nobody else holds the storage: the run may
  /// overwrite it, or give it to a result.
  bool mayOverwrite = false;
};

/// One run of a program. Lists of arguments and results hold the positions of
/// the program whose device is addressable here, in order, one after another:
/// [local position * number of arguments + argument].
struct RunRequest {
  /// The global device at each position of the program.
  llvm::SmallVector<DeviceId, 8> devices;
  std::vector<RunArgument> arguments;
  /// Where the caller would like the results, or null where it does not care;
  /// empty: nowhere. A backend that cannot write there gives other storage.
  std::vector<std::shared_ptr<DeviceStorage>> results;
  /// What has to happen first. When one fails, the run fails with it.
  std::vector<Event> after;

  enum class Mode : uint8_t {
    /// In the order of the devices' work. `start` returns at once, or runs the
    /// program itself where that costs less than handing it over.
    Queued,
    /// The same, but on the calling thread if its devices are idle.
    HereIfIdle,
    /// At once and on the calling thread, beside whatever the devices do. All
    /// of `after` has happened.
    Now,
  };
  Mode mode = Mode::Queued;
  /// What functions of the host that the program calls may ask for; kept until
  /// the run ends.
  std::shared_ptr<const void> callData;
  /// Filled by the run, by local position, unless null or the backend cannot.
  std::shared_ptr<Trace> trace;
  /// Filled before `start` returns, in mode Now only; may be null.
  RunStatistics *statistics = nullptr;
  /// Called before the run's event, if the run fails and has not touched its
  /// arguments; gets them back. May be null.
  llvm::unique_function<void(std::vector<RunArgument>)> returnArguments;
};

/// A run under way.
struct StartedRun {
  /// Of each local position, storage whose elements come with `done`.
  std::vector<std::shared_ptr<DeviceStorage>> results;
  Event done;
};

/// Bytes on one device.
struct MemoryStatistics {
  int64_t arguments = 0, results = 0, temporaries = 0, constants = 0,
          reusedByResults = 0;
};

/// Estimates, of one device; loops and branches are counted once.
struct CostAnalysis {
  /// Arithmetic operations: two for each product of a dot or convolution, one
  /// for each element of anything else. Other library calls count none.
  double flops = 0;
  /// Of these, calls of functions such as exp.
  double transcendentals = 0;
  /// Bytes that steps read and write.
  double bytesAccessed = 0;
};

/// What is alive where temporaries take most memory.
struct PeakMemory {
  struct Value {
    ArrayType type;
    /// The operation that wrote it (LoadedProgram::stepName); may be empty.
    std::string writer;
  };
  /// The operation there; empty: not known.
  std::string place;
  std::vector<Value> values; ///< the largest first
};

/// A per-device program that its backend has compiled. Immutable; all functions
/// are thread-safe. Runs under way do not need this object any more.
class LoadedProgram {
public:
  virtual ~LoadedProgram();

  /// The name of the backend whose devices run it.
  virtual llvm::StringRef backendName() const = 0;

  /// What one device gets and leaves.
  llvm::ArrayRef<ArrayType> arguments() const { return argumentTypes; }
  llvm::ArrayRef<ArrayType> results() const { return resultTypes; }
  int64_t numReplicas() const { return replicas; }
  int64_t numPartitions() const { return partitions; }
  /// Positions of the program, wherever their devices are.
  int64_t numDevices() const { return replicas * partitions; }

  /// Starts a run on devices of `backend`; takes what it needs out of the
  /// request. Fails, and leaves the arguments as they are, when the backend is
  /// not one that can run the program or there is no memory for the results;
  /// in mode Now also when the run fails. Other failures are those of `done`.
  virtual llvm::Expected<StartedRun> start(Backend &backend,
                                           RunRequest &request) = 0;

  virtual MemoryStatistics memory() const = 0;
  virtual CostAnalysis cost() const = 0;
  virtual PeakMemory peakMemory() const = 0;
  /// `stablehlo.add at file.py:12:3`: what a step of a trace is; may be empty.
  virtual std::string stepName(int32_t step) const = 0;
  /// Bytes for Backend::load, in this or another process. The same program
  /// gives the same bytes.
  virtual llvm::Expected<std::string> serialize() const = 0;

protected:
  std::vector<ArrayType> argumentTypes, resultTypes;
  int64_t replicas = 1, partitions = 1;
};

} // namespace shardwright

#endif // SHARDWRIGHT_BACKEND_LOADED_PROGRAM_H
