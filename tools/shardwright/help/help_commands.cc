//===- help/help_commands.cc - help, completion and mistakes --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "help_commands.h"

#include "command_line.h"
#include "completion.h"
#include "help_text.h"
#include "man_page.h"
#include "terminal.h"

#include "shardwright/mesh/did_you_mean.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

#include <CLI/CLI.hpp>

using llvm::StringRef;

namespace shardwright {

std::string versionText() {
#ifdef NDEBUG
  const char *kind = "release";
#else
  const char *kind = "with assertions";
#endif
  return std::string("shardwright ") + SHARDWRIGHT_VERSION + " (" + kind +
         ", built with " + __VERSION__ + ")\nLLVM " + LLVM_VERSION_STRING +
         ", " + llvm::sys::getDefaultTargetTriple() + ", this CPU is " +
         llvm::sys::getHostCPUName().str();
}

struct HelpCommands::Options {
  std::string command, shell;
  bool asManual = false;
};

namespace {

/// Help in the width of the terminal.
class HelpFormatter : public CLI::FormatterBase {
public:
  std::string make_help(const CLI::App *app, std::string,
                        CLI::AppFormatMode) const override {
    return app->get_parent() ? helpText(describeCommand(*app), terminalWidth())
                             : helpText(describeProgram(*app), terminalWidth());
  }
};

std::vector<StringRef> commandNames(const CLI::App &app) {
  std::vector<StringRef> names;
  for (const CLI::App *command : app.get_subcommands({}))
    names.push_back(command->get_name());
  return names;
}

int printHelp(const CLI::App &app, const std::string &name, bool asManual) {
  ProgramInfo program = describeProgram(app);
  if (asManual) {
    llvm::outs() << manPage(program, SHARDWRIGHT_VERSION);
    return exitFine;
  }
  if (name.empty()) {
    llvm::outs() << helpText(program, terminalWidth());
    return exitFine;
  }
  for (const CommandInfo &command : program.commands)
    if (command.name == name) {
      llvm::outs() << helpText(command, terminalWidth());
      return exitFine;
    }
  return badInput("unknown command '" + llvm::Twine(name) + "'" +
                      didYouMean(name, commandNames(app)),
                  "shardwright help lists the commands");
}

} // namespace

HelpCommands::HelpCommands(CLI::App &app, int &exitCode)
    : options(std::make_unique<Options>()) {
  app.set_version_flag("-V,--version", versionText,
                       "Print the version, the build and that of LLVM");
  CLI::App &help =
      *app.add_subcommand("help", "Print the options of a command");
  help.add_option("COMMAND", options->command, "Name of a command");
  help.add_flag("--man", options->asManual,
                "Print the manual page, as man reads it");
  help.callback([&app, &exitCode, this] {
    exitCode = printHelp(app, options->command, options->asManual);
  });
  CLI::App &completion = *app.add_subcommand(
      "completion", "Print a script that completes command lines in a shell");
  completion.add_option("SHELL", options->shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completion.callback([&app, this] {
    ProgramInfo program = describeProgram(app);
    llvm::outs() << (options->shell == "bash"  ? bashCompletion(program)
                     : options->shell == "zsh" ? zshCompletion(program)
                                               : fishCompletion(program));
  });
  auto formatter = std::make_shared<HelpFormatter>();
  app.formatter(formatter);
  for (CLI::App *command : app.get_subcommands({})) {
    command->formatter(formatter);
    // `--fail-on sent>1GiB f.mlir`: an option takes one word, and may be given
    // several times.
    for (CLI::Option *option : command->get_options({}))
      if (!option->get_positional())
        option->allow_extra_args(false);
  }
}

HelpCommands::~HelpCommands() = default;

bool reportUnknownCommand(const CLI::App &app, int argc, char **argv) {
  // For an unknown command CLI11 reports only that a command is required.
  std::vector<StringRef> commands = commandNames(app);
  if (argc < 2 || argv[1][0] == '-' || llvm::is_contained(commands, argv[1]))
    return false;
  badInput("unknown command '" + llvm::Twine(argv[1]) + "'" +
               didYouMean(argv[1], commands),
           "shardwright help lists the commands");
  return true;
}

/// The command that was parsed; the program itself if there is none.
static const CLI::App &parsedCommand(const CLI::App &app) {
  std::vector<CLI::App *> parsed = app.get_subcommands();
  return parsed.empty() ? app : *parsed.front();
}

int reportMistake(const CLI::App &app, const CLI::ParseError &error) {
  const CLI::App &command = parsedCommand(app);
  std::string remedy =
      &command == &app
          ? "shardwright help lists the commands"
          : "shardwright help " + command.get_name() + " lists its options";
  std::vector<std::string> extras = app.remaining(/*recurse=*/true);
  if (error.get_exit_code() != int(CLI::ExitCodes::ExtrasError) ||
      extras.empty())
    return badInput(error.what(), remedy);
  const std::string &extra = extras.front();
  if (extra.front() != '-')
    return badInput("unexpected argument '" + llvm::Twine(extra) + "'", remedy);
  CommandInfo info = describeCommand(command);
  std::vector<StringRef> known;
  for (const OptionInfo &option : info.options)
    known.insert(known.end(), option.names.begin(), option.names.end());
  StringRef name = StringRef(extra).split('=').first;
  return badInput("unknown option '" + llvm::Twine(name) + "' of " +
                      command.get_name() + didYouMean(name, known),
                  remedy);
}

} // namespace shardwright
