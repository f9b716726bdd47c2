//===- custom.cc - functions with derivatives of their own ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/transform/custom.h"

#include "shardwright/frontend/base/lists.h"
#include "shardwright/frontend/primitives/helpers.h"

namespace shardwright::frontend {
namespace {

/// A function of tensors as a parameter.
struct RuleParam : ParamObject {
  RuleParam(TensorsFunction f, std::string n)
      : function(std::move(f)), name(std::move(n)) {}
  std::string str() const override { return name; }
  std::string key() const override {
    return cat(reinterpret_cast<uintptr_t>(this));
  }
  const TensorsFunction function;
  const std::string name;
};
/// Types of values as a parameter.
struct TypesParam : ParamObject {
  explicit TypesParam(std::vector<Aval> t) : types(std::move(t)) {}
  std::string str() const override {
    std::string out;
    for (const Aval &aval : types)
      out += cat(out.empty() ? "[" : ", ", aval.str());
    return out.empty() ? "[]" : out + "]";
  }
  const std::vector<Aval> types;
};

Param ruleParam(TensorsFunction f, std::string name = "<lambda>") {
  return objectParam(RuleParam(std::move(f), std::move(name)));
}
const TensorsFunction &ruleOf(const Params &params, const char *name) {
  return params.object<RuleParam>(name)->function;
}

Expected<std::vector<Aval>> inferCall(const std::vector<Aval> &,
                                      const Params &params) {
  return params.jaxpr("call_jaxpr")->outAvals();
}
std::vector<std::string> lowerCall(LoweringContext &c) {
  return c.inlineJaxpr(*c.params().jaxpr("call_jaxpr"), c.operands());
}

/// Applies a custom call: as an equation in a trace, else by its equations.
Tensors bindCall(const Primitive &primitive, const Tensors &args,
                 const Params &params) {
  const Jaxpr &jaxpr = *params.jaxpr("call_jaxpr");
  bool traced = currentTrace() != nullptr;
  for (const Tensor &arg : args)
    traced |= arg.isTraced();
  if (!traced)
    return evalJaxpr(jaxpr, args);
  return bindMany(primitive, jaxpr.outs.size(), args, params);
}

/// The function applied to each slice. `outDims`: the batch dimensions of the
/// results; those after the last entry have that of the last.
TensorsFunction mapped(const TensorsFunction &function, const BatchAxis &axis,
                       const Ints &dims, const Ints &outDims = {0}) {
  return [=](const Tensors &args) -> Tensors {
    Expected<Tensors> outs = vmapFlat(function, args, dims, outDims, axis);
    return outs ? *outs : Tensors{Tensor(outs.error())};
  };
}

/// The error of a value that the function captured, or none.
Status checkCaptured(const char *kind, const MaybeTensors &t,
                     const Params &params) {
  int64_t consts = params.integer("num_consts");
  for (int64_t i = 0; i < consts; ++i)
    if (t[i])
      return makeError(
          ErrorKind::Type, "Detected differentiation of a ", kind,
          " function with respect to a closed-over value. That's not "
          "supported because the custom rule only specifies how to "
          "differentiate the function ",
          params.text("name"), " with respect to explicit input parameters. ",
          "Try passing the closed-over value into the function as an "
          "argument, and adapting the custom rule.");
  return {};
}

/// The types that a rule returned, or the error that names them.
Status checkTypes(const std::string &what, const Tensors &got, size_t from,
                  const std::vector<Aval> &wanted, size_t total) {
  if (got.size() != total)
    return typeError(what, " must produce ", total, " values, but it produced ",
                     got.size(), ".");
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Tensor &x = got[from + i];
    if (x.shape() != wanted[i].shape || x.dtype() != wanted[i].dtype)
      return typeError(what, " must produce values of the types ",
                       TypesParam(wanted).str(), ", but value ", i,
                       " has type ", x.aval().str(), ".");
  }
  return {};
}

std::vector<Aval> tangentAvals(std::vector<Aval> types) {
  for (Aval &aval : types)
    aval = tangentAval(aval);
  return types;
}

// custom_jvp

JvpResult jvpOfRule(const Tensors &in, const MaybeTensors &t,
                    const Params &params) {
  if (Status status = checkCaptured("custom_jvp", t, params); !status)
    return failedJvp(status.error());
  size_t consts = params.integer("num_consts");
  Tensors args(in.begin() + consts, in.end());
  for (size_t i = consts; i < in.size(); ++i)
    args.push_back(instantiate(t[i], in[i].aval()));
  Tensors outs = ruleOf(params, "jvp")(args);
  if (const Error *error = errorIn(outs))
    return failedJvp(*error);
  std::vector<Aval> types = params.jaxpr("call_jaxpr")->outAvals();
  size_t n = types.size();
  std::string what =
      cat("Custom JVP rule <lambda> for function ", params.text("name"));
  Status status = checkTypes(what, outs, 0, types, 2 * n);
  if (status)
    status = checkTypes(what, outs, n, tangentAvals(types), 2 * n);
  if (!status)
    return failedJvp(status.error());
  MaybeTensors tangents;
  for (size_t i = 0; i < n; ++i)
    tangents.push_back(isInexact(types[i].dtype) ? MaybeTensor(outs[n + i])
                                                 : MaybeTensor());
  outs.resize(n);
  return {outs, tangents};
}

/// The batched program, whose results are all batched: the user's rules give
/// them derivatives of each example.
Expected<BatchedProgram> batchCall(const BatchAxis &axis, const Ints &dims,
                                   const Params &params) {
  const JaxprPtr &jaxpr = params.jaxpr("call_jaxpr");
  Expected<BatchedProgram> made =
      batchJaxprAt(jaxpr, axis, dims, {kAnyBatchDim});
  if (!made || !containsInt(made->outDims, -1))
    return made;
  Ints outDims = made->outDims;
  std::replace(outDims.begin(), outDims.end(), int64_t(-1), int64_t(0));
  return batchJaxprAt(jaxpr, axis, dims, outDims);
}
/// Batch dimensions of the explicit arguments.
Ints argumentDims(const Ints &dims, const Params &params) {
  return Ints(dims.begin() + params.integer("num_consts"), dims.end());
}

const Primitive customJvpP = [] {
  Primitive p;
  p.name = "custom_jvp_call";
  p.ownManualAxes = true;
  p.hiddenIfNone = {"num_consts"};
  p.infer = inferCall;
  p.lower = lowerCall;
  p.jvp = jvpOfRule;
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    Expected<BatchedProgram> call = batchCall(axis, dims, params);
    if (!call)
      return {{Tensor(call.error())}, {}};
    Ints own = argumentDims(dims, params), outs = call->outDims;
    Params changed = params;
    changed.set("call_jaxpr", call->jaxpr);
    changed.set(
        "jvp", ruleParam(mapped(ruleOf(params, "jvp"), axis,
                                joinedLists(own, own), joinedLists(outs, outs)),
                         params.object<RuleParam>("jvp")->name));
    return {bindCall(*findPrimitive("custom_jvp_call"), in, changed), outs};
  };
  return p;
}();
const Registered customJvpR(customJvpP);

// custom_vjp

/// Cotangents of the arguments with tangents, from residuals and cotangents.
TensorsFunction selected(const TensorsFunction &backward,
                         const std::vector<Aval> &arguments,
                         const std::vector<bool> &wanted,
                         const std::string &name) {
  return [=](const Tensors &in) -> Tensors {
    Tensors cts = backward(in);
    if (const Error *error = errorIn(cts))
      return {Tensor(*error)};
    std::string what = cat("Custom VJP bwd rule <lambda> for function ", name);
    Tensors out;
    if (cts.size() != arguments.size())
      return {Tensor(typeError(what, " must produce ", arguments.size(),
                               " cotangents, one for each leaf of the "
                               "arguments, but it produced ",
                               cts.size(), "."))};
    for (size_t i = 0; i < cts.size(); ++i) {
      if (!wanted[i])
        continue;
      if (cts[i].shape() != arguments[i].shape ||
          cts[i].dtype() != arguments[i].dtype)
        return {Tensor(valueError(
            what, " produced a cotangent of type ", cts[i].aval().longStr(),
            " for an argument of type ", arguments[i].longStr(), "."))};
      out.push_back(cts[i]);
    }
    return out;
  };
}

/// `[False, True]`: which tangents are zero, as a jaxpr prints it.
std::shared_ptr<const ParamObject> zerosText(const MaybeTensors &tangents) {
  std::string out;
  for (const MaybeTensor &t : tangents)
    out += cat(out.empty() ? "" : ", ", t ? "False" : "True");
  return std::make_shared<const TextParam>(cat("[", out, "]"));
}

/// The function's results, and tangents that can only be transposed.
JvpResult jvpOfVjp(const Tensors &in, const MaybeTensors &t,
                   const Params &params) {
  if (Status status = checkCaptured("custom_vjp", t, params); !status)
    return failedJvp(status.error());
  size_t consts = params.integer("num_consts");
  Tensors primals(in.begin() + consts, in.end());
  MaybeTensors tangents(t.begin() + consts, t.end());
  Tensors outs = ruleOf(params, "fwd")(primals);
  if (const Error *error = errorIn(outs))
    return failedJvp(*error);
  std::vector<Aval> types = params.jaxpr("call_jaxpr")->outAvals();
  size_t n = types.size();
  if (outs.size() >= n)
    if (Status status =
            checkTypes(cat("Custom VJP fwd rule <lambda> for function ",
                           params.text("name")),
                       outs, 0, types, outs.size());
        !status)
      return failedJvp(status.error());
  if (outs.size() < n)
    return failedJvp(typeError("Custom VJP fwd rule <lambda> for function ",
                               params.text("name"),
                               " must produce a pair of the function's result "
                               "and residuals"));
  std::vector<Aval> arguments;
  for (const Tensor &x : primals)
    arguments.push_back(x.aval());
  Tensors args(outs.begin() + n, outs.end());
  outs.resize(n);
  int64_t residuals = static_cast<int64_t>(args.size());
  appendGiven(args, tangents);
  std::vector<bool> inexact;
  std::vector<Aval> linear;
  for (const Aval &aval : types) {
    inexact.push_back(isInexact(aval.dtype));
    if (inexact.back())
      linear.push_back(tangentAval(aval));
  }
  TensorsFunction backward = ruleOf(params, "bwd");
  // Results of integers get a cotangent of zeros, as JAX's float0.
  TensorsFunction withAll = [=](const Tensors &given) {
    Tensors all(given.begin(), given.begin() + residuals);
    size_t next = residuals;
    for (size_t i = 0; i < n; ++i)
      all.push_back(inexact[i] ? given[next++]
                               : lax::zeros(tangentAval(types[i])));
    return backward(all);
  };
  Tensors made =
      bindMany(*findPrimitive("custom_lin"), linear.size(), args,
               {{"bwd", ruleParam(selected(withAll, arguments, given(tangents),
                                           params.text("name")))},
                {"num_res", residuals},
                {"symbolic_zeros", false},
                {"in_zeros", zerosText(tangents)},
                {"out_avals", objectParam(TypesParam(linear))}});
  if (const Error *error = errorIn(made))
    return failedJvp(*error);
  return {outs, spread(made, inexact)};
}

const Primitive customVjpP = [] {
  Primitive p;
  p.name = "custom_vjp_call";
  p.ownManualAxes = true;
  p.hiddenIfNone = {"num_consts"};
  p.infer = inferCall;
  p.lower = lowerCall;
  p.jvp = jvpOfVjp;
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    Expected<BatchedProgram> call = batchCall(axis, dims, params);
    if (!call)
      return {{Tensor(call.error())}, {}};
    Ints own = argumentDims(dims, params), outs = call->outDims, ctDims = own;
    for (int64_t &d : ctDims)
      d = std::max<int64_t>(d, 0);
    TensorsFunction backward = ruleOf(params, "bwd");
    Params changed = params;
    changed.set("call_jaxpr", call->jaxpr);
    // Residuals are batched in front.
    changed.set("fwd", ruleParam(mapped(ruleOf(params, "fwd"), axis, own,
                                        joinedLists(outs, Ints{0}))));
    // A value that all slices share gets the sum of their cotangents.
    changed.set("bwd", ruleParam([=](const Tensors &in) {
                  Ints inDims(in.size() - outs.size(), 0);
                  Tensors cts = mapped(backward, axis,
                                       joinedLists(inDims, outs), ctDims)(in);
                  for (size_t i = 0; i < cts.size() && i < own.size(); ++i)
                    if (own[i] < 0 && cts[i].ok())
                      cts[i] = lax::reduce_sum(cts[i], {0});
                  return cts;
                }));
    return {bindCall(*findPrimitive("custom_vjp_call"), in, changed), outs};
  };
  return p;
}();
const Registered customVjpR(customVjpP);

/// A linear function of which only the transpose is known. Operands: residuals,
/// then tangents.
const Primitive customLinP = [] {
  Primitive p;
  p.name = "custom_lin";
  p.hidden = {"out_avals"};
  p.ownManualAxes = true;
  p.infer = [](const std::vector<Aval> &,
               const Params &params) -> Expected<std::vector<Aval>> {
    return params.object<TypesParam>("out_avals")->types;
  };
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &in,
                   const std::vector<Aval> &, const Params &params) {
    const auto &types = params.object<TypesParam>("out_avals")->types;
    size_t residuals = params.integer("num_res");
    Tensors args;
    for (size_t i = 0; i < residuals; ++i)
      args.push_back(*in[i]);
    for (size_t i = 0; i < ct.size(); ++i)
      args.push_back(instantiate(ct[i], types[i]));
    Tensors cts = ruleOf(params, "bwd")(args);
    if (const Error *error = errorIn(cts))
      return MaybeTensors{Tensor(*error)};
    MaybeTensors out(in.size());
    for (size_t i = residuals; i < in.size(); ++i)
      if (!in[i])
        out[i] = cts[i - residuals];
    return out;
  };
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    Tensors args;
    for (size_t i = 0; i < in.size(); ++i)
      args.push_back(batchToFront(in[i], dims[i], axis));
    std::vector<Aval> types = params.object<TypesParam>("out_avals")->types;
    for (Aval &aval : types) {
      Shape shape = aval.shape;
      shape.insert(shape.begin(), axis.size);
      aval = aval.withShape(shape);
    }
    TensorsFunction rule = ruleOf(params, "bwd");
    Params changed = params;
    changed.set("bwd", ruleParam([=](const Tensors &values) {
                  return mapped(rule, axis, Ints(values.size(), 0))(values);
                }));
    changed.set("out_avals", objectParam(TypesParam(types)));
    return {bindMany(*findPrimitive("custom_lin"), types.size(), args, changed),
            {0}};
  };
  p.lower = [](LoweringContext &c) {
    c.fail(typeError("can't apply forward-mode autodiff (jvp) to a "
                     "custom_vjp function."));
    return std::vector<std::string>(c.resultTypes().size());
  };
  return p;
}();
const Registered customLinR(customLinP);

/// Traces the function and applies the primitive.
Tensors applyCustom(const Primitive &primitive, const std::string &name,
                    const TensorsFunction &function, const Tensors &args,
                    Params params) {
  if (const Error *error = errorIn(args))
    return {Tensor(*error)};
  bool traced = currentTrace() != nullptr;
  for (const Tensor &arg : args)
    traced |= arg.isTraced();
  if (!traced)
    return function(args);
  std::vector<Aval> types;
  for (const Tensor &x : args)
    types.push_back(x.aval());
  Tensors all;
  Expected<JaxprPtr> jaxpr = traceWithCaptures(function, types, name, all);
  if (!jaxpr)
    return {Tensor(jaxpr.error())};
  params.set("name", name);
  params.set("call_jaxpr", *jaxpr);
  params.set("num_consts", static_cast<int64_t>(all.size()));
  params.set("symbolic_zeros", false);
  all.insert(all.end(), args.begin(), args.end());
  return bindCall(primitive, all, params);
}

} // namespace

Tensors customJvpFlat(const std::string &name, const TensorsFunction &function,
                      const TensorsFunction &rule, const Tensors &args,
                      const std::string &ruleName) {
  return applyCustom(customJvpP, name, function, args,
                     {{"jvp", ruleParam(rule, ruleName)}});
}

Tensors customVjpFlat(const std::string &name, const TensorsFunction &function,
                      const TensorsFunction &forward,
                      const TensorsFunction &backward, const Tensors &args) {
  return applyCustom(
      customVjpP, name, function, args,
      {{"fwd", ruleParam(forward)}, {"bwd", ruleParam(backward)}});
}

} // namespace shardwright::frontend
