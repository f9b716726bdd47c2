//===- budgets.cc - checks the budgets of --fail-on -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "budgets.h"

#include "shardwright/report/location_text.h"
#include "shardwright/support/sort_by.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace shardwright {
namespace {

/// Per budget: the number of values or collectives that are printed, and of
/// those for which annotations are tried.
constexpr size_t kMostOffenders = 5, kMostTried = 2;

class BudgetCheck {
public:
  explicit BudgetCheck(Session &session)
      : session(session), compiled(session.compiled()) {}

  /// True if the budget is kept. Otherwise the report has been printed.
  bool check(const Budget &budget);

private:
  bool checkReplicated(const Budget &budget);
  bool checkSent(const Budget &budget);
  bool checkPeak(const Budget &budget);
  bool checkPredictedPeak(const Budget &budget);
  void exceeded(const Budget &budget, double found);
  void tellWhole(const Budget &budget);
  void tellBoundary(const Budget &budget);
  void rest(size_t all);

  Session &session;
  Compiled &compiled;
};

void BudgetCheck::exceeded(const Budget &budget, double found) {
  err() << "budget exceeded: " << budget.text << ", found "
        << formatBytes(found) << "\n";
}

void BudgetCheck::rest(size_t all) {
  if (all > kMostOffenders)
    err() << "  and " << all - kMostOffenders << " more\n";
}

//===--- replicate --------------------------------------------------------===//

/// A saved executable has no values inside, only arguments and results.
static double bytesOf(const ValueSpec &spec) {
  double bytes = double(byteWidth(spec.type));
  for (int64_t size : spec.shape)
    bytes *= double(size);
  return bytes;
}

void BudgetCheck::tellBoundary(const Budget &budget) {
  size_t all = 0;
  for (auto [what, specs] : {std::pair("argument", &compiled.arguments),
                             std::pair("result", &compiled.results)})
    for (const ValueSpec &spec : *specs)
      if (spec.sharding.isReplicated() && bytesOf(spec) > budget.bytes &&
          ++all <= kMostOffenders)
        err() << "  " << what << " " << spec.name << ", "
              << formatBytes(bytesOf(spec)) << ", replicated on "
              << compiled.report.devices << " devices\n";
  rest(all);
  err() << "    remedy: annotate it in the program and save it again\n";
}

void BudgetCheck::tellWhole(const Budget &budget) {
  SecondLook *look = session.secondLook();
  if (!look)
    return;
  std::vector<WholeValue> whole = look->wholeAbove(budget.bytes);
  for (auto [i, value] : llvm::enumerate(whole)) {
    if (i == kMostOffenders)
      break;
    SecondLook::Told told = look->tell(value, i < kMostTried);
    err() << "  " << told.what << ", replicated on " << compiled.report.devices
          << " devices\n    " << told.why << "\n    remedy: " << told.remedy
          << "\n";
  }
  rest(whole.size());
}

bool BudgetCheck::checkReplicated(const Budget &budget) {
  double found = session.mostReplicated();
  if (session.isLoaded() && compiled.report.devices > 1)
    for (const auto *specs : {&compiled.arguments, &compiled.results})
      for (const ValueSpec &spec : *specs)
        if (spec.sharding.isReplicated())
          found = std::max(found, bytesOf(spec));
  if (found <= budget.bytes)
    return true;
  exceeded(budget, found);
  if (session.isLoaded())
    tellBoundary(budget);
  else
    tellWhole(budget);
  return false;
}

//===--- sent -------------------------------------------------------------===//

bool BudgetCheck::checkSent(const Budget &budget) {
  const CollectiveCost &cost = compiled.report.collectives;
  if (cost.totalBytes() <= budget.bytes)
    return true;
  exceeded(budget, cost.totalBytes());
  SecondLook *look = session.secondLook();
  // The same program, with locations that identify the reasons.
  const CollectiveCost &named = look ? look->collectives() : cost;
  std::vector<const CollectiveUse *> uses;
  for (const CollectiveUse &use : named.uses)
    uses.push_back(&use);
  sortBy(uses, [](const CollectiveUse *use) { return -use->bytes; });
  for (auto [i, use] : llvm::enumerate(uses)) {
    if (i == kMostOffenders)
      break;
    std::string where = filePosition(use->location);
    err() << "  " << use->kind << ", " << use->axes << ", sends "
          << formatBytes(use->bytes);
    if (use->executions != 1)
      err() << " in " << llvm::formatv("{0}", int64_t(use->executions))
            << " runs";
    auto reasons = look ? look->moves().reasonsOf(use->location)
                        : std::vector<const RecordedReason *>();
    llvm::ListSeparator comma(", ");
    err() << (reasons.empty() && where.empty() ? "" : ", for ");
    if (reasons.empty())
      err() << where;
    constexpr size_t kMostReasons = 3;
    for (auto [n, reason] : llvm::enumerate(reasons)) {
      if (n == kMostReasons) {
        err() << " and " << reasons.size() - n << " more";
        break;
      }
      err() << comma << look->userText(*reason);
    }
    err() << "\n";
    if (i >= kMostTried || !look || reasons.empty() || !look->search())
      continue;
    const RecordedReason &first = *reasons.front();
    if (!first.from.empty())
      err() << "    from " << first.from << " to " << first.to << "\n";
    err() << "    remedy: "
          << adviceText(look->search()->sendLess(first), "", named.totalBytes())
          << "\n";
  }
  rest(uses.size());
  err() << "  shardwright explain --collectives says what each is for\n";
  return false;
}

//===--- peak -------------------------------------------------------------===//

/// Of a program without machine code.
bool BudgetCheck::checkPredictedPeak(const Budget &budget) {
  const PeakReport &peak = *compiled.report.predictedPeak;
  if (double(peak.bytes) <= budget.bytes)
    return true;
  exceeded(budget, double(peak.bytes));
  writeText(peak, err());
  return false;
}

bool BudgetCheck::checkPeak(const Budget &budget) {
  if (!compiled.executable)
    return checkPredictedPeak(budget);
  double found = double(compiled.report.peakBytesPerDevice);
  if (found <= budget.bytes)
    return true;
  exceeded(budget, found);
  struct Held {
    int64_t bytes;
    std::string what;
  };
  std::vector<Held> held;
  const LoadedProgram &program = compiled.executable->program();
  // A result in the memory of an argument counts once.
  llvm::SmallDenseSet<int64_t> inArguments;
  for (const ValueSpec &spec : compiled.executable->arguments())
    if (spec.aliasedResult >= 0 && program.memory().reusedByResults > 0)
      inArguments.insert(spec.aliasedResult);
  auto addBoundary = [&](const char *what, ArrayRef<ValueSpec> specs,
                         bool areResults) {
    for (auto [i, spec] : llvm::enumerate(specs)) {
      if (areResults && inArguments.contains(int64_t(i)))
        continue;
      int64_t bytes = byteWidth(spec.type);
      for (int64_t size : localShape(spec.shape, spec.sharding))
        bytes *= size;
      bool whole = spec.sharding.isReplicated() && program.numDevices() > 1;
      held.push_back({bytes, (llvm::Twine(what) + " " + spec.name +
                              (whole ? ", replicated" : ""))
                                 .str()});
    }
  };
  addBoundary("argument", compiled.executable->arguments(), false);
  addBoundary("result", compiled.executable->results(), true);
  PeakMemory peak = program.peakMemory();
  for (const PeakMemory::Value &value : peak.values) {
    std::string type;
    for (int64_t size : value.type.shape)
      type += std::to_string(size) + "x";
    type += str(value.type.type).str();
    held.push_back({value.type.bytes(),
                    "result of " +
                        (value.writer.empty() ? "an operation" : value.writer) +
                        ", " + type});
  }
  sortBy(held, [](const Held &one) { return -one.bytes; });
  err() << "  alive at the peak"
        << (peak.place.empty() ? "" : ", in " + peak.place) << "\n";
  for (auto [i, one] : llvm::enumerate(held)) {
    if (i == kMostOffenders)
      break;
    err() << "    " << formatBytes(double(one.bytes)) << "  " << one.what
          << "\n";
  }
  if (held.size() > kMostOffenders)
    err() << "    and " << held.size() - kMostOffenders << " more\n";
  err() << "    remedy: shard the largest of them over more axes "
           "(--fail-on=replicate>SIZE names replicated values), or "
           "donate arguments\n";
  return false;
}

bool BudgetCheck::check(const Budget &budget) {
  switch (budget.what) {
  case Budget::What::Replicate:
    return checkReplicated(budget);
  case Budget::What::Sent:
    return checkSent(budget);
  case Budget::What::Peak:
    return checkPeak(budget);
  }
  llvm_unreachable("all budgets are handled");
}

} // namespace

int checkBudgets(const CommonOptions &options, Session &session) {
  int code = exitFine;
  BudgetCheck check(session);
  for (const Budget &budget : options.budgets) {
    if (!check.check(budget))
      code = exitDiffers;
  }
  return code;
}

} // namespace shardwright
