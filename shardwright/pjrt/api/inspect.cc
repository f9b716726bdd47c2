//===- inspect.cc - queries of programs from Python -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/api/inspect.h"
#include "shardwright/auto/plan_inside.h"
#include "shardwright/compile/explain_program.h"
#include "shardwright/compile/host_callbacks.h"
#include "shardwright/compile/report_program.h"
#include "shardwright/dialect/source_frames.h"
#include "shardwright/pjrt/api/query_options.h"
#include "shardwright/pjrt/calls/host_callback.h"
#include "shardwright/pjrt/request/prepare_module.h"
#include "shardwright/pjrt/request/program_reader.h"
#include "shardwright/report/page/html_report.h"

#include "mlir/AsmParser/AsmParserState.h"

using namespace mlir;

namespace shardwright::pjrt {

static std::vector<std::string> texts(const llvm::json::Object &request,
                                      StringRef name) {
  std::vector<std::string> texts;
  if (const llvm::json::Array *list = request.getArray(name))
    for (const llvm::json::Value &value : *list)
      if (auto text = value.getAsString())
        texts.push_back(text->str());
  return texts;
}

/// Prepares a module so that all shardings that JAX left open are chosen.
static LogicalResult openForChoice(ModuleOp module) {
  CompileRequest open;
  open.chooseOutputs = open.chooseParameters = {1};
  closeShardings(module, open);
  pinCallbacks(module);
  return success(succeeded(dropTokens(module)));
}

llvm::Expected<llvm::json::Object>
inspectPartition(StringRef code, const llvm::json::Object &request) {
  CompileOptions options;
  bool plansInside = false;
  if (llvm::Error e = readPartitioning(request, options, &plansInside))
    return e;
  ScopedLibraryPaths libraries(request.getString("library_paths"));
  std::vector<std::string> wanted = texts(request, "stages");
  for (const std::string &name : wanted)
    if (!stageFromName(name))
      return badQuery("there is no stage '" + name +
                      "', expected import, propagate, reshard or local");
  bool locations = request.getBoolean("locations").value_or(false);

  ProgramReader reader;
  KeptSources kept;
  AsmParserState positions;
  OwningOpRef<ModuleOp> module = reader.read(code, &positions);
  if (!module)
    return reader.error();
  askClients(options, request, *module, kept);
  std::string name = module->getSymName().value_or("module").str();
  // The report names the values at the peak.
  const UserValues user(*module, &positions, reader.sources.get());
  options.nameOfValue = [&](Value value) { return user.shortNameOf(value); };
  if (failed(openForChoice(*module)))
    return reader.error();

  llvm::json::Object stages;
  options.stopAfter = Stage::Local;
  options.afterStage = [&](Stage stage, ModuleOp module) {
    if (!llvm::is_contained(wanted, str(stage)))
      return;
    std::string text;
    llvm::raw_string_ostream os(text);
    printWithoutNumbers(module, locations, os);
    stages[str(stage)] = text + "\n";
  };
  if (plansInside && failed(planInside(*module, options)))
    return reader.error();
  FailureOr<Compiled> compiled = compile(*module, options);
  if (failed(compiled))
    return reader.error();
  llvm::json::Object answer;
  if (request.getBoolean("memory").value_or(true) &&
      failed(generateCode(*module, *compiled, options)))
    answer["memory_unknown"] = llvm::toString(reader.error());

  compiled->report.module = name;
  std::string text, json;
  llvm::raw_string_ostream textStream(text), jsonStream(json);
  TextReportOptions textOptions;
  textOptions.full = request.getBoolean("full").value_or(false);
  textOptions.fullOption = "full=True";
  writeTextReport(compiled->report, textStream, textOptions);
  writeJsonReport(compiled->report, jsonStream);
  llvm::Expected<llvm::json::Value> statistics = llvm::json::parse(json);
  if (!statistics)
    return statistics.takeError();
  answer["name"] = llvm::json::fixUTF8(name);
  answer["stages"] = std::move(stages);
  answer["report"] = text;
  answer["statistics"] = std::move(*statistics);
  return answer;
}

llvm::Expected<llvm::json::Object>
inspectReport(StringRef code, const llvm::json::Object &request) {
  ScopedLibraryPaths libraries(request.getString("library_paths"));
  DocumentRequest asked;
  bool plansInside = false;
  if (llvm::Error e = readPartitioning(request, asked.compile, &plansInside))
    return e;
  if (auto trials = request.getInteger("trials")) {
    if (*trials < 0)
      return badQuery("trials is " + llvm::Twine(*trials) +
                      ", expected 0 or more");
    asked.mostTrials = size_t(*trials);
  }
  ProgramReader reader;
  KeptSources kept;
  AsmParserState positions;
  OwningOpRef<ModuleOp> module = reader.read(code, &positions);
  if (!module)
    return reader.error();
  askClients(asked.compile, request, *module, kept);
  asked.title = module->getSymName().value_or("module").str();
  UserValues user(*module, &positions, reader.sources.get());
  if (failed(openForChoice(*module)))
    return reader.error();
  if (plansInside)
    asked.prepare = [&](ModuleOp module) {
      return planInside(module, asked.compile);
    };
  // The memory of the program as it is compiled, if that is asked for.
  std::optional<Compiled> compiled;
  if (request.getBoolean("memory").value_or(false)) {
    OwningOpRef<ModuleOp> copy(module->clone());
    CompileOptions options = asked.compile;
    options.stopAfter = Stage::Local;
    if (plansInside && failed(planInside(*copy, options)))
      return reader.error();
    FailureOr<Compiled> made = compile(*copy, options);
    if (failed(made) || failed(generateCode(*copy, *made, options)))
      return reader.error();
    compiled.emplace(std::move(*made));
    asked.report = &compiled->report;
  }
  FailureOr<llvm::json::Object> document = reportProgram(*module, user, asked);
  if (failed(document))
    return reader.error();
  llvm::json::Value value(std::move(*document));
  std::string json, html;
  llvm::raw_string_ostream(json) << value;
  llvm::raw_string_ostream page(html);
  writeHtmlReport(json, page);
  return llvm::json::Object{{"name", llvm::json::fixUTF8(asked.title)},
                            {"document", std::move(value)},
                            {"html", std::move(html)}};
}

llvm::Expected<llvm::json::Object>
inspectShardings(StringRef code, const llvm::json::Object &request) {
  ScopedLibraryPaths libraries(request.getString("library_paths"));
  ExplainRequest explain;
  if (llvm::Error e = readPlanning(request, explain.effort, explain.machine))
    return e;
  explain.values = texts(request, "values");
  explain.arguments = texts(request, "arguments");
  explain.results = texts(request, "results");
  explain.line = request.getString("line").value_or("").str();
  explain.collectives = request.getBoolean("collectives").value_or(false);
  explain.full = request.getBoolean("full").value_or(false);

  ProgramReader reader;
  KeptSources kept;
  AsmParserState positions;
  OwningOpRef<ModuleOp> module = reader.read(code, &positions);
  if (!module)
    return reader.error();
  askClients(explain, request, *module, kept);
  UserValues user(*module, &positions, reader.sources.get());
  pinCallbacks(*module);
  if (failed(dropTokens(*module)))
    return reader.error();
  BadRequest problem;
  FailureOr<Explanation> explanation =
      explainProgram(*module, user, explain, problem);
  if (failed(explanation) && problem.text.empty())
    return reader.error();
  if (failed(explanation))
    return badQuery(problem.text +
                    (problem.remedy.empty() ? "" : "; " + problem.remedy));
  return llvm::json::Object{{"text", std::move(explanation->text)},
                            {"data", std::move(explanation->data)}};
}

} // namespace shardwright::pjrt
