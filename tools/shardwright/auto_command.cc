//===- auto_command.cc - shardwright auto ---------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "auto_verify.h"
#include "check_files.h"

#include "shardwright/auto/auto_report.h"
#include "shardwright/auto/mesh_shapes.h"
#include "shardwright/report/short_texts.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;

namespace shardwright {
namespace {

constexpr llvm::StringLiteral
    kPairsRemedy("give none, or pairs RESULT=ARGUMENT as 0=0,1=1");

/// Parses the options that name arguments. Returns exitFine, or the error has
/// been printed.
int readRequests(const AutoCommandOptions &options, AutoOptions &request) {
  for (const std::string &text : options.fixed) {
    // Names may contain '=': the spec begins at the last "=P".
    size_t at = text.rfind("=P");
    if (at == std::string::npos)
      return badInput("--fix: expected NAME=P(...), found '" + text + "'",
                      "name an argument as the report does, as in --fix "
                      "\"params['w']=P('x', None)\"");
    auto spec = PartitionSpec::parse(llvm::StringRef(text).drop_front(at + 1));
    if (!spec)
      return badInput("--fix: " + llvm::toString(spec.takeError()),
                      "write the PartitionSpec as in JAX, P('x', None)");
    request.fixed.emplace_back(text.substr(0, at), std::move(*spec));
  }
  if (options.drop == "constraints")
    request.drop = DropAnnotations::Constraints;
  else if (options.drop == "all")
    request.drop = DropAnnotations::All;
  if (options.state.empty())
    return exitFine;
  request.pairs.pairs = StatePairs::None;
  if (options.state == "none")
    return exitFine;
  SmallVector<StringRef> parts;
  StringRef(options.state).split(parts, ',');
  for (StringRef part : parts) {
    auto [result, argument] = part.split('=');
    std::pair<int32_t, int32_t> pair;
    if (result.getAsInteger(10, pair.first) ||
        argument.getAsInteger(10, pair.second))
      return badInput("--state: '" + part + "' is not a pair", kPairsRemedy);
    request.pairs.named.push_back(pair);
  }
  return exitFine;
}

int writeOutputs(const AutoCommandOptions &options, const AutoResult &result,
                 StringRef machine) {
  if (options.specs == "python")
    writeSpecsPython(result, llvm::outs());
  if (options.specs == "json")
    llvm::outs() << llvm::formatv("{0:2}", autoJson(result)) << "\n";
  std::string kind = options.specs.empty() ? "text" : "", file = "-";
  if (options.report &&
      !parseOutput("--report", *options.report, {"text", "json"}, kind, file))
    return exitBadInput;
  if (kind.empty())
    return exitFine;
  bool written = writeFile(file, [&](llvm::raw_ostream &os) {
    if (kind == "json") {
      os << llvm::formatv("{0:2}", autoJson(result)) << "\n";
      return;
    }
    llvm::raw_ostream &text = file == "-" ? out() : os;
    writeAutoText(result, options.module + " on " + machine.str(), text);
  });
  return written ? exitFine : exitBadInput;
}

} // namespace

int autoCommand(const AutoCommandOptions &options) {
  AutoOptions request;
  std::optional<MachineModel> machine;
  if (!readMachine(options.machine, machine))
    return exitBadInput;
  if (machine)
    request.machine = std::move(*machine);
  if (int code = readRequests(options, request))
    return code;
  if (options.mesh)
    request.mesh = *options.mesh;
  if (options.memory)
    request.memory = double(*options.memory);
  request.overlap = options.overlap;
  request.effort = options.effort;
  request.specsOnly = options.specsOnly;
  if (!checkWritable("-o", options.out) ||
      !checkReportFile("--report", options.report))
    return exitBadInput;

  Session session;
  if (!session.load(options.module, options.trusted))
    return exitBadInput;
  request.readsBack = true;
  Progress progress;
  request.progress = [&](int64_t trials, double best) {
    progress.at(llvm::Twine(trials) + " partitionings tried, " +
                (std::isfinite(best) ? "best step " + durationText(best)
                                     : std::string("none fits yet")));
  };
  FailureOr<AutoResult> result =
      options.devices
          ? autoShardDevices(session.module(), options.devices, request)
          : autoShard(session.module(), request);
  progress.pause();
  if (failed(result)) {
    if (!session.finishDiagnostic())
      badInput("cannot shard '" + options.module + "'", "");
    return exitBadInput;
  }
  CompileOptions compile;
  compile.partition.machine = request.machine;
  compile.overlap = request.overlap;
  std::string text = std::move(result->details.text);
  if (text.empty()) {
    llvm::raw_string_ostream os(text);
    result->module->print(os, OpPrintingFlags().enableDebugInfo());
  }
  text += "\n";
  if (int code = checkReadBack(text, *result, compile)) {
    session.finishDiagnostic();
    return code;
  }
  if (int code = writeOutputs(options, *result, request.machine.name))
    return code;
  if (!result->found.fits) {
    err() << "nothing fits in " << formatBytes(result->memoryLimit)
          << " per device: the least memory found is "
          << formatBytes(result->found.peak)
          << "\nremedy: more devices, donated arguments, or rematerialisation "
             "(jax.checkpoint)\n";
    return exitDiffers;
  }
  if (!options.out.empty() &&
      !writeFile(options.out, [&](llvm::raw_ostream &file) { file << text; }))
    return exitBadInput;
  if (!options.verify)
    return exitFine;
  int code = verifyByRunning(session.module(), text, compile,
                             options.specs.empty() ? &out() : nullptr);
  if (code == exitBadInput)
    session.finishDiagnostic();
  return code;
}

} // namespace shardwright
