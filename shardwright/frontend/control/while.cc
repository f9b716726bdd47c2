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

/// True where any element of a condition is.
std::string anyOf(LoweringContext &c, const std::string &condition,
                  const Aval &type) {
  if (!type.rank())
    return condition;
  const Aval scalar{DType::Bool, {}};
  std::string b = mlirType(scalar);
  std::string region = c.regionOf({b, b}, [&](const Names &args) {
    return c.op("stablehlo.or", args, {b, b}, {b});
  });
  return c.op("stablehlo.reduce", {condition, c.constant(scalar, 0)},
              {mlirType(type), b}, {b},
              arrayAttr("dimensions", iotaInts(type.rank())), {region})[0];
}

/// The next carry where a condition with dimensions holds, else the old one.
Names selectCarry(LoweringContext &c, const std::string &condition,
                  const Aval &type, const Names &next, const Names &old) {
  Names out;
  const std::vector<Aval> &types = c.resultTypes();
  for (size_t i = 0; i < types.size(); ++i) {
    Shape shape = types[i].shape;
    if (types[i].dtype == DType::Key)
      shape.push_back(2);
    std::string wide = condition, wideType = mlirType(Aval{DType::Bool, shape});
    if (!(shape == type.shape))
      wide = c.op("stablehlo.broadcast_in_dim", {condition}, {mlirType(type)},
                  {wideType},
                  arrayAttr("broadcast_dimensions", iotaInts(type.rank())))[0];
    std::string own = mlirType(types[i]);
    out.push_back(c.op("stablehlo.select", {wide, next[i], old[i]},
                       {wideType, own, own}, {own})[0]);
  }
  return out;
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
  const Aval test = w.cond->outAvals()[0];
  auto conditions = [&](const Names &carry) {
    return c.inlineJaxpr(*w.cond, joinedNames(condConsts, carry))[0];
  };
  auto condition = [&](const Names &carry) {
    return Names{anyOf(c, conditions(carry), test)};
  };
  if (carries)
    init = joinedNames(condition(init), init);
  init = joinedNames(c.tokens(ordered), init);
  Names types = mlirTypes(c.resultTypes());
  if (carries)
    types.insert(types.begin(), mlirType(Aval{DType::Bool, {}}));
  types = joinedNames(tokenTypes(ordered), types);
  c.enterRegion("cond");
  std::string cond = c.regionOf(types, [&](const Names &args) {
    Names carry = takeTokens(c, ordered, args);
    return carries ? Names{carry[0]} : condition(carry);
  });
  c.enterRegion("body");
  std::string body = c.regionOf(types, [&](const Names &args) {
    Names carry = takeTokens(c, ordered, args);
    if (carries)
      carry.erase(carry.begin());
    Names next = c.inlineJaxpr(*w.body, joinedNames(bodyConsts, carry));
    if (test.rank())
      next = selectCarry(c, conditions(carry), test, next, carry);
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

/// A condition that is batched is computed for all examples: the loop runs
/// while any of them does, and the others keep their values.
BatchResult batchWhile(const BatchAxis &axis, const Tensors &in,
                       const Ints &dims, const Params &params) {
  While w(params);
  EffectSet effects = w.cond->effects;
  effects.add(w.body->effects);
  if (effects.has(Effect::OrderedIO))
    return {{Tensor(notImplemented("Ordered IO effects not supported in "
                                   "vmap."))},
            {}};
  auto carryAt = static_cast<int64_t>(w.condConsts + w.bodyConsts);
  std::vector<bool> batched = isBatched(dims);
  std::vector<bool> mask(batched.begin() + w.condConsts, batched.end());
  Expected<BatchedJaxpr> made = carryFixpoint(
      w.bodyConsts, w.carry, w.carry, mask,
      [&](const std::vector<bool> &ins, const std::vector<bool> &force) {
        return batchJaxpr(w.body, axis, ins, force);
      });
  if (!made)
    return {{Tensor(made.error())}, {}};
  std::vector<bool> testMask(batched.begin(), batched.begin() + w.condConsts);
  testMask.insert(testMask.end(), mask.begin() + w.bodyConsts, mask.end());
  Expected<BatchedJaxpr> test = batchJaxpr(w.cond, axis, testMask);
  if (!test)
    return {{Tensor(test.error())}, {}};
  bool isMapped = test->outBatched[0];
  if (isMapped && effects.has(Effect::IO))
    return {{Tensor(notImplemented("Unordered IO effects not supported in "
                                   "while_loop with batched predicate"))},
            {}};
  // The dimensions of the condition are the first ones of the carry.
  int64_t at = isMapped ? 0 : test->jaxpr->outAvals()[0].rank();
  Ints carryDims, condDims(dims.begin(), dims.begin() + w.condConsts),
      bodyDims(dims.begin() + w.condConsts, dims.begin() + carryAt);
  for (size_t i = 0; i < w.carry; ++i)
    carryDims.push_back(isMapped || mask[w.bodyConsts + i] ? at : -1);
  for (Ints *list : {&condDims, &bodyDims})
    list->insert(list->end(), carryDims.begin(), carryDims.end());
  Expected<BatchedProgram> body =
      batchJaxprAt(w.body, axis, bodyDims, carryDims);
  if (!body)
    return {{Tensor(body.error())}, {}};
  Expected<BatchedProgram> cond =
      batchJaxprAt(w.cond, axis, condDims, {isMapped ? 0 : -1});
  if (!cond)
    return {{Tensor(cond.error())}, {}};
  Tensors args(in.begin(), in.begin() + carryAt);
  for (size_t i = 0; i < w.carry; ++i)
    args.push_back(
        carryDims[i] < 0
            ? in[carryAt + i]
            : batchTo(in[carryAt + i], dims[carryAt + i], carryDims[i], axis));
  return {bindMany(whilePrimitive(), w.carry, args,
                   whileParams(cond->jaxpr, w.condConsts, body->jaxpr,
                               w.bodyConsts)),
          carryDims};
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
