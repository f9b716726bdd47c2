//===- executable.h - a compiled program with its signature -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `compile` returns: the per-device program, and how its arguments and
// results relate to global arrays. Fill an ExecutableParts, call
// Executable::create, then run it as often as you like, from any thread.
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

/// One argument or result of the whole program.
struct ValueSpec {
  std::string name; ///< argument name or jax.result_info; may be empty
  ElementType type = ElementType::F32;
  llvm::SmallVector<int64_t, 4> shape; ///< global
  TensorSharding sharding;             ///< rank dims; ignored when mesh < 0
  int32_t mesh = -1; ///< index into meshes; -1: whole on every device
  /// Of an argument: the program takes its memory.
  bool donated = false;
  /// Of a donated argument: the result that should get the memory, or -1.
  int32_t aliasedResult = -1;
  /// Where the program wants an argument or leaves a result. An argument may be
  /// in any memory: all of it is the host's.
  MemoryKind memory = MemoryKind::Device;
  /// This is the size (i32) of dimension `sizeOfDim` of another argument or
  /// result, whose shape here is only a bound. Sizes stand after everything
  /// else.
  int32_t sizeOf = -1, sizeOfDim = -1;
};

struct ExecuteOptions {
  /// Donated arguments that the caller keeps this time.
  llvm::SmallVector<int32_t, 4> keep;
  /// The device of each position of the program; empty: 0, 1, 2, ...
  llvm::SmallVector<DeviceId, 8> devices;
  /// What has to happen first, beside the arguments.
  llvm::SmallVector<Event, 1> after;
  /// Run on the calling thread, if nothing was started before on its devices.
  bool synchronous = false;
  /// What functions of the host that the program calls may ask for
  /// (CustomCall::run); kept until the run ends.
  std::shared_ptr<const void> callData;
  /// What each local position did when, once the run is done; null: not
  /// recorded.
  std::shared_ptr<Trace> trace;
};

/// A run under way. Its results are ready when it is done.
struct Execution {
  std::vector<std::vector<Buffer>> results; ///< [local position][result]
  Event done;
};

struct ExecutableParts {
  /// Position d of the program is device id d of the meshes.
  std::shared_ptr<LoadedProgram> program;
  std::vector<Mesh> meshes;
  std::vector<ValueSpec> arguments, results;
  /// What the one who made it wants to say of it to the one who loads it; kept
  /// as it is.
  std::string notes;
};

/// What a run may do with the memory of each of these arguments.
std::vector<ArgumentDonation> donationsOf(llvm::ArrayRef<ValueSpec> arguments);

class Executable {
public:
  /// Fails when the parts do not fit together: number of devices, arity, local
  /// shapes.
  static llvm::Expected<std::unique_ptr<Executable>>
  create(ExecutableParts parts);

  /// Runs on global arrays, whose types and shapes must be those of
  /// `arguments()`, without sizes: arrays are as large as their dimensions of
  /// bounded size should be, as are the results. The arrays are only read.
  /// Position d runs on device d, and all of them must be addressable.
  llvm::Expected<std::vector<Array>> run(llvm::ArrayRef<Array> globalArguments,
                                         Client &client = Client::shared(),
                                         RunStatistics *statistics = nullptr,
                                         Trace *trace = nullptr) const;

  /// Starts a run on buffers of local shapes, [local position][argument]: those
  /// of the positions whose device this process can address, in order. Donated
  /// arguments end. Errors at once: a buffer of the wrong device, type or
  /// shape, or one that is gone; errors of the run itself are those of its
  /// results and of `done`. The executable may go before the run is done.
  llvm::Expected<Execution>
  execute(llvm::ArrayRef<std::vector<Buffer>> arguments,
          Client &client = Client::shared(),
          const ExecuteOptions &options = {}) const;

  /// How serialised executables begin.
  static constexpr llvm::StringLiteral fileMagic = "shardwright executable\n";
  /// The program with its machine code, to be loaded by another process.
  llvm::Expected<std::string> serialize() const;
  /// What `serialize` gave, ready to run; no code is generated. Errors: damaged
  /// bytes, another version or backend, a machine that lacks what the code
  /// needs, a custom call that is not registered here. Bytes that were changed
  /// on purpose can do anything that this process can.
  static llvm::Expected<std::unique_ptr<Executable>>
  deserialize(llvm::StringRef bytes,
              Backend &backend = Client::shared().backend());

  CostAnalysis cost() const { return program().cost(); }
  MemoryStatistics memory() const { return program().memory(); }

  llvm::ArrayRef<ValueSpec> arguments() const { return parts.arguments; }
  llvm::ArrayRef<ValueSpec> results() const { return parts.results; }
  llvm::ArrayRef<Mesh> meshes() const { return parts.meshes; }
  llvm::StringRef notes() const { return parts.notes; }
  const LoadedProgram &program() const { return *parts.program; }
  int64_t numDevices() const { return program().numDevices(); }
  /// Temporaries, arguments and results of one device; constants are shared and
  /// not counted.
  int64_t peakBytesPerDevice() const;

private:
  explicit Executable(ExecutableParts p) : parts(std::move(p)) {}
  const Mesh *meshOf(const ValueSpec &value) const {
    return value.mesh < 0 ? nullptr : &parts.meshes[value.mesh];
  }

  // Steps of `execute` (execute.cc).
  struct Starting;
  llvm::Error assignDevices(Starting &run) const;
  llvm::Error checkArguments(const Starting &run) const;
  llvm::Error takeArguments(Starting &run) const;

  ExecutableParts parts;
};

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_EXECUTABLE_H
