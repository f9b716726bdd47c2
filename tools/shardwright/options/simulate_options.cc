//===- simulate_options.cc - options of shardwright simulate --------------===//
//-----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "simulate_options.h"

#include "common_options.h"

namespace shardwright {

void addSimulateCommand(CLI::App &app, SimulateOptions &options,
                        int &exitCode) {
  CLI::App &command =
      *app.add_subcommand("simulate", "Predict the steps of a program on many "
                                      "processes, without starting them");
  command
      .add_option("MODULE", options.module,
                  "StableHLO module, as for run; - is standard input")
      ->required();
  command.add_option("--machine", options.machine,
                     "JSON file with the speed of devices, of links and of the "
                     "link between processes (docs/machines.md)");
  command
      .add_option_function<std::string>(
          "--processes",
          [&](const std::string &text) {
            options.processes = valueOf(parseProcesses(text));
          },
          "Numbers of processes: 8..1024 (8, 16, 32, ...) or 8,16,100")
      ->required();
  command
      .add_option("--devices-per-process", options.devicesPerProcess,
                  "Devices of each process (default: those of the machine, "
                  "else 8)")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 20));
  command.add_option("--axis", options.axis,
                     "The mesh axis that grows with the processes (default: "
                     "the first that can)");
  command
      .add_option("--partition-effort", options.partitionEffort, "As for run")
      ->check(CLI::Range(0, 2));
  addOverlap(command, options.overlap);
  command.add_flag("--json", options.json, "Print JSON");
  command.add_flag("--trusted", options.trusted,
                   "Read bytecode without a child process, as for run");
  addLibraryPaths(command);
  command.callback([&] { exitCode = simulateCommand(options); });
}

} // namespace shardwright
