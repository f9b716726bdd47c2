//===- while.cc - loops of unknown length ---------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/control/control.h"
#include "shardwright/frontend/transform/forwarding.h"

#include <algorithm>

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
  EffectSet ordered = w.cond->effects.ordered();
  // A condition with ordered effects is computed in front of the loop and at
  // the end of its body: the loop carries its result.
  bool carries = !ordered.empty();
  ordered.add(w.body->effects.ordered());
  auto condition = [&](const Names &carry) {
    return c.inlineJaxpr(*w.cond, joinedNames(condConsts, carry));
  };
  if (carries)
    init = joinedNames(condition(init), init);
  init = joinedNames(c.tokens(ordered), init);
  Names types = mlirTypes(c.resultTypes());
  if (carries)
    types.insert(types.begin(), mlirType(Aval{DType::Bool, {}}));
  types = joinedNames(tokenTypes(ordered), types);
  std::string cond = c.regionOf(types, [&](const Names &args) {
    Names carry = takeTokens(c, ordered, args);
    return carries ? Names{carry[0]} : condition(carry);
  });
  std::string body = c.regionOf(types, [&](const Names &args) {
    Names carry = takeTokens(c, ordered, args);
    if (carries)
      carry.erase(carry.begin());
    Names next = c.inlineJaxpr(*w.body, joinedNames(bodyConsts, carry));
    if (carries)
      next = joinedNames(condition(next), next);
    return joinedNames(c.tokens(ordered), next);
  });
  Names outs =
      takeTokens(c, ordered,
                 c.op("stablehlo.while", init, types, types, "", {cond, body}));
  if (carries)
    outs.erase(outs.begin());
  return outs;
}

JvpResult jvpWhile(const Tensors &in, const MaybeTensors &t,
                   const Params &params) {
  While w(params);
  MaybeTensors bodyT(t.begin() + w.condConsts, t.end());
  std::vector<bool> nonzero = given(bodyT);
  Expected<JvpJaxpr> made = carryFixpoint(
      w.bodyConsts, w.carry, w.carry, nonzero,
      [&](const std::vector<bool> &ins, const std::vector<bool> &force) {
        return jvpJaxpr(w.body, ins, force);
      });
  if (!made)
    return failedJvp(made.error());
  const JvpJaxpr &jvp = *made;
  // constants, their tangents, carry, its tangents
  size_t n = w.body->ins.size();
  size_t constTangents =
      std::count(nonzero.begin(), nonzero.begin() + w.bodyConsts, true);
  size_t numConsts = w.bodyConsts + constTangents;
  JaxprPtr body =
      reordered(jvp.jaxpr,
                joined(range(0, w.bodyConsts), range(n, constTangents),
                       range(w.bodyConsts, w.carry),
                       range(n + constTangents,
                             jvp.jaxpr->ins.size() - n - constTangents)),
                range(0, jvp.jaxpr->outs.size()));
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
  return {
      Tensors(results.begin(), results.begin() + w.carry),
      spread(results,
             std::vector<bool>(nonzero.begin() + w.bodyConsts, nonzero.end()),
             w.carry)};
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
  EffectSet effects = w.cond->effects;
  effects.add(w.body->effects);
  if (effects.has(Effect::OrderedIO))
    return {{Tensor(notImplemented("Ordered IO effects not supported in "
                                   "vmap."))},
            {}};
  std::vector<bool> batched = isBatched(dims);
  std::vector<bool> mask(batched.begin() + w.condConsts, batched.end());
  auto condMask = [&] {
    std::vector<bool> out(batched.begin(), batched.begin() + w.condConsts);
    out.insert(out.end(), mask.begin() + w.bodyConsts, mask.end());
    return out;
  };
  BatchedJaxpr cond;
  bool mapsCondition = false;
  Expected<BatchedJaxpr> made = carryFixpoint(
      w.bodyConsts, w.carry, w.carry, mask,
      [&](const std::vector<bool> &ins,
          const std::vector<bool> &force) -> Expected<BatchedJaxpr> {
        Expected<BatchedJaxpr> condition = batchJaxpr(w.cond, axis, condMask());
        if (!condition)
          return condition.error();
        cond = *condition;
        mapsCondition = cond.outBatched[0];
        return batchJaxpr(w.body, axis, ins,
                          mapsCondition ? std::vector<bool>(force.size(), true)
                                        : force);
      });
  if (!made)
    return {{Tensor(made.error())}, {}};
  const BatchedJaxpr &body = *made;
  Tensors args;
  for (size_t i = 0; i < in.size(); ++i)
    args.push_back(
        i < w.condConsts ? (batched[i] ? moveBatch(in[i], dims[i], 0) : in[i])
        : mask[i - w.condConsts] ? batchToFront(in[i], dims[i], axis.size)
                                 : in[i]);
  Ints outDims =
      batchDims(std::vector<bool>(mask.begin() + w.bodyConsts, mask.end()));
  if (!mapsCondition)
    return {bindMany(whilePrimitive(), w.carry, args,
                     whileParams(cond.jaxpr, w.condConsts, body.jaxpr,
                                 w.bodyConsts)),
            outDims};
  if (effects.has(Effect::IO))
    return {{Tensor(notImplemented("Unordered IO effects not supported in "
                                   "while_loop with batched predicate"))},
            {}};
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

/// Binds a loop. A carry that the body returns as it is, and that the condition
/// does not use, becomes a constant of the body.
static Tensors bindForwarding(const JaxprPtr &condition,
                              const Tensors &condConsts, const JaxprPtr &body,
                              const Tensors &bodyConsts, const Tensors &init) {
  JaxprPtr cond = eliminateDeadCode(*condition);
  std::vector<bool> used = usedVariables(*cond);
  Ints forwarded = forwardedInputs(*body);
  size_t ofCond = condConsts.size(), ofBody = bodyConsts.size();
  std::vector<size_t> moved, kept, condIns = range(0, ofCond),
                                   bodyIns = range(0, ofBody);
  Tensors consts, carry;
  for (size_t i = 0; i < init.size(); ++i) {
    bool isSame = forwarded[i] == static_cast<int64_t>(ofBody + i) &&
                  !used[cond->ins[ofCond + i]];
    (isSame ? moved : kept).push_back(isSame ? ofBody + i : i);
    (isSame ? consts : carry).push_back(init[i]);
    if (isSame)
      continue;
    condIns.push_back(ofCond + i);
    bodyIns.push_back(ofBody + i);
  }
  Tensors args = condConsts;
  for (const Tensors &list : {consts, bodyConsts, carry})
    args.insert(args.end(), list.begin(), list.end());
  JaxprPtr test = condition, step = body;
  if (!moved.empty()) {
    test = reordered(cond, condIns, {0});
    step = reordered(body, joined(moved, bodyIns), kept);
  }
  Tensors made = frontend::bind(
      whileP, args, whileParams(test, ofCond, step, ofBody + moved.size()));
  if (const Error *error = errorIn(made))
    return {Tensor(*error)};
  Tensors results = init;
  for (size_t i = 0; i < kept.size(); ++i)
    results[kept[i]] = made[i];
  return results;
}

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
        "cond_fun must return a boolean scalar, but got output type(s) [",
        test.empty() ? "" : cat("ShapedArray(", test[0].longStr(), ")"),
        "]."))};
  if (auto carry = strengthenedCarry(init, types, after))
    return whileFlat(condition, body, *carry);
  if (Status status = checkCarry("while_loop", types, after); !status)
    return {Tensor(status.error())};
  return bindForwarding(*cond, condConsts, *loop, bodyConsts, init);
}

} // namespace shardwright::frontend
