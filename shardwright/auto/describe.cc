//===- describe.cc - what a plan says, in the user's names ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/describe.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/report/explain/annotation.h"
#include "shardwright/report/location_text.h"
#include "shardwright/report/short_texts.h"
#include "shardwright/report/type_text.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace shardwright {
namespace {

class Describer {
public:
  Describer(const AutoProblem &problem, ModuleOp imported, AutoResult &result)
      : problem(problem), main(sdy::getMainFunc(imported)), result(result) {
    for (unsigned i = 0; i < main.getNumArguments(); ++i) {
      auto loc = dyn_cast<NameLoc>(main.getArgument(i).getLoc());
      add(ChosenSharding::Kind::Argument, i,
          loc ? loc.getName().str() : "arg" + std::to_string(i),
          main.getArgumentTypes()[i]);
    }
    for (unsigned i = 0; i < main.getNumResults(); ++i) {
      auto info = main.getResultAttrOfType<StringAttr>(i, "jax.result_info");
      add(ChosenSharding::Kind::Result, i,
          info && !info.empty() ? info.str() : "out" + std::to_string(i),
          main.getResultTypes()[i]);
    }
  }

  void set(ChosenSharding &chosen, const TensorSharding &sharding) const {
    chosen.sharding = str(sharding, problem.mesh);
    chosen.partitionSpec = partitionSpec(sharding, problem.mesh);
  }
  /// The entry of a site of @main.
  ChosenSharding &entry(const Site &site) {
    return result.shardings[site.index + (site.kind == Site::Kind::Result
                                              ? main.getNumArguments()
                                              : 0)];
  }
  ChosenSharding &addInner(const Site &site) {
    ChosenSharding &chosen = add(ChosenSharding::Kind::Inner, numInner++,
                                 innerName(site.value), site.value.getType());
    Operation *op = site.value.getDefiningOp();
    chosen.where = locationText(op->getLoc());
    if (auto loop = dyn_cast<stablehlo::WhileOp>(op)) {
      Value next = loop.getBody().front().getTerminator()->getOperand(
          cast<OpResult>(site.value).getResultNumber());
      op = next.getDefiningOp();
    }
    if (auto name = op ? op->getLoc()->findInstanceOf<NameLoc>() : NameLoc())
      chosen.scope = name.getName().str();
    return chosen;
  }
  func::FuncOp getMain() { return main; }

private:
  ChosenSharding &add(ChosenSharding::Kind kind, int32_t index,
                      std::string name, Type type) {
    ChosenSharding &chosen = result.shardings.emplace_back();
    chosen.kind = kind;
    chosen.index = index;
    chosen.name = std::move(name);
    chosen.type = typeText(type);
    return chosen;
  }
  static std::string innerName(Value value) {
    return value.getDefiningOp()->getName().stripDialect().str() +
           (value.getDefiningOp()->getNumResults() > 1
                ? "#" + std::to_string(cast<OpResult>(value).getResultNumber())
                : "");
  }

  const AutoProblem &problem;
  func::FuncOp main;
  AutoResult &result;
  int32_t numInner = 0;
};

} // namespace

/// The classes of arguments whose other layouts are tried.
constexpr size_t kMostCompared = 10;

/// `x[0]`: the first dimension of an argument that has the colour.
static std::string colourName(const AutoProblem &problem, int32_t colour) {
  for (int32_t c : problem.classesOf[colour]) {
    const SiteClass &cls = problem.classes[c];
    if (cls.kind() != Site::Kind::Argument)
      continue;
    const Site &site = cls.sites.front();
    auto loc = dyn_cast<NameLoc>(site.value.getLoc());
    return (loc ? loc.getName().str() : "arg" + std::to_string(site.index)) +
           "[" +
           std::to_string(llvm::find(cls.colours, colour) -
                          cls.colours.begin()) +
           "]";
  }
  return "";
}

/// Calls `visit` with each plan that differs from `plan` in one axis of the
/// class.
static void
forEachOther(const AutoProblem &problem, const Plan &plan, int32_t c,
             llvm::function_ref<void(Plan, size_t axis, int32_t dim)> visit) {
  for (size_t axis = 0; axis < problem.axes.size(); ++axis)
    for (int32_t dim = -1; dim < problem.classes[c].type.getRank(); ++dim) {
      Plan next = plan;
      if (next.put(problem, c, axis, dim))
        visit(std::move(next), axis, dim);
    }
}

/// The best plan among those tried that differ from `plan` in this class alone.
/// One that would be faster, but does not fit, is a reason for the layout.
static void findOther(const AutoProblem &problem, const Plan &plan, int32_t c,
                      Trials &trials, const Objective &objective,
                      ChosenSharding &chosen) {
  const Trial *mine = trials.find(plan);
  const Trial *best = nullptr, *fastest = nullptr;
  std::string fastestText;
  forEachOther(problem, plan, c, [&](const Plan &next, size_t, int32_t) {
    const Trial *trial = trials.find(next);
    if (!trial || !trial->works)
      return;
    std::string text = str(next.sharding(problem, c), problem.mesh);
    if (mine && !objective.fits(*trial) && trial->seconds() < mine->seconds() &&
        (!fastest || trial->seconds() < fastest->seconds())) {
      fastest = trial;
      fastestText = text;
    }
    if (best && !objective.isBetter(*trial, *best))
      return;
    best = trial;
    chosen.otherSharding = std::move(text);
    chosen.otherSeconds = trial->seconds();
    chosen.otherPeak = trial->peak;
  });
  if (fastest)
    chosen.reasons.push_back("memory: " + fastestText + " would take " +
                             durationText(fastest->seconds()) + ", but " +
                             formatBytes(fastest->peak - objective.limit) +
                             " too much");
}

/// Axes that the class has not, because they do not divide its dimensions.
static void addDivisibility(const AutoProblem &problem, const Plan &plan,
                            int32_t c, ChosenSharding &chosen) {
  const SiteClass &cls = problem.classes[c];
  for (auto [axis, dim] : llvm::enumerate(plan.of(c).dimOf)) {
    int64_t size = problem.mesh.axisSize(problem.axes[axis]);
    if (dim >= 0)
      continue;
    std::string sizes;
    for (int64_t i = 0; i < cls.type.getRank(); ++i)
      if (cls.type.getDimSize(i) % size != 0)
        sizes += (sizes.empty() ? "" : ", ") +
                 std::to_string(cls.type.getDimSize(i));
    if (!sizes.empty())
      chosen.reasons.push_back(
          "divisibility: " + problem.mesh.axisName(problem.axes[axis]).str() +
          "=" + std::to_string(size) + " does not divide " + sizes);
  }
}

static void addReasons(const AutoProblem &problem, const Plan &plan, int32_t c,
                       ChosenSharding &chosen) {
  const SiteClass &cls = problem.classes[c];
  if (cls.isGiven)
    chosen.reasons.push_back(chosen.isGiven ? "given"
                                            : "given: the closed dimensions");
  addDivisibility(problem, plan, c, chosen);
  for (const Site &site : cls.sites)
    if (site.kind == Site::Kind::Result && cls.kind() == Site::Kind::Argument) {
      chosen.reasons.push_back("pair: result " + std::to_string(site.index) +
                               " has this layout");
      break;
    }
}

void describePlan(const AutoProblem &problem, ModuleOp imported,
                  const Plan &plan, Trials &trials, const Objective &objective,
                  AutoResult &result) {
  Describer describer(problem, imported, result);
  // Few classes have a tried plan that differs in them alone.
  llvm::SmallDenseSet<int32_t> hasOther;
  for (const Plan *other : trials.tried())
    hasOther.insert(plan.onlyDifference(*other));
  for (auto [c, cls] : llvm::enumerate(problem.classes)) {
    if (!plan.of(c).isSet)
      continue;
    TensorSharding sharding = plan.sharding(problem, c);
    bool isFirst = true;
    for (const Site &site : cls.sites) {
      ChosenSharding &chosen = site.kind == Site::Kind::Inner
                                   ? describer.addInner(site)
                                   : describer.entry(site);
      describer.set(chosen, sharding);
      chosen.isGiven = cls.isGiven && sharding == cls.given;
      chosen.numEqual = cls.sites.size();
      if (site.kind != Site::Kind::Inner) {
        for (int32_t colour : cls.colours)
          chosen.colours.push_back(colourName(problem, colour));
        if (isFirst)
          addReasons(problem, plan, c, chosen);
        else
          chosen.reasons.push_back((chosen.isGiven ? "given, as " : "as ") +
                                   describer.entry(cls.sites.front()).name);
      }
      if (isFirst && hasOther.contains(c))
        findOther(problem, plan, c, trials, objective, chosen);
      isFirst = false;
    }
  }
  result.axisRoles = axisRoles(
      problem, imported, [&](int32_t c) { return plan.sharding(problem, c); });
}

void tryOthers(const AutoProblem &problem, Trials &trials,
               const Objective &objective, int64_t budget, Candidate &best) {
  std::vector<int32_t> largest;
  for (auto [c, cls] : llvm::enumerate(problem.classes))
    if (cls.kind() == Site::Kind::Argument)
      largest.push_back(c);
  auto bytes = [&](int32_t c) {
    return problem.classes[c].bytes * double(problem.classes[c].sites.size());
  };
  llvm::sort(largest, [&](int32_t a, int32_t b) {
    return std::pair(-bytes(a), a) < std::pair(-bytes(b), b);
  });
  if (largest.size() > kMostCompared)
    largest.resize(kMostCompared);
  int64_t last = trials.spent() + budget;
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<Plan> others;
    for (int32_t c : largest)
      forEachOther(problem, best.plan, c, [&](Plan next, size_t, int32_t) {
        others.push_back(std::move(next));
      });
    const SmallVector<const Plan *> list = pointersTo(others);
    for (size_t i = 0; i < list.size() && trials.spent() < last; ++i) {
      bool isLast = trials.spent() + 1 >= last;
      trials.tryAll(list[i],
                    ArrayRef(list).slice(i + 1).take_front(isLast ? 0 : 2));
      const Trial &trial = trials.of(others[i]);
      if (!objective.isBetter(trial, best.trial))
        continue;
      best.plan = std::move(others[i]);
      best.trial = trial;
      changed = true;
      break;
    }
  }
}

void describeGiven(const AutoProblem &problem, ModuleOp imported,
                   AutoResult &result) {
  Describer describer(problem, imported, result);
  func::FuncOp main = describer.getMain();
  auto set = [&](const Site &site, sdy::TensorShardingAttr attr) {
    if (!attr)
      return;
    ChosenSharding &chosen = describer.entry(site);
    describer.set(chosen, sdy::shardingFromAttr(attr, problem.mesh));
    chosen.isGiven = true;
    chosen.reasons.push_back("given");
  };
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    set({Site::Kind::Argument, int32_t(i), Value()},
        sdy::getSharding(main.getArgument(i)));
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    set({Site::Kind::Result, int32_t(i), Value()},
        sdy::getFuncResultSharding(main, i));
  result.axisRoles = axisRoles(
      problem, imported, [&](int32_t c) { return problem.classes[c].given; });
}

void forEachText(AutoResult &result,
                 llvm::function_ref<void(std::string &)> visit) {
  visit(result.found.name);
  for (PlanCost &cost : result.compared)
    visit(cost.name);
  for (ChosenSharding &chosen : result.shardings) {
    visit(chosen.sharding);
    visit(chosen.partitionSpec);
    visit(chosen.otherSharding);
    for (std::string &reason : chosen.reasons)
      visit(reason);
  }
  for (Communication &share : result.details.communication)
    visit(share.axes);
}

} // namespace shardwright
