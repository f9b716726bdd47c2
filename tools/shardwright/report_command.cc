//===- report_command.cc - shardwright report -----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check_files.h"
#include "session.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace shardwright {

/// The form of a report by the name of its file. False: the error has been
/// printed.
static bool chooseForm(const ReportOptionsCli &options, std::string &form) {
  form = options.form;
  if (!form.empty())
    return true;
  llvm::StringRef extension = llvm::sys::path::extension(options.out);
  if (options.out.empty() || options.out == "-" || extension == ".txt")
    form = "text";
  else if (extension == ".html" || extension == ".htm")
    form = "html";
  else if (extension == ".json")
    form = "json";
  if (!form.empty())
    return true;
  badInput("the name '" + options.out +
               "' says no form of a report, expected .html, .json or .txt",
           "give --form=html, json, text or model-explorer");
  return false;
}

int reportCommand(const ReportOptionsCli &options) {
  std::string form;
  if (!chooseForm(options, form) || !checkWritable("-o", options.out) ||
      !checkReportFiles(options))
    return exitBadInput;
  Session session;
  session.keepModule();
  if (!session.compile(options, Stage::Local))
    return exitBadInput;
  if (options.compile)
    session.generateCode(options);
  std::string file = options.out.empty() ? "-" : options.out;
  if (form == "text") {
    if (!writeFile(file, [&](llvm::raw_ostream &os) {
          writeTextReport(session.report(), file == "-" ? out() : os);
        }))
      return exitBadInput;
  } else {
    FailureOr<llvm::json::Object> document =
        session.document(options, options.trials);
    if (failed(document))
      return exitBadInput;
    if (!writeFile(file, [&](llvm::raw_ostream &os) {
          os << llvm::json::Value(std::move(*document)) << "\n";
        }))
      return exitBadInput;
  }
  return session.writeReports(options) ? exitFine : exitBadInput;
}

} // namespace shardwright
