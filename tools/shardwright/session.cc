//===- session.cc - loads and compiles one module for a command -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "session.h"

#include "crash_report.h"

#include "shardwright/auto/plan_inside.h"
#include "shardwright/compile/registration.h"
#include "shardwright/compile/report_program.h"
#include "shardwright/interop/load_module.h"
#include "shardwright/pjrt_client/plugin_backend.h"
#include "shardwright/pjrt_client/plugin_client.h"
#include "shardwright/report/explain/warnings.h"
#include "shardwright/report/location_text.h"
#include "shardwright/support/start_thread.h"

#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace mlir;

namespace shardwright {

Session::Session() : sources(std::make_shared<llvm::SourceMgr>()) {
  DialectRegistry registry;
  registerDialects(registry);
  context = std::make_unique<MLIRContext>(registry);
  // MLIR ends the process if the system grants it no thread.
  std::thread trial;
  if (cpu::startThread(trial, [] {}))
    trial.join();
  else
    context->disableMultithreading();
  diagnostic = std::make_unique<OneDiagnostic>(context.get(), sources);
}

/// Remarks as lines on standard error, in the form of diagnostics.
static void installRemarks(MLIRContext &context,
                           const std::vector<std::string> &kinds) {
  struct Printer : remark::detail::MLIRRemarkStreamerBase {
    void streamOptimizationRemark(const remark::detail::Remark &r) override {
      std::string where = filePosition(r.getLocation());
      err() << (where.empty() ? "" : where + ": ")
            << "remark: " << r.getRemarkTypeString() << " " << r.getRemarkName()
            << ": ";
      llvm::ListSeparator comma(", ");
      for (const remark::detail::Remark::Arg &arg : r.getArgs())
        err() << comma << arg.key << "=" << arg.val;
      err() << "\n";
    }
  };
  auto filter = [&](StringRef kind) -> std::optional<std::string> {
    if (llvm::is_contained(kinds, kind) || llvm::is_contained(kinds, "all"))
      return std::string(".*");
    return std::nullopt;
  };
  remark::RemarkCategories categories{std::nullopt, filter("passed"),
                                      filter("missed"), filter("analysis"),
                                      std::nullopt};
  (void)remark::enableOptimizationRemarks(
      context, std::make_unique<Printer>(),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories,
      /*printAsEmitRemarks=*/false);
}

Session::~Session() {
  // Destroy the handler before its context.
  look.reset();
  asRead = nullptr;
  forDocument = nullptr;
  owned = nullptr;
  diagnostic.reset();
}

bool Session::openDevices(
    llvm::StringRef plugin,
    llvm::ArrayRef<pjrt_client::ClientOption> pluginOptions) {
  if (plugin.empty()) {
    if (pluginOptions.empty())
      return true;
    badInput("--plugin-option without a plugin", "name the plugin: --plugin");
    return false;
  }
  auto backend = pjrt_client::PluginBackend::create(plugin, pluginOptions);
  if (!backend) {
    badInput("--plugin: " + llvm::toString(backend.takeError()),
             "docs/plugins.md says what plugins need, and which options they "
             "take (--plugin-option)");
    return false;
  }
  target = targetOfPlatform((*backend)->client()->platformName());
  pluginBackend = std::move(*backend);
  client = std::make_unique<Client>(pluginBackend);
  return true;
}

bool Session::load(llvm::StringRef path, bool trusted,
                   AsmParserState *positions) {
  owned = loadModule(path, context.get(), sources,
                     trusted ? Trust::Full : Trust::None, positions);
  bool failedOnce = diagnostic->finish();
  if (!owned) {
    if (!failedOnce)
      badInput("cannot read '" + path + "'", "");
    return false;
  }
  if (sources->getNumBuffers() > 0)
    setCrashReproducer(sources->getMemoryBuffer(1)->getBuffer());
  return true;
}

/// Checks the options before any work, and reads the machine. False: the error
/// has been printed.
static bool checkOptions(const CommonOptions &options,
                         std::optional<MachineModel> &machine) {
  std::string kind, file;
  if (options.stats &&
      !parseOutput("--stats", *options.stats, {"json"}, kind, file))
    return false;
  if (options.report && !parseOutput("--report", *options.report,
                                     {"text", "json", "html"}, kind, file))
    return false;
  return readMachine(options.machine, machine);
}

/// Returns the text of the progress line for the work after a stage.
static llvm::StringRef nameOfNext(Stage stage) {
  static constexpr llvm::StringLiteral names[] = {
      "propagating", "inserting collectives", "partitioning", "compiling"};
  return names[int(stage)];
}

/// Prints the module on standard error if --print-after lists the stage.
static void printAfter(const CommonOptions &options, Stage stage,
                       ModuleOp module) {
  if (!llvm::is_contained(options.printAfter, stage))
    return;
  llvm::errs() << "// ---- after stage " << str(stage) << "\n";
  printModule(module, llvm::errs());
  llvm::errs() << "\n";
}

CompileOptions Session::compileOptionsOf(const CommonOptions &options,
                                         std::optional<MachineModel> machine,
                                         Stage stopAfter) const {
  CompileOptions made;
  made.import = options.import;
  made.shardy = options.shardy;
  // Effort 3 changes shardings, and then partitions with the next lower one.
  made.partition.effort =
      Effort(std::min(options.partitionEffort, int(Effort::Most)));
  made.partition.machine = std::move(machine);
  made.partition.target = options.target.value_or(target);
  made.overlap = options.overlap;
  made.padsShards = options.padsShards;
  made.form = options.form;
  made.stopAfter = stopAfter;
  made.processes = numProcesses;
  made.backend = client ? &client->backend() : nullptr;
  made.kernelCacheDir = options.kernelCache;
  return made;
}

bool Session::compile(const CommonOptions &options, Stage stopAfter,
                      Stage printed, std::string *text) {
  std::optional<MachineModel> machine = givenMachine;
  if (!checkOptions(options, machine))
    return false;
  auto asks = [&](Budget::What what) {
    return llvm::any_of(options.budgets,
                        [&](const Budget &b) { return b.what == what; });
  };
  bool wantsDocument = keepsModule || reportsRun(options);
  // Reports and budgets name the values at the peak.
  bool namesPeak = options.report || options.stats || wantsDocument ||
                   asks(Budget::What::Peak);
  bool looksAgain = !options.remarks.empty() || options.warnReplicated ||
                    asks(Budget::What::Replicate) || asks(Budget::What::Sent) ||
                    wantsDocument;
  if (looksAgain || namesPeak)
    positions = std::make_unique<AsmParserState>();
  auto start = std::chrono::steady_clock::now();
  if (!load(options.module, options.trusted, positions.get()))
    return false;
  std::optional<UserValues> names;
  if (options.warnReplicated || namesPeak)
    names.emplace(*owned, positions.get(), sources.get());
  if (looksAgain) {
    asRead = std::move(owned); // the positions refer to its ops
    owned = asRead->clone();
  }
  if (wantsDocument) {
    documentValues =
        std::make_unique<UserValues>(*asRead, positions.get(), sources.get());
    forDocument = asRead->clone();
  }
  double parseSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();

  const bool plansInside = options.partitionEffort == kPlanInsideEffort;
  CompileOptions compileOptions =
      compileOptionsOf(options, std::move(machine), stopAfter);
  // Start the thread only here: reading bytecode forks.
  Progress &line = progress(options);
  line.at("importing");
  compileOptions.afterStage = [&](Stage stage, ModuleOp module) {
    line.pause();
    llvm::scope_exit resume([&] { line.at(nameOfNext(stage)); });
    if (text && stage == printed) {
      llvm::raw_string_ostream os(*text);
      printWithoutNumbers(module, options.debugInfo, os);
    }
    printAfter(options, stage, module);
  };
  compiledWith = compileOptions;
  compiledWith.afterStage = nullptr;
  if (names)
    compileOptions.nameOfValue = [&](Value value) {
      return names->shortNameOf(value);
    };
  if (asks(Budget::What::Replicate))
    compileOptions.afterStage = [&,
                                 next = std::move(compileOptions.afterStage)](
                                    Stage stage, ModuleOp module) {
      if (stage == Stage::Reshard)
        for (const WholeValue &whole : wholeValues(module, 0, nullptr, nullptr))
          largestWhole = std::max(largestWhole, double(whole.bytes));
      next(stage, module);
    };
  std::optional<ReplicationWarner> warner;
  if (options.warnReplicated) {
    warner.emplace(*owned, *names, *options.warnReplicated);
    compileOptions.observer = &*warner;
  }
  if (!options.remarks.empty())
    installRemarks(*context, options.remarks);
  FailureOr<Compiled> compiled = failure();
  if (plansInside)
    line.at("searching for shardings of inner values");
  if (!plansInside || succeeded(planInside(*owned, compileOptions)))
    compiled = shardwright::compile(*owned, compileOptions);
  line.pause();
  bool failedOnce = diagnostic->finish();
  if (failed(compiled)) {
    if (!failedOnce) {
      err() << "internal error: a stage failed without a diagnostic; this "
               "is a bug in shardwright, please report it with "
            << options.module << "\n";
      std::exit(exitBug);
    }
    return false;
  }
  result = std::move(*compiled);
  result.report.module = options.module;
  result.report.seconds.parse = parseSeconds;
  if ((options.warnReplicated || !options.remarks.empty()) &&
      stopAfter >= Stage::Reshard)
    tellOfGathers(options);
  return true;
}

FailureOr<llvm::json::Object>
Session::document(const CommonOptions &options,
                  std::optional<size_t> mostTrials) {
  // Remarks and warnings have been printed already.
  context->setRemarkEngine(nullptr);
  ScopedDiagnosticHandler quiet(context.get(), [](Diagnostic &diagnostic) {
    return success(diagnostic.getSeverity() != DiagnosticSeverity::Error);
  });
  DocumentRequest request;
  request.title = options.module;
  request.compile = compiledWith;
  request.report = &report();
  request.mostTrials = mostTrials;
  if (options.partitionEffort == kPlanInsideEffort)
    request.prepare = [&](ModuleOp module) {
      return planInside(module, compiledWith);
    };
  FailureOr<llvm::json::Object> document =
      reportProgram(*forDocument, *documentValues, request);
  if (failed(document) && !diagnostic->finish())
    badInput("cannot report on '" + options.module + "'", "");
  return document;
}

SecondLook *Session::secondLook() {
  if (!asRead)
    return look.get();
  // Its remarks have been printed already, or belong to a trial.
  context->setRemarkEngine(nullptr);
  look = std::make_unique<SecondLook>(std::move(asRead), positions.get(),
                                      sources.get(), compiledWith);
  asRead = nullptr;
  if (!look->look()) {
    diagnostic->finish("warning: names of values are not known");
    look.reset();
  }
  return look.get();
}

void Session::tellOfGathers(const CommonOptions &options) {
  SecondLook *second = secondLook();
  if (!second)
    return;
  bool isTold = llvm::is_contained(options.remarks, "missed") ||
                llvm::is_contained(options.remarks, "all");
  // Each trial partitions the program.
  constexpr size_t kMostTried = 8;
  size_t told = 0;
  for (const WholeValue &whole : second->wholeAbove(0)) {
    bool isLarge =
        options.warnReplicated && whole.bytes >= *options.warnReplicated;
    if (!whole.isGathered || (!isTold && !isLarge))
      continue;
    context->setRemarkEngine(nullptr);
    SecondLook::Told text = second->tell(whole, told++ < kMostTried);
    if (isTold)
      installRemarks(*context, options.remarks);
    remark::missed(whole.location,
                   remark::RemarkOpts::name("Gathered").category("partition"))
        << remark::metric("Value", text.what)
        << remark::metric("Bytes", whole.bytes)
        << remark::reason("{0}", text.why)
        << remark::suggest("{0}", text.remedy);
    if (isLarge)
      emitWarning(whole.location)
          << text.what << " is gathered to full size on "
          << result.report.devices << " devices, " << text.why << "; "
          << text.remedy;
  }
}

bool Session::generateCode(const CommonOptions &options) {
  CompileOptions compileOptions;
  compileOptions.kernelCacheDir = options.kernelCache;
  if (succeeded(shardwright::generateCode(*owned, result, compileOptions)))
    return true;
  diagnostic->finish("warning: memory is not known");
  return false;
}

bool Session::isExecutable(llvm::StringRef path) {
  if (path == "-")
    return false;
  auto file = llvm::MemoryBuffer::getFileSlice(
      path, Executable::fileMagic.size(), 0, /*IsVolatile=*/false);
  return file && (*file)->getBuffer() == Executable::fileMagic;
}

bool Session::loadExecutable(const CommonOptions &options) {
  auto start = std::chrono::steady_clock::now();
  auto file = llvm::MemoryBuffer::getFile(options.module, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file) {
    badInput("cannot read '" + options.module +
                 "': " + file.getError().message(),
             "");
    return false;
  }
  auto executable =
      Executable::deserialize((*file)->getBuffer(), devices().backend());
  if (!executable) {
    badInput(options.module + ": " + llvm::toString(executable.takeError()),
             "");
    return false;
  }
  result.executable = std::move(*executable);
  result.arguments = result.executable->arguments().vec();
  result.results = result.executable->results().vec();
  report().module = options.module;
  report().devices = result.executable->numDevices();
  llvm::ArrayRef<Mesh> meshes = result.executable->meshes();
  readReportNotes(result.executable->notes(),
                  meshes.empty() ? Mesh() : meshes.front(), context.get(),
                  report());
  MemoryStatistics memory = result.executable->memory();
  report().argumentBytes = memory.arguments;
  report().resultBytes = memory.results;
  report().arenaBytes = memory.temporaries;
  report().reusedBytes = memory.reusedByResults;
  report().peakBytesPerDevice = result.executable->peakBytesPerDevice();
  report().seconds.parse =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return true;
}

} // namespace shardwright
