//===- discharge_control.cc - loops and branches without references -------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/control/scan.h"
#include "shardwright/frontend/cores/discharge.h"
#include "shardwright/frontend/cores/state_primitives.h"

namespace shardwright::frontend {
namespace {

std::vector<Aval> typesOf(const Tensors &values) {
  std::vector<Aval> out;
  for (const Tensor &x : values)
    out.push_back(x.aval());
  return out;
}

/// The entries at which `mask` is `wanted`.
Tensors chosen(const Tensors &values, const std::vector<bool> &mask,
               bool wanted) {
  Tensors out;
  for (size_t i = 0; i < values.size(); ++i)
    if (mask[i] == wanted)
      out.push_back(values[i]);
  return out;
}
/// The opposite: entries from both lists in turn.
Tensors merged(const std::vector<bool> &mask, const Tensors &whereFalse,
               const Tensors &whereTrue) {
  Tensors out;
  size_t next[2] = {0, 0};
  for (bool isTrue : mask)
    out.push_back((isTrue ? whereTrue : whereFalse)[next[isTrue]++]);
  return out;
}
void append(Tensors &to, const Tensors &from) {
  to.insert(to.end(), from.begin(), from.end());
}
Tensors part(const Tensors &values, size_t from, size_t count) {
  return Tensors(values.begin() + from, values.begin() + from + count);
}
std::vector<bool> part(const std::vector<bool> &values, size_t from,
                       size_t count) {
  return std::vector<bool>(values.begin() + from,
                           values.begin() + from + count);
}

} // namespace

/// The references, which are constants of the loop, are carried.
Tensors dischargeScan(const Params &params, Tensors &ins,
                      const std::vector<bool> &refs) {
  Scan s(params);
  Expected<JaxprPtr> inner = discharge(s.jaxpr);
  if (!inner)
    return {Tensor(inner.error())};
  const std::vector<bool> isRef = part(refs, 0, s.consts);
  const Tensors consts = part(ins, 0, s.consts);
  const Tensors carry = part(ins, s.consts, s.carry);
  const Tensors xs = part(ins, s.consts + s.carry, s.xs);
  const Tensors values = chosen(consts, isRef, true);
  Tensors args = chosen(consts, isRef, false);
  const size_t plain = args.size(), numRefs = values.size();
  append(args, carry);
  append(args, values);
  append(args, xs);
  std::vector<Aval> types = typesOf(args);
  for (size_t i = args.size() - xs.size(); i < args.size(); ++i)
    types[i] = types[i].withoutDim(0);
  Expected<JaxprPtr> body = traceToJaxpr(
      [&](const Tensors &all) {
        Tensors own = merged(isRef, part(all, 0, plain),
                             part(all, plain + s.carry, numRefs));
        append(own, part(all, plain, s.carry));
        append(own, part(all, plain + s.carry + numRefs, s.xs));
        Tensors outs = evalJaxpr(**inner, own);
        if (errorIn(outs))
          return outs;
        Tensors results = part(outs, 0, s.carry);
        append(results, part(outs, s.carry + s.ys, numRefs));
        append(results, part(outs, s.carry, s.ys));
        return results;
      },
      types, s.jaxpr->name);
  if (!body)
    return {Tensor(body.error())};
  Params changed = params;
  changed.set("jaxpr", *body)
      .set("num_consts", static_cast<int64_t>(plain))
      .set("num_carry", static_cast<int64_t>(s.carry + numRefs));
  Tensors outs =
      bindMany(*findPrimitive("scan"), (*body)->outs.size(), args, changed);
  if (const Error *error = errorIn(outs))
    return {Tensor(*error)};
  Tensors results = part(outs, 0, s.carry);
  append(results, part(outs, s.carry + numRefs, s.ys));
  append(results, part(outs, s.carry, numRefs));
  return takeNewValues(results, ins, refs);
}

/// The references, which are constants of the body and the condition, are
/// carried. The condition may read them only.
Tensors dischargeWhile(const Eqn &eqn, Tensors &ins,
                       const std::vector<bool> &refs) {
  const Params &params = eqn.params;
  const JaxprPtr &cond = params.jaxpr("cond_jaxpr"),
                 &step = params.jaxpr("body_jaxpr");
  const auto condConsts = static_cast<size_t>(params.integer("cond_nconsts")),
             bodyConsts = static_cast<size_t>(params.integer("body_nconsts"));
  const size_t carry = ins.size() - condConsts - bodyConsts;
  Expected<JaxprPtr> test = discharge(cond), body = discharge(step);
  if (!test || !body)
    return {Tensor(test ? body.error() : test.error())};
  for (const Eqn &inner : cond->eqns)
    if (inner.primitive->name != "get" &&
        effectsOf(*inner.primitive, inner.params).has(Effect::State))
      return {Tensor(notImplemented(
          "the condition of a while loop may read references, but not ",
          inner.primitive->name, " them"))};
  const std::vector<bool> ofCond = part(refs, 0, condConsts),
                          ofBody = part(refs, condConsts, bodyConsts);
  const Tensors condArgs = part(ins, 0, condConsts),
                bodyArgs = part(ins, condConsts, bodyConsts);
  const Tensors condRefs = chosen(condArgs, ofCond, true),
                bodyRefs = chosen(bodyArgs, ofBody, true);
  // A reference that both use is one value of the carry.
  std::vector<size_t> shared;
  for (size_t i = 0; i < condConsts; ++i) {
    if (!ofCond[i])
      continue;
    size_t at = 0;
    for (size_t j = 0; j < bodyConsts; ++j) {
      if (ofBody[j] && eqn.ins[condConsts + j].var == eqn.ins[i].var)
        break;
      at += ofBody[j];
    }
    shared.push_back(at);
  }
  Tensors args = chosen(condArgs, ofCond, false);
  const size_t plainCond = args.size();
  append(args, chosen(bodyArgs, ofBody, false));
  const size_t plainBody = args.size() - plainCond;
  Tensors carried = part(ins, condConsts + bodyConsts, carry);
  append(carried, bodyRefs);
  append(carried, condRefs);
  std::vector<Aval> types = typesOf(args);
  std::vector<Aval> condTypes(types.begin(), types.begin() + plainCond);
  std::vector<Aval> bodyTypes(types.begin() + plainCond, types.end());
  for (const Tensor &x : carried) {
    condTypes.push_back(x.aval());
    bodyTypes.push_back(x.aval());
  }
  append(args, carried);
  Expected<JaxprPtr> newTest = traceToJaxpr(
      [&](const Tensors &all) {
        Tensors now =
            part(all, plainCond + carry + bodyRefs.size(), condRefs.size());
        for (size_t i = 0; i < shared.size(); ++i)
          if (shared[i] < bodyRefs.size())
            now[i] = all[plainCond + carry + shared[i]];
        Tensors own = merged(ofCond, part(all, 0, plainCond), now);
        append(own, part(all, plainCond, carry));
        Tensors outs = evalJaxpr(**test, own);
        return errorIn(outs) ? outs : Tensors{outs[0]};
      },
      condTypes, cond->name);
  Expected<JaxprPtr> newBody = traceToJaxpr(
      [&](const Tensors &all) {
        Tensors own = merged(ofBody, part(all, 0, plainBody),
                             part(all, plainBody + carry, bodyRefs.size()));
        append(own, part(all, plainBody, carry));
        Tensors outs = evalJaxpr(**body, own);
        if (!errorIn(outs))
          append(outs, part(all, plainBody + carry + bodyRefs.size(),
                            condRefs.size()));
        return outs;
      },
      bodyTypes, step->name);
  if (!newTest || !newBody)
    return {Tensor(newTest ? newBody.error() : newTest.error())};
  Tensors outs = bindMany(*findPrimitive("while"), carried.size(), args,
                          {{"cond_jaxpr", *newTest},
                           {"cond_nconsts", static_cast<int64_t>(plainCond)},
                           {"body_jaxpr", *newBody},
                           {"body_nconsts", static_cast<int64_t>(plainBody)}});
  if (const Error *error = errorIn(outs))
    return {Tensor(*error)};
  for (size_t i = 0, next = carry; i < bodyConsts; ++i)
    if (ofBody[i])
      ins[condConsts + i] = outs[next++];
  // An operand of the condition that the body writes has that value.
  for (size_t i = 0, next = 0; i < condConsts; ++i)
    if (ofCond[i]) {
      if (shared[next] < bodyRefs.size())
        ins[i] = outs[carry + shared[next]];
      ++next;
    }
  return part(outs, 0, carry);
}

Tensors dischargeCond(const Params &params, Tensors &ins,
                      const std::vector<bool> &refs) {
  std::vector<JaxprPtr> branches;
  for (const JaxprPtr &branch : params.get<std::vector<JaxprPtr>>("branches")) {
    Expected<JaxprPtr> made = discharge(branch);
    if (!made)
      return {Tensor(made.error())};
    branches.push_back(*made);
  }
  Tensors outs = bindMany(*findPrimitive("cond"), branches[0]->outs.size(), ins,
                          {{"branches", branches}});
  return takeNewValues(outs, ins, refs);
}

} // namespace shardwright::frontend
