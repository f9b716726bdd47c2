//===- help_text.cc - help of the program and its commands ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "help_text.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace shardwright {

/// The column in which descriptions begin.
constexpr unsigned kIndent = 26, kLeastWidth = 50;

std::string optionSynopsis(const OptionInfo &option) {
  std::string text = join(option.names, ",");
  if (option.isPositional)
    return text;
  if (option.isFlagWithValue)
    return text + "[=N]";
  if (!option.placeholder.empty())
    text += " " + option.placeholder;
  if (option.isList)
    text += ",...";
  return text;
}

std::string optionDescription(const OptionInfo &option) {
  std::string text = option.description;
  if (!option.range.empty())
    text += "; " + option.range;
  if (option.isRequired && !option.isPositional)
    text += "; required";
  return text;
}

std::string usage(const CommandInfo &command) {
  std::string text = "shardwright " + command.name;
  if (!command.options.empty())
    text += " [OPTIONS]";
  for (const OptionInfo &option : command.positionals)
    text += option.isRequired ? " " + option.names.front()
                              : " [" + option.names.front() + "]";
  return text;
}

/// Appends the words of `text` in lines up to column `width`, each from column
/// `indent` on. The first line is at column `at` already.
static void appendWrapped(std::string &out, StringRef text, unsigned at,
                          unsigned indent, unsigned width) {
  SmallVector<StringRef> words;
  text.split(words, ' ', -1, false);
  bool isFirst = true;
  for (StringRef word : words) {
    if (!isFirst && at + 1 + word.size() > width) {
      out += "\n" + std::string(indent, ' ');
      at = indent;
    } else if (!isFirst) {
      out += " ";
      ++at;
    }
    out += word;
    at += word.size();
    isFirst = false;
  }
  out += "\n";
}

static void appendRow(std::string &out, StringRef name, StringRef description,
                      unsigned width) {
  out += "  ";
  out += name;
  unsigned at = 2 + name.size();
  if (at + 2 > kIndent) {
    out += "\n";
    at = 0;
  }
  out += std::string(kIndent - at, ' ');
  appendWrapped(out, description, kIndent, kIndent, width);
}

static void appendOptions(std::string &out, StringRef title,
                          ArrayRef<OptionInfo> options, unsigned width) {
  if (options.empty())
    return;
  out += "\n" + title.str() + "\n";
  for (const OptionInfo &option : options)
    appendRow(out, optionSynopsis(option), optionDescription(option), width);
}

std::string helpText(const CommandInfo &command, unsigned width) {
  width = std::max(width, kLeastWidth);
  std::string out;
  appendWrapped(out, command.description, 0, 0, width);
  out += "\nUsage: " + usage(command) + "\n";
  appendOptions(out, "Arguments:", command.positionals, width);
  appendOptions(out, "Options:", command.options, width);
  return out;
}

std::string helpText(const ProgramInfo &program, unsigned width) {
  width = std::max(width, kLeastWidth);
  std::string out;
  appendWrapped(out, program.program.description, 0, 0, width);
  out += "\nUsage: shardwright COMMAND ...\n\nCommands:\n";
  for (const CommandInfo &command : program.commands)
    appendRow(out, command.name, command.description, width);
  appendOptions(out, "Options:", program.program.options, width);
  out += "\n'shardwright help COMMAND' lists the options of a command.\n";
  return out;
}

} // namespace shardwright
