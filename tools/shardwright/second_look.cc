//===- second_look.cc - costs of a program, with the user's names ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "second_look.h"

#include "shardwright/compile/partition_trial.h"
#include "shardwright/report/location_text.h"
#include "shardwright/report/program_report.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace shardwright {

SecondLook::SecondLook(OwningOpRef<ModuleOp> asRead,
                       const AsmParserState *positions,
                       const llvm::SourceMgr *sources, CompileOptions given)
    : imported(std::move(asRead)), user(*imported, positions, sources),
      planned(user, /*weighsRoutes=*/false), options(std::move(given)) {
  options.observer = nullptr;
  options.overlap = Overlap::Off;
  options.afterStage = nullptr;
}

/// The first compilation has already printed warnings and remarks.
static LogicalResult dropWarnings(Diagnostic &diagnostic) {
  return success(diagnostic.getSeverity() != DiagnosticSeverity::Error);
}

bool SecondLook::look() {
  ScopedDiagnosticHandler quiet(imported->getContext(), dropWarnings);
  if (failed(importModule(*imported, options.import)) ||
      failed(simplifyForDevices(*imported, options.import.devices)))
    return false;
  local = imported->clone();
  std::optional<PartitionTrial> found =
      tryPartition(*local, options, user, 0, planned, &cost);
  if (!found)
    return false;
  whole = std::move(found->whole);
  return true;
}

std::vector<WholeValue> SecondLook::wholeAbove(double bytes) const {
  std::vector<WholeValue> result;
  for (const WholeValue &value : whole)
    if (double(value.bytes) > bytes)
      result.push_back(value);
  return result;
}

AnnotationSearch *SecondLook::search() {
  if (annotations || searchFailed)
    return annotations.get();
  ScopedDiagnosticHandler quiet(imported->getContext(), dropWarnings);
  auto found = AnnotationSearch::create(*imported, user, planned,
                                        trialPartitioner(options, user),
                                        cost.totalBytes(), options.shardy);
  if (failed(found))
    searchFailed = true;
  else
    annotations = std::move(*found);
  return annotations.get();
}

std::string adviceText(const AnnotationAdvice &advice, llvm::StringRef effect,
                       double bytesNow) {
  if (!advice.best)
    return advice.numTried == 0
               ? "no annotation that divides it evenly could be tried; "
                 "shardwright explain says why"
               : "none of the " + std::to_string(advice.numTried) +
                     " annotations tried around it helps; shardwright explain "
                     "says why";
  double bytes = advice.best->bytesSent;
  std::string text = advice.best->text() + ": tried, " + effect.str() +
                     "each device then sends " + formatBytes(bytes) + " a run";
  if (bytes == bytesNow)
    return text + ", as now";
  if (formatBytes(bytes) == formatBytes(bytesNow))
    return text + ", " + formatBytes(std::abs(bytes - bytesNow)) +
           (bytes < bytesNow ? " less than now" : " more than now");
  return text + " instead of " + formatBytes(bytesNow);
}

std::string SecondLook::userText(const RecordedReason &reason) const {
  std::string text = reason.op;
  if (reason.opValue.mainResult >= 0) {
    text += " " + user.resultName(reason.opValue.mainResult);
  } else if (reason.opValue.id >= 0) {
    const UserValue &value = user.all()[reason.opValue.id];
    // The name in the user's program.
    if (!value.op.empty())
      text = StringRef(value.op).rsplit('.').second.str();
    text += " " + value.shortName();
  }
  return text + (reason.where.empty() ? "" : " (" + reason.where + ")");
}

SecondLook::Told SecondLook::tell(const WholeValue &value,
                                  bool triesAnnotations) {
  Told told;
  told.what = value.text();
  if (value.isGathered && value.reason) {
    told.why = "gathered from " + value.reason->from + " for " +
               userText(*value.reason);
  } else {
    bool isGiven =
        value.value.id >= 0 && user.all()[value.value.id].argument >= 0;
    told.why = isGiven ? "an argument that no axis shards"
                       : "computed by every device: no axis shards it";
  }
  AnnotationSearch *tries = triesAnnotations ? search() : nullptr;
  told.remedy = tries ? adviceText(tries->keepSharded(value),
                                   "it stays sharded and ", cost.totalBytes())
                      : "shardwright explain says why";
  return told;
}

} // namespace shardwright
