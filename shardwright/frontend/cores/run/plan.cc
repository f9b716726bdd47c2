//===- plan.cc - the steps of a kernel ------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/cores/run/plan.h"

#include <algorithm>
#include <map>

namespace shardwright::frontend::kernels {
namespace {

/// The step of an equation of this name that the runtime carries out.
std::optional<Step::Kind> kindOf(const std::string &name) {
  static const auto &table = *new std::map<std::string, Step::Kind>{
      {"axis_index", Step::Kind::AxisIndex},
      {"get", Step::Kind::Get},
      {"swap", Step::Kind::Swap},
      {"addupdate", Step::Kind::AddUpdate},
      {"dma_start", Step::Kind::DmaStart},
      {"dma_wait", Step::Kind::DmaWait},
      {"semaphore_signal", Step::Kind::Signal},
      {"semaphore_wait", Step::Kind::SemaphoreWait},
      {"semaphore_read", Step::Kind::SemaphoreRead},
      {"jit", Step::Kind::Call},
      {"remat2", Step::Kind::Call},
      {"custom_jvp_call", Step::Kind::Call},
      {"custom_vjp_call", Step::Kind::Call},
      {"run_scoped", Step::Kind::Scoped},
      {"scan", Step::Kind::Scan},
      {"while", Step::Kind::While},
      {"cond", Step::Kind::Cond}};
  auto found = table.find(name);
  return found == table.end() ? std::nullopt : std::optional(found->second);
}

/// True if a primitive, or an equation of a program in its parameters, names
/// an axis.
bool namesAxes(const Primitive &primitive, const Params &params) {
  if (primitive.usesAxisNames)
    return true;
  bool found = false;
  Jaxpr::forEachInner(params, [&](const JaxprPtr &inner) {
    for (const Eqn &eqn : inner->eqns)
      found = found || namesAxes(*eqn.primitive, eqn.params);
  });
  return found;
}

Aval plainType(const Aval &type) {
  Aval out = type;
  out.varying.clear();
  out.unreduced.clear();
  out.reduced.clear();
  out.sharding = nullptr;
  return out;
}

class Planner {
public:
  explicit Planner(const AxisNames &a) : axes(a) {}

  Expected<PlanPtr> plan(const JaxprPtr &given) {
    auto out = std::make_shared<Plan>();
    auto jaxpr = std::make_shared<Jaxpr>(*eliminateDeadCode(*given));
    for (Aval &type : jaxpr->types)
      type = plainType(type);
    out->jaxpr = jaxpr;
    std::vector<const Eqn *> pending;
    for (const Eqn &eqn : jaxpr->eqns) {
      Expected<std::optional<Step>> step = stepOf(eqn);
      if (!step)
        return step.error();
      if (!*step) {
        pending.push_back(&eqn);
        continue;
      }
      flush(*jaxpr, pending, out->steps);
      out->steps.push_back(std::move(**step));
    }
    flush(*jaxpr, pending, out->steps);
    out->numSteps = next;
    return PlanPtr(out);
  }

private:
  /// None: the equation is compiled.
  Expected<std::optional<Step>> stepOf(const Eqn &eqn) {
    using Result = Expected<std::optional<Step>>;
    const std::string &name = eqn.primitive->name;
    Step step;
    step.eqn = &eqn;
    if (name == "pvary") {
      step.kind = Step::Kind::Forward;
      return Result(numbered(step));
    }
    bool hasState = effectsOf(*eqn.primitive, eqn.params).has(Effect::State);
    if (!hasState && !namesAxes(*eqn.primitive, eqn.params))
      return Result(std::optional<Step>());
    std::optional<Step::Kind> kind = kindOf(name);
    if (!kind)
      return notImplemented("core_map: ", name,
                            " cannot be used in the function of a core",
                            hasState ? " on references" : "");
    if (*kind == Step::Kind::AxisIndex)
      if (Status known = checkAxis(eqn.params.text("axis_name")); !known)
        return known.error();
    step.kind = *kind;
    Error failure;
    bool failed = false;
    Jaxpr::forEachInner(eqn.params, [&](const JaxprPtr &inner) {
      if (failed)
        return;
      Expected<PlanPtr> made = plan(inner);
      failed = !made;
      if (failed)
        failure = made.error();
      else
        step.inner.push_back(*made);
    });
    if (failed)
      return failure;
    return Result(numbered(step));
  }

  std::optional<Step> numbered(Step step) {
    step.id = next++;
    return step;
  }

  Status checkAxis(const std::string &axis) const {
    if (std::find(axes.begin(), axes.end(), axis) != axes.end())
      return {};
    return notImplemented("core_map: the axis ", axis,
                          " is neither one of the cores nor one of the "
                          "devices; pass its index as an input");
  }

  /// Makes a step of the equations, if there are any.
  void flush(const Jaxpr &jaxpr, std::vector<const Eqn *> &eqns,
             std::vector<Step> &steps) {
    if (eqns.empty())
      return;
    Step step;
    auto program = std::make_shared<Jaxpr>();
    program->types = jaxpr.types;
    program->name = jaxpr.name;
    std::vector<bool> made(jaxpr.types.size()), read(jaxpr.types.size());
    for (const Eqn *eqn : eqns) {
      for (const Atom &atom : eqn->ins)
        if (atom.isVar() && !made[atom.var] && !read[atom.var]) {
          read[atom.var] = true;
          step.ins.push_back(atom.var);
        }
      for (int32_t var : eqn->outs)
        made[var] = true;
      program->eqns.push_back(*eqn);
      program->effects.add(effectsOf(*eqn->primitive, eqn->params));
    }
    // Used by another equation or as a result.
    std::vector<bool> used(jaxpr.types.size());
    for (const Eqn &eqn : jaxpr.eqns)
      if (std::find(eqns.begin(), eqns.end(), &eqn) == eqns.end())
        for (const Atom &atom : eqn.ins)
          if (atom.isVar())
            used[atom.var] = true;
    for (const Atom &atom : jaxpr.outs)
      if (atom.isVar())
        used[atom.var] = true;
    for (const Eqn *eqn : eqns)
      for (int32_t var : eqn->outs)
        if (used[var]) {
          step.outs.push_back(var);
          program->outs.push_back(Atom{var, {}});
        }
    program->ins = step.ins;
    step.program = program;
    steps.push_back(*numbered(std::move(step)));
    eqns.clear();
  }

  const AxisNames &axes;
  int32_t next = 0;
};

} // namespace

Expected<PlanPtr> makePlan(const JaxprPtr &jaxpr, const AxisNames &axes) {
  return Planner(axes).plan(jaxpr);
}

} // namespace shardwright::frontend::kernels
