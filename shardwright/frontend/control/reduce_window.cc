//===- reduce_window.cc - reductions of windows by any function -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/control/control.h"
#include "shardwright/frontend/control/reducer.h"
#include "shardwright/frontend/primitives/reshard.h"
#include "shardwright/frontend/primitives/window_params.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

const Primitive &reduceWindow() {
  static const Primitive &p = *findPrimitive("reduce_window");
  return p;
}

template <typename F>
std::string listOf(const std::vector<Aval> &types, const F &text) {
  std::string out;
  for (const Aval &type : types)
    out += cat(out.empty() ? "" : ", ", text(type));
  return "[" + out + "]";
}

/// Operands, then one initial value for each.
Expected<std::vector<Aval>> inferWindow(const std::vector<Aval> &in,
                                        const Params &params) {
  size_t n = in.size() / 2;
  std::vector<Aval> xs(in.begin(), in.begin() + n),
      inits(in.begin() + n, in.end());
  auto shapeText = [](const Aval &a) { return tupleText(a.shape); };
  auto typeText = [](const Aval &a) {
    // numpy does not quote types that are not its own.
    bool isForeign =
        bitWidth(a.dtype) < 16 && !isInteger(a.dtype) && a.dtype != DType::Bool;
    isForeign = isForeign || a.dtype == DType::BF16 ||
                (isInteger(a.dtype) && bitWidth(a.dtype) < 8);
    const char *quote = isForeign ? "" : "'";
    return cat("dtype(", quote, name(a.dtype), quote, ")");
  };
  for (size_t i = 0; i < n; ++i) {
    if (inits[i].rank())
      return typeError("reduce_window expected init_values to be scalars but "
                       "init_values have shapes ",
                       listOf(inits, shapeText), ".");
    if (xs[i].dtype != inits[i].dtype)
      return typeError("reduce_window got inconsistent dtypes for operands and "
                       "init_values: got operand dtypes ",
                       listOf(xs, typeText), " and init_value dtypes ",
                       listOf(inits, typeText), ".");
    if (xs[i].shape != xs[0].shape)
      return typeError("reduce_window operands must have the same shape, got ",
                       listOf(xs, shapeText), ".");
  }
  Expected<Shape> shape = windowShape("reduce_window", xs[0].shape, params);
  if (!shape)
    return shape.error();
  std::vector<Aval> results;
  for (const Aval &x : xs)
    results.push_back(Aval{x.dtype, *shape});
  return results;
}

Expected<std::vector<PartitionSpec>> windowSpecs(const std::vector<Aval> &in,
                                                 const std::vector<Aval> &out,
                                                 const Params &) {
  std::vector<PartitionSpec> specs;
  for (size_t i = 0; i < out.size(); ++i) {
    auto spec = resizedSpec("reduce_window", in[i], out[i]);
    if (!spec)
      return spec.error();
    specs.push_back((*spec)[0]);
  }
  return specs;
}

std::vector<std::string> lowerWindow(LoweringContext &c) {
  size_t n = c.resultTypes().size();
  const Jaxpr &jaxpr = *c.params().jaxpr("jaxpr");
  if (!c.operandTypes()[0].rank()) {
    // One window, of one element.
    std::vector<std::string> args(c.operands().begin() + n, c.operands().end());
    args.insert(args.end(), c.operands().begin(), c.operands().begin() + n);
    return c.inlineJaxpr(jaxpr, args);
  }
  return c.op("stablehlo.reduce_window", c.operands(),
              mlirTypes(c.operandTypes()), mlirTypes(c.resultTypes()),
              windowAttributes(c.params()), {c.region(jaxpr, {})});
}

/// The reducer of elements with tangents: (x, dx) and (y, dy) to (z, dz), where
/// only inexact elements have tangents.
Expected<JaxprPtr> tangentReducer(const JaxprPtr &jaxpr,
                                  const std::vector<bool> &inexact) {
  size_t n = inexact.size();
  std::vector<bool> nonzero = inexact;
  nonzero.insert(nonzero.end(), inexact.begin(), inexact.end());
  Expected<JvpJaxpr> both = jvpJaxpr(jaxpr, nonzero, inexact);
  if (!both)
    return both.error();
  std::vector<Aval> all = jaxpr->inAvals(), types;
  for (size_t side = 0; side < 2; ++side) {
    types.insert(types.end(), all.begin() + side * n,
                 all.begin() + (side + 1) * n);
    for (size_t i = 0; i < n; ++i)
      if (inexact[i])
        types.push_back(tangentAval(all[side * n + i]));
  }
  return traceToJaxpr(
      [&](const Tensors &in) -> Tensors {
        size_t half = in.size() / 2;
        Tensors args;
        for (size_t from : {size_t(0), half})
          args.insert(args.end(), in.begin() + from, in.begin() + from + n);
        for (size_t from : {size_t(0), half})
          args.insert(args.end(), in.begin() + from + n,
                      in.begin() + from + half);
        return evalJaxpr(*both->jaxpr, args);
      },
      types, jaxpr->name);
}

/// An error if an initial value has a tangent.
Status checkInits(const MaybeTensors &t) {
  for (size_t i = t.size() / 2; i < t.size(); ++i)
    if (t[i])
      return typeError("reduce_window jvp does not support non-zero "
                       "init_value_tangent.");
  return {};
}

JvpResult jvpWindow(const Tensors &in, const MaybeTensors &t,
                    const Params &params) {
  if (Status status = checkInits(t); !status)
    return failedJvp(status.error());
  size_t n = in.size() / 2;
  std::vector<bool> inexact;
  for (size_t i = 0; i < n; ++i)
    inexact.push_back(isInexact(in[i].dtype()));
  Expected<JaxprPtr> reducer = tangentReducer(params.jaxpr("jaxpr"), inexact);
  if (!reducer)
    return failedJvp(reducer.error());
  Tensors args;
  for (size_t from : {size_t(0), n}) {
    args.insert(args.end(), in.begin() + from, in.begin() + from + n);
    for (size_t i = 0; i < n; ++i)
      if (!inexact[i])
        continue;
      else if (from)
        args.push_back(scalarOf(0.0, in[i].dtype()));
      else
        args.push_back(instantiate(t[from + i], in[from + i].aval()));
  }
  Params changed = params;
  changed.set("jaxpr", *reducer);
  Tensors outs = bindMany(reduceWindow(), args.size() / 2, args, changed);
  return {Tensors(outs.begin(), outs.begin() + n), spread(outs, inexact, n)};
}

/// The primals are computed together with the tangents, so that they cannot be
/// known before these.
JvpResult failedLinearize(JaxprTrace &, const TracePtr &, const Tensors &,
                          const MaybeTensors &t, const Params &) {
  if (Status status = checkInits(t); !status)
    return failedJvp(status.error());
  return failedJvp(valueError(
      "Linearization failed to produce known values for all output primals. "
      "This is typically caused by attempting to differentiate a function "
      "uses an operation that does not support reverse-mode autodiff."));
}

BatchResult batchWindow(const BatchAxis &axis, const Tensors &in,
                        const Ints &dims, const Params &params) {
  size_t n = in.size() / 2;
  for (size_t i = n; i < in.size(); ++i)
    if (dims[i] >= 0)
      return {{Tensor(notImplemented("reduce_window batching is not "
                                     "implemented for initial values"))},
              {}};
  Tensors moved = in;
  for (size_t i = 0; i < n; ++i)
    moved[i] = batchToFront(in[i], dims[i], axis);
  return {bindMany(reduceWindow(), n, moved, withWindowBatch(params, 0)),
          Ints(n, 0)};
}

const Primitive windowP = [] {
  Primitive p;
  p.name = "reduce_window";
  p.infer = inferWindow;
  p.sharding = windowSpecs;
  p.jvp = jvpWindow;
  p.linearize = failedLinearize;
  p.batch = batchWindow;
  p.lower = lowerWindow;
  return p;
}();
const Registered windowR(windowP);

Tensors windowGeneral(const Tensors &xs, const Tensors &inits,
                      const lax::TupleReducer &reducer, const Window &window) {
  if (xs.empty())
    return {
        Tensor(valueError("reduce_window must have at least one operand."))};
  if (xs.size() != inits.size())
    return Tensors(xs.size(),
                   Tensor(valueError("reduce_window needs one initial value "
                                     "for each operand; got ",
                                     xs.size(), " operands and ", inits.size(),
                                     " initial values")));
  Tensors args = xs;
  args.insert(args.end(), inits.begin(), inits.end());
  if (const Error *error = errorIn(args))
    return Tensors(xs.size(), Tensor(*error));
  Params params = windowParams(window, xs[0].rank(), /*dilated=*/true);
  // Types first: the reducer's error would speak of scalars.
  std::vector<Aval> types;
  for (const Tensor &arg : args)
    types.push_back(arg.aval());
  Expected<std::vector<Aval>> inferred = inferWindow(types, params);
  Expected<JaxprPtr> jaxpr =
      inferred ? reducerJaxpr("reduce_window", xs, inits, reducer)
               : Expected<JaxprPtr>(inferred.error());
  if (!jaxpr)
    return Tensors(xs.size(), Tensor(jaxpr.error()));
  params.set("jaxpr", *jaxpr);
  params.set("consts", Ints());
  return bindMany(windowP, xs.size(), args, params);
}

} // namespace

namespace lax {
Tensor reduce_window(const Tensor &x, const Tensor &init,
                     const Reducer &reducer, const Window &window) {
  if (const Error *error = errorIn(Tensors{x, init}))
    return *error;
  const Monoid *monoid = monoidOf(reducer);
  if (monoid && monoid->reduceWindow && isIdentity(*monoid, init, x.dtype()))
    return monoid->reduceWindow(x, window);
  return windowGeneral(
             {x}, {init},
             [&](const Tensors &a, const Tensors &b) {
               return Tensors{reducer(a[0], b[0])};
             },
             window)
      .at(0);
}

Tensors reduce_window(const Tensors &xs, const Tensors &inits,
                      const TupleReducer &reducer, const Window &window) {
  return windowGeneral(xs, inits, reducer, window);
}
} // namespace lax
} // namespace shardwright::frontend
