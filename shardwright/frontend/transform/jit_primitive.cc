//===- jit_primitive.cc - a program as an equation ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/transform/jit_primitive.h"

#include "shardwright/frontend/primitives/lax.h"

namespace shardwright::frontend {
namespace {

Params jitParams(const JaxprPtr &jaxpr, const std::string &name) {
  return {{"name", name}, {"jaxpr", jaxpr}};
}

std::vector<bool> present(const MaybeTensors &values) {
  std::vector<bool> out;
  for (const MaybeTensor &v : values)
    out.push_back(v.has_value());
  return out;
}

/// Gives tangents back to the results that have one.
MaybeTensors spread(const Tensors &tangents, const std::vector<bool> &has) {
  MaybeTensors out(has.size());
  size_t next = 0;
  for (size_t i = 0; i < has.size(); ++i)
    if (has[i])
      out[i] = tangents[next++];
  return out;
}

JvpResult jvpJit(const Tensors &in, const MaybeTensors &t,
                 const Params &params) {
  Expected<JvpJaxpr> jvp = jvpJaxpr(params.jaxpr("jaxpr"), present(t));
  if (!jvp)
    return {{Tensor(jvp.error())}, {}};
  Tensors args = in;
  for (const MaybeTensor &v : t)
    if (v)
      args.push_back(*v);
  Tensors outs = bindJit(jvp->jaxpr, params.text("name"), args);
  size_t n = jvp->outNonzero.size();
  return {Tensors(outs.begin(), outs.begin() + n),
          spread(Tensors(outs.begin() + n, outs.end()), jvp->outNonzero)};
}

JvpResult linearizeJit(JaxprTrace &tangents, const TracePtr &known,
                       const Tensors &in, const MaybeTensors &t,
                       const Params &params) {
  Expected<LinearizedJaxpr> linear =
      linearizeJaxpr(params.jaxpr("jaxpr"), present(t));
  if (!linear)
    return {{Tensor(linear.error())}, {}};
  const std::string &name = params.text("name");
  Tensors outs = bindJit(linear->known, name, in);
  if (const Error *error = errorIn(outs))
    return {{Tensor(*error)}, {}};
  size_t n = linear->outNonzero.size();
  Tensors args(outs.begin() + n, outs.end());
  outs.resize(n);
  for (const MaybeTensor &v : t)
    if (v)
      args.push_back(*v);
  if (linear->tangent->outs.empty())
    return {outs, MaybeTensors(n)};
  Tensors results = tangents.bind(*findPrimitive("jit"), args,
                                  jitParams(linear->tangent, name));
  if (const Error *error = errorIn(results))
    return {{Tensor(*error)}, {}};
  return {outs, spread(results, linear->outNonzero)};
}

MaybeTensors transposeJit(const MaybeTensors &ct, const MaybeTensors &in,
                          const std::vector<Aval> &, const Params &params) {
  std::vector<bool> linear = present(in);
  linear.flip();
  Expected<JaxprPtr> transposed =
      transposeJaxpr(params.jaxpr("jaxpr"), linear, present(ct));
  if (!transposed)
    return {Tensor(transposed.error())};
  Tensors args;
  for (const MaybeTensor &v : in)
    if (v)
      args.push_back(*v);
  for (const MaybeTensor &v : ct)
    if (v)
      args.push_back(*v);
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
    std::vector<bool> batched;
    Tensors args;
    for (size_t i = 0; i < in.size(); ++i) {
      batched.push_back(dims[i] >= 0);
      Ints permutation = withoutInts(in[i].rank(), {dims[i]});
      if (dims[i] >= 0)
        permutation.insert(permutation.begin(), dims[i]);
      args.push_back(dims[i] > 0 ? lax::transpose(in[i], permutation) : in[i]);
    }
    Expected<BatchedJaxpr> inner =
        batchJaxpr(params.jaxpr("jaxpr"), axis, batched);
    if (!inner)
      return {{Tensor(inner.error())}, {}};
    Ints outDims;
    for (bool b : inner->outBatched)
      outDims.push_back(b ? 0 : -1);
    return {bindJit(inner->jaxpr, params.text("name"), args), outDims};
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
