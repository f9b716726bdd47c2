//===- describe.cc - what a plan says, in the user's names ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/describe.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/report/explain/annotation.h"
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
    return add(ChosenSharding::Kind::Inner, numInner++, innerName(site.value),
               site.value.getType());
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

/// The best plan among those tried that differ from `plan` in this class alone.
static void findOther(const AutoProblem &problem, const Plan &plan, int32_t c,
                      Trials &trials, const Objective &objective,
                      ChosenSharding &chosen) {
  const Trial *best = nullptr;
  for (size_t axis = 0; axis < problem.axes.size(); ++axis)
    for (int32_t dim = -1; dim < problem.classes[c].type.getRank(); ++dim) {
      Plan next = plan;
      if (!next.put(problem, c, axis, dim))
        continue;
      const Trial *trial = trials.find(next);
      if (!trial || !trial->works ||
          (best && !objective.isBetter(*trial, *best)))
        continue;
      best = trial;
      chosen.otherSharding = str(next.sharding(problem, c), problem.mesh);
      chosen.otherSeconds = trial->seconds();
      chosen.otherPeak = trial->peak;
    }
}

void describePlan(const AutoProblem &problem, ModuleOp imported,
                  const Plan &plan, Trials &trials, const Objective &objective,
                  AutoResult &result) {
  Describer describer(problem, imported, result);
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
      if (isFirst)
        findOther(problem, plan, c, trials, objective, chosen);
      isFirst = false;
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
  };
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    set({Site::Kind::Argument, int32_t(i), Value()},
        sdy::getSharding(main.getArgument(i)));
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    set({Site::Kind::Result, int32_t(i), Value()},
        sdy::getFuncResultSharding(main, i));
}

} // namespace shardwright
