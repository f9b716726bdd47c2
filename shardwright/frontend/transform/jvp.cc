//===- jvp.cc - forward differentiation and linearization -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/trace/program_rewrites.h"
#include "shardwright/frontend/trace/user_function.h"
#include "shardwright/frontend/transform/split_trace.h"

namespace shardwright::frontend {
namespace {

/// A value with its tangent.
struct DualTracer final : Tracer {
  DualTracer(Tensor p, Tensor t, TracePtr trace)
      : Tracer(p.aval(), std::move(trace)), primal(std::move(p)),
        tangent(std::move(t)) {}
  const Tensor primal, tangent;
};

/// Applies the rules of differentiation.
class DualTrace : public Trace {
public:
  Tensors bind(const Primitive &primitive, const Tensors &args,
               const Params &params) override {
    Tensors primals;
    MaybeTensors tangents;
    bool any = false;
    for (const Tensor &arg : args) {
      const auto *dual = tracerOf<DualTracer>(arg, this);
      primals.push_back(dual ? dual->primal : arg);
      tangents.push_back(dual ? MaybeTensor(dual->tangent) : MaybeTensor());
      any |= dual != nullptr;
    }
    if (!any)
      return bindIn(parent, primitive, primals, params);
    if (Status fits = checkOperands(primitive, primals, params); !fits)
      return {Tensor(fits.error())};
    JvpResult result = apply(primitive, primals, tangents, params);
    Tensors outs;
    for (size_t i = 0; i < result.outs.size(); ++i)
      outs.push_back(wrap(result.outs[i], i < result.tangents.size()
                                              ? result.tangents[i]
                                              : MaybeTensor()));
    return outs;
  }
  Tensor wrap(const Tensor &primal, const MaybeTensor &tangent) {
    if (!tangent || !primal.ok())
      return primal;
    if (!tangent->ok())
      return *tangent;
    return tensorOfTracer(std::make_shared<const DualTracer>(
        primal, *tangent, shared_from_this()));
  }

protected:
  virtual JvpResult apply(const Primitive &primitive, const Tensors &primals,
                          const MaybeTensors &tangents, const Params &params) {
    ScopedTrace scope(parent);
    if (!primitive.jvp)
      return missing(primitive);
    return primitive.jvp(primals, tangents, params);
  }
  static JvpResult missing(const Primitive &primitive) {
    return {{Tensor(notImplemented("Differentiation rule for '", primitive.name,
                                   "' not implemented"))},
            {}};
  }
};

/// As DualTrace, with tangents that are recorded as a linear program.
class LinearizeTrace final : public DualTrace {
public:
  std::shared_ptr<JaxprTrace> tangentTrace = std::make_shared<JaxprTrace>();

protected:
  JvpResult apply(const Primitive &primitive, const Tensors &primals,
                  const MaybeTensors &tangents, const Params &params) override {
    if (primitive.linearize) {
      ScopedTrace scope(parent);
      return primitive.linearize(*tangentTrace, parent, primals, tangents,
                                 params);
    }
    if (!primitive.jvp)
      return missing(primitive);
    ScopedTrace scope(std::make_shared<SplitTrace>(parent, tangentTrace));
    return primitive.jvp(primals, tangents, params);
  }
};

/// Splits results of a dual trace.
template <typename Trace>
JvpResult unwrap(const Tensors &outs, const Trace *trace) {
  JvpResult result;
  for (const Tensor &out : outs) {
    const auto *dual = tracerOf<DualTracer>(out, trace);
    result.outs.push_back(dual ? dual->primal : out);
    result.tangents.push_back(dual ? MaybeTensor(dual->tangent)
                                   : MaybeTensor());
  }
  return result;
}

} // namespace

Expected<JvpResult> jvpFlat(const TensorsFunction &function,
                            const Tensors &primals,
                            const MaybeTensors &tangents) {
  SW_TRY(checkStack("differentiating"));
  auto trace = std::make_shared<DualTrace>();
  trace->parent = currentTrace();
  Tensors args;
  for (size_t i = 0; i < primals.size(); ++i)
    args.push_back(trace->wrap(primals[i], tangents[i]));
  Tensors outs;
  {
    ScopedTrace scope(trace);
    outs = callFunction(function, args);
  }
  trace->ended = true;
  if (const Error *error = errorIn(outs))
    return *error;
  JvpResult result = unwrap(outs, trace.get());
  args.clear(), outs.clear();
  SW_TRY(checkLeaks(*trace, "jvp"));
  return result;
}

/// The names inside of those that were current when a trace began.
static NameStack namesInside(const NameStack &outer, const NameStack &names) {
  std::vector<const NameEntry *> inner;
  for (const NameEntry *e = names.get(); e != outer.get(); e = e->outer.get()) {
    if (!e)
      return names;
    inner.push_back(e);
  }
  NameStack out;
  for (size_t i = inner.size(); i-- > 0;)
    out = std::make_shared<const NameEntry>(
        NameEntry{std::move(out), inner[i]->name, inner[i]->isTransform,
                  inner[i]->where});
  return out;
}

Expected<Linearized> linearizeFlat(const TensorsFunction &function,
                                   const Tensors &primals,
                                   const std::vector<bool> &linear) {
  SW_TRY(checkStack("differentiating"));
  auto trace = std::make_shared<LinearizeTrace>();
  trace->parent = currentTrace();
  trace->tangentTrace->parent = currentTrace();
  Tensors args;
  Linearized out;
  for (size_t i = 0; i < primals.size(); ++i) {
    bool isLinear = linear[i] && isInexact(primals[i].dtype());
    out.linearIns.push_back(isLinear);
    args.push_back(
        isLinear ? trace->wrap(primals[i], trace->tangentTrace->input(
                                               tangentAval(primals[i].aval())))
                 : primals[i]);
  }
  Tensors results;
  {
    ScopedTrace scope(trace);
    results = callFunction(function, args);
  }
  trace->ended = true;
  if (const Error *error = errorIn(results)) {
    trace->tangentTrace->ended = true;
    return *error;
  }
  JvpResult split = unwrap(results, trace.get());
  out.outs = split.outs;
  Tensors tangents;
  for (const MaybeTensor &t : split.tangents) {
    out.linearOuts.push_back(t.has_value());
    if (t)
      tangents.push_back(*t);
  }
  Expected<JaxprPtr> jaxpr = trace->tangentTrace->finish(tangents);
  if (!jaxpr)
    return jaxpr.error();
  args.clear(), results.clear();
  split = {}, tangents.clear();
  SW_TRY(checkLeaks(*trace, "linearize"));
  SW_TRY(checkLeaks(*trace->tangentTrace, "linearize"));
  auto tangent = std::make_shared<Jaxpr>(*eliminateDeadCode(**jaxpr));
  // The backward pass runs within names of its own.
  if (const NameStack &outer = detail::currentNames())
    for (Eqn &eqn : tangent->eqns)
      eqn.names = namesInside(outer, eqn.names);
  out.tangentJaxpr = std::move(tangent);
  return out;
}

Expected<JvpJaxpr> jvpJaxpr(const JaxprPtr &jaxpr,
                            const std::vector<bool> &nonzero,
                            const std::vector<bool> &force) {
  JvpJaxpr out;
  std::vector<Aval> types = jaxpr->inAvals();
  size_t n = types.size();
  for (size_t i = 0; i < n; ++i)
    if (nonzero[i])
      types.push_back(tangentAval(types[i]));
  Expected<JaxprPtr> traced = traceToJaxpr(
      [&](const Tensors &args) -> Tensors {
        Tensors primals(args.begin(), args.begin() + n);
        MaybeTensors tangents(n);
        size_t next = n;
        for (size_t i = 0; i < n; ++i)
          if (nonzero[i])
            tangents[i] = args[next++];
        Expected<JvpResult> result =
            jvpFlat([&](const Tensors &in) { return evalJaxpr(*jaxpr, in); },
                    primals, tangents);
        if (!result)
          return {Tensor(result.error())};
        Tensors outs = result->outs;
        for (size_t i = 0; i < result->tangents.size(); ++i) {
          bool has =
              result->tangents[i].has_value() || (i < force.size() && force[i]);
          out.outNonzero.push_back(has);
          if (has)
            outs.push_back(
                instantiate(result->tangents[i], result->outs[i].aval()));
        }
        return outs;
      },
      types, jaxpr->name);
  if (!traced)
    return traced.error();
  out.jaxpr = *traced;
  return out;
}

Expected<LinearizedJaxpr> linearizeJaxpr(const JaxprPtr &jaxpr,
                                         const std::vector<bool> &nonzero,
                                         const std::vector<bool> &force) {
  Expected<JaxprPtr> rewritten = rewrittenProgram(*jaxpr);
  if (!rewritten)
    return rewritten.error();
  const Jaxpr &program = *rewritten ? **rewritten : *jaxpr;
  LinearizedJaxpr out;
  auto known = std::make_shared<JaxprTrace>();
  known->parent = currentTrace();
  Tensors args;
  for (const Aval &aval : jaxpr->inAvals())
    args.push_back(known->input(aval));
  ScopedTrace scope(known);
  detail::ScopedNames names(nullptr);
  Expected<Linearized> linear = linearizeFlat(
      [&](const Tensors &in) { return evalJaxpr(program, in); }, args, nonzero);
  if (!linear)
    return linear.error();
  // Results without a tangent that must have one get zeros.
  auto tangent = std::make_shared<Jaxpr>(*linear->tangentJaxpr);
  std::vector<Atom> tangentOuts;
  size_t next = 0;
  Tensors extra;
  for (size_t i = 0; i < linear->outs.size(); ++i) {
    bool has = linear->linearOuts[i];
    bool forced = !has && i < force.size() && force[i];
    out.outNonzero.push_back(has || forced);
    if (has) {
      tangentOuts.push_back(tangent->outs[next++]);
    } else if (forced) {
      Tensor zero = lax::zeros(tangentAval(linear->outs[i].aval()));
      tangent->types.push_back(zero.aval());
      auto var = static_cast<int32_t>(tangent->types.size()) - 1;
      tangent->constVars.push_back(var);
      tangent->consts.push_back(zero);
      tangentOuts.push_back(Atom{var, {}});
    }
  }
  tangent->outs = std::move(tangentOuts);
  Tensors outs = linear->outs;
  outs.insert(outs.end(), tangent->consts.begin(), tangent->consts.end());
  out.numResiduals = tangent->consts.size();
  out.tangent = constantsToInputs(tangent);
  Expected<JaxprPtr> finished = known->finish(outs, jaxpr->name);
  if (!finished)
    return finished.error();
  out.known = eliminateDeadCode(**finished);
  return out;
}

} // namespace shardwright::frontend
