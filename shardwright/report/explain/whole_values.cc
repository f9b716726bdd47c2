//===- whole_values.cc - list replicated values ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/explain/whole_values.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/report/explain/explain_impl.h"
#include "shardwright/report/location_text.h"
#include "shardwright/report/program_report.h"
#include "shardwright/support/sort_by.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace shardwright {
namespace {

bool hasAxes(sdy::TensorShardingAttr sharding) {
  return sharding && llvm::any_of(sharding.getDimShardings(),
                                  [](sdy::DimensionShardingAttr dim) {
                                    return !dim.emptyAxes();
                                  });
}

/// True if every device has the value at no cost.
bool isMadeAnywhere(Operation *op) {
  if (isa<stablehlo::IotaOp>(op))
    return true;
  if (auto constant = dyn_cast<stablehlo::ConstantOp>(op))
    return constant.getValue().isSplat();
  auto isScalar = [](Value v) {
    auto type = dyn_cast<RankedTensorType>(v.getType());
    return type && type.getRank() == 0;
  };
  return op->getNumOperands() > 0 && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), isScalar);
}

class WholeWalk {
public:
  WholeWalk(ModuleOp module, double bytes, const UserValues *user,
            const PlannedMoves *moves)
      : module(module), bytes(bytes), user(user), moves(moves) {}

  std::vector<WholeValue> run();

private:
  void visit(Block &block);
  void look(Value value);
  /// Sets the user's value, the reason and the time of the gather.
  void describe(Value value, WholeValue &whole) const;

  ModuleOp module;
  double bytes;
  const UserValues *user;
  const PlannedMoves *moves;
  std::vector<WholeValue> found;
};

void WholeWalk::describe(Value value, WholeValue &whole) const {
  using Kind = RecordedReason::Kind;
  Operation *op = value.getDefiningOp();
  whole.op = op ? opText(op) : "";
  if (!user)
    return;
  whole.value.id = user->idOf(value);
  if (moves && op)
    for (const RecordedReason *reason : moves->reasonsOf(op->getLoc())) {
      bool isMade = reason->kind == Kind::LocalForm ||
                    reason->kind == Kind::SumResolution;
      if (isMade && op->getNumOperands() > 0 &&
          !isa<sdy::CollectiveOpInterface>(op))
        whole.reason = reason;
      if (isMade || !isa<sdy::CollectiveOpInterface, sdy::ReshardOp,
                         stablehlo::ReshapeOp>(op))
        continue;
      whole.reason = reason;
      whole.isGathered = true;
      whole.value = reason->value;
      break;
    }
  if (whole.value.id < 0)
    return;
  const UserValue &known = user->all()[whole.value.id];
  whole.name = known.shortName();
  whole.location = known.location;
  whole.op =
      known.result < 0 ? "" : StringRef(known.op).rsplit('.').second.str();
}

void WholeWalk::look(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || type.getRank() == 0 ||
      double(tensorBytes(type)) <= bytes || hasAxes(sdy::getSharding(value)))
    return;
  WholeValue whole{.location = value.getLoc()};
  whole.value.type = type;
  llvm::raw_string_ostream os(whole.type);
  for (int64_t size : type.getShape())
    os << size << "x";
  os << type.getElementType();
  whole.bytes = tensorBytes(type);
  describe(value, whole);
  found.push_back(std::move(whole));
}

void WholeWalk::visit(Block &block) {
  for (Operation &op : block) {
    if (auto manual = dyn_cast<sdy::ManualComputationOp>(op)) {
      llvm::for_each(op.getResults(), [&](Value v) { look(v); });
      if (manual.getManualAxes().empty())
        visit(manual.getBody().front());
      continue;
    }
    // Values in a loop or branch have the layouts of its results.
    if (isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp>(op))
      for (Region &region : op.getRegions())
        visit(region.front());
    if (!isMadeAnywhere(&op) && !isOpTriviallyDead(&op))
      llvm::for_each(op.getResults(), [&](Value v) { look(v); });
  }
}

std::vector<WholeValue> WholeWalk::run() {
  bool isParallel = false;
  for (auto mesh : module.getOps<sdy::MeshOp>())
    isParallel |= mesh.getMesh().getTotalSize() > 1;
  if (!isParallel)
    return {};
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isDeclaration()) {
      llvm::for_each(function.getArguments(), [&](Value v) { look(v); });
      visit(function.getBody().front());
    }
  // List each user value once; prefer gathered ones, which have a reason.
  sortBy(found, [](const WholeValue &whole) {
    return std::pair(-whole.bytes, !whole.isGathered);
  });
  llvm::SmallDenseSet<int32_t> seen;
  llvm::erase_if(found, [&](const WholeValue &whole) {
    return whole.value.id >= 0 && !seen.insert(whole.value.id).second;
  });
  return std::move(found);
}

} // namespace

std::string WholeValue::text() const {
  std::string result = name;
  if (!op.empty())
    result += (name.empty() ? "" : " = ") + op;
  if (result.empty())
    result = "a value";
  if (std::string where = filePosition(location);
      !where.empty() && where != name)
    result += " (" + where + ")";
  return result + ", " + type + ", " + formatBytes(double(bytes));
}

std::vector<WholeValue> wholeValues(ModuleOp resharded, double bytes,
                                    const UserValues *user,
                                    const PlannedMoves *moves) {
  return WholeWalk(resharded, bytes, user, moves).run();
}

} // namespace shardwright
