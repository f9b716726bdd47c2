//===- plugin_options.cc - options about plugins and devices --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin_options.h"

#include "shardwright/pjrt_client/plugin_wait.h"

#include <cstdlib>

using namespace shardwright;

/// A call that does not return cannot be interrupted, only the command.
static void limitWaits(const double &seconds) {
  pjrt_client::WaitLimits limits;
  limits.timeout = pjrt_client::WaitLimits::Seconds(seconds);
  limits.onStuckCall = [](llvm::StringRef text) {
    badInput(text, "look at the plugin and its devices, or give a longer "
                   "--plugin-timeout");
    std::_Exit(exitBadInput);
  };
  pjrt_client::setWaitLimits(std::move(limits));
}

void shardwright::addOverlap(CLI::App &command, Overlap &overlap) {
  command
      .add_option_function<std::string>(
          "--overlap",
          [&](const std::string &mode) {
            overlap = *overlapFromName(mode); // checked below
          },
          "As for run: off (default), rings, on")
      ->check(CLI::IsMember({"off", "rings", "on"}));
}

void shardwright::addPlugin(
    CLI::App &command, std::string &plugin,
    std::vector<pjrt_client::ClientOption> &pluginOptions) {
  command.add_option("--plugin", plugin,
                     "Library of a PJRT plugin (docs/plugins.md): its compiler "
                     "and devices run the program instead of the CPU's");
  command
      .add_option_function<std::vector<std::string>>(
          "--plugin-option",
          [&](const std::vector<std::string> &texts) {
            for (const std::string &text : texts)
              pluginOptions.push_back(
                  valueOf(pjrt_client::ClientOption::parse(text)));
          },
          "Option of the plugin's client, name=value; may be repeated")
      ->allow_extra_args(false);
  command
      .add_option_function<double>(
          "--plugin-timeout", limitWaits,
          "Seconds after which a transfer, run or other call of the plugin "
          "that has not ended is an error (default: none; a message names "
          "calls that take over 30 s)")
      ->check(CLI::Range(0.001, 1e9));
}

void shardwright::addCompileOnly(CLI::App &command, RunOptions &options) {
  command.add_flag("--plugin-compile-only", options.compileOnly,
                   "Compile with the plugin for --topology, without devices, "
                   "and print memory and collectives of its program");
  command.add_option("--topology", options.topology,
                     "Name of the machine for --plugin-compile-only, as the "
                     "plugin knows it (v5e:2x4)");
}

void shardwright::addMeasureCommand(CLI::App &app,
                                    MeasureCommandOptions &options,
                                    int &exitCode) {
  CLI::App &command = *app.add_subcommand(
      "measure", "Time programs of known work on the devices at hand, and "
                 "write a machine file for --machine");
  addPlugin(command, options.plugin, options.pluginOptions);
  command.add_option("-o", options.out,
                     "Write the machine here (standard output)");
  command.add_option("--name", options.name, "Name of the machine in reports");
  command.add_option_function<std::string>(
      "--mesh",
      [&](const std::string &text) {
        options.mesh = valueOf(parseMeshSizes(text));
      },
      "The axes along which collectives are timed, as x=4,y=2 (one axis, "
      "devices)");
  command
      .add_option("--devices", options.devices,
                  "Number of devices without --mesh (8; all devices of a "
                  "plugin)")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 20));
  command
      .add_option("--seconds", options.budget,
                  "Seconds for which each program runs (0.1)")
      ->check(CLI::Range(0.001, 3600.0));
  command.add_option("--check", options.check,
                     "Modules whose step is timed and compared with its "
                     "prediction");
  command.add_flag("--verbose", options.verbose,
                   "Print the time and the prediction of every program on "
                   "standard error");
  command.callback([&] { exitCode = measureCommand(options); });
}
