//===- auto_shard.cc - find shardings automatically -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/auto_shard.h"

#include "shardwright/auto/describe.h"
#include "shardwright/auto/prepare.h"
#include "shardwright/auto/search/ordered.h"
#include "shardwright/auto/search/planned_plans.h"
#include "shardwright/auto/search/search.h"
#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/interop/flatten_tuples.h"
#include "shardwright/interop/import_module.h"
#include "shardwright/propagate/index/call_order.h"
#include "shardwright/support/sort_by.h"

#include <limits>

using namespace mlir;

namespace shardwright {
namespace {

/// Plans from which the search starts. The last one takes at most this part of
/// the memory of the first: a search within less memory would start there, and
/// what it finds may be faster.
constexpr size_t kStarts = 3;
constexpr double kLessMemory = 0.75;

/// The parts of the memory limit for which the shortest step is reported.
constexpr double kFrontier[] = {0.5, 0.75, 1, 1.5, 2};

/// How many trials a search takes.
struct Budget {
  /// With recipes and planned layouts, which are a part of them.
  int64_t trials = 0;
  int64_t recipes = 0, planned = 0;
  /// The search ends earlier if this many brought nothing better.
  int64_t patience = 0;
  /// Afterwards, to remove annotations, and to try other layouts.
  int64_t polish = 0;
};

/// For a program of this many ops. A trial takes some 10 us an op: on two
/// cores, 2 s for 1,000 ops, 8 s for 25,000 and 20 s for 100,000, with the
/// reading, blaming and pruning around them. Effort 0 has a third at most; it
/// takes a third of the time because it tries fewer recipes of large programs,
/// two of 50,000 ops and more.
///
/// Of 39 programs of benchmarks/auto with 400 trials each, 22 found nothing
/// better than their start. The others waited for each gain for less than a
/// third of the trials, but for three (0.02 %, 0.3 % and 2.6 % of the step),
/// and many gained late. So large programs have patience for a third; small
/// ones are quick and use all their trials.
Budget budgetOf(int64_t ops, int effort) {
  constexpr double most = 400;
  double each = 800000.0 / double(std::max<int64_t>(ops, 1));
  auto within = [&](double number, int64_t least) {
    return std::max(int64_t(std::min(number, most)), least);
  };
  // 20 trials for up to 80,000 ops, 12 for 133,000 and more.
  int64_t least = std::clamp<int64_t>(int64_t(2 * each), 12, 20);
  Budget budget;
  budget.trials = within(each, least);
  budget.patience = within(each < most ? each / 3 : most, 8);
  if (effort == 0)
    budget.trials = std::min(within(each / 8, 2), budget.trials / 3);
  if (effort == 2) {
    budget.trials *= 10;
    budget.patience *= 10;
  }
  budget.recipes =
      effort == 0 ? budget.trials : std::max(2 * least / 5, budget.trials / 3);
  budget.planned = std::max<int64_t>(2, budget.trials / 6);
  budget.polish = std::max(least / 5, budget.trials / 8);
  return budget;
}

/// The ops of @main, those of functions once for each call.
int64_t countOps(ModuleOp module) {
  SymbolTable symbols(module);
  llvm::DenseMap<Operation *, int64_t> counts;
  auto count = [&](auto &self, func::FuncOp func) -> int64_t {
    auto [it, isNew] = counts.try_emplace(func, 0);
    if (!isNew)
      return it->second;
    int64_t ops = 0;
    func->walk([&](Operation *op) {
      ++ops;
      auto call = dyn_cast<func::CallOp>(op);
      if (auto callee =
              call ? symbols.lookup<func::FuncOp>(call.getCallee()) : nullptr)
        ops += self(self, callee);
    });
    return counts[func] = ops;
  };
  return count(count, sdy::getMainFunc(module));
}

class AutoSharder {
public:
  AutoSharder(ModuleOp asRead, ModuleOp imported, const AutoOptions &options,
              AutoProblem problem, std::vector<int32_t> argumentOf)
      : asRead(asRead), imported(imported), options(options),
        problem(std::move(problem)), argumentOf(std::move(argumentOf)),
        objective{options.memory.value_or(options.machine.memoryBytes)},
        trials(imported, this->problem, compileOptions(options)),
        search(imported, this->problem, trials, objective, options.specsOnly,
               [this] {
                 if (this->options.progress)
                   this->options.progress(trials.count(), bestSeconds);
               }) {}

  FailureOr<AutoResult> run();

private:
  static CompileOptions compileOptions(const AutoOptions &options) {
    CompileOptions compile = options.compile;
    compile.partition.machine = options.machine;
    compile.overlap = options.overlap;
    return compile;
  }

  /// Candidates from which the search starts, best first.
  FailureOr<std::vector<Candidate>> start(const Budget &budget);
  /// Adds the planner's layouts that work.
  void addPlanned(std::vector<Candidate> &candidates,
                  std::vector<Recipe> plans);
  /// Plans the layouts of the frontier.
  void planFrontier();
  /// The plans of the frontier, whose trials it starts.
  std::vector<Plan> startFrontier();
  void reportPlanner(ArrayRef<Plan> frontier, AutoResult &result);
  PlanCost cost(std::string name, const Trial &trial) const {
    return {std::move(name), trial.step, trial.peak, trial.sent,
            objective.fits(trial)};
  }
  void consider(const Candidate &candidate) {
    if (!best || objective.isBetter(candidate.trial, best->trial))
      best = candidate;
    if (objective.fits(best->trial))
      bestSeconds = best->trial.seconds();
  }
  std::vector<Candidate> chooseStarts(ArrayRef<Candidate> candidates,
                                      const Objective &goal) const;
  /// Improves the best candidates by the objective until there are no better
  /// moves, or until trial number `last`.
  void searchFrom(ArrayRef<Candidate> candidates, const Objective &goal,
                  int64_t last);
  /// Searches with the trials that are left.
  void searchWithinLess(ArrayRef<Candidate> candidates, int64_t last);
  void write(AutoResult &result);

  ModuleOp asRead, imported;
  const AutoOptions &options;
  AutoProblem problem;
  /// By result: the argument that it replaces, or -1.
  std::vector<int32_t> argumentOf;
  Objective objective;
  Trials trials;
  PlanSearch search;
  /// Made beside the trials of the recipes.
  std::optional<Planner> planner;
  std::optional<PlannedPlans> planned;
  std::optional<Candidate> best;
  /// The user's annotations, or those of manual computations, and no others.
  std::optional<Trial> given;
  double bestSeconds = std::numeric_limits<double>::infinity();
};

} // namespace

FailureOr<std::vector<Candidate>> AutoSharder::start(const Budget &budget) {
  // Manual computations say how their operands are laid out.
  bool isAnnotated =
      hasAnnotations(imported) || hasManualComputations(imported);
  if (isAnnotated)
    trials.startAsGiven();
  // The planner runs beside the trials of the recipes.
  std::vector<Recipe> plans;
  TrialWorkers::Task planning([&](TrialContext &) {
    planner.emplace(plannerInput(imported, problem), options.machine,
                    options.effort);
    planned.emplace(problem, *planner, objective.limit, options.specsOnly);
    plans = planned->make(size_t(budget.planned));
  });
  trials.start(planning);
  std::vector<Candidate> candidates = search.tryRecipes(budget.recipes, [&] {
    trials.finish(planning);
    // Their trials start when a worker has no more recipes.
    trials.startAll(pointersTo(plans));
  });
  addPlanned(candidates, std::move(plans));
  if (isAnnotated) {
    given = trials.asGiven();
    if (!given->works)
      return failure();
  }
  if (candidates.empty()) {
    // Not even the replicated program: this time its errors are shown.
    OwningOpRef<ModuleOp> copy = trials.annotated(Plan(problem));
    if (trials.partition(*copy).works)
      return imported.emitError()
             << "no choice of shardings could be partitioned";
    return failure();
  }
  std::vector<Candidate> ordered;
  for (Candidate &candidate : candidates)
    insertOrdered(ordered, std::move(candidate),
                  [&](const Candidate &a, const Candidate &b) {
                    return objective.isBetter(a.trial, b.trial);
                  });
  return ordered;
}

void AutoSharder::addPlanned(std::vector<Candidate> &candidates,
                             std::vector<Recipe> plans) {
  trials.tryAll(pointersTo(plans));
  for (Recipe &recipe : plans) {
    const Trial &trial = trials.of(recipe.plan);
    if (options.progress)
      options.progress(trials.count(), bestSeconds);
    bool isKnown = llvm::any_of(candidates, [&](const Candidate &candidate) {
      return candidate.plan.key() == recipe.plan.key();
    });
    if (trial.works && !isKnown)
      candidates.push_back(
          {std::move(recipe.name), std::move(recipe.plan), trial});
  }
}

void AutoSharder::planFrontier() {
  for (double share : kFrontier)
    planned->within(share);
}

std::vector<Plan> AutoSharder::startFrontier() {
  std::vector<Plan> plans;
  if (options.effort == 0 || !planned->within(1).works)
    return plans;
  for (double share : kFrontier)
    if (std::optional<Plan> plan = planned->planWithin(share))
      plans.push_back(std::move(*plan));
  trials.startAll(pointersTo(plans));
  return plans;
}

void AutoSharder::reportPlanner(ArrayRef<Plan> frontier, AutoResult &result) {
  const PlannedLayouts &layouts = planned->within(1);
  result.planner.missing = layouts.missing;
  if (!layouts.works)
    return;
  result.planner.seconds = layouts.seconds;
  result.planner.bound = layouts.bound;
  result.planner.secondsPerByte = layouts.secondsPerByte;
  if (options.effort == 0)
    return;
  trials.tryAll(pointersTo(frontier));
  // The planner errs: another plan that was tried may fit, or be faster.
  for (double share : kFrontier) {
    const Trial *best = trials.bestWithin(share * objective.limit);
    PlanCost own = cost("", best ? *best : Trial());
    own.fits = best != nullptr;
    result.planner.frontier.push_back({share, std::move(own)});
  }
}

FailureOr<AutoResult> AutoSharder::run() {
  AutoResult result;
  result.mesh = problem.mesh;
  result.memoryLimit = objective.limit;
  auto compare = [&](PlanCost cost) {
    insertOrdered(result.compared, std::move(cost),
                  [](const PlanCost &a, const PlanCost &b) {
                    return std::pair(!a.fits, a.step.total()) <
                           std::pair(!b.fits, b.step.total());
                  });
  };
  const Budget budget = budgetOf(countOps(imported), options.effort);
  FailureOr<std::vector<Candidate>> candidates = start(budget);
  if (failed(candidates))
    return failure();
  if (given)
    compare(cost("as given", *given));
  for (const Candidate &candidate : *candidates) {
    consider(candidate);
    // Arguments that are annotated in full leave no recipes.
    if (given && candidate.plan.numAnnotations() == 0 &&
        candidate.trial.seconds() == given->seconds())
      continue;
    compare(cost(candidate.name, candidate.trial));
  }
  if (options.effort > 0) {
    // The layouts for less and more memory are planned beside the search.
    search.readMoves();
    TrialWorkers::Task planning([this](TrialContext &) { planFrontier(); });
    trials.start(planning);
    search.setPatience(budget.patience, best->trial);
    searchFrom(*candidates, objective, budget.trials);
    searchWithinLess(*candidates, budget.trials);
    best = search.prune(*best, budget.polish);
    tryOthers(problem, trials, objective, budget.polish, *best);
    trials.finish(planning);
  }
  // Trials of the frontier run beside the description.
  const std::vector<Plan> frontier = startFrontier();
  write(result);
  result.details = describeFound(*result.module, compileOptions(options),
                                 argumentOf, options.readsBack);
  reportPlanner(frontier, result);
  result.numTrials = trials.count();
  result.spent = trials.spent();
  return result;
}

std::vector<Candidate> AutoSharder::chooseStarts(ArrayRef<Candidate> candidates,
                                                 const Objective &goal) const {
  std::vector<Candidate> ordered = candidates.vec();
  sortBy(ordered, [&](const Candidate &c) { return goal.merit(c.trial); });
  std::vector<Candidate> starts;
  auto addFirst = [&](double most) {
    for (const Candidate &candidate : ordered) {
      // Plans of equal cost are mostly equal programs.
      bool isKnown = llvm::any_of(starts, [&](const Candidate &start) {
        return candidate.trial.seconds() == start.trial.seconds() &&
               candidate.trial.peak == start.trial.peak;
      });
      if (isKnown || candidate.trial.peak > most)
        continue;
      starts.push_back(candidate);
      return true;
    }
    return false;
  };
  constexpr double kAny = std::numeric_limits<double>::infinity();
  while (starts.size() + 1 < kStarts && addFirst(kAny)) {
  }
  if (!starts.empty() && !addFirst(kLessMemory * starts.front().trial.peak))
    addFirst(kAny);
  return starts;
}

void AutoSharder::searchFrom(ArrayRef<Candidate> candidates,
                             const Objective &goal, int64_t last) {
  search.setObjective(goal);
  std::vector<Candidate> starts = chooseStarts(candidates, goal);
  // Half of the trials for first steps from each, the rest for the best. A step
  // takes a blame and some trials.
  constexpr int64_t fewestForStep = 4;
  int64_t each = (last - trials.spent()) /
                 (2 * std::max<int64_t>(int64_t(starts.size()), 1));
  for (auto [i, start] : llvm::enumerate(starts)) {
    if (each < fewestForStep)
      break;
    search.expectStarts(ArrayRef(starts).drop_front(i + 1));
    start = search.explore(std::move(start), each);
    consider(start);
  }
  sortBy(starts, [&](const Candidate &c) {
    return std::pair(!goal.fits(c.trial), goal.merit(c.trial));
  });
  for (Candidate &start : starts)
    if (trials.spent() < last)
      consider(search.climb(std::move(start), last - trials.spent()));
  search.setObjective(objective);
}

void AutoSharder::searchWithinLess(ArrayRef<Candidate> candidates,
                                   int64_t last) {
  // A search that may not use the memory of the best plan takes other ways, and
  // some lead to a faster plan: a lower limit should not give a faster step.
  while (trials.spent() < last && !search.isOutOfPatience() &&
         objective.fits(best->trial)) {
    const Trial before = best->trial;
    searchFrom(candidates, {before.peak}, last);
    if (!objective.isBetter(best->trial, before))
      return;
  }
}

void AutoSharder::write(AutoResult &result) {
  // The user's own annotations stay if nothing is better.
  if (given && !objective.isBetter(best->trial, *given)) {
    result.found = cost("as given", *given);
    result.module = asRead.clone();
    describeGiven(problem, imported, result);
    return;
  }
  result.found = cost("found", best->trial);
  describePlan(problem, imported, best->plan, trials, objective, result);
  if (best->plan.usesInner(problem)) {
    result.module = trials.annotated(best->plan);
    return;
  }
  result.module = asRead.clone();
  func::FuncOp main = sdy::getMainFunc(*result.module);
  annotate(*result.module, problem, best->plan, [&](Value value) -> Value {
    return main.getArgument(cast<BlockArgument>(value).getArgNumber());
  });
}

/// Axes are of one kind if they have equal sizes and links and the module names
/// none of them.
static SmallVector<int32_t, 4> axisKinds(ModuleOp imported, const Mesh &mesh,
                                         ArrayRef<int32_t> axes,
                                         const MachineModel &machine) {
  if (!machine.levels.empty() || machine.processes ||
      hasAnnotations(imported) || hasManualComputations(imported))
    return {};
  SmallVector<int32_t, 4> kinds;
  for (int32_t axis : axes)
    kinds.push_back(
        llvm::find_if(axes,
                      [&](int32_t first) {
                        return mesh.axisSize(first) == mesh.axisSize(axis) &&
                               machine.linkOf(mesh.axisName(first)) ==
                                   machine.linkOf(mesh.axisName(axis));
                      }) -
        axes.begin());
  return kinds;
}

/// Searches on an imported module, and annotates a copy of `asRead`.
static FailureOr<AutoResult> search(ModuleOp asRead, ModuleOp imported,
                                    const AutoOptions &options) {
  // The problem and the planner read calls as if they were inlined.
  if (failed(callersFirst(imported)))
    return failure();
  FailureOr<std::vector<int32_t>> pairs = pairResults(imported, options.pairs);
  FailureOr<AutoProblem> problem = readProblem(imported, options.pairs);
  if (failed(pairs) || failed(problem))
    return failure();
  problem->axisKinds =
      axisKinds(imported, problem->mesh, problem->axes, options.machine);
  return AutoSharder(asRead, imported, options, std::move(*problem),
                     std::move(*pairs))
      .run();
}

FailureOr<AutoResult> autoShardImported(ModuleOp imported,
                                        const AutoOptions &options) {
  AutoOptions mine = options;
  mine.compile.isImported = true;
  return search(imported, imported, mine);
}

LogicalResult requireFits(ModuleOp module, const AutoResult &result,
                          StringRef limit) {
  if (result.found.fits)
    return success();
  return module.emitError()
         << "no shardings fit in " << formatBytes(result.memoryLimit)
         << " per device (" << limit << "): the least memory found is "
         << formatBytes(result.found.peak)
         << "; use more devices, donate arguments or rematerialise";
}

FailureOr<AutoResult> autoShard(ModuleOp module, const AutoOptions &options) {
  OwningOpRef<ModuleOp> asRead = module.clone();
  ImportOptions import;
  if (hasMesh(module))
    import.meshSizes = options.mesh;
  // Tuples have no shardings. GSPMD's annotations are ours from here on.
  if (failed(flattenTuples(*asRead)) ||
      failed(importShardings(*asRead, import)) ||
      failed(requireEntry(*asRead)) || failed(prepareModule(*asRead, options)))
    return failure();
  OwningOpRef<ModuleOp> imported = asRead->clone();
  if (failed(importModule(*imported)) ||
      failed(simplifyForDevices(*imported, 0)))
    return failure();
  return search(*asRead, *imported, options);
}

} // namespace shardwright
