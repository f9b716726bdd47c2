//===- session.h - loads and compiles one module for a command --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TOOLS_SESSION_H
#define SHARDWRIGHT_TOOLS_SESSION_H

#include "command_line.h"
#include "one_diagnostic.h"
#include "progress.h"
#include "second_look.h"

#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/JSON.h"

#include <memory>

namespace shardwright {

namespace pjrt_client {
class PluginBackend;
}

/// A module with the context it lives in, and its diagnostics.
class Session {
public:
  Session();
  ~Session();

  /// Opens the devices of a plugin (none: the CPU's). False: the error has been
  /// printed.
  bool openDevices(llvm::StringRef plugin,
                   llvm::ArrayRef<pjrt_client::ClientOption> pluginOptions);
  Client &devices() { return client ? *client : Client::shared(); }
  /// The opened plugin; null: none.
  const std::shared_ptr<pjrt_client::PluginBackend> &plugin() const {
    return pluginBackend;
  }
  mlir::MLIRContext &mlirContext() { return *context; }

  /// Only loads, as `compile` does first.
  bool load(llvm::StringRef path, bool trusted,
            mlir::AsmParserState *positions = nullptr);

  /// The machine for `compile`, instead of that of a file.
  void setMachine(MachineModel model) { givenMachine = std::move(model); }

  /// The number of processes that will run the program, for `compile`.
  void setProcesses(int64_t number) { numProcesses = number; }

  /// Loads and compiles up to `stopAfter`. If `text` is given, it receives the
  /// module after stage `printed`. False: the error has been printed.
  bool compile(const CommonOptions &options, Stage stopAfter,
               Stage printed = Stage::Local, std::string *text = nullptr);

  /// Runs the last stage, for a session that stopped after stage Local. A
  /// failure is printed as a warning: the program is partitioned, but its
  /// memory is unknown.
  bool generateCode(const CommonOptions &options);

  /// Prints the first error since the last call, if there was one.
  bool finishDiagnostic() { return diagnostic->finish(); }

  /// The module as it was read, with the names of its values. Null if the
  /// options do not need it, or if it cannot be partitioned again.
  SecondLook *secondLook();
  /// Keeps the module as it is read by `compile`, for `document`.
  void keepModule() { keepsModule = true; }
  /// The report document of the compiled program, whose statistics it has. Must
  /// be called once, after keepModule() and compile(). On failure, the error
  /// has been printed.
  mlir::FailureOr<llvm::json::Object>
  document(const CommonOptions &options,
           std::optional<size_t> mostTrials = std::nullopt);
  /// Bytes of the largest replicated value; computed if there is a budget for
  /// it.
  double mostReplicated() const { return largestWhole; }

  /// True if the file has the magic bytes of a saved executable.
  static bool isExecutable(llvm::StringRef path);
  /// Loads a saved executable instead of compiling. False: the error has been
  /// printed.
  bool loadExecutable(const CommonOptions &options);
  bool isLoaded() const { return !owned; }

  /// Returns the progress line, which is shown until the session ends. Starts a
  /// thread.
  Progress &progress(const CommonOptions &options) {
    if (!progressLine) {
      std::optional<double> seconds;
      if (!options.progress.empty()) // the options are checked already
        (void)llvm::StringRef(options.progress).getAsDouble(seconds.emplace(1));
      progressLine = std::make_unique<Progress>(seconds);
    }
    return *progressLine;
  }

  mlir::ModuleOp module() { return *owned; }
  const llvm::SourceMgr &text() const { return *sources; }
  Compiled &compiled() { return result; }
  ProgramReport &report() { return result.report; }

  /// How text reports are written for these options.
  TextReportOptions textReport(const CommonOptions &options) const;
  /// True if the report shows a run.
  static bool reportsRun(const CommonOptions &options);
  /// The trace of a run, for the report. `processes`: of a run on several
  /// processes, that of each device.
  void setTrace(const Trace *recorded, std::vector<int32_t> processes = {}) {
    trace = recorded;
    processOfDevice = std::move(processes);
  }

  /// Writes statistics and report as the options require. False: a file
  /// could not be written; the error has been printed.
  bool writeReports(const CommonOptions &options);

private:
  CompileOptions compileOptionsOf(const CommonOptions &options,
                                  std::optional<MachineModel> machine,
                                  Stage stopAfter) const;
  void tellOfGathers(const CommonOptions &options);

  std::optional<MachineModel> givenMachine;
  int64_t numProcesses = 1;
  bool keepsModule = false;
  std::unique_ptr<Client> client; ///< null: the shared one
  std::shared_ptr<pjrt_client::PluginBackend> pluginBackend;
  Target target = Target::Cpu; ///< of the client
  std::unique_ptr<mlir::MLIRContext> context;
  std::shared_ptr<llvm::SourceMgr> sources;
  std::unique_ptr<OneDiagnostic> diagnostic;
  mlir::OwningOpRef<mlir::ModuleOp> owned;
  Compiled result;
  /// For secondLook().
  mlir::OwningOpRef<mlir::ModuleOp> asRead;
  std::unique_ptr<mlir::AsmParserState> positions;
  /// For document(): the module as it was read, with its values numbered.
  mlir::OwningOpRef<mlir::ModuleOp> forDocument;
  std::unique_ptr<UserValues> documentValues;
  const Trace *trace = nullptr;
  std::vector<int32_t> processOfDevice; ///< of `trace`; empty: one process
  CompileOptions compiledWith;
  std::unique_ptr<SecondLook> look;
  double largestWhole = 0;
  std::unique_ptr<Progress> progressLine;
};

/// Parses `json` to {json, -} and `json=FILE` to {json, FILE}. False if the
/// kind is not in `kinds`; the error has been printed.
bool parseOutput(llvm::StringRef option, llvm::StringRef text,
                 llvm::ArrayRef<llvm::StringRef> kinds, std::string &kind,
                 std::string &file);

/// Writes a file atomically (replace_file.h). `-` is standard output. False:
/// the error has been printed.
bool writeFile(llvm::StringRef path,
               llvm::function_ref<void(llvm::raw_ostream &)> write);

} // namespace shardwright

#endif // SHARDWRIGHT_TOOLS_SESSION_H
