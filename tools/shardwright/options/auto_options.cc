//===- auto_options.cc - options of shardwright auto ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "auto_options.h"

#include "common_options.h"

namespace shardwright {

void addAutoCommand(CLI::App &app, AutoCommandOptions &options, int &exitCode) {
  CLI::App &command = *app.add_subcommand(
      "auto", "Find the shardings with the shortest step that fit in memory");
  command
      .add_option("MODULE", options.module,
                  "StableHLO module, as for run; - is standard input")
      ->required();
  CLI::Option *mesh = command.add_option_function<std::string>(
      "--mesh",
      [&](const std::string &text) {
        options.mesh = valueOf(parseMeshSizes(text));
      },
      "The mesh, as data=4,model=2; of a module with a mesh, new sizes");
  command
      .add_option("--devices", options.devices,
                  "Number of devices: the shape of the mesh is chosen too")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 20))
      ->excludes(mesh);
  command.add_option("--machine", options.machine,
                     "JSON file with the speed of devices and links and the "
                     "memory of a device (docs/machines.md)");
  command.add_option_function<std::string>(
      "--memory",
      [&](const std::string &text) {
        options.memory = valueOf(parseBytes(text));
      },
      "Memory of a device, as 16GiB (default: the machine's)");
  addOverlap(command, options.overlap);
  command
      .add_option("--effort", options.effort,
                  "0: common layouts; 1 (default): a search; 2: a search with "
                  "ten times as many trials")
      ->check(CLI::Range(0, 2));
  command
      .add_option("--fix", options.fixed,
                  "A sharding that the search must keep, as NAME=P(\"x\", "
                  "None) with the name or number of an argument; may be "
                  "repeated")
      ->allow_extra_args(false);
  command.add_option(
      "--state", options.state,
      "Results that end in the layout of an argument: none, or pairs "
      "RESULT=ARGUMENT as 0=0,1=1 (default: donated ones, and those whose "
      "names say so)");
  command.add_flag("--specs-only", options.specsOnly,
                   "Choose only what PartitionSpecs of arguments and results "
                   "can say: nothing inside, no priorities");
  command
      .add_option("--drop", options.drop,
                  "Annotations of the module to remove first: constraints "
                  "(of inner values), all")
      ->check(CLI::IsMember({"constraints", "all"}));
  command.add_flag("--verify", options.verify,
                   "Run a step of what is found and of the unpartitioned "
                   "program, and compare the results");
  command.add_option("-o", options.out, "Write the annotated module here");
  command
      .add_option("--report", options.report,
                  "text (default) or json, with =FILE to write it")
      ->expected(1);
  command
      .add_option("--specs", options.specs,
                  "Print PartitionSpecs instead: python or json")
      ->check(CLI::IsMember({"python", "json"}));
  command.add_flag("--trusted", options.trusted,
                   "Read bytecode without a child process, as for run");
  addLibraryPaths(command);
  command.callback([&] { exitCode = autoCommand(options); });
}

} // namespace shardwright
