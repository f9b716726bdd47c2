//===- checkpoint.cc - recomputation in the backward pass -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/base/float_parts.h"
#include "shardwright/frontend/control/control.h"
#include "shardwright/frontend/primitives/reshard.h"
#include "shardwright/frontend/transform/pruning.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

/// A policy as a parameter.
struct PolicyParam final : ParamObject {
  explicit PolicyParam(CheckpointPolicy p) : policy(std::move(p)) {}
  std::string str() const override { return policy.name; }
  std::string key() const override {
    return cat(reinterpret_cast<uintptr_t>(this));
  }
  const CheckpointPolicy policy;
};

/// The parameters with another program.
Params with(const Params &params, const JaxprPtr &jaxpr, bool differentiated) {
  Params out = params;
  out.set("jaxpr", jaxpr);
  out.set("differentiated", differentiated);
  return out;
}

/// The known part of a linearized body, split at the values that are kept.
struct SplitBody {
  JaxprPtr forward;   ///< inputs to results, then kept values
  JaxprPtr recompute; ///< kept values, then inputs, to residuals
};

/// A reduction of precision to all the bits of a type of floats.
Params fullPrecision(DType type) {
  int64_t exponent = 0, mantissa = 0;
  if (std::optional<FloatParts> parts = floatParts(type)) {
    exponent = parts->exponent();
    mantissa = parts->mantissa;
  } else if (bitWidth(type) <= 8) { // the name says it, as in float8_e4m3fn
    std::string_view text = name(type);
    size_t at = text.rfind('e', text.rfind('m'));
    exponent = text[at + 1] - '0';
    mantissa = text[text.find('m', at) + 1] - '0';
  }
  return {{"exponent_bits", exponent}, {"mantissa_bits", mantissa}};
}

/// Rounds the kept values (results from `first` on) that the program itself
/// uses, too. Otherwise a compiler may use more exact ones, and the values
/// that are computed again differ.
JaxprPtr withRoundedValues(const JaxprPtr &jaxpr, size_t first) {
  std::vector<bool> used(jaxpr->types.size()), kept(jaxpr->types.size());
  for (const Eqn &eqn : jaxpr->eqns)
    for (const Atom &atom : eqn.ins)
      if (atom.isVar())
        used[atom.var] = true;
  for (size_t i = first; i < jaxpr->outs.size(); ++i)
    kept[jaxpr->outs[i].var] = true;
  const Primitive *round = findPrimitive("reduce_precision");
  auto out = std::make_shared<Jaxpr>(*jaxpr);
  out->eqns.clear();
  for (const Eqn &eqn : jaxpr->eqns) {
    size_t at = out->eqns.size();
    out->eqns.push_back(eqn);
    for (size_t i = 0; i < eqn.outs.size(); ++i) {
      int32_t var = eqn.outs[i];
      DType type = jaxpr->types[var].dtype;
      if (!kept[var] || !used[var] || !isFloat(type) || eqn.primitive == round)
        continue;
      auto exact = static_cast<int32_t>(out->types.size());
      out->types.push_back(jaxpr->types[var]);
      out->eqns[at].outs[i] = exact;
      out->eqns.insert(out->eqns.begin() + at + 1,
                       {round, {Atom{exact, {}}}, {var}, fullPrecision(type)});
    }
  }
  return out;
}

/// Adds the equations that move a value to another memory and back. Returns the
/// value and the moved one.
std::pair<int32_t, int32_t> offload(const CheckpointPolicy &policy, int32_t var,
                                    Jaxpr &forward, Jaxpr &again) {
  Aval moved = forward.types[var];
  moved.onHost = policy.keptOnHost;
  auto kept = static_cast<int32_t>(forward.types.size());
  forward.types.push_back(moved);
  again.types.push_back(moved);
  const Primitive *put = findPrimitive("device_put");
  forward.eqns.push_back(
      {put, {Atom{var, {}}}, {kept}, memoryTransfer(policy.keptOnHost)});
  again.eqns.push_back(
      {put, {Atom{kept, {}}}, {var}, memoryTransfer(policy.usedOnHost)});
  return {var, kept};
}

SplitBody splitAtSaved(const LinearizedJaxpr &linear,
                       const CheckpointPolicy *policy) {
  const Jaxpr &known = *linear.known;
  size_t results = linear.outNonzero.size();
  // Values that are read again, and those that are kept for them.
  std::vector<std::pair<int32_t, int32_t>> saved;
  auto again = std::make_shared<Jaxpr>(known);
  auto forward = std::make_shared<Jaxpr>(known);
  again->eqns.clear();
  forward->eqns.clear();
  for (const Eqn &eqn : known.eqns) {
    forward->eqns.push_back(eqn);
    bool applies = policy && !eqn.outs.empty();
    if (applies && policy->isOffloaded &&
        policy->isOffloaded(eqn.primitive->name, eqn.params)) {
      for (int32_t var : eqn.outs)
        saved.push_back(offload(*policy, var, *forward, *again));
    } else if (applies && policy->isSaved(eqn.primitive->name, eqn.params)) {
      for (int32_t var : eqn.outs)
        saved.emplace_back(var, var);
    } else {
      again->eqns.push_back(eqn);
    }
  }
  again->outs.assign(known.outs.begin() + results, known.outs.end());
  auto live = std::make_shared<Jaxpr>(*eliminateDeadCode(*again));
  // Kept are the values that the residuals need.
  std::vector<bool> isRead(known.types.size());
  for (const Eqn &eqn : live->eqns)
    for (const Atom &atom : eqn.ins)
      if (atom.isVar())
        isRead[atom.var] = true;
  for (const Atom &atom : live->outs)
    if (atom.isVar())
      isRead[atom.var] = true;
  forward->outs.resize(results);
  live->ins.clear();
  for (auto [read, kept] : saved)
    if (isRead[kept]) {
      live->ins.push_back(kept);
      forward->outs.push_back(Atom{kept, {}});
    }
  live->ins.insert(live->ins.end(), known.ins.begin(), known.ins.end());
  return {withRoundedValues(eliminateDeadCode(*forward), results), live};
}

/// The tangents of a body, from kept values, its inputs and tangents.
/// Operations are split into those of values and those of tangents, also in
/// loops, so that the body can be transposed.
Expected<JaxprPtr> tangentBody(const JaxprPtr &recompute,
                               const JaxprPtr &tangent, const MaybeTensors &t) {
  std::vector<Aval> types = recompute->inAvals();
  size_t values = types.size();
  for (const MaybeTensor &one : t)
    if (one)
      types.push_back(one->aval());
  Expected<JaxprPtr> body = traceToJaxpr(
      [&](const Tensors &args) {
        Tensors all =
            evalJaxpr(*recompute, Tensors(args.begin(), args.begin() + values));
        if (errorIn(all))
          return all;
        all.insert(all.end(), args.begin() + values, args.end());
        return evalJaxpr(*tangent, all);
      },
      types);
  return body ? Expected<JaxprPtr>(eliminateDeadCode(**body)) : body;
}

JvpResult linearizeRemat(JaxprTrace &tangentTrace, const TracePtr &,
                         const Tensors &in, const MaybeTensors &t,
                         const Params &params) {
  Expected<LinearizedJaxpr> linear =
      linearizeJaxpr(params.jaxpr("jaxpr"), given(t));
  if (!linear)
    return failedJvp(linear.error());
  const auto *policy = params.object<PolicyParam>("policy");
  SplitBody split = splitAtSaved(*linear, policy ? &policy->policy : nullptr);
  size_t n = linear->outNonzero.size();
  Tensors outs = evalJaxpr(*split.forward, in);
  if (const Error *error = errorIn(outs))
    return failedJvp(*error);
  Tensors args(outs.begin() + n, outs.end());
  args.insert(args.end(), in.begin(), in.end());
  outs.resize(n);
  JvpResult r{outs, MaybeTensors(n)};
  if (linear->tangent->outs.empty())
    return r;
  Expected<JaxprPtr> body = tangentBody(split.recompute, linear->tangent, t);
  if (!body)
    return failedJvp(body.error());
  appendGiven(args, t);
  Tensors results = tangentTrace.bind(*findPrimitive("remat2"), args,
                                      with(params, *body, true));
  if (const Error *error = errorIn(results))
    return failedJvp(*error);
  r.tangents = spread(results, linear->outNonzero);
  return r;
}

Eqn pruneRemat(const Eqn &eqn, const std::vector<bool> &used) {
  JaxprPtr body = withLiveResults(eqn.params.jaxpr("jaxpr"), used);
  std::vector<bool> read = inputsInUse(*body);
  Eqn out{eqn.primitive, chosenEntries(eqn.ins, read),
          chosenEntries(eqn.outs, used), eqn.params};
  out.params.set("jaxpr", withInputs(body, read));
  return out;
}

const Primitive rematP = [] {
  Primitive p;
  p.name = "remat2";
  p.prune = pruneRemat;
  p.ownManualAxes = true;
  p.infer = [](const std::vector<Aval> &,
               const Params &params) -> Expected<std::vector<Aval>> {
    return params.jaxpr("jaxpr")->outAvals();
  };
  p.jvp = [](const Tensors &in, const MaybeTensors &t,
             const Params &old) -> JvpResult {
    Expected<JvpJaxpr> jvp = jvpJaxpr(old.jaxpr("jaxpr"), given(t));
    if (!jvp)
      return failedJvp(jvp.error());
    Tensors args = in;
    appendGiven(args, t);
    Tensors outs =
        bindMany(*findPrimitive("remat2"), jvp->jaxpr->outs.size(), args,
                 with(old, jvp->jaxpr, old.flag("differentiated")));
    size_t n = jvp->outNonzero.size();
    return {Tensors(outs.begin(), outs.begin() + n),
            spread(outs, jvp->outNonzero, n)};
  };
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &in,
                   const std::vector<Aval> &, const Params &old) {
    std::vector<bool> linear = given(in);
    linear.flip();
    Expected<TransposedJaxpr> back =
        transposeJaxpr(old.jaxpr("jaxpr"), linear, given(ct));
    if (!back)
      return MaybeTensors{Tensor(back.error())};
    Tensors args;
    appendGiven(args, in);
    appendGiven(args, ct);
    return spread(bindMany(*findPrimitive("remat2"), back->jaxpr->outs.size(),
                           args, with(old, back->jaxpr, true)),
                  back->outNonzero);
  };
  p.linearize = linearizeRemat;
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &dims,
               const Params &old) -> BatchResult {
    Expected<BatchedProgram> inner =
        batchJaxprAt(old.jaxpr("jaxpr"), axis, dims, {kFrontBatchDim});
    if (!inner)
      return {{Tensor(inner.error())}, {}};
    return {bindMany(*findPrimitive("remat2"), inner->outDims.size(), in,
                     with(old, inner->jaxpr, old.flag("differentiated"))),
            inner->outDims};
  };
  p.lower = [](LoweringContext &c) {
    std::vector<std::string> args = c.operands();
    // The barrier keeps the compiler from sharing values with the forward pass.
    if (c.params().flag("differentiated") && c.params().flag("prevent_cse") &&
        !args.empty())
      args = c.op("stablehlo.optimization_barrier", args,
                  mlirTypes(c.operandTypes()), mlirTypes(c.operandTypes()));
    return c.inlineJaxpr(*c.params().jaxpr("jaxpr"), args);
  };
  return p;
}();
const Registered rematR(rematP);

} // namespace

Tensors checkpointFlat(const TensorsFunction &body, const Tensors &args,
                       const CheckpointOptions &options) {
  if (const Error *error = errorIn(args))
    return {Tensor(*error)};
  if (options.policy.error)
    return {Tensor(*options.policy.error)};
  std::vector<Aval> types;
  for (const Tensor &x : args)
    types.push_back(x.aval());
  Tensors all;
  Expected<JaxprPtr> jaxpr = traceWithCaptures(body, types, "", all);
  if (!jaxpr)
    return {Tensor(jaxpr.error())};
  all.insert(all.end(), args.begin(), args.end());
  Param policy = std::monostate();
  if (options.policy)
    policy = objectParam(PolicyParam(options.policy));
  return bindMany(rematP, (*jaxpr)->outs.size(), all,
                  {{"jaxpr", *jaxpr},
                   {"differentiated", false},
                   {"policy", policy},
                   {"prevent_cse", options.preventCse}});
}

} // namespace shardwright::frontend
