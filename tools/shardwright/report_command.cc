//===- report_command.cc - shardwright report -----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report_command.h"

#include "check_files.h"

#include "shardwright/report/document/model_explorer.h"
#include "shardwright/report/page/html_report.h"

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
               "' does not determine the form of the report, expected .html, "
               ".json or .txt",
           "give --form=html, json, text or model-explorer");
  return false;
}

bool writeDocument(llvm::json::Object document, llvm::StringRef form,
                   llvm::StringRef file) {
  llvm::json::Value value(std::move(document));
  if (form == "model-explorer") {
    llvm::Expected<DocumentView> view = DocumentView::create(value, file);
    if (!view) {
      badInput(llvm::toString(view.takeError()), "");
      return false;
    }
    value = modelExplorerGraphs(*view);
  }
  std::string json;
  llvm::raw_string_ostream(json) << value;
  return writeFile(file, [&](llvm::raw_ostream &os) {
    if (form == "html")
      writeHtmlReport(json, os);
    else
      os << json << "\n";
  });
}

/// Compares the document with that of --against. False: the error has been
/// printed.
static bool addDifference(const ReportOptionsCli &options,
                          llvm::json::Object &document) {
  std::optional<llvm::json::Value> with =
      readDocument(options.other.of(options, options.against));
  if (!with)
    return false;
  llvm::json::Value mine(std::move(document));
  std::optional<Difference> difference =
      compare(mine, options.module, *with, options.against);
  document = std::move(*mine.getAsObject());
  if (!difference)
    return false;
  document["diff"] = toJson(*difference);
  return true;
}

int reportCommand(const ReportOptionsCli &options) {
  std::string form;
  if (!chooseForm(options, form) || !checkWritable("-o", options.out) ||
      !checkReportFiles(options))
    return exitBadInput;
  if (!options.against.empty() && form == "text")
    return badInput("--against: a text report does not show differences",
                    "use shardwright diff, or write --form=html");
  if (options.against.empty() && options.other.areAny())
    return badInput("options that end in -b are for the second program, but "
                    "there is none",
                    "name it: --against FILE");
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
    if (failed(document) ||
        (!options.against.empty() && !addDifference(options, *document)) ||
        !writeDocument(std::move(*document), form, file))
      return exitBadInput;
  }
  return session.writeReports(options) ? exitFine : exitBadInput;
}

} // namespace shardwright
