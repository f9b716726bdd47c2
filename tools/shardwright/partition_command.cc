//===- partition_command.cc - shardwright partition -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "session.h"

#include "mlir/IR/AsmState.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace shardwright {
namespace {

/// Bytes of the largest argument or result that every device holds whole
/// although the mesh could split it.
double largestReplicated(const Compiled &compiled) {
  double largest = 0;
  for (const auto *specs : {&compiled.arguments, &compiled.results})
    for (const ValueSpec &spec : *specs)
      if (spec.sharding.isReplicated()) {
        double bytes = double(byteWidth(spec.type));
        for (int64_t size : spec.shape)
          bytes *= double(size);
        largest = std::max(largest, bytes);
      }
  return compiled.report.devices > 1 ? largest : 0;
}

double measure(Budget::What what, const Compiled &compiled) {
  switch (what) {
  case Budget::What::Replicate:
    return largestReplicated(compiled);
  case Budget::What::Sent:
    return compiled.report.collectives.totalBytes();
  case Budget::What::Peak:
    return double(compiled.report.peakBytesPerDevice);
  }
  llvm_unreachable("all budgets are handled");
}

} // namespace

int partitionCommand(const PartitionOptionsCli &options) {
  Session session;
  // What the program costs is known only at its last stages.
  bool wantsCosts = options.stats || options.report || !options.budgets.empty();
  std::string text;
  CommonOptions common = options;
  // A file may be read again by tools: it keeps the source positions.
  common.debugInfo |= !options.out.empty();
  if (!session.compile(common, wantsCosts ? Stage::Local : options.stopAfter,
                       options.stopAfter, &text))
    return exitBadInput;
  text += "\n";

  // The IR goes to standard output unless statistics or a report do.
  auto takesStdout = [](const std::optional<std::string> &option) {
    return option && option->find('=') == std::string::npos;
  };
  bool toStdout = options.out.empty() && !takesStdout(options.stats) &&
                  !takesStdout(options.report);
  if (!options.out.empty() || toStdout)
    if (!writeFile(options.out.empty() ? "-" : options.out,
                   [&](llvm::raw_ostream &os) { os << text; }))
      return exitBadInput;
  if (!wantsCosts)
    return exitFine;

  bool memoryKnown = session.generateCode(options);
  if (!session.writeReports(options))
    return exitBadInput;
  int code = exitFine;
  for (const Budget &budget : options.budgets) {
    if (budget.what == Budget::What::Peak && !memoryKnown)
      return badInput("cannot check the budget " + budget.text +
                          ": the cpu backend cannot compile the program",
                      "drop the budget");
    double found = measure(budget.what, session.compiled());
    if (found <= budget.bytes)
      continue;
    llvm::errs() << "budget exceeded: " << budget.text << ", found "
                 << formatBytes(found) << "\n";
    code = exitDiffers;
  }
  return code;
}

} // namespace shardwright
