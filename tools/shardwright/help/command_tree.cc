//===- command_tree.cc - commands and options as data ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "command_tree.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"

#include <CLI/CLI.hpp>

using llvm::StringRef;

namespace shardwright {

/// The kind of value that a textual option takes: options of one name take the
/// same in all commands.
static StringRef placeholderOf(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .Cases({"--machine", "--out", "-o", "--expect", "--trace", "--save",
              "--plugin"},
             "FILE")
      .Case("--kernel-cache", "DIRECTORY")
      .Case("--mesh", "AXES")
      .Cases({"--warn-replicated", "--memory"}, "SIZE")
      .Cases({"--stats", "--report"}, "FORM[=FILE]")
      .Cases({"--to", "--specs"}, "FORM")
      .Case("--fail-on", "BUDGET")
      .Cases({"--print-after", "--stop-after"}, "STAGE")
      .Case("--value", "VALUE")
      .Cases({"--arg", "--result", "--topology", "--name", "--axis"}, "NAME")
      .Case("--line", "LINE")
      .Case("--shape", "SHAPE")
      .Cases({"--operands", "--results"}, "TYPES")
      .Case("--sizes", "FACTOR=N")
      .Cases({"--reduction", "--need-replication", "--permutation"}, "FACTOR")
      .Case("--version", "VERSION")
      .Case("--plugin-option", "NAME=VALUE")
      .Case("--fix", "NAME=SPEC")
      .Case("--state", "PAIRS")
      .Case("--processes", "NUMBERS")
      .Case("--check", "MODULE")
      .Default("TEXT");
}

/// Reads what CLI11 writes for the type and the validators of an option:
/// `TEXT`, `TEXT:{off,on}`, `INT:INT in [0 - 2]`.
static void readType(StringRef type, OptionInfo &info) {
  auto [kind, check] = type.split(':');
  info.placeholder = kind == "INT" || kind == "UINT" || kind == "FLOAT"
                         ? std::string("N")
                         : placeholderOf(info.names.front()).str();
  if (check.consume_front("{") && check.consume_back("}")) {
    llvm::SmallVector<StringRef> values;
    check.split(values, ',');
    info.placeholder.clear();
    for (StringRef value : values) {
      info.choices.push_back(value.str());
      info.placeholder += (info.placeholder.empty() ? "" : "|") + value.str();
    }
    return;
  }
  auto [ignored, range] = check.split(" in [");
  if (range.consume_back("]")) {
    auto [least, most] = range.split(" - ");
    info.range = (llvm::Twine(least) + " to " + most).str();
  }
}

static OptionInfo describeOption(const CLI::Option &option) {
  OptionInfo info;
  info.description = option.get_description();
  info.isRequired = option.get_required();
  info.isPositional = option.get_positional();
  if (info.isPositional)
    info.names.push_back(option.get_name(true));
  for (const std::string &name : option.get_snames())
    info.names.push_back("-" + name);
  for (const std::string &name : option.get_lnames())
    info.names.push_back("--" + name);
  if (option.get_expected_min() == 0) {
    info.isFlagWithValue = !option.get_fnames().empty();
    return info;
  }
  readType(option.get_type_name(), info);
  info.isList = option.get_delimiter() != '\0';
  return info;
}

CommandInfo describeCommand(const CLI::App &command) {
  CommandInfo info{command.get_name(), command.get_description(), {}, {}};
  for (const CLI::Option *option : command.get_options({})) {
    OptionInfo described = describeOption(*option);
    (described.isPositional ? info.positionals : info.options)
        .push_back(std::move(described));
  }
  return info;
}

ProgramInfo describeProgram(const CLI::App &app) {
  ProgramInfo info{describeCommand(app), {}};
  for (const CLI::App *command : app.get_subcommands({}))
    info.commands.push_back(describeCommand(*command));
  return info;
}

} // namespace shardwright
