//===- write_reports.cc - write the reports of a command ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report_command.h"
#include "session.h"
#include "terminal.h"

#include "shardwright/report/document/measured_timeline.h"
#include "shardwright/runtime/replace_file.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace shardwright {

/// A word of a shell command.
static std::string shellWord(llvm::StringRef text) {
  bool isPlain = !text.empty() && llvm::all_of(text, [](char c) {
    return llvm::isAlnum(c) || llvm::StringRef("_-./=,:+@%").contains(c);
  });
  if (isPlain)
    return text.str();
  std::string quoted = "'";
  for (char c : text)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

TextReportOptions Session::textReport(const CommonOptions &options) const {
  TextReportOptions text;
  text.full = options.full;
  text.fullOption = "--full";
  text.width = reportWidth();
  // A saved executable is not a module, and its options are unknown.
  if (isLoaded())
    return text;
  text.explain = "shardwright explain " + shellWord(options.module);
  if (!options.import.meshSizes.empty()) {
    text.explain += " --mesh ";
    llvm::ListSeparator comma(",");
    for (const MeshAxis &axis : options.import.meshSizes)
      text.explain += llvm::StringRef(comma).str() +
                      shellWord(axis.name + "=" + std::to_string(axis.size));
  }
  if (options.import.devices > 0)
    text.explain += " --devices " + std::to_string(options.import.devices);
  if (!options.machine.empty())
    text.explain += " --machine " + shellWord(options.machine);
  if (options.partitionEffort != 1)
    text.explain += " --partition-effort " +
                    std::to_string(std::min(options.partitionEffort, 2));
  return text;
}

bool Session::reportsRun(const CommonOptions &options) {
  return options.report && llvm::StringRef(*options.report).starts_with("html");
}

bool Session::writeReports(const CommonOptions &options) {
  std::string kind, file;
  if (options.stats) {
    if (!parseOutput("--stats", *options.stats, {"json"}, kind, file) ||
        !writeFile(file, [&](llvm::raw_ostream &os) {
          writeStatisticsJson(report(), os);
        }))
      return false;
  }
  if (options.report) {
    if (!parseOutput("--report", *options.report, {"text", "json", "html"},
                     kind, file))
      return false;
    if (kind == "html") {
      FailureOr<llvm::json::Object> made = document(options);
      if (failed(made))
        return false;
      if (trace && result.executable)
        setMeasuredTimeline(result.executable->program(), *trace,
                            report().runSeconds, *made, processOfDevice);
      return writeDocument(std::move(*made), kind, file);
    }
    return writeFile(file, [&](llvm::raw_ostream &os) {
      if (kind == "json")
        writeJsonReport(report(), os);
      else
        writeTextReport(report(), os, textReport(options));
    });
  }
  return true;
}

bool parseOutput(llvm::StringRef option, llvm::StringRef text,
                 ArrayRef<llvm::StringRef> kinds, std::string &kind,
                 std::string &file) {
  auto [head, tail] = text.split('=');
  kind = head.str();
  file = tail.empty() ? "-" : tail.str();
  if (llvm::is_contained(kinds, head) && !text.ends_with("="))
    return true;
  std::string expected = llvm::join(kinds, ", ");
  badInput(option + ": expected " + expected +
               ", each with =FILE to write a file, "
               "found '" +
               text + "'",
           "");
  return false;
}

bool writeFile(llvm::StringRef path,
               llvm::function_ref<void(llvm::raw_ostream &)> write) {
  if (path == "-") {
    write(llvm::outs());
    llvm::outs().flush();
    return true;
  }
  llvm::Error failed = replaceFileByStream(path, write);
  if (!failed)
    return true;
  badInput("cannot write '" + path + "': " + toString(std::move(failed)),
           "check the directory and its permissions");
  return false;
}

} // namespace shardwright
