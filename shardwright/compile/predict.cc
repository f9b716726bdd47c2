//===- predict.cc - what a step sends, takes and holds --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/compile/predict.h"

#include "shardwright/partition/overlap/op_cost.h"
#include "shardwright/partition/overlap/peak_memory.h"
#include "shardwright/partition/overlap/step_time.h"

#include "mlir/IR/Threading.h"

using namespace mlir;

namespace shardwright {

/// What the process that sends most sends to others, if `processes` share the
/// devices as `shardwright run` deals them: equal runs, and one device more for
/// the first ones.
static std::optional<double> predictBytesBetween(const ProgramReport &report,
                                                 const MachineModel &machine,
                                                 int64_t processes) {
  int64_t each = (report.devices + processes - 1) / processes;
  // Known are runs of equal length, of which the last may be shorter.
  int64_t numLonger = report.devices % processes;
  if (processes == 1 || report.devices < processes ||
      (numLonger != 0 && numLonger != processes - 1))
    return std::nullopt;
  MachineModel model = machine;
  if (!model.processes)
    model.processes.emplace();
  model.processes->devicesPerProcess = each;
  OpCosts costs(model, report.mesh);
  ProcessTraffic total;
  for (const CollectiveUse &use : report.collectives.uses)
    total.add(costs.traffic(use.op), use.executions);
  return total.bytes();
}

void predict(ModuleOp module, const CompileOptions &options,
             const MachineModel &machine, ProgramReport &report) {
  PredictedPeak peak;
  // Each reads the module only. One after the other if the context has no
  // threads.
  std::function<void()> parts[] = {
      [&] {
        report.collectives =
            costOfCollectives(module, report.mesh, report.devices);
        report.predicted.time = predictStepTime(module, report.mesh, machine);
      },
      [&] { peak = predictPeak(module); }};
  parallelForEach(module.getContext(), parts, [](auto &part) { part(); });
  report.predicted.machine = machine.name;
  report.predicted.isAsked =
      options.partition.machine || options.overlap != Overlap::Off;
  report.predictedPeak = describePeak(
      peak,
      [&](bool isArgument, int64_t index) {
        return (isArgument ? report.arguments : report.results)[index].name;
      },
      [&](Value value) {
        return options.nameOfValue ? options.nameOfValue(value) : "";
      });
  report.predicted.bytesBetweenProcesses =
      predictBytesBetween(report, machine, options.processes);
}

} // namespace shardwright
