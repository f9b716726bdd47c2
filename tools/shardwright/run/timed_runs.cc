//===- timed_runs.cc - run --repeat and --profile -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "timed_runs.h"

#include "shardwright/measure/measure.h"
#include "shardwright/report/run_times.h"

using namespace llvm;

namespace shardwright {

bool TimedRuns::prepare(const LoadedProgram &program) {
  if (!options.profile)
    return true;
  std::optional<MachineModel> given;
  if (!readMachine(options.machine, given))
    return false;
  if (given) {
    machine = std::move(*given);
  } else {
    session.progress(options).at("measuring the machine");
    MeasureOptions measure;
    measure.mesh = Mesh({{"devices", program.numDevices()}});
    measure.budget = 0.005;
    measure.name = session.devices().backend().description() + ", measured now";
    Expected<Measurement> measured = measureMachine(
        session.devices().backend(), session.mlirContext(), measure);
    session.progress(options).pause();
    if (!measured) {
      badInput("--profile: cannot measure the machine: " +
                   toString(measured.takeError()),
               "name a machine file: --machine");
      return false;
    }
    machine = std::move(measured->machine);
  }
  profile.emplace(program, machine);
  return true;
}

void TimedRuns::add(int64_t run, double time, const Trace *trace) {
  if (run < numWarmUps())
    return;
  seconds.push_back(time);
  if (profile && trace)
    profile->add(*trace);
}

void TimedRuns::finish() {
  ProgramReport &report = session.report();
  report.runSeconds = spreadOf(seconds).median;
  if (options.repeat)
    report.repeated = RepeatedRuns{numWarmUps(), seconds};
  if (profile)
    report.profile = profile->report();
}

} // namespace shardwright
