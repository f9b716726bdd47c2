//===- partition_command.cc - shardwright partition -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "budgets.h"
#include "check_files.h"

#include "shardwright/auto/plan_inside.h"

#include "mlir/IR/AsmState.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace shardwright {
int partitionCommand(const PartitionOptionsCli &options) {
  bool isRegion = options.form == ProgramForm::Region;
  if (isRegion && (options.stats || options.report || !options.budgets.empty()))
    return badInput(
        "--form=region only prints the program: statistics, reports "
        "and budgets are of the program of one device",
        "leave out --form=region, or --stats, --report and "
        "--fail-on");
  if (isRegion && options.partitionEffort == kPlanInsideEffort)
    return badInput(
        "--form=region keeps the shardings of arguments and results "
        "as they are written, but --partition-effort=3 fixes those "
        "that propagation gives them",
        "give --partition-effort=2, or leave out --form=region");
  if (isRegion && options.stopAfter != Stage::Local)
    return badInput("--form=region is a form of stage local, but --stop-after "
                    "asks for stage " +
                        str(options.stopAfter),
                    "leave out --stop-after");
  if (!checkWritable("-o", options.out) || !checkReportFiles(options))
    return exitBadInput;
  Session session;
  // The cost of a program is known only after its last stages.
  bool wantsCosts = options.stats || options.report || !options.budgets.empty();
  std::string text;
  CommonOptions common = options;
  // Other tools may read the file, so keep the source locations.
  common.debugInfo |= !options.out.empty();
  if (!session.compile(common, wantsCosts ? Stage::Local : options.stopAfter,
                       options.stopAfter, &text))
    return exitBadInput;
  text += "\n";

  // The IR goes to standard output unless statistics or a report go there.
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

  session.generateCode(options);
  if (!session.writeReports(options))
    return exitBadInput;
  return checkBudgets(options, session);
}

} // namespace shardwright
