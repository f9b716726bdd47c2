//===- jaxpr_trace.cc - records programs ----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/trace/ordered_effects.h"
#include "shardwright/frontend/trace/primitive.h"
#include "shardwright/frontend/trace/user_function.h"

#include <algorithm>

namespace shardwright::frontend {

int32_t JaxprTrace::newVar(const Aval &aval) {
  program->types.push_back(aval);
  return static_cast<int32_t>(program->types.size()) - 1;
}

static Tensor tracerFor(const TracePtr &trace, const Aval &aval, int32_t var) {
  return tensorOfTracer(std::make_shared<const JaxprTracer>(aval, trace, var));
}

Tensor JaxprTrace::input(const Aval &aval) {
  int32_t var = newVar(aval);
  program->ins.push_back(var);
  return tracerFor(shared_from_this(), aval, var);
}

Atom JaxprTrace::atomOf(const Tensor &x) {
  if (const auto *tracer = tracerOf<JaxprTracer>(x, this))
    return Atom{tracer->var, {}};
  const ArrayValue *array = asArray(x);
  if (array && array->isLiteral)
    return Atom{-1, x};
  auto [entry, isNew] = constants.try_emplace(x.handle().get(), -1);
  if (isNew) {
    Aval aval = x.aval();
    entry->second = newVar(aval);
    program->constVars.push_back(entry->second);
    program->consts.push_back(x);
  }
  return Atom{entry->second, {}};
}

Tensors JaxprTrace::bind(const Primitive &primitive, const Tensors &args,
                         const Params &params) {
  std::vector<Aval> types;
  for (const Tensor &arg : args)
    types.push_back(arg.aval());
  Expected<std::vector<Aval>> results = inferTypes(primitive, types, params);
  if (!results)
    return {results.error()};
  EffectSet effects = effectsOf(primitive, params);
  if (Status ordered = checkOrder(effects); !ordered)
    return {ordered.error()};
  program->effects.add(effects);
  Eqn eqn{&primitive, {}, {}, params, detail::currentNames()};
  for (const Tensor &arg : args)
    eqn.ins.push_back(atomOf(arg));
  Tensors outs;
  for (const Aval &aval : *results) {
    eqn.outs.push_back(newVar(aval));
    outs.push_back(tracerFor(shared_from_this(), aval, eqn.outs.back()));
  }
  program->eqns.push_back(std::move(eqn));
  return outs;
}

Expected<JaxprPtr> JaxprTrace::finish(const Tensors &outs, std::string name) {
  Status status = failure;
  for (const Tensor &out : outs) {
    if (!out.ok()) {
      status = out.error();
      break;
    }
    program->outs.push_back(atomOf(out));
  }
  ended = true;
  if (!status)
    return status.error();
  program->name = std::move(name);
  return JaxprPtr(program);
}

Expected<JaxprPtr> traceToJaxpr(const TensorsFunction &function,
                                const std::vector<Aval> &types,
                                std::string name) {
  SW_TRY(checkStack("tracing"));
  auto trace = std::make_shared<JaxprTrace>();
  trace->parent = currentTrace();
  Tensors args;
  for (const Aval &aval : types)
    args.push_back(trace->input(aval));
  std::string label = name.empty() ? "a function" : name;
  Expected<JaxprPtr> traced = [&] {
    ScopedTrace scope(trace);
    // The names of a program begin with it.
    detail::ScopedNames names(nullptr);
    return trace->finish(callFunction(function, args, name), name);
  }();
  args.clear();
  if (traced)
    SW_TRY(checkLeaks(*trace, label));
  return traced;
}

Expected<JaxprPtr> traceWithCaptures(const TensorsFunction &function,
                                     const std::vector<Aval> &types,
                                     std::string name, Tensors &captured) {
  Expected<JaxprPtr> traced = traceToJaxpr(function, types, std::move(name));
  if (!traced)
    return traced;
  auto changed = std::make_shared<Jaxpr>(**traced);
  changed->constVars.clear();
  changed->consts.clear();
  std::vector<int32_t> inputs;
  for (size_t i = 0; i < (*traced)->consts.size(); ++i) {
    const Tensor &value = (*traced)->consts[i];
    if (value.isTraced()) {
      inputs.push_back((*traced)->constVars[i]);
      captured.push_back(value);
    } else {
      changed->constVars.push_back((*traced)->constVars[i]);
      changed->consts.push_back(value);
    }
  }
  if (inputs.empty())
    return traced;
  inputs.insert(inputs.end(), changed->ins.begin(), changed->ins.end());
  changed->ins = std::move(inputs);
  return JaxprPtr(changed);
}

JaxprPtr constantsToInputs(const JaxprPtr &jaxpr) {
  if (jaxpr->constVars.empty())
    return jaxpr;
  auto changed = std::make_shared<Jaxpr>(*jaxpr);
  changed->ins = jaxpr->constVars;
  changed->ins.insert(changed->ins.end(), jaxpr->ins.begin(), jaxpr->ins.end());
  changed->constVars.clear();
  changed->consts.clear();
  return changed;
}

EffectSet effectsOf(const Primitive &primitive, const Params &params) {
  if (primitive.allEffects)
    return primitive.allEffects(params);
  EffectSet out;
  if (primitive.effects)
    out = primitive.effects(params);
  Jaxpr::forEachInner(params,
                      [&](const JaxprPtr &inner) { out.add(inner->effects); });
  return out;
}

std::vector<Aval> Jaxpr::inAvals() const {
  std::vector<Aval> out;
  for (int32_t var : ins)
    out.push_back(types[var]);
  return out;
}
std::vector<Aval> Jaxpr::outAvals() const {
  std::vector<Aval> out;
  for (const Atom &atom : outs)
    out.push_back(aval(atom));
  return out;
}

void Jaxpr::forEachInner(const Params &params,
                         const std::function<void(const JaxprPtr &)> &visit) {
  for (const auto &[name, value] : params) {
    if (const auto *one = std::get_if<JaxprPtr>(&value))
      if (*one)
        visit(*one);
    if (const auto *list = std::get_if<std::vector<JaxprPtr>>(&value))
      for (const JaxprPtr &j : *list)
        if (j)
          visit(j);
  }
}

/// The variables that the used results and the effects need. Calls `keep` with
/// each equation that stays, from the last to the first.
static std::vector<bool>
liveVariables(const Jaxpr &jaxpr, const std::vector<bool> &used,
              const std::function<void(Eqn)> &keep = {}) {
  std::vector<bool> live(jaxpr.types.size());
  auto need = [&](const std::vector<Atom> &atoms) {
    for (const Atom &atom : atoms)
      if (atom.isVar())
        live[atom.var] = true;
  };
  for (size_t i = 0; i < jaxpr.outs.size(); ++i)
    if ((used.empty() || used[i]) && jaxpr.outs[i].isVar())
      live[jaxpr.outs[i].var] = true;
  for (size_t i = jaxpr.eqns.size(); i-- > 0;) {
    const Eqn &eqn = jaxpr.eqns[i];
    bool isNeeded = std::any_of(eqn.outs.begin(), eqn.outs.end(),
                                [&](int32_t var) { return live[var]; });
    if (!isNeeded && (jaxpr.effects.empty() ||
                      effectsOf(*eqn.primitive, eqn.params).empty()))
      continue;
    if (isNeeded && eqn.primitive->prune) {
      std::vector<bool> needed;
      for (int32_t var : eqn.outs)
        needed.push_back(live[var]);
      Eqn pruned = eqn.primitive->prune(eqn, needed);
      pruned.names = eqn.names;
      need(pruned.ins);
      if (keep)
        keep(std::move(pruned));
    } else {
      need(eqn.ins);
      if (keep)
        keep(eqn);
    }
  }
  return live;
}

JaxprPtr eliminateDeadCode(const Jaxpr &jaxpr, std::vector<bool> used) {
  auto out = std::make_shared<Jaxpr>();
  out->eqns.reserve(jaxpr.eqns.size());
  std::vector<bool> live = liveVariables(
      jaxpr, used, [&](Eqn eqn) { out->eqns.push_back(std::move(eqn)); });
  std::reverse(out->eqns.begin(), out->eqns.end());
  for (size_t i = 0; i < jaxpr.constVars.size(); ++i)
    if (live[jaxpr.constVars[i]]) {
      out->constVars.push_back(jaxpr.constVars[i]);
      out->consts.push_back(jaxpr.consts[i]);
    }
  out->types = jaxpr.types;
  out->ins = jaxpr.ins;
  out->outs = jaxpr.outs;
  out->effects = jaxpr.effects;
  out->name = jaxpr.name;
  return out;
}

std::vector<bool> usedVariables(const Jaxpr &jaxpr) {
  std::vector<bool> used(jaxpr.types.size());
  auto mark = [&](const std::vector<Atom> &atoms) {
    for (const Atom &atom : atoms)
      if (atom.isVar())
        used[atom.var] = true;
  };
  for (const Eqn &eqn : jaxpr.eqns)
    mark(eqn.ins);
  mark(jaxpr.outs);
  return used;
}

std::vector<bool> usedInputs(const Jaxpr &jaxpr) {
  std::vector<bool> live = liveVariables(jaxpr, {}), out;
  for (int32_t var : jaxpr.ins)
    out.push_back(live[var]);
  return out;
}

} // namespace shardwright::frontend
