//===- simulate.h - a program on other numbers of processes -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predicts a job without its processes: resizes the mesh, partitions the
// program, and sums up the machine's costs of the program of one device. All
// processes run that program, so one walk is enough for any number of them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_COMPILE_SIMULATE_H
#define SHARDWRIGHT_COMPILE_SIMULATE_H

#include "shardwright/compile/compile.h"

namespace shardwright {

/// One collective of the program of one device.
struct SimulatedCollective {
  std::string kind, axes;
  double executions = 1;
  /// Of all executions.
  double seconds = 0, bytesBetweenProcesses = 0;
};

/// A program on a number of processes.
struct SimulatedJob {
  int64_t processes = 1, devices = 1;
  Mesh mesh;
  StepTime step;
  /// Bytes that the process that sends most sends to others in a step.
  double bytesBetweenProcesses = 0;
  /// Arguments and results of one device.
  double bytesPerDevice = 0;
  double importSeconds = 0, partitionSeconds = 0;
  std::vector<SimulatedCollective> collectives;
  /// A dimension that its axes do not divide, as `argument x: dimension 0 of
  /// size 8 over 16 devices along "data"`; empty: there is none.
  std::string undivided;
};

/// The mesh of the module, with a first axis for its replicas if there are
/// several; empty: it has none. Emits a diagnostic on failure.
mlir::FailureOr<Mesh> meshOfModule(mlir::ModuleOp module,
                                   const CompileOptions &options);

/// The mesh with one axis resized for so many devices in all; none if the other
/// axes do not divide them.
std::optional<Mesh> growMesh(const Mesh &mesh, int32_t axis, int64_t devices);

/// Partitions a copy of the module for the mesh, on a machine that has
/// `processes`. Emits a diagnostic on failure.
mlir::FailureOr<SimulatedJob> simulateJob(mlir::ModuleOp module,
                                          const Mesh &mesh,
                                          const MachineModel &machine,
                                          CompileOptions options);

} // namespace shardwright

#endif // SHARDWRIGHT_COMPILE_SIMULATE_H
