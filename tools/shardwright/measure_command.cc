//===- measure_command.cc - shardwright measure ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "session.h"

#include "shardwright/measure/measure.h"
#include "shardwright/measure/time_program.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace llvm;

namespace shardwright {
namespace {

/// The mesh that the options ask for: all devices along one axis by default.
Mesh meshOf(const MeasureCommandOptions &options, const Client &client) {
  if (options.mesh)
    return Mesh(*options.mesh);
  int64_t devices = options.devices;
  if (!devices)
    devices = options.plugin.empty() ? 8 : client.numDevices();
  return Mesh({{"devices", devices}});
}

void printRow(StringRef name, double seconds, double predicted) {
  err() << formatv("{0,-40} measured {1,9:f1} us  predicted {2,9:f1} us  "
                   "{3,5:f2}\n",
                   name, seconds * 1e6, predicted * 1e6, predicted / seconds);
}

/// Times the step of a module, and compares it with what the machine predicts.
/// False: the error has been printed.
bool checkModule(const std::string &path, const MeasureCommandOptions &options,
                 const MachineModel &machine) {
  Session session;
  if (!session.openDevices(options.plugin, options.pluginOptions))
    return false;
  CommonOptions common;
  common.module = path;
  session.setMachine(machine);
  if (!session.compile(common, Stage::Executable))
    return false;
  const Compiled &compiled = session.compiled();
  auto &program = const_cast<LoadedProgram &>(compiled.executable->program());
  Expected<double> seconds =
      timeProgram(session.devices().backend(), program, options.budget * 10);
  if (!seconds) {
    badInput(path + ": " + toString(seconds.takeError()), "");
    return false;
  }
  printRow(path, *seconds, compiled.report.predicted.time.total());
  return true;
}

} // namespace

int measureCommand(const MeasureCommandOptions &options) {
  Session session;
  if (!session.openDevices(options.plugin, options.pluginOptions))
    return exitBadInput;
  MeasureOptions measure;
  measure.mesh = meshOf(options, session.devices());
  int64_t available = session.devices().numDevices();
  if (!options.plugin.empty() && measure.mesh.numDevices() > available)
    return badInput("measure: the mesh has " +
                        Twine(measure.mesh.numDevices()) + " devices, but " +
                        options.plugin + " has " + Twine(available),
                    "give --devices or --mesh no more devices than there are, "
                    "or the plugin more by its options (--plugin-option)");
  measure.budget = options.budget;
  measure.name = options.name.empty()
                     ? session.devices().backend().description()
                     : options.name;
  if (options.verbose)
    measure.progress = [](StringRef probe) {
      err() << "measuring " << probe << "\n";
      err().flush();
    };
  Expected<Measurement> measured = measureMachine(
      session.devices().backend(), session.mlirContext(), measure);
  if (!measured)
    return badInput(
        "measure: " + toString(measured.takeError()),
        options.plugin.empty()
            ? "remove the cause that the error names, and measure again"
            : "look at the plugin and its devices; docs/plugins.md "
              "says what plugins need");
  for (const std::string &skipped : measured->skipped)
    err() << "warning: not measured: " << skipped << "\n";
  if (options.verbose)
    for (const MeasuredProbe &probe : measured->probes)
      printRow(probe.probe.name, probe.seconds, probe.predicted);
  if (!writeFile(options.out.empty() ? "-" : options.out,
                 [&](raw_ostream &os) { os << measured->machine.json(); }))
    return exitBadInput;
  for (const std::string &path : options.check)
    if (!checkModule(path, options, measured->machine))
      return exitBadInput;
  err().flush();
  return exitFine;
}

} // namespace shardwright
