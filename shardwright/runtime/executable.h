//===- executable.h - a compiled program with its signature -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result of `compile`: the per-device program, and the relation of its
// arguments and results to global arrays. Fill an ExecutableParts, call
// Executable::create, then run it any number of times, from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_EXECUTABLE_H
#define SHARDWRIGHT_RUNTIME_EXECUTABLE_H

#include "shardwright/backend/backend.h"
#include "shardwright/mesh/sharding.h"
#include "shardwright/runtime/array.h"
#include "shardwright/runtime/client.h"

#include <memory>
#include <vector>

namespace shardwright {

/// One argument or result of the global program.
struct ValueSpec {
  std::string name; ///< argument name or jax.result_info; may be empty
  ElementType type = ElementType::F32;
  llvm::SmallVector<int64_t, 4> shape; ///< global
  TensorSharding sharding;             ///< rank dims; ignored when mesh < 0
  int32_t mesh = -1; ///< index into meshes; -1: replicated on every device
  /// Of an argument: the program may reuse its memory.
  bool donated = false;
  /// Of a donated argument: the result that should reuse the memory, or -1.
  int32_t aliasedResult = -1;
  /// Memory of an argument or result. An argument may be in any memory of the
  /// host.
  MemoryKind memory = MemoryKind::Device;
  /// If set, this value is the size (i32) of dimension `sizeOfDim` of another
  /// argument or result, whose shape only has the bound. Sizes come after all
  /// other values.
  int32_t sizeOf = -1, sizeOfDim = -1;
};

struct ExecuteOptions {
  /// Donated arguments that the caller keeps in this run.
  llvm::SmallVector<int32_t, 4> keep;
  /// The device of each position of the program; empty: 0, 1, 2, ...
  llvm::SmallVector<DeviceId, 8> devices;
  /// Events to wait for, in addition to the arguments.
  llvm::SmallVector<Event, 1> after;
  /// Run on the calling thread, if no earlier run is pending on its devices.
  bool synchronous = false;
  /// Data for host functions that the program calls (CustomCall::run); kept
  /// alive until the run ends.
  std::shared_ptr<const void> callData;
  /// Records the activities of each local position once the run is done; null:
  /// not recorded.
  std::shared_ptr<Trace> trace;
  /// If set, the run is done when the call returns, and has filled this.
  RunStatistics *statistics = nullptr;
};

/// A run in flight. Its results are ready when it is done.
struct Execution {
  std::vector<std::vector<Buffer>> results; ///< [local position][result]
  Event done;
};
/// The same, with the results of all positions in one list.
struct FlatExecution {
  /// [local position * number of results + result]
  llvm::SmallVector<Buffer, 4> results;
  Event done;
};

struct ExecutableParts {
  /// Position d of the program is device id d of the meshes.
  std::shared_ptr<LoadedProgram> program;
  std::vector<Mesh> meshes;
  std::vector<ValueSpec> arguments, results;
  /// Notes from the creator to the loader; stored unchanged.
  std::string notes;
};

/// How a run may use the memory of each argument.
std::vector<ArgumentDonation> donationsOf(llvm::ArrayRef<ValueSpec> arguments);

class Executable {
public:
  /// Fails if the parts are inconsistent: number of devices, arity, local
  /// shapes.
  static llvm::Expected<std::unique_ptr<Executable>>
  create(ExecutableParts parts);

  /// Runs on global arrays, which must match the types and shapes of
  /// `arguments()`, without sizes: dimensions of bounded size are as large as
  /// the actual arrays, in arguments and results. The arrays are read-only.
  /// Position d runs on device d, and all of them must be addressable.
  llvm::Expected<std::vector<Array>> run(llvm::ArrayRef<Array> globalArguments,
                                         Client &client = Client::shared(),
                                         RunStatistics *statistics = nullptr,
                                         Trace *trace = nullptr) const;

  /// As `run`, on the devices of which this process has a part: each process of
  /// a job calls it with equal arrays, of which only the parts for its devices
  /// are read. Returns the results on its devices; gather.h puts them together.
  llvm::Expected<Execution>
  runLocal(llvm::ArrayRef<Array> globalArguments, Client &client,
           RunStatistics *statistics = nullptr,
           std::shared_ptr<Trace> trace = nullptr) const;

  /// Starts a run on buffers of local shapes, [local position][argument], for
  /// the positions whose device this process can address, in order. Donated
  /// arguments are deleted. Fails immediately for a buffer of the wrong device,
  /// type or shape, or a deleted one. Errors of the run are reported by its
  /// results and by `done`. The executable may be destroyed before the run is
  /// done.
  llvm::Expected<Execution>
  execute(llvm::ArrayRef<std::vector<Buffer>> arguments,
          Client &client = Client::shared(),
          const ExecuteOptions &options = {}) const;
  /// As `execute`, for callers that make many calls of short programs:
  /// arguments are [local position * number of arguments + argument].
  llvm::Expected<FlatExecution>
  executeFlat(llvm::ArrayRef<Buffer> arguments,
              Client &client = Client::shared(),
              const ExecuteOptions &options = {}) const;
  /// Opens a run on these devices, by position, that each device of this
  /// process joins by a call of its own. The client must outlive it. `only`:
  /// see LoadedProgram::gather.
  llvm::Expected<std::shared_ptr<GatheredRun>>
  gather(Client &client, llvm::ArrayRef<DeviceId> devices,
         std::optional<int32_t> only = std::nullopt) const {
    return parts.program->gather(client.backend(), devices, only);
  }
  /// As `executeFlat`, for the local position `position` of `run`, which is on
  /// `device`: starts this program there, which the run must be of, or of one
  /// that `runsWith` it. The other devices have to join it, too.
  /// Of the options, `devices`, `synchronous` and `statistics` are ignored. If
  /// this fails, the caller cancels the run.
  llvm::Expected<FlatExecution> join(GatheredRun &run, size_t position,
                                     DeviceId device,
                                     llvm::ArrayRef<Buffer> arguments,
                                     Client &client = Client::shared(),
                                     const ExecuteOptions &options = {}) const;
  /// Says that this process does not start a run, for the reason given, that it
  /// was asked to start on these devices: other processes do not wait for it
  /// then. The functions above do that when they fail.
  void abandon(Client &client, llvm::ArrayRef<DeviceId> devices,
               llvm::StringRef why) const {
    parts.program->abandon(client.backend(), devices, why);
  }

  /// The first bytes of serialised executables.
  static constexpr llvm::StringLiteral fileMagic = "shardwright executable\n";
  /// Serialises the program with its machine code, to be loaded by another
  /// process.
  llvm::Expected<std::string> serialize() const;
  /// Loads an executable from `serialize`, without generating code. Fails for
  /// corrupted bytes, another version or backend, a machine without features
  /// that the code needs, or an unregistered custom call. Maliciously changed
  /// bytes can do anything that this process can.
  static llvm::Expected<std::unique_ptr<Executable>>
  deserialize(llvm::StringRef bytes,
              Backend &backend = Client::shared().backend());

  CostAnalysis cost() const { return program().cost(); }
  MemoryStatistics memory() const { return program().memory(); }

  llvm::ArrayRef<ValueSpec> arguments() const { return parts.arguments; }
  llvm::ArrayRef<ValueSpec> results() const { return parts.results; }
  /// True if some argument is donated.
  bool donates() const { return !donatedArguments.empty(); }
  llvm::ArrayRef<Mesh> meshes() const { return parts.meshes; }
  llvm::StringRef notes() const { return parts.notes; }
  const LoadedProgram &program() const { return *parts.program; }
  int64_t numDevices() const { return program().numDevices(); }
  /// Temporaries, arguments and results of one device. A result in the memory
  /// of a donated argument counts once; constants are shared and not counted.
  int64_t peakBytesPerDevice() const;

private:
  explicit Executable(ExecutableParts p);
  const Mesh *meshOf(const ValueSpec &value) const {
    return value.mesh < 0 ? nullptr : &parts.meshes[value.mesh];
  }

  /// Checks global arguments. Adds the sizes that the program takes besides,
  /// with which `arguments` then lies in `withSizes`.
  llvm::Error completeArguments(llvm::ArrayRef<Array> &arguments,
                                std::vector<Array> &withSizes) const;

  // Steps of `execute` (execute.cc).
  struct Starting;
  llvm::Error assignDevices(Starting &run) const;
  llvm::Error shareArguments(Starting &run) const;
  llvm::Error donateArguments(Starting &run) const;
  llvm::Expected<FlatExecution> start(Starting &run) const;
  llvm::Error refuse(const Starting &run, llvm::Error why) const;
  std::string describeArgument(const Starting &run, size_t index) const;

  ExecutableParts parts;
  /// Indices of the arguments that are donated.
  llvm::SmallVector<int32_t, 4> donatedArguments;
};

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_EXECUTABLE_H
