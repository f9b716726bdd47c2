//===- jit_primitive.cc - a program as an equation ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/transform/jit_primitive.h"

#include "shardwright/frontend/primitives/helpers.h"

namespace shardwright::frontend {
namespace {

Params jitParams(const JaxprPtr &jaxpr, const std::string &name) {
  return {{"name", name}, {"jaxpr", jaxpr}};
}

JvpResult jvpJit(const Tensors &in, const MaybeTensors &t,
                 const Params &params) {
  Expected<JvpJaxpr> jvp = jvpJaxpr(params.jaxpr("jaxpr"), given(t));
  if (!jvp)
    return failedJvp(jvp.error());
  Tensors args = in;
  appendGiven(args, t);
  Tensors outs = bindJit(jvp->jaxpr, params.text("name"), args);
  size_t n = jvp->outNonzero.size();
  return {Tensors(outs.begin(), outs.begin() + n),
          spread(outs, jvp->outNonzero, n)};
}

JvpResult linearizeJit(JaxprTrace &tangents, const TracePtr &known,
                       const Tensors &in, const MaybeTensors &t,
                       const Params &params) {
  Expected<LinearizedJaxpr> linear =
      linearizeJaxpr(params.jaxpr("jaxpr"), given(t));
  if (!linear)
    return failedJvp(linear.error());
  const std::string &name = params.text("name");
  Tensors outs = bindJit(linear->known, name, in);
  if (const Error *error = errorIn(outs))
    return failedJvp(*error);
  size_t n = linear->outNonzero.size();
  Tensors args(outs.begin() + n, outs.end());
  outs.resize(n);
  appendGiven(args, t);
  if (linear->tangent->outs.empty())
    return {outs, MaybeTensors(n)};
  Tensors results = tangents.bind(*findPrimitive("jit"), args,
                                  jitParams(linear->tangent, name));
  if (const Error *error = errorIn(results))
    return failedJvp(*error);
  return {outs, spread(results, linear->outNonzero)};
}

MaybeTensors transposeJit(const MaybeTensors &ct, const MaybeTensors &in,
                          const std::vector<Aval> &, const Params &params) {
  std::vector<bool> linear = given(in);
  linear.flip();
  Expected<JaxprPtr> transposed =
      transposeJaxpr(params.jaxpr("jaxpr"), linear, given(ct));
  if (!transposed)
    return {Tensor(transposed.error())};
  Tensors args;
  appendGiven(args, in);
  appendGiven(args, ct);
  return spread(bindJit(*transposed, params.text("name"), args), linear);
}

const Primitive jitP = [] {
  Primitive p;
  p.name = "jit";
  p.ownManualAxes = true;
  p.infer = [](const std::vector<Aval> &,
               const Params &params) -> Expected<std::vector<Aval>> {
    return params.jaxpr("jaxpr")->outAvals();
  };
  p.jvp = jvpJit;
  p.linearize = linearizeJit;
  p.transpose = transposeJit;
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    Tensors args;
    for (size_t i = 0; i < in.size(); ++i)
      args.push_back(dims[i] >= 0 ? moveBatch(in[i], dims[i], 0) : in[i]);
    Expected<BatchedJaxpr> inner =
        batchJaxpr(params.jaxpr("jaxpr"), axis, isBatched(dims));
    if (!inner)
      return {{Tensor(inner.error())}, {}};
    return {bindJit(inner->jaxpr, params.text("name"), args),
            batchDims(inner->outBatched)};
  };
  p.lower = [](LoweringContext &c) {
    return c.call(c.params().jaxpr("jaxpr"), c.params().text("name"),
                  c.operands());
  };
  return p;
}();
const Registered jitR(jitP);

} // namespace

Tensors bindJit(const JaxprPtr &jaxpr, const std::string &name,
                const Tensors &args) {
  return bindMany(jitP, jaxpr->outs.size(), args, jitParams(jaxpr, name));
}

} // namespace shardwright::frontend
