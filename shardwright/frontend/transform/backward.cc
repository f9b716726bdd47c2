//===- backward.cc - reverse differentiation ------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/primitives/reshard.h"
#include "shardwright/frontend/trace/partial_sums.h"
#include "shardwright/frontend/transform/transform.h"

namespace shardwright::frontend {
namespace {

/// Values and cotangents of the variables of a jaxpr.
class Backward {
public:
  explicit Backward(const Jaxpr &jaxpr)
      : jaxpr(jaxpr), values(jaxpr.types.size()), cts(jaxpr.types.size()) {}

  Status run(const MaybeTensors &known, const MaybeTensors &cotangents,
             const MaybeTensors &initial) {
    for (size_t i = 0; i < jaxpr.constVars.size(); ++i)
      values[jaxpr.constVars[i]] = jaxpr.consts[i];
    for (size_t i = 0; i < jaxpr.ins.size(); ++i)
      values[jaxpr.ins[i]] = known[i];
    for (size_t i = 0; i < initial.size(); ++i)
      cts[jaxpr.ins[i]] = initial[i];
    std::vector<const Eqn *> linear;
    for (const Eqn &eqn : jaxpr.eqns)
      if (!evaluate(eqn))
        linear.push_back(&eqn);
    for (size_t i = 0; i < jaxpr.outs.size(); ++i)
      add(jaxpr.outs[i], cotangents[i]);
    for (size_t i = linear.size(); i-- > 0;)
      SW_TRY(transpose(*linear[i]));
    return {};
  }
  MaybeTensor cotangentOf(int32_t var) const { return cts[var]; }

private:
  MaybeTensor read(const Atom &atom) const {
    return atom.isVar() ? values[atom.var] : MaybeTensor(atom.literal);
  }
  void add(const Atom &atom, const MaybeTensor &ct) {
    if (atom.isVar() && ct && !values[atom.var])
      cts[atom.var] = addTangents(cts[atom.var], ct);
  }
  /// False if an operand is linear.
  bool evaluate(const Eqn &eqn) {
    Tensors ins;
    for (const Atom &atom : eqn.ins) {
      MaybeTensor value = read(atom);
      if (!value)
        return false;
      ins.push_back(*value);
    }
    detail::ScopedNames names(detail::namesWithin(eqn.names));
    Tensors outs = bindMany(*eqn.primitive, eqn.outs.size(), ins, eqn.params);
    for (size_t i = 0; i < outs.size(); ++i)
      values[eqn.outs[i]] = outs[i];
    return true;
  }
  Status transpose(const Eqn &eqn) {
    detail::ScopedNames names(detail::namesWithin(eqn.names));
    MaybeTensors out, ins;
    bool any = false;
    for (int32_t var : eqn.outs) {
      out.push_back(cts[var]);
      any |= cts[var].has_value();
    }
    if (!any)
      return {};
    std::vector<Aval> types;
    for (const Atom &atom : eqn.ins) {
      ins.push_back(read(atom));
      types.push_back(jaxpr.aval(atom));
    }
    if (!eqn.primitive->transpose)
      return notImplemented("Transpose rule (for reverse-mode "
                            "differentiation) for '",
                            eqn.primitive->name, "' not implemented");
    SW_TRY(checkLinear(eqn, ins));
    MaybeTensors result = eqn.primitive->transpose(out, ins, types, eqn.params);
    for (size_t i = 0; i < result.size() && i < eqn.ins.size(); ++i) {
      if (!result[i])
        continue;
      if (!result[i]->ok())
        return result[i]->error();
      // A cotangent has the sharding of the operand's type, swapped.
      if (types[i].sharding)
        result[i] = reshardLike(*result[i], swapPartialSums(types[i]));
      if (!result[i]->ok())
        return result[i]->error();
      add(eqn.ins[i], result[i]);
    }
    return {};
  }

  /// A function that a user calls linear may not be.
  static Status checkLinear(const Eqn &eqn, const MaybeTensors &ins) {
    const Primitive &p = *eqn.primitive;
    bool isLinear = !p.isBilinear || ins[0] || ins[1];
    for (size_t i = 0; p.isLinearIn && i < ins.size(); ++i)
      isLinear = isLinear && (ins[i] || p.isLinearIn(i));
    if (isLinear)
      return {};
    return typeError("a function that should be linear is not: '", p.name,
                     "' gets the linear argument "
                     "in a way that is not linear");
  }

  const Jaxpr &jaxpr;
  MaybeTensors values, cts;
};

} // namespace

Expected<MaybeTensors> backwardPass(const Jaxpr &jaxpr,
                                    const MaybeTensors &known,
                                    const MaybeTensors &cotangents,
                                    const MaybeTensors &initial) {
  Backward pass(jaxpr);
  SW_TRY(pass.run(known, cotangents, initial));
  MaybeTensors out;
  for (size_t i = 0; i < jaxpr.ins.size(); ++i)
    out.push_back(known[i] ? MaybeTensor() : pass.cotangentOf(jaxpr.ins[i]));
  return out;
}

Expected<MaybeTensors> vjpFlat(const Linearized &linear,
                               const MaybeTensors &cotangents) {
  MaybeTensors cts;
  for (size_t i = 0; i < linear.linearOuts.size(); ++i)
    if (linear.linearOuts[i])
      cts.push_back(cotangents[i]);
  Expected<MaybeTensors> back = backwardPass(
      *linear.tangentJaxpr, MaybeTensors(linear.tangentJaxpr->ins.size()), cts);
  if (!back)
    return back;
  MaybeTensors out;
  size_t next = 0;
  for (bool isLinear : linear.linearIns)
    out.push_back(isLinear ? (*back)[next++] : MaybeTensor());
  return out;
}

Expected<TransposedJaxpr> transposeJaxpr(const JaxprPtr &jaxpr,
                                         const std::vector<bool> &linear,
                                         const std::vector<bool> &ctNonzero,
                                         const std::vector<bool> &force) {
  std::vector<Aval> types, all = jaxpr->inAvals(), outs = jaxpr->outAvals();
  for (size_t i = 0; i < all.size(); ++i)
    if (!linear[i])
      types.push_back(all[i]);
  for (size_t i = 0; i < outs.size(); ++i)
    if (ctNonzero[i])
      types.push_back(swapPartialSums(outs[i]));
  TransposedJaxpr out;
  out.outNonzero.resize(all.size());
  Expected<JaxprPtr> traced = traceToJaxpr(
      [&](const Tensors &args) -> Tensors {
        MaybeTensors known(all.size()), cts(outs.size());
        size_t next = 0;
        for (size_t i = 0; i < all.size(); ++i)
          if (!linear[i])
            known[i] = args[next++];
        for (size_t i = 0; i < outs.size(); ++i)
          if (ctNonzero[i])
            cts[i] = args[next++];
        Expected<MaybeTensors> back = backwardPass(*jaxpr, known, cts);
        if (!back)
          return {Tensor(back.error())};
        Tensors results;
        for (size_t i = 0; i < all.size(); ++i) {
          const MaybeTensor &ct = (*back)[i];
          out.outNonzero[i] =
              linear[i] && (ct || (i < force.size() && force[i]));
          if (out.outNonzero[i])
            results.push_back(ct ? *ct : lax::zeros(swapPartialSums(all[i])));
        }
        return results;
      },
      types, jaxpr->name);
  if (!traced)
    return traced.error();
  out.jaxpr = *traced;
  return out;
}

} // namespace shardwright::frontend
