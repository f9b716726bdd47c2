//===- while.cc - loops of unknown length ---------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/control/control.h"
#include "shardwright/frontend/primitives/helpers.h"

namespace shardwright::frontend {
namespace {

using Names = std::vector<std::string>;

/// The operands of a while: constants of the condition, of the body, the carry.
struct While {
  explicit While(const Params &params)
      : cond(params.jaxpr("cond_jaxpr")), body(params.jaxpr("body_jaxpr")),
        condConsts(params.integer("cond_nconsts")),
        bodyConsts(params.integer("body_nconsts")),
        carry(body->ins.size() - bodyConsts) {}
  JaxprPtr cond, body;
  size_t condConsts, bodyConsts, carry;
};

Params whileParams(const JaxprPtr &cond, size_t condConsts,
                   const JaxprPtr &body, size_t bodyConsts) {
  return {{"cond_jaxpr", cond},
          {"cond_nconsts", static_cast<int64_t>(condConsts)},
          {"body_jaxpr", body},
          {"body_nconsts", static_cast<int64_t>(bodyConsts)}};
}
const Primitive &whilePrimitive() {
  static const Primitive &p = *findPrimitive("while");
  return p;
}

Names lowerWhile(LoweringContext &c) {
  While w(c.params());
  const Names &in = c.operands();
  Names condConsts(in.begin(), in.begin() + w.condConsts);
  Names bodyConsts(in.begin() + w.condConsts,
                   in.begin() + w.condConsts + w.bodyConsts);
  Names init(in.begin() + w.condConsts + w.bodyConsts, in.end());
  Names types = mlirTypes(c.resultTypes());
  return c.op("stablehlo.while", init, types, types, "",
              {c.region(*w.cond, condConsts), c.region(*w.body, bodyConsts)});
}

/// Grows `mask` (constants of the body, then the carry) until the body's
/// results need no more.
Status
growCarry(size_t bodyConsts, std::vector<bool> &mask,
          const std::function<Expected<std::vector<bool>>(
              const std::vector<bool> &, const std::vector<bool> &)> &rule) {
  while (true) {
    std::vector<bool> force(mask.begin() + bodyConsts, mask.end());
    Expected<std::vector<bool>> outs = rule(mask, force);
    if (!outs)
      return outs.error();
    bool changed = false;
    for (size_t i = 0; i < outs->size(); ++i)
      if ((*outs)[i] && !mask[bodyConsts + i])
        mask[bodyConsts + i] = changed = true;
    if (!changed)
      return {};
  }
}

JvpResult jvpWhile(const Tensors &in, const MaybeTensors &t,
                   const Params &params) {
  While w(params);
  MaybeTensors bodyT(t.begin() + w.condConsts, t.end());
  std::vector<bool> nonzero = given(bodyT);
  JvpJaxpr jvp;
  Status status = growCarry(
      w.bodyConsts, nonzero,
      [&](const std::vector<bool> &ins,
          const std::vector<bool> &force) -> Expected<std::vector<bool>> {
        Expected<JvpJaxpr> made = jvpJaxpr(w.body, ins, force);
        if (!made)
          return made.error();
        jvp = *made;
        return jvp.outNonzero;
      });
  if (!status)
    return failedJvp(status.error());
  // constants, their tangents, carry, its tangents
  size_t n = w.body->ins.size();
  std::vector<size_t> order;
  for (size_t i = 0; i < w.bodyConsts; ++i)
    order.push_back(i);
  size_t rank = n, numConsts = w.bodyConsts;
  for (size_t i = 0; i < w.bodyConsts; ++i)
    if (nonzero[i]) {
      order.push_back(rank++);
      ++numConsts;
    }
  for (size_t i = w.bodyConsts; i < n; ++i)
    order.push_back(i);
  while (rank < jvp.jaxpr->ins.size())
    order.push_back(rank++);
  std::vector<size_t> outs;
  for (size_t i = 0; i < jvp.jaxpr->outs.size(); ++i)
    outs.push_back(i);
  JaxprPtr body = reordered(jvp.jaxpr, order, outs);
  // The condition ignores the tangents.
  auto cond = std::make_shared<Jaxpr>(*w.cond);
  Tensors args(in.begin(), in.begin() + w.condConsts + w.bodyConsts);
  for (size_t i = 0; i < w.bodyConsts; ++i)
    if (nonzero[i])
      args.push_back(instantiate(bodyT[i], in[w.condConsts + i].aval()));
  args.insert(args.end(), in.begin() + w.condConsts + w.bodyConsts, in.end());
  for (size_t i = w.bodyConsts; i < n; ++i)
    if (nonzero[i]) {
      const Aval &aval = in[w.condConsts + i].aval();
      args.push_back(instantiate(bodyT[i], aval));
      cond->types.push_back(tangentAval(aval));
      cond->ins.push_back(static_cast<int32_t>(cond->types.size()) - 1);
    }
  Tensors results = bindMany(whilePrimitive(), body->outs.size(), args,
                             whileParams(cond, w.condConsts, body, numConsts));
  JvpResult r{Tensors(results.begin(), results.begin() + w.carry),
              MaybeTensors(w.carry)};
  size_t next = w.carry;
  for (size_t i = 0; i < w.carry; ++i)
    if (nonzero[w.bodyConsts + i])
      r.tangents[i] = results[next++];
  return r;
}

/// Primals are computed now; the tangents by a loop that repeats them.
JvpResult linearizeWhile(JaxprTrace &tangents, const TracePtr &known,
                         const Tensors &in, const MaybeTensors &t,
                         const Params &params) {
  While w(params);
  JvpResult result;
  result.outs = bindMany(whilePrimitive(), w.carry, in, params);
  ScopedTrace scope(tangents.shared_from_this());
  JvpResult both = jvpWhile(in, t, params);
  result.tangents = both.tangents;
  if (both.tangents.empty())
    result.outs = both.outs;
  return result;
}

BatchResult batchWhile(const BatchAxis &axis, const Tensors &in,
                       const Ints &dims, const Params &params) {
  While w(params);
  std::vector<bool> batched, mask;
  for (int64_t d : dims)
    batched.push_back(d >= 0);
  mask.assign(batched.begin() + w.condConsts, batched.end());
  auto condMask = [&] {
    std::vector<bool> out(batched.begin(), batched.begin() + w.condConsts);
    out.insert(out.end(), mask.begin() + w.bodyConsts, mask.end());
    return out;
  };
  BatchedJaxpr body;
  bool mapsCondition = false;
  BatchedJaxpr cond;
  Status status = growCarry(
      w.bodyConsts, mask,
      [&](const std::vector<bool> &ins,
          const std::vector<bool> &force) -> Expected<std::vector<bool>> {
        Expected<BatchedJaxpr> condition = batchJaxpr(w.cond, axis, condMask());
        if (!condition)
          return condition.error();
        cond = *condition;
        mapsCondition = cond.outBatched[0];
        std::vector<bool> all = force;
        if (mapsCondition)
          all.assign(force.size(), true);
        Expected<BatchedJaxpr> made = batchJaxpr(w.body, axis, ins, all);
        if (!made)
          return made.error();
        body = *made;
        return body.outBatched;
      });
  if (!status)
    return {{Tensor(status.error())}, {}};
  Tensors args;
  for (size_t i = 0; i < in.size(); ++i)
    args.push_back(
        i < w.condConsts ? (batched[i] ? moveBatch(in[i], dims[i], 0) : in[i])
        : mask[i - w.condConsts] ? batchToFront(in[i], dims[i], axis.size)
                                 : in[i]);
  Ints outDims;
  for (size_t i = 0; i < w.carry; ++i)
    outDims.push_back(mask[w.bodyConsts + i] ? 0 : -1);
  if (!mapsCondition)
    return {bindMany(whilePrimitive(), w.carry, args,
                     whileParams(cond.jaxpr, w.condConsts, body.jaxpr,
                                 w.bodyConsts)),
            outDims};
  // Runs while any example does; the others keep their values.
  size_t first = w.condConsts + w.bodyConsts;
  Tensors condArgs(args.begin(), args.begin() + w.condConsts);
  Tensors bodyArgs(args.begin() + w.condConsts, args.begin() + first);
  Tensors init(args.begin() + first, args.end());
  auto active = [&](const Tensors &carry) {
    Tensors a = condArgs;
    a.insert(a.end(), carry.begin(), carry.end());
    return evalJaxpr(*cond.jaxpr, a)[0];
  };
  Tensors outs = whileFlat(
      [&](const Tensors &carry) {
        return Tensors{lax::reduce_or(active(carry), {0})};
      },
      [&](const Tensors &carry) {
        Tensor mapped = active(carry);
        Tensors a = bodyArgs;
        a.insert(a.end(), carry.begin(), carry.end());
        Tensors next = evalJaxpr(*body.jaxpr, a);
        for (size_t i = 0; i < next.size(); ++i)
          next[i] =
              lax::select(lax::broadcast_in_dim(mapped, next[i].shape(), {0}),
                          next[i], carry[i]);
        return next;
      },
      init);
  return {outs, outDims};
}

const Primitive whileP = [] {
  Primitive p;
  p.name = "while";
  p.ownManualAxes = true;
  p.infer = [](const std::vector<Aval> &,
               const Params &params) -> Expected<std::vector<Aval>> {
    return params.jaxpr("body_jaxpr")->outAvals();
  };
  p.jvp = jvpWhile;
  p.linearize = linearizeWhile;
  p.transpose = [](const MaybeTensors &, const MaybeTensors &,
                   const std::vector<Aval> &, const Params &) {
    return MaybeTensors{Tensor(valueError(
        "Reverse-mode differentiation does not work for lax.while_loop or "
        "lax.fori_loop with dynamic start/stop values. Try using lax.scan, or "
        "using fori_loop with static start/stop."))};
  };
  p.batch = batchWhile;
  p.lower = lowerWhile;
  return p;
}();
const Registered whileR(whileP);

} // namespace

Tensors whileFlat(const TensorsFunction &condition, const TensorsFunction &body,
                  const Tensors &init) {
  if (const Error *error = errorIn(init))
    return {Tensor(*error)};
  std::vector<Aval> types;
  for (const Tensor &x : init)
    types.push_back(x.aval());
  Tensors condConsts, bodyConsts;
  Expected<JaxprPtr> cond = traceWithCaptures(condition, types, "", condConsts);
  if (!cond)
    return {Tensor(cond.error())};
  Expected<JaxprPtr> loop = traceWithCaptures(body, types, "", bodyConsts);
  if (!loop)
    return {Tensor(loop.error())};
  std::vector<Aval> after = (*loop)->outAvals(), test = (*cond)->outAvals();
  if (test.size() != 1 || test[0].dtype != DType::Bool || test[0].rank())
    return {Tensor(typeError(
        "cond_fun must return a boolean scalar, but got pytree with output "
        "type(s) ",
        test.empty() ? "none" : test[0].longStr(), "."))};
  for (size_t i = 0; i < after.size() && i < types.size(); ++i)
    if (types[i].weak && !types[i].sameType(after[i]) &&
        types[i].shape == after[i].shape) {
      Tensors carry = init;
      carry[i] = lax::convert_element_type(init[i], after[i].dtype);
      return whileFlat(condition, body, carry);
    }
  if (Status status = checkCarry("while_loop", types, after); !status)
    return {Tensor(status.error())};
  Tensors args = condConsts;
  args.insert(args.end(), bodyConsts.begin(), bodyConsts.end());
  args.insert(args.end(), init.begin(), init.end());
  return bindMany(
      whileP, init.size(), args,
      whileParams(*cond, condConsts.size(), *loop, bodyConsts.size()));
}

} // namespace shardwright::frontend
