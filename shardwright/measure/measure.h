//===- measure.h - measures the machine at hand -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_MEASURE_MEASURE_H
#define SHARDWRIGHT_MEASURE_MEASURE_H

#include "shardwright/backend/backend.h"
#include "shardwright/measure/probes.h"
#include "shardwright/partition/cost/machine_model.h"

#include "mlir/IR/MLIRContext.h"

#include <functional>

namespace shardwright {

struct MeasureOptions {
  std::string name; ///< of the machine
  /// The axes along which collectives are timed.
  Mesh mesh;
  /// Seconds for which each program runs.
  double budget = 0.1;
  /// Called before each program; may be null.
  std::function<void(llvm::StringRef probe)> progress;
};

/// The time of one program, and what the machine model predicts for it.
struct MeasuredProbe {
  Probe probe;
  double seconds = 0, predicted = 0;
};

struct Measurement {
  MachineModel machine;
  std::vector<MeasuredProbe> probes;
  /// Programs that the backend refused, with its reason.
  std::vector<std::string> skipped;
};

/// Times programs of known work (probes.h) on the devices of `backend`, and
/// finds the numbers of a machine with which the predicted step times are
/// nearest to the measured ones. Fails if not even the smallest program runs.
llvm::Expected<Measurement> measureMachine(Backend &backend,
                                           mlir::MLIRContext &context,
                                           const MeasureOptions &options);

} // namespace shardwright

#endif // SHARDWRIGHT_MEASURE_MEASURE_H
