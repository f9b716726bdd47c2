//===- program_reports.cc - explanations and reports of programs ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/jit/program_reports.h"

#include "shardwright/compile/explain_program.h"
#include "shardwright/compile/report_program.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/source_frames.h"
#include "shardwright/frontend/jit/compiled_program.h"
#include "shardwright/frontend/jit/find_shardings.h"
#include "shardwright/frontend/jit/host_calls.h"
#include "shardwright/frontend/jit/module_context.h"
#include "shardwright/interop/load_module.h"
#include "shardwright/report/page/html_report.h"

#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

namespace shardwright::frontend {
namespace {

/// A module as users read it, with the positions of its values.
struct PrintedModule {
  std::shared_ptr<llvm::SourceMgr> sources =
      std::make_shared<llvm::SourceMgr>();
  mlir::AsmParserState positions;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

std::vector<mlir::Operation *> opsOf(mlir::ModuleOp module) {
  std::vector<mlir::Operation *> ops;
  module.walk<mlir::WalkOrder::PreOrder>(
      [&](mlir::Operation *op) { ops.push_back(op); });
  return ops;
}

/// Parses what `asText` prints, so that names of values are those of that text;
/// operations have the names and places of the user's source. The arguments of
/// @main have these names. Requires the context's mutex; `errors` has those of
/// the parser.
Status readPrinted(const LoweredProgram &lowered,
                   const std::vector<std::string> &argNames,
                   const ErrorText &errors, PrintedModule &out) {
  mlir::MLIRContext *context = &moduleContext().context;
  Expected<std::string> text = locatedText(lowered);
  if (!text)
    return text.error();
  auto raw = mlir::parseSourceString<mlir::ModuleOp>(*text, context);
  if (!raw)
    return errors.error();
  std::string printed;
  llvm::raw_string_ostream os(printed);
  raw->print(os);
  out.module = readModule(llvm::MemoryBuffer::getMemBufferCopy(
                              printed, raw->getName().value_or("module")),
                          context, out.sources, Trust::Full, &out.positions);
  if (!out.module)
    return errors.error();
  for (auto [op, located] : llvm::zip(opsOf(*out.module), opsOf(*raw)))
    if (!llvm::isa<mlir::UnknownLoc>(located->getLoc()))
      op->setLoc(located->getLoc());
  if (mlir::func::FuncOp main = sdy::getMainFunc(*out.module))
    for (auto [argument, name] : llvm::zip(main.getArguments(), argNames))
      argument.setLoc(mlir::NameLoc::get(mlir::StringAttr::get(context, name)));
  return {};
}

/// `search`: the report of a search for shardings, or empty.
std::string textOf(ProgramReport report, const std::string &search,
                   const std::vector<std::string> &argNames,
                   const ReportQuery &query) {
  for (auto [value, name] : llvm::zip(report.arguments, argNames))
    value.name = name;
  std::string out;
  llvm::raw_string_ostream os(out);
  TextReportOptions options;
  options.full = query.full;
  options.fullOption = "ReportQuery::full";
  writeTextReport(report, os, options);
  if (!search.empty())
    os << "\n" << search;
  return out;
}

/// Stand for those of the program, which may be abstract.
std::vector<Device> numberedDevices(const LoweredProgram &lowered) {
  std::vector<Device> out(std::max<int64_t>(lowered.request.numDevices, 1));
  for (size_t i = 0; i < out.size(); ++i)
    out[i].id = static_cast<int32_t>(i);
  return out;
}

std::optional<llvm::StringRef>
pathsOf(const std::optional<std::string> &libraryPaths) {
  return libraryPaths ? std::optional<llvm::StringRef>(*libraryPaths)
                      : std::nullopt;
}

/// The page, or its data. `statistics`: of the compiled program, whose memory
/// is exact; null: those of the partitioned one.
Expected<std::string> pageOf(const LoweredProgram &lowered,
                             const std::vector<std::string> &argNames,
                             const ReportQuery &query,
                             const ProgramReport *statistics) {
  ModuleContext &shared = moduleContext();
  std::lock_guard lock(shared.mutex);
  ScopedLibraryPaths libraries(pathsOf(query.libraryPaths));
  ErrorText errors(&shared.context);
  PrintedModule printed;
  SW_TRY(readPrinted(lowered, argNames, errors, printed));
  UserValues user(*printed.module, &printed.positions, printed.sources.get());
  Expected<ProgramOptions> chosen = programOptions(lowered);
  if (!chosen)
    return chosen.error();
  HostCalls calls(lowered.callbacks);
  std::string search;
  if (failed(calls.prepare(*printed.module, numberedDevices(lowered), {},
                           chosen->compile)) ||
      failed(findShardings(*printed.module, lowered, *chosen, search)))
    return errors.error();
  DocumentRequest request;
  request.title = printed.module->getName().value_or("module").str();
  request.compile = chosen->compile;
  request.prepare = [&](mlir::ModuleOp module) {
    mlir::LogicalResult found = findInnerShardings(module, lowered, *chosen);
    request.compile = chosen->compile;
    return found;
  };
  request.report = statistics;
  request.mostTrials = query.trials;
  mlir::FailureOr<llvm::json::Object> document =
      reportProgram(*printed.module, user, request);
  if (failed(document))
    return errors.error();
  std::string json, page;
  llvm::raw_string_ostream(json) << llvm::json::Value(std::move(*document));
  if (query.form == ReportQuery::Form::Json)
    return json + "\n";
  llvm::raw_string_ostream os(page);
  writeHtmlReport(json, os);
  return page;
}

} // namespace

Expected<std::string> explainLowered(const LoweredProgram &lowered,
                                     const std::vector<std::string> &argNames,
                                     const ExplainQuery &query) {
  ModuleContext &shared = moduleContext();
  std::lock_guard lock(shared.mutex);
  ScopedLibraryPaths libraries(pathsOf(query.libraryPaths));
  ErrorText errors(&shared.context);
  PrintedModule printed;
  SW_TRY(readPrinted(lowered, argNames, errors, printed));
  ExplainRequest request;
  request.values = query.values;
  request.arguments = query.arguments;
  request.results = query.results;
  request.collectives = query.collectives;
  request.full = query.full;
  UserValues user(*printed.module, &printed.positions, printed.sources.get());
  Expected<ProgramOptions> chosen = programOptions(lowered);
  if (!chosen)
    return chosen.error();
  CompileOptions &options = chosen->compile;
  HostCalls calls(lowered.callbacks);
  std::string search;
  if (failed(calls.prepare(*printed.module, numberedDevices(lowered), {},
                           options)) ||
      failed(findShardings(*printed.module, lowered, *chosen, search)))
    return errors.error();
  request.beforePropagate = options.beforePropagate;
  request.beforePartition = options.beforePartition;
  BadRequest bad;
  mlir::FailureOr<Explanation> explanation =
      explainProgram(*printed.module, user, request, bad);
  if (succeeded(explanation))
    return std::move(explanation->text);
  if (bad.text.empty())
    return errors.error();
  return valueError(bad.text, bad.remedy.empty() ? "" : "; ", bad.remedy);
}

Expected<std::string> reportLowered(const LoweredProgram &lowered,
                                    const std::vector<std::string> &argNames,
                                    const ReportQuery &query) {
  if (query.form != ReportQuery::Form::Text)
    return pageOf(lowered, argNames, query, nullptr);
  ModuleContext &shared = moduleContext();
  std::lock_guard lock(shared.mutex);
  ScopedLibraryPaths libraries(pathsOf(query.libraryPaths));
  ErrorText errors(&shared.context);
  PrintedModule printed;
  SW_TRY(readPrinted(lowered, argNames, errors, printed));
  Expected<ProgramOptions> chosen = programOptions(lowered);
  if (!chosen)
    return chosen.error();
  CompileOptions &options = chosen->compile;
  options.stopAfter = Stage::Local;
  HostCalls calls(lowered.callbacks);
  std::string search;
  if (failed(calls.prepare(*printed.module, numberedDevices(lowered), {},
                           options)) ||
      failed(findShardings(*printed.module, lowered, *chosen, search)) ||
      failed(findInnerShardings(*printed.module, lowered, *chosen)))
    return errors.error();
  std::string name = printed.module->getName().value_or("module").str();
  mlir::FailureOr<Compiled> compiled = compile(*printed.module, options);
  if (failed(compiled))
    return errors.error();
  compiled->report.module = name;
  return textOf(std::move(compiled->report), search, argNames, query);
}

Expected<std::string> reportCompiled(const CompiledProgram &program,
                                     const LoweredProgram *lowered,
                                     const std::vector<std::string> &argNames,
                                     const ReportQuery &query) {
  if (program.forwarding)
    return reportLowered(*program.forwarding->lowered, argNames, query);
  if (query.form == ReportQuery::Form::Text) {
    ScopedLibraryPaths libraries(pathsOf(query.libraryPaths));
    return textOf(program.report, program.search, argNames, query);
  }
  if (!lowered)
    return valueError("a page or its data shows the module of a program, which "
                      "a loaded program does not have; make the report of the "
                      "lowered or compiled program before it is saved, or ask "
                      "for a text");
  return pageOf(*lowered, argNames, query, &program.report);
}

} // namespace shardwright::frontend
