//===- found_details.cc - communication and memory of a plan --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/found_details.h"

#include "shardwright/auto/search/ordered.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/cost/machine_levels.h"
#include "shardwright/partition/ops/trip_count.h"
#include "shardwright/partition/overlap/op_cost.h"
#include "shardwright/report/location_text.h"
#include "shardwright/rules/rule_interface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/SetVector.h"

#include <map>

using namespace mlir;

namespace shardwright {

llvm::StringRef str(SentFor purpose) {
  switch (purpose) {
  case SentFor::Activations:
    return "activations";
  case SentFor::Parameters:
    return "parameters";
  case SentFor::Gradients:
    return "gradients";
  }
  llvm_unreachable("all purposes have a text");
}

namespace {

/// Finds out what the collectives of a local program are for.
class Purposes {
public:
  Purposes(func::FuncOp main, ArrayRef<int32_t> argumentOf)
      : main(main), argumentOf(argumentOf) {}

  SentFor of(Operation *collective) const {
    bool gathers = isa<stablehlo::AllGatherOp>(collective);
    if (collective->getNumOperands() > 0 &&
        comesFromArgument(collective->getOperand(0)))
      return SentFor::Parameters;
    if (!reachesState(collective))
      return SentFor::Activations;
    return gathers ? SentFor::Parameters : SentFor::Gradients;
  }

private:
  /// True if the value is an argument that a step replaces (any argument, if
  /// there is no state) but for its shape, type and slicing.
  bool comesFromArgument(Value value) const {
    for (;;) {
      if (auto argument = dyn_cast<BlockArgument>(value)) {
        Operation *parent = argument.getOwner()->getParentOp();
        if (parent == main)
          return !hasState() ||
                 llvm::is_contained(argumentOf,
                                    int32_t(argument.getArgNumber()));
        if (!isa<stablehlo::WhileOp>(parent))
          return false;
        // Only values that the loop does not change.
        if (cast<stablehlo::WhileOp>(parent)
                .getBody()
                .front()
                .getTerminator()
                ->getOperand(argument.getArgNumber()) != argument)
          return false;
        value = parent->getOperand(argument.getArgNumber());
        continue;
      }
      Operation *op = value.getDefiningOp();
      if (!isa<stablehlo::ReshapeOp, stablehlo::TransposeOp,
               stablehlo::ConvertOp, stablehlo::SliceOp,
               stablehlo::DynamicSliceOp, stablehlo::AllGatherOp>(op))
        return false;
      value = op->getOperand(0);
    }
  }

  /// True if elementwise ops lead from a result to a new value of state.
  bool reachesState(Operation *collective) const {
    constexpr size_t kMostVisited = 4096;
    llvm::SetVector<Operation *> visited;
    visited.insert(collective);
    for (size_t i = 0; i < visited.size() && i < kMostVisited; ++i)
      for (OpOperand &use : visited[i]->getUses()) {
        Operation *user = use.getOwner();
        if (isa<func::ReturnOp>(user)) {
          if (use.getOperandNumber() < argumentOf.size() &&
              argumentOf[use.getOperandNumber()] >= 0)
            return true;
          continue;
        }
        if (isa<stablehlo::ReturnOp>(user) &&
            isa<stablehlo::WhileOp>(user->getParentOp()))
          visited.insert(user->getParentOp());
        else if (isElementwise(user) ||
                 isa<stablehlo::ReshapeOp, stablehlo::TransposeOp,
                     stablehlo::SliceOp, stablehlo::DynamicSliceOp,
                     stablehlo::DynamicUpdateSliceOp,
                     stablehlo::BroadcastInDimOp, stablehlo::AllGatherOp>(user))
          visited.insert(user);
      }
    return false;
  }

  bool hasState() const {
    return llvm::any_of(argumentOf, [](int32_t a) { return a >= 0; });
  }

  func::FuncOp main;
  ArrayRef<int32_t> argumentOf;
};

void readCommunication(ModuleOp local, const Compiled &compiled,
                       const MachineModel &machine,
                       ArrayRef<int32_t> argumentOf, FoundDetails &details) {
  Purposes purposes(sdy::getMainFunc(local), argumentOf);
  OpCosts costs(machine, compiled.report.mesh);
  // In program order, so that ties do not depend on names.
  std::vector<Communication> shares;
  for (const CollectiveUse &use : compiled.report.collectives.uses) {
    SentFor purpose = use.op ? purposes.of(use.op) : SentFor::Activations;
    auto share = llvm::find_if(shares, [&](const Communication &other) {
      return other.axes == use.axes && other.purpose == purpose;
    });
    if (share == shares.end())
      share = shares.insert(share, {use.axes, purpose});
    ++share->count;
    share->bytes += use.bytes;
    if (std::optional<Transfer> transfer =
            use.op ? costs.transfer(use.op) : std::nullopt)
      share->seconds += transfer->seconds * use.executions;
  }
  for (Communication &share : shares)
    insertOrdered(details.communication, std::move(share),
                  [](const Communication &a, const Communication &b) {
                    return a.seconds > b.seconds;
                  });
}

std::string placeOf(Operation *op) {
  std::string text = locationText(op->getLoc());
  return text.empty() ? "" : " (" + text + ")";
}

/// Ops of the program that the partitioner has no rule for, and loops.
void readAssumptions(ModuleOp module, ArrayRef<int32_t> argumentOf,
                     FoundDetails &details) {
  std::map<std::string, int64_t> withoutRule;
  module.walk([&](Operation *op) {
    if (isa<stablehlo::WhileOp>(op) && !knownTripCount(op))
      details.assumptions.push_back("a loop of unknown trip count" +
                                    placeOf(op) + " counts once");
    auto call = dyn_cast<stablehlo::CustomCallOp>(op);
    if (call && !getShardingRule(op, {.extraRules = true}))
      ++withoutRule[call.getCallTargetName().str()];
  });
  for (const auto &[name, count] : withoutRule)
    details.assumptions.push_back(
        "custom call @" + name +
        (count > 1 ? " (" + std::to_string(count) + " times)" : "") +
        " has no sharding rule: each device computes all of it");
  func::FuncOp main = sdy::getMainFunc(module);
  auto nameOf = [&](int32_t argument) {
    auto loc = dyn_cast<NameLoc>(main.getArgument(argument).getLoc());
    return loc ? loc.getName().str() : "argument " + std::to_string(argument);
  };
  constexpr int64_t kMostPairs = 4;
  int64_t pairs = 0;
  std::string text;
  for (auto [result, argument] : llvm::enumerate(argumentOf)) {
    if (argument < 0 || ++pairs > kMostPairs)
      continue;
    text += (text.empty() ? "" : ", ") + ("result " + std::to_string(result)) +
            " that of " + nameOf(argument);
  }
  if (pairs > 0)
    details.assumptions.push_back(
        "results that replace arguments have their layout: " + text +
        (pairs > kMostPairs
             ? ", and " + std::to_string(pairs - kMostPairs) + " more"
             : ""));
}

} // namespace

/// The module from its text, as a user would keep it; null if that fails.
static OwningOpRef<ModuleOp> readBack(ModuleOp annotated, std::string &text) {
  llvm::raw_string_ostream os(text);
  annotated->print(os, OpPrintingFlags().enableDebugInfo());
  return parseSourceString<ModuleOp>(text, annotated.getContext());
}

FoundDetails describeFound(ModuleOp annotated, const CompileOptions &options,
                           ArrayRef<int32_t> argumentOf, bool readsBack) {
  FoundDetails details;
  ScopedDiagnosticHandler quiet(annotated.getContext(),
                                [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> local = readsBack ? readBack(annotated, details.text)
                                          : OwningOpRef(annotated.clone());
  if (!local)
    return details;
  CompileOptions mine = options;
  mine.stopAfter = Stage::Local;
  mine.form = ProgramForm::Device;
  // Trip counts are constants only after simplification.
  mine.afterStage = [&](Stage stage, ModuleOp module) {
    if (stage == Stage::Import)
      readAssumptions(module, argumentOf, details);
  };
  FailureOr<Compiled> compiled = compile(*local, mine);
  if (failed(compiled))
    return details;
  details.peak = compiled->report.predictedPeak;
  if (readsBack)
    details.secondsOfText = compiled->report.predicted.time.total();
  auto machine =
      withLinksOfLevels(options.partition.machine.value_or(MachineModel()),
                        compiled->report.mesh);
  if (!machine) {
    llvm::consumeError(machine.takeError());
    return details;
  }
  readCommunication(*local, *compiled, *machine, argumentOf, details);
  return details;
}

} // namespace shardwright
