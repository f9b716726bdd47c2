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

#include "shardwright/cpu/executor.h"
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
};

struct ExecutableParts {
  /// With its memory planned. Device number d is device id d of the meshes.
  cpu::Program program;
  std::vector<Mesh> meshes;
  std::vector<ValueSpec> arguments, results;
};

class Executable {
public:
  /// Fails when the parts do not fit together: number of devices, arity, local
  /// shapes, or a malformed program.
  static llvm::Expected<std::unique_ptr<Executable>>
  create(ExecutableParts parts);

  /// Runs on global arrays, whose types and shapes must be those of
  /// `arguments()`. The arrays are only read.
  llvm::Expected<std::vector<Array>>
  run(llvm::ArrayRef<Array> globalArguments, Client &client = Client::shared(),
      cpu::RunStatistics *statistics = nullptr,
      cpu::Trace *trace = nullptr) const;

  llvm::ArrayRef<ValueSpec> arguments() const { return parts.arguments; }
  llvm::ArrayRef<ValueSpec> results() const { return parts.results; }
  const cpu::Program &program() const { return parts.program; }
  int64_t numDevices() const { return parts.program.numDevices(); }
  /// Arena, arguments and results of one device; constants are shared and not
  /// counted.
  int64_t peakBytesPerDevice() const;

private:
  explicit Executable(ExecutableParts p) : parts(std::move(p)) {}
  const Mesh *meshOf(const ValueSpec &value) const {
    return value.mesh < 0 ? nullptr : &parts.meshes[value.mesh];
  }

  ExecutableParts parts;
  std::unique_ptr<cpu::Executor> executor;
};

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_EXECUTABLE_H
