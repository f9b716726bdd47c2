//===- completion.cc - completion of commands in shells -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "completion.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace shardwright {

/// In single quotes, as all three shells read them.
static std::string quoted(StringRef text) {
  std::string out = "'";
  for (char c : text)
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// The first sentence of a description, for lists.
static StringRef summary(StringRef description) {
  return description.split(';').first.split(": ").first;
}

static std::string commandNames(const ProgramInfo &program) {
  std::vector<std::string> names;
  for (const CommandInfo &command : program.commands)
    names.push_back(command.name);
  return join(names, " ");
}

/// The names of all options of a command.
static std::string optionNames(const CommandInfo &command) {
  std::string text;
  for (const OptionInfo &option : command.options)
    for (const std::string &name : option.names)
      text += (text.empty() ? "" : " ") + name;
  return text;
}

std::string bashCompletion(const ProgramInfo &program) {
  std::string text;
  raw_string_ostream os(text);
  os << "# Completion of shardwright in bash: source this file, or install it "
        "in\n# share/bash-completion/completions/shardwright.\n"
        "_shardwright() {\n"
        "  local word=\"${COMP_WORDS[COMP_CWORD]}\" "
        "before=\"${COMP_WORDS[COMP_CWORD-1]}\" command=\"${COMP_WORDS[1]}\" "
        "words\n"
        "  # --option=value arrives as three words.\n"
        "  if [[ $word == = ]]; then word=; "
        "elif [[ $before == = ]]; then before=\"${COMP_WORDS[COMP_CWORD-2]}\"; "
        "fi\n"
        "  if ((COMP_CWORD == 1)); then\n    COMPREPLY=($(compgen -W "
     << quoted(commandNames(program) + " " + optionNames(program.program))
     << " -- \"$word\"))\n    return\n  fi\n"
     << "  case \"$command $before\" in\n";
  for (const CommandInfo &command : program.commands)
    for (const OptionInfo &option : command.options) {
      if (option.choices.empty())
        continue;
      SmallVector<std::string> patterns;
      for (const std::string &name : option.names)
        patterns.push_back(quoted(command.name + " " + name));
      os << "  " << join(patterns, "|")
         << ") words=" << quoted(join(option.choices, " ")) << " ;;\n";
    }
  os << "  'help '*) words=" << quoted(commandNames(program)) << " ;;\n  esac\n"
     << "  if [[ -z $words && $word == -* ]]; then\n    case \"$command\" in\n";
  for (const CommandInfo &command : program.commands)
    os << "    " << command.name << ") words=" << quoted(optionNames(command))
       << " ;;\n";
  os << "    esac\n  fi\n"
        "  if [[ -n $words ]]; then\n"
        "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
        "  else\n"
        "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
        "    compopt -o filenames 2>/dev/null\n"
        "  fi\n}\n"
        "complete -F _shardwright shardwright\n";
  return text;
}

/// Characters that end a part of an argument of zsh's `_arguments`.
static std::string zshText(StringRef text) {
  std::string out;
  for (char c : text)
    out += (c == '[' || c == ']' || c == ':' || c == '\\')
               ? std::string("\\") + c
               : std::string(1, c);
  return out;
}

std::string zshCompletion(const ProgramInfo &program) {
  std::string text;
  raw_string_ostream os(text);
  os << "#compdef shardwright\n"
        "# Completion of shardwright in zsh: install this file as\n"
        "# share/zsh/site-functions/_shardwright.\n"
        "_shardwright() {\n  local line state\n  _arguments -C "
        "'1: :->command' '*:: :->rest'\n  case $state in\n  command)\n"
        "    local -a commands=(\n";
  for (const CommandInfo &command : program.commands)
    os << "      "
       << quoted(zshText(command.name) + ":" +
                 summary(command.description).str())
       << "\n";
  os << "    )\n    _describe command commands ;;\n  rest)\n"
        "    case $line[1] in\n";
  for (const CommandInfo &command : program.commands) {
    os << "    " << command.name << ") _arguments";
    for (const OptionInfo &option : command.options)
      for (const std::string &name : option.names) {
        std::string spec =
            name + (option.placeholder.empty() || name.size() == 2 ? "" : "=") +
            "[" + zshText(summary(option.description)) + "]";
        if (!option.choices.empty())
          spec += ":value:(" + join(option.choices, " ") + ")";
        else if (!option.placeholder.empty())
          spec += ":" + zshText(option.placeholder) + ":_files";
        os << " \\\n      " << quoted(spec);
      }
    if (command.name == "help")
      os << " \\\n      '1:command:(" << commandNames(program) << ")'";
    else if (!command.positionals.empty())
      os << " \\\n      '*:file:_files'";
    os << " ;;\n";
  }
  os << "    esac ;;\n  esac\n}\n_shardwright \"$@\"\n";
  return text;
}

std::string fishCompletion(const ProgramInfo &program) {
  std::string text;
  raw_string_ostream os(text);
  os << "# Completion of shardwright in fish: install this file as\n"
        "# share/fish/vendor_completions.d/shardwright.fish.\n";
  for (const CommandInfo &command : program.commands)
    os << "complete -c shardwright -f -n __fish_use_subcommand -a "
       << command.name << " -d " << quoted(summary(command.description))
       << "\n";
  for (const CommandInfo &command : program.commands) {
    std::string when =
        " -n " + quoted("__fish_seen_subcommand_from " + command.name);
    if (command.name == "help")
      os << "complete -c shardwright -f" << when << " -a "
         << quoted(commandNames(program)) << "\n";
    for (const OptionInfo &option : command.options) {
      os << "complete -c shardwright" << when;
      for (StringRef name : option.names)
        os << (name.starts_with("--") ? " -l " : " -s ") << name.ltrim('-');
      if (!option.choices.empty())
        os << " -x -a " << quoted(join(option.choices, " "));
      else if (!option.placeholder.empty())
        os << " -r";
      os << " -d " << quoted(summary(option.description)) << "\n";
    }
  }
  return text;
}

} // namespace shardwright
