//===- measure.cc - measures the machine at hand --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/measure/measure.h"

#include "shardwright/measure/fit.h"
#include "shardwright/measure/time_program.h"
#include "shardwright/partition/overlap/step_time.h"
#include "shardwright/support/error.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace shardwright {

namespace {

/// A probe as a module for the predictor.
struct Timed {
  struct Program {
    OwningOpRef<ModuleOp> module;
    std::shared_ptr<LoadedProgram> loaded;
    /// Of the fastest run.
    double seconds = 0;
  };
  MeasuredProbe measured;
  Program program;
  /// Without what the probe is about; no module: none.
  Program without;
};

/// Passes over all probes, of which the fastest time counts: the machine may be
/// slower for a while, and its ratios shall not be.
constexpr int kPasses = 3;

class Measuring {
public:
  Measuring(Backend &backend, MLIRContext &context,
            const MeasureOptions &options)
      : backend(backend), context(context), options(options) {}
  llvm::Expected<Measurement> run();

private:
  llvm::Expected<Timed::Program> compile(const Probe &probe,
                                         llvm::StringRef text);
  llvm::Expected<Timed> compile(const Probe &probe);
  /// Runs a program for a while, and keeps the fastest time.
  llvm::Error time(Timed::Program &program);
  /// Compiles and times all probes. Those that the backend refuses are skipped,
  /// unless it is the first.
  llvm::Error timeProbes();
  void fitDevice();
  void fitColumns();
  /// Some probes, and their measured times.
  struct Selection {
    std::vector<const Timed *> probes;
    std::vector<double> seconds;
  };
  Selection select(llvm::function_ref<bool(const Probe &)> isWanted) const;
  double errorOf(const Selection &selection) const;
  void fitLink(llvm::StringRef axis, LinkModel &link);
  void fit(llvm::ArrayRef<FitParameter> parameters,
           const Selection &selection) const;
  double predict(const Timed &timed) const {
    auto secondsOf = [&](const Timed::Program &program) {
      return predictStepTime(*program.module, options.mesh, result.machine)
          .total();
    };
    double seconds = secondsOf(timed.program);
    return timed.without.module ? seconds - secondsOf(timed.without) : seconds;
  }

  Backend &backend;
  MLIRContext &context;
  const MeasureOptions &options;
  Measurement result;
  std::vector<Timed> timed;
};

} // namespace

llvm::Expected<Timed::Program> Measuring::compile(const Probe &probe,
                                                  llvm::StringRef text) {
  std::string diagnostics;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostics.empty())
      diagnostics = diagnostic.str();
    return success();
  });
  Timed::Program next;
  next.module = parseSourceString<ModuleOp>(text, &context);
  if (!next.module)
    return fail("internal error: probe ", probe.name, ": ", diagnostics);
  // Compiling changes the module.
  OwningOpRef<ModuleOp> compiled = next.module->clone();
  FailureOr<std::shared_ptr<LoadedProgram>> program =
      backend.compile(*compiled, {});
  if (failed(program))
    return fail(diagnostics);
  next.loaded = std::move(*program);
  return next;
}

llvm::Expected<Timed> Measuring::compile(const Probe &probe) {
  Timed next;
  next.measured.probe = probe;
  auto add = [&](llvm::StringRef text, Timed::Program &to) -> llvm::Error {
    llvm::Expected<Timed::Program> made = compile(probe, text);
    if (!made)
      return made.takeError();
    to = std::move(*made);
    return llvm::Error::success();
  };
  if (llvm::Error e = add(probe.text, next.program))
    return e;
  if (!probe.without.empty())
    if (llvm::Error e = add(probe.without, next.without))
      return e;
  return next;
}

llvm::Error Measuring::time(Timed::Program &program) {
  llvm::Expected<double> seconds =
      timeProgram(backend, *program.loaded, options.budget / kPasses);
  if (!seconds)
    return seconds.takeError();
  program.seconds =
      program.seconds ? std::min(program.seconds, *seconds) : *seconds;
  return llvm::Error::success();
}

llvm::Error Measuring::timeProbes() {
  auto skip = [&](const Probe &probe, llvm::Error error) {
    result.skipped.push_back(probe.name + ": " +
                             llvm::toString(std::move(error)));
  };
  for (const Probe &probe : makeProbes(options.mesh)) {
    llvm::Expected<Timed> next = compile(probe);
    if (next)
      timed.push_back(std::move(*next));
    else if (timed.empty())
      return next.takeError();
    else
      skip(probe, next.takeError());
  }
  for (int pass = 0; pass < kPasses; ++pass)
    for (Timed &next : timed) {
      MeasuredProbe &measured = next.measured;
      if (!next.program.loaded)
        continue;
      if (options.progress)
        options.progress(measured.probe.name);
      llvm::Error error = time(next.program);
      if (!error && next.without.module)
        error = time(next.without);
      if (error && pass == 0 && &next == timed.data())
        return error;
      measured.seconds = next.program.seconds - next.without.seconds;
      if (error) {
        skip(measured.probe, std::move(error));
        next.program.loaded = nullptr;
      }
    }
  // A difference that the spread of the times hides says nothing.
  constexpr double leastShare = 0.02;
  llvm::erase_if(timed, [&](const Timed &next) {
    return !next.program.loaded ||
           next.measured.seconds <= leastShare * next.without.seconds;
  });
  return llvm::Error::success();
}

Measuring::Selection
Measuring::select(llvm::function_ref<bool(const Probe &)> isWanted) const {
  Selection selection;
  for (const Timed &next : timed)
    if (isWanted(next.measured.probe)) {
      selection.probes.push_back(&next);
      selection.seconds.push_back(next.measured.seconds);
    }
  return selection;
}

void Measuring::fit(llvm::ArrayRef<FitParameter> parameters,
                    const Selection &selection) const {
  if (!selection.probes.empty())
    fitParameters(parameters, selection.seconds,
                  [&](size_t i) { return predict(*selection.probes[i]); });
}

double Measuring::errorOf(const Selection &selection) const {
  return fitError(selection.seconds,
                  [&](size_t i) { return predict(*selection.probes[i]); });
}

void Measuring::fitDevice() {
  MachineModel &machine = result.machine;
  machine.stepSeconds = 1e-5;
  machine.operationSeconds = 1e-6;
  machine.defaultFlopsPerSecond = 1e10;
  machine.contractionSeconds = 1e-6;
  machine.elementwiseFlopsPerSecond = 1e10;
  machine.memoryBytesPerSecond = 1e10;
  machine.cacheBytes = 4 << 20;
  machine.cacheBytesPerSecond = 2e10;
  std::vector<FitParameter> parameters = {
      {&machine.stepSeconds, 1e-9, 10},
      {&machine.operationSeconds, 1e-10, 10},
      {&machine.contractionSeconds, 1e-10, 10},
      {&machine.elementwiseFlopsPerSecond, 1e6, 1e18},
      {&machine.cacheBytes, 1, 1e12},
      {&machine.cacheBytesPerSecond, 1e6, 1e15},
      {&machine.memoryBytesPerSecond, 1e6, 1e15}};
  for (const Timed &next : timed)
    if (next.measured.probe.what == Probe::What::Compute)
      machine.flopsPerSecond.try_emplace(next.measured.probe.element, 1e10);
  for (auto &[element, rate] : machine.flopsPerSecond)
    parameters.push_back({&rate, 1e6, 1e18});
  Selection ofDevice = select(
      [](const Probe &probe) { return probe.what != Probe::What::Link; });
  fit(parameters, ofDevice);
  fitColumns();
  fit(parameters, ofDevice);
  if (auto f32 = machine.flopsPerSecond.find("f32");
      f32 != machine.flopsPerSecond.end())
    machine.defaultFlopsPerSecond = f32->second;
}

/// Widths of vectors and matrix units. Products of fewer columns decide.
void Measuring::fitColumns() {
  double &columns = result.machine.contractionColumns, best = columns;
  Selection contractions = select(
      [](const Probe &probe) { return probe.what == Probe::What::Compute; });
  double least = errorOf(contractions);
  for (int64_t width = 2; width <= 256; width *= 2) {
    columns = double(width);
    double error = errorOf(contractions);
    if (error < least) {
      least = error;
      best = columns;
    }
  }
  columns = best;
}

void Measuring::fitLink(llvm::StringRef axis, LinkModel &link) {
  Selection ofAxis = select([&](const Probe &probe) {
    return probe.what == Probe::What::Link && probe.axis == axis;
  });
  LinkModel found[2];
  double errors[2];
  for (bool isShared : {false, true}) {
    link = {1e9, 1e-5, 1, isShared};
    fit({{&link.latencySeconds, 1e-9, 10}, {&link.bytesPerSecond, 1e5, 1e15}},
        ofAxis);
    found[isShared] = link;
    errors[isShared] = errorOf(ofAxis);
  }
  link = found[errors[true] < errors[false]];
}

llvm::Expected<Measurement> Measuring::run() {
  result.machine.name = options.name;
  if (llvm::Error e = timeProbes())
    return std::move(e);
  fitDevice();
  bool isFirst = true;
  for (int32_t a = 0; a < options.mesh.numAxes(); ++a) {
    llvm::StringRef axis = options.mesh.axisName(a);
    if (options.mesh.axisSize(a) < 2)
      continue;
    LinkModel &link = result.machine.links[axis.str()];
    fitLink(axis, link);
    // The default is the slowest, so that predictions for other meshes are
    // not too good.
    LinkModel &slowest = result.machine.link;
    slowest = isFirst ? link : slowest.with(link);
    isFirst = false;
  }
  for (Timed &next : timed) {
    next.measured.predicted = predict(next);
    result.probes.push_back(std::move(next.measured));
  }
  return std::move(result);
}

llvm::Expected<Measurement> measureMachine(Backend &backend,
                                           MLIRContext &context,
                                           const MeasureOptions &options) {
  return Measuring(backend, context, options).run();
}

} // namespace shardwright
