//===- discharge.cc - programs without references -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/cores/discharge.h"

#include "shardwright/frontend/cores/core_map.h"
#include "shardwright/frontend/cores/run_state.h"
#include "shardwright/frontend/cores/state_primitives.h"
#include "shardwright/frontend/transform/jit_primitive.h"

#include <algorithm>

namespace shardwright::frontend {

std::vector<bool> refInputs(const Jaxpr &jaxpr) {
  std::vector<bool> out;
  for (int32_t var : jaxpr.ins)
    out.push_back(jaxpr.types[var].isRef());
  return out;
}

Tensors takeNewValues(Tensors outs, Tensors &ins,
                      const std::vector<bool> &refs) {
  if (const Error *error = errorIn(outs))
    return {Tensor(*error)};
  auto count = static_cast<size_t>(std::count(refs.begin(), refs.end(), true));
  size_t next = outs.size() - count;
  for (size_t i = 0; i < refs.size(); ++i)
    if (refs[i])
      ins[i] = outs[next++];
  outs.resize(outs.size() - count);
  return outs;
}

namespace {

/// get, swap and addupdate on values.
Tensors dischargeAccess(const std::string &name, const Params &params,
                        Tensors &ins) {
  const View &view = viewOf(params);
  size_t first = name == "get" ? 1 : 2;
  Tensors positions(ins.begin() + first, ins.end());
  if (name == "get")
    return {readView(ins[0], view, positions)};
  if (name == "swap") {
    Tensor before = readView(ins[0], view, positions);
    ins[0] = writeView(ins[0], view, positions, ins[1]);
    return {before};
  }
  ins[0] = writeView(ins[0], view, positions,
                     lax::add(readView(ins[0], view, positions), ins[1]));
  return {};
}

/// Applies the equations of a program in the parameters.
Tensors dischargeInline(const JaxprPtr &jaxpr, Tensors &ins,
                        const std::vector<bool> &refs) {
  Expected<JaxprPtr> made = discharge(jaxpr);
  if (!made)
    return {Tensor(made.error())};
  return takeNewValues(evalJaxpr(**made, ins), ins, refs);
}

Tensors dischargeJit(const Params &params, Tensors &ins,
                     const std::vector<bool> &refs) {
  Expected<JaxprPtr> made = discharge(params.jaxpr("jaxpr"));
  if (!made)
    return {Tensor(made.error())};
  Tensors outs = bindJit(*made, params.text("name"), ins);
  return takeNewValues(outs, ins, refs);
}

/// A runState inside of another: its references are those around it where they
/// are given as such.
Tensors dischargeRunState(const Params &params, Tensors &ins,
                          const std::vector<bool> &refs) {
  Expected<JaxprPtr> made = discharge(params.jaxpr("jaxpr"));
  if (!made)
    return {Tensor(made.error())};
  Tensors outs = evalJaxpr(**made, ins);
  if (const Error *error = errorIn(outs))
    return {Tensor(*error)};
  for (size_t i = 0; i < refs.size(); ++i)
    if (refs[i])
      ins[i] = outs[i];
  return outs;
}

/// An error if an operand is a reference twice: it would have two values. The
/// condition and the body of a while loop may share references.
Status checkAliases(const Eqn &eqn, const std::vector<bool> &refs) {
  if (eqn.primitive->name == "while")
    return {};
  std::vector<int32_t> seen;
  for (size_t i = 0; i < refs.size(); ++i) {
    if (!refs[i])
      continue;
    if (std::find(seen.begin(), seen.end(), eqn.ins[i].var) != seen.end())
      return valueError("only one reference to an array may be passed as an "
                        "argument to ",
                        eqn.primitive->name,
                        ", but the same reference was passed twice");
    seen.push_back(eqn.ins[i].var);
  }
  return {};
}

} // namespace

Tensors dischargeEqn(const Eqn &eqn, Tensors &ins,
                     const std::vector<bool> &refs) {
  const std::string &name = eqn.primitive->name;
  const Params &params = eqn.params;
  if (Status valid = checkAliases(eqn, refs); !valid)
    return {Tensor(valid.error())};
  if (name == "get" || name == "swap" || name == "addupdate")
    return dischargeAccess(name, params, ins);
  if (name == "jit")
    return dischargeJit(params, ins, refs);
  if (name == "scan")
    return dischargeScan(params, ins, refs);
  if (name == "while")
    return dischargeWhile(eqn, ins, refs);
  if (name == "cond")
    return dischargeCond(params, ins, refs);
  if (name == "run_state")
    return dischargeRunState(params, ins, refs);
  if (name == "core_map")
    return dischargeCoreMap(params, ins, refs);
  if (name == "custom_jvp_call" || name == "custom_vjp_call")
    return dischargeInline(params.jaxpr("call_jaxpr"), ins, refs);
  if (name == "remat2")
    return dischargeInline(params.jaxpr("jaxpr"), ins, refs);
  if (name == "run_scoped")
    return {Tensor(
        notImplemented("Evaluation rule for 'run_scoped' not implemented"))};
  return {Tensor(notImplemented(
      "the references of a runState cannot be used in ", name,
      " here; read them outside of it and pass their elements"))};
}

Expected<JaxprPtr> discharge(const JaxprPtr &jaxpr) {
  std::vector<Aval> types;
  for (const Aval &type : jaxpr->inAvals())
    types.push_back(heldType(type));
  auto apply = [&](const Tensors &args) -> Tensors {
    Tensors env(jaxpr->types.size());
    for (size_t i = 0; i < jaxpr->constVars.size(); ++i)
      env[jaxpr->constVars[i]] = jaxpr->consts[i];
    for (size_t i = 0; i < args.size(); ++i)
      env[jaxpr->ins[i]] = args[i];
    auto read = [&](const Atom &atom) {
      return atom.isVar() ? env[atom.var] : atom.literal;
    };
    for (const Eqn &eqn : jaxpr->eqns) {
      Tensors ins;
      std::vector<bool> refs;
      bool hasState = false;
      for (const Atom &atom : eqn.ins) {
        ins.push_back(read(atom));
        refs.push_back(jaxpr->aval(atom).isRef());
        hasState |= refs.back();
      }
      detail::ScopedNames names(detail::namesWithin(eqn.names));
      hasState |= effectsOf(*eqn.primitive, eqn.params).has(Effect::State);
      Tensors outs = hasState ? dischargeEqn(eqn, ins, refs)
                              : frontend::bind(*eqn.primitive, ins, eqn.params);
      for (const Tensors &list : {outs, ins})
        if (const Error *error = errorIn(list))
          return {Tensor(*error)};
      for (size_t i = 0; i < refs.size(); ++i)
        if (refs[i])
          env[eqn.ins[i].var] = ins[i];
      for (size_t i = 0; i < eqn.outs.size(); ++i)
        env[eqn.outs[i]] = i < outs.size() ? outs[i] : Tensor();
    }
    Tensors outs;
    for (const Atom &atom : jaxpr->outs)
      outs.push_back(read(atom));
    for (int32_t var : jaxpr->ins)
      if (jaxpr->types[var].isRef())
        outs.push_back(env[var]);
    return outs;
  };
  return traceToJaxpr(apply, types, jaxpr->name);
}

} // namespace shardwright::frontend
