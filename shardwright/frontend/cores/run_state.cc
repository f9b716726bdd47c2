//===- run_state.cc - functions of references as functions ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/cores/run_state.h"

#include "shardwright/frontend/control/control.h"
#include "shardwright/frontend/cores/discharge.h"
#include "shardwright/frontend/cores/state_primitives.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

/// `(True, False)`.
struct FlagsParam final : ParamObject {
  explicit FlagsParam(std::vector<bool> f) : flags(std::move(f)) {}
  std::string str() const override {
    std::string out = "(";
    for (size_t i = 0; i < flags.size(); ++i)
      out += cat(i ? ", " : "", flags[i] ? "True" : "False");
    return cat(out, flags.size() == 1 ? ",)" : ")");
  }
  std::vector<bool> flags;
};

/// The program without references. It follows from the program in the
/// parameter `jaxpr`; it is made where the axes that it names are bound.
struct DischargedParam final : ParamObject {
  explicit DischargedParam(JaxprPtr j) : jaxpr(std::move(j)) {}
  std::string str() const override { return "discharged"; }
  JaxprPtr jaxpr;
};

const JaxprPtr &dischargedOf(const Params &params) {
  return params.object<DischargedParam>("discharged")->jaxpr;
}
const std::vector<bool> &linearOf(const Params &params) {
  return params.object<FlagsParam>("which_linear")->flags;
}

/// A run_state of a program whose inputs are references; those of operands that
/// are references themselves are the same ones.
Tensors bindRunState(const JaxprPtr &jaxpr, const Tensors &args,
                     const std::vector<bool> &linear) {
  Expected<JaxprPtr> made = discharge(jaxpr);
  if (!made)
    return {Tensor(made.error())};
  bool hasOuter = std::any_of(args.begin(), args.end(), [](const Tensor &x) {
    return x.ok() && x.aval().isRef();
  });
  return bindMany(
      *findPrimitive("run_state"), args.size(), args,
      {{"jaxpr", jaxpr},
       {"discharged", objectParam(DischargedParam(*made))},
       {"has_outer_refs", hasOuter},
       {"is_initialized",
        objectParam(FlagsParam(std::vector<bool>(args.size(), true)))},
       {"which_linear", objectParam(FlagsParam(linear))}});
}

/// The program with references to the values among its first `count` inputs,
/// which it reads at its beginning. JAX: hoist_consts_to_refs.
Expected<JaxprPtr> constantsToRefs(const JaxprPtr &jaxpr, size_t count) {
  std::vector<Aval> types = jaxpr->inAvals();
  std::vector<bool> isValue(types.size());
  for (size_t i = 0; i < count; ++i)
    if (!types[i].isRef()) {
      isValue[i] = true;
      types[i] = refTo(types[i]);
    }
  if (std::find(isValue.begin(), isValue.end(), true) == isValue.end())
    return jaxpr;
  return traceToJaxpr(
      [&](const Tensors &args) {
        Tensors values = args;
        for (size_t i = 0; i < count; ++i)
          if (isValue[i])
            values[i] = Ref(args[i]).get();
        return evalJaxpr(*jaxpr, values);
      },
      types, jaxpr->name);
}

/// Which references have a tangent in the end, if those in `nonzero` have one
/// at the beginning.
Expected<std::vector<bool>> tangentsOf(const JaxprPtr &discharged,
                                       std::vector<bool> nonzero) {
  while (true) {
    Expected<JvpJaxpr> jvp = jvpJaxpr(discharged, nonzero, nonzero);
    if (!jvp)
      return jvp.error();
    std::vector<bool> both = nonzero;
    for (size_t i = 0; i < both.size(); ++i)
      both[i] = both[i] || jvp->outNonzero[i];
    if (both == nonzero)
      return both;
    nonzero = both;
  }
}

JvpResult jvpRunState(const Tensors &in, const MaybeTensors &t,
                      const Params &params) {
  Expected<std::vector<bool>> nonzero =
      tangentsOf(dischargedOf(params), given(t));
  if (!nonzero)
    return failedJvp(nonzero.error());
  Expected<JvpJaxpr> made = jvpJaxpr(params.jaxpr("jaxpr"), *nonzero);
  if (!made)
    return failedJvp(made.error());
  const JaxprPtr &jvp = made->jaxpr;
  Tensors args = jvp->consts;
  const size_t consts = args.size(), n = in.size();
  Expected<JaxprPtr> body = constantsToRefs(constantsToInputs(jvp), consts);
  if (!body)
    return failedJvp(body.error());
  std::vector<bool> linear(consts, false);
  linear.insert(linear.end(), linearOf(params).begin(), linearOf(params).end());
  args.insert(args.end(), in.begin(), in.end());
  for (size_t i = 0; i < n; ++i)
    if ((*nonzero)[i]) {
      args.push_back(instantiate(t[i], in[i].aval()));
      linear.push_back(true);
    }
  Tensors outs = bindRunState(*body, args, linear);
  if (const Error *error = errorIn(outs))
    return failedJvp(*error);
  Tensors primals(outs.begin() + consts, outs.begin() + consts + n);
  return {primals, spread(outs, *nonzero, consts + n)};
}

/// By the program without references, whose results are split.
JvpResult linearizeRunState(JaxprTrace &tangents, const TracePtr &,
                            const Tensors &in, const MaybeTensors &t,
                            const Params &params) {
  Expected<LinearizedJaxpr> linear =
      linearizeJaxpr(dischargedOf(params), given(t));
  if (!linear)
    return failedJvp(linear.error());
  const size_t n = linear->outNonzero.size();
  Tensors outs = evalJaxpr(*linear->known, in);
  if (const Error *error = errorIn(outs))
    return failedJvp(*error);
  Tensors args(outs.begin() + n, outs.end());
  outs.resize(n);
  appendGiven(args, t);
  ScopedTrace scope(tangents.shared_from_this());
  Tensors made = evalJaxpr(*linear->tangent, args);
  if (const Error *error = errorIn(made))
    return failedJvp(*error);
  return {outs, spread(made, linear->outNonzero)};
}

MaybeTensors transposeRunState(const MaybeTensors &ct, const MaybeTensors &in,
                               const std::vector<Aval> &,
                               const Params &params) {
  Expected<MaybeTensors> back = backwardPass(*dischargedOf(params), in, ct);
  return back ? *back : MaybeTensors{Tensor(back.error())};
}

BatchResult batchRunState(const BatchAxis &axis, const Tensors &in,
                          const Ints &dims, const Params &params) {
  Expected<BatchedProgram> made =
      batchJaxprAt(dischargedOf(params), axis, dims, {kAnyBatchDim});
  if (!made)
    return {{Tensor(made.error())}, {}};
  return {evalJaxpr(*made->jaxpr, in), made->outDims};
}

EffectSet effectsOfRunState(const Params &params) {
  EffectSet out = dischargedOf(params)->effects;
  if (params.flag("has_outer_refs"))
    out.add(Effect::State);
  return out;
}

const Primitive runStateP = [] {
  Primitive p;
  p.name = "run_state";
  p.hidden = {"discharged", "has_outer_refs"};
  p.ownManualAxes = true;
  p.infer = [](const std::vector<Aval> &in,
               const Params &) -> Expected<std::vector<Aval>> {
    std::vector<Aval> out = in;
    for (Aval &type : out)
      type.weak = false;
    return out;
  };
  p.allEffects = effectsOfRunState;
  p.jvp = jvpRunState;
  p.linearize = linearizeRunState;
  p.transpose = transposeRunState;
  p.batch = batchRunState;
  p.lower = [](LoweringContext &c) {
    return c.inlineJaxpr(*dischargedOf(c.params()), c.operands());
  };
  return p;
}();
const Registered runStateR(runStateP);

} // namespace

Tensors runState(const std::function<void(const Refs &)> &body,
                 const Tensors &arrays) {
  auto failed = [&](const Error &error) {
    return Tensors(std::max<size_t>(arrays.size(), 1), Tensor(error));
  };
  if (!body)
    return failed(typeError("runState was called with a null function"));
  std::vector<Aval> types;
  for (const Tensor &x : arrays) {
    if (!x.handle())
      return failed(typeError("runState was called with a null array"));
    if (const Error *error = errorIn(x))
      return failed(*error);
    if (x.aval().isRef())
      return failed(valueError("runState makes references to arrays, got a "
                               "reference of type ",
                               x.aval().longStr()));
    types.push_back(refTo(x.aval()));
  }
  Expected<JaxprPtr> traced = traceToJaxpr(
      [&](const Tensors &args) {
        Refs refs;
        for (const Tensor &x : args)
          refs.emplace_back(x);
        body(refs);
        return Tensors();
      },
      types, "body");
  if (!traced)
    return failed(traced.error());
  Tensors args = (*traced)->consts;
  const size_t consts = args.size();
  Expected<JaxprPtr> jaxpr =
      constantsToRefs(constantsToInputs(*traced), consts);
  if (!jaxpr)
    return failed(jaxpr.error());
  args.insert(args.end(), arrays.begin(), arrays.end());
  Tensors outs =
      bindRunState(*jaxpr, args, std::vector<bool>(args.size(), false));
  if (const Error *error = errorIn(outs))
    return failed(*error);
  return Tensors(outs.begin() + consts, outs.end());
}

void when(const Tensor &condition, const std::function<void()> &body) {
  if (!body)
    return failRecording(typeError("when was called with a null function"));
  Tensors outs = condFlat(
      condition,
      [&](const Tensors &) {
        body();
        return Tensors();
      },
      [](const Tensors &) { return Tensors(); }, {});
  if (const Error *error = errorIn(outs))
    failRecording(*error);
}

void forEach(const Tensor &from, const Tensor &to,
             const std::function<void(const Tensor &)> &body) {
  if (!body)
    return failRecording(typeError("forEach was called with a null function"));
  for (const Tensor &x : {from, to})
    if (const Error *error = errorIn(x))
      return failRecording(*error);
  Tensors outs;
  auto known = [](const Tensor &x) -> std::optional<int64_t> {
    const ArrayValue *array = asArray(x);
    if (!array || !array->isLiteral || !x.aval().weak || !isInteger(x.dtype()))
      return {};
    Expected<std::shared_ptr<const void>> data = array->host();
    return data ? std::optional(readInt(data->get(), x.dtype(), 0))
                : std::nullopt;
  };
  std::optional<int64_t> first = known(from), last = known(to);
  auto step = [&](const Tensors &carry) {
    const Tensor &i = carry[0];
    Tensors next = carry;
    next[0] = lax::add(i, scalarOf(int64_t(1), i.dtype(), i.aval().weak));
    body(i);
    return next;
  };
  if (first && last) {
    outs = scanFlat(step, {scalarOf(*first, DType::I32)}, {},
                    std::max<int64_t>(*last - *first, 0), false);
  } else {
    Tensor begin = lax::convert_element_type(from, DType::I32);
    Tensor end = lax::convert_element_type(to, DType::I32);
    outs = whileFlat(
        [](const Tensors &carry) {
          return Tensors{lax::lt(carry[0], carry[1])};
        },
        step, {begin, end});
  }
  if (const Error *error = errorIn(outs))
    failRecording(*error);
}

} // namespace shardwright::frontend
