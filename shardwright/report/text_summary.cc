//===- text_summary.cc - the summary of a report -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/group_rows.h"
#include "shardwright/report/program_report.h"
#include "shardwright/report/run_times.h"
#include "shardwright/report/short_texts.h"
#include "shardwright/report/text_table.h"

#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace shardwright {
namespace {

/// `1 run`, `2 runs`.
std::string counted(int64_t count, StringRef noun) {
  return (Twine(count) + " " + noun + (count == 1 ? "" : "s")).str();
}

std::string percentText(double part, double all) {
  return formatv("{0:f0} %", all > 0 ? part / all * 100 : 0).str();
}

std::string sentText(const CollectiveCost &cost) {
  if (cost.uses.empty())
    return "nothing: no collectives";
  double executions = 0;
  for (const CollectiveUse &use : cost.uses)
    executions += use.executions;
  return formatBytes(cost.totalBytes()) + " a run by each device, in " +
         counted(int64_t(executions), "collective") +
         (cost.unknownTripCount ? "; loops of unknown trip count counted once"
                                : "");
}

std::string runText(const ProgramReport &report) {
  if (!report.repeated)
    return durationText(report.runSeconds);
  Spread spread = spreadOf(report.repeated->seconds);
  return formatv("{0}, the median of {1} after {2}; half of them {3} to {4}, "
                 "all {5} to {6}",
                 durationText(spread.median),
                 counted(int64_t(report.repeated->seconds.size()), "run"),
                 counted(report.repeated->warmUps, "warm-up"),
                 durationText(spread.lowerQuartile),
                 durationText(spread.upperQuartile), durationText(spread.least),
                 durationText(spread.most))
      .str();
}

std::string predictedText(const StepPrediction &step) {
  return formatv("{0} on {1}: computing {2}, communication {3}, {4} of it "
                 "not hidden",
                 durationText(step.time.total()), step.machine,
                 durationText(step.time.compute),
                 durationText(step.time.communication),
                 durationText(step.time.exposed));
}

std::string peakText(const ProgramReport &report) {
  if (report.peakBytesPerDevice > 0)
    return formatv("{0} of each device: arguments {1}, results {2}, "
                   "temporaries {3}",
                   formatBytes(double(report.peakBytesPerDevice)),
                   formatBytes(double(report.argumentBytes)),
                   formatBytes(double(report.resultBytes)),
                   formatBytes(double(report.arenaBytes)));
  if (report.predictedPeak)
    return formatBytes(double(report.predictedPeak->bytes)) +
           " of each device, predicted";
  return "";
}

std::string comparedText(ArrayRef<ComparisonReport> comparisons) {
  int64_t differing = count_if(
      comparisons, [](const ComparisonReport &one) { return !one.ok; });
  int64_t all = int64_t(comparisons.size());
  std::string text = counted(all, "result") + " compared, ";
  return text + (differing == 0    ? "equal within the tolerance"
                 : differing < all ? std::to_string(differing) + " of them "
                                                                 "differ"
                 : all == 1        ? "it differs"
                                   : "all differ");
}

/// The bytes that `value` keeps in each device beyond an even share; 0 if it is
/// sharded.
double wastedBytes(const ValueReport &value, int64_t devices) {
  if (value.type != value.local || devices < 2)
    return 0;
  return value.bytesPerDevice * (1 - 1 / double(devices));
}

struct Largest {
  double bytes = 0; ///< 0: there is none
  std::string what, question;
};

/// What costs a device most bytes: to send, to hold in full size, or to hold
/// for the time of the run.
Largest largestOf(const ProgramReport &report,
                  ArrayRef<CollectiveGroup> groups) {
  Largest largest;
  auto look = [&](double bytes, const Twine &what, const Twine &question) {
    if (bytes > largest.bytes)
      largest = {bytes, what.str(), question.str()};
  };
  if (!groups.empty()) {
    const CollectiveGroup &first = groups.front();
    look(first.bytes,
         Twine(first.uses.front()->kind) + " along " +
             first.uses.front()->axes + ", " +
             percentText(first.bytes, report.collectives.totalBytes()) +
             " of the bytes sent",
         "--collectives");
  }
  for (auto [list, what, option] :
       {std::tuple(&report.arguments, "argument ", "--arg "),
        std::tuple(&report.results, "result ", "--result ")})
    for (auto [i, value] : enumerate(*list))
      look(wastedBytes(value, report.devices),
           what + value.name + ", replicated (" +
               formatBytes(value.bytesPerDevice) + ")",
           option + Twine(i));
  if (report.predictedPeak)
    for (MemoryClass kind : {MemoryClass::Residual, MemoryClass::Gathered}) {
      double bytes = double(report.predictedPeak->bytesByClass[size_t(kind)]);
      look(bytes,
           Twine("values of class ") + str(kind) + ", " + formatBytes(bytes) +
               " at the peak",
           "--collectives");
    }
  return largest;
}

} // namespace

std::string moreHint(const TextReportOptions &options) {
  return options.fullOption.empty()
             ? ""
             : " (" + options.fullOption + " shows them)";
}

void writeSummary(const ProgramReport &report, raw_ostream &os,
                  const TextReportOptions &options) {
  os << "\nsummary\n";
  TextTable facts(2);
  auto add = [&](const char *name, std::string text) {
    if (!text.empty())
      facts.add({name, std::move(text)});
  };
  add("sent", sentText(report.collectives));
  if (!report.predicted.machine.empty() && report.predicted.isAsked)
    add("predicted step", predictedText(report.predicted));
  if (report.runSeconds > 0)
    add("run", runText(report));
  add("peak memory", peakText(report));
  if (!report.comparisons.empty())
    add("comparison", comparedText(report.comparisons));
  std::vector<CollectiveGroup> groups =
      groupCollectives(report.collectives.uses);
  Largest largest = largestOf(report, groups);
  if (!largest.what.empty() && !options.explain.empty()) {
    add("largest", largest.what);
    add("next", options.explain + " " + largest.question);
  }
  facts.print(os, "  ");

  constexpr size_t kMostListed = 5;
  if (groups.size() < 2) // the table of collectives says the same
    return;
  os << "\n  collectives that send most\n";
  TextTable table(6);
  table.alignRight(0).alignRight(1).fit(5, options.width);
  double all = report.collectives.totalBytes();
  for (const CollectiveGroup &group : ArrayRef(groups).take_front(kMostListed))
    table.add({formatBytes(group.bytes), percentText(group.bytes, all),
               group.uses.front()->kind, group.uses.front()->axes,
               group.countText(), group.where});
  table.print(os, "    ");
}

} // namespace shardwright
