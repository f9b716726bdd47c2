//===- jaxpr.h - traced programs --------------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_TRACE_JAXPR_H
#define SHARDWRIGHT_FRONTEND_TRACE_JAXPR_H

#include "shardwright/frontend/base/named_scope.h"
#include "shardwright/frontend/trace/effects.h"
#include "shardwright/frontend/trace/params.h"

namespace shardwright::frontend {

struct Primitive;

/// A variable of a jaxpr, by number, or a constant scalar.
struct Atom {
  int32_t var = -1;
  Tensor literal;
  bool isVar() const { return var >= 0; }
};

/// outs = primitive[params] ins.
struct Eqn {
  const Primitive *primitive = nullptr;
  std::vector<Atom> ins;
  std::vector<int32_t> outs;
  Params params;
  /// Around it in the traced function.
  NameStack names = {};
};

/// A program in SSA form: equations in topological order over numbered
/// variables, with the values of its constants. Immutable once built. JAX:
/// ClosedJaxpr.
struct Jaxpr {
  std::vector<Aval> types; ///< of each variable
  std::vector<int32_t> constVars, ins;
  std::vector<Atom> outs;
  std::vector<Eqn> eqns;
  Tensors consts; ///< of constVars
  /// Of the equations, and of those in their programs.
  EffectSet effects;
  /// Of the traced function.
  std::string name;

  const Aval &aval(const Atom &atom) const {
    return atom.isVar() ? types[atom.var] : atom.literal.aval();
  }
  std::vector<Aval> inAvals() const;
  std::vector<Aval> outAvals() const;
  /// Calls `visit` with each jaxpr in the parameters of an equation.
  static void forEachInner(const Params &params,
                           const std::function<void(const JaxprPtr &)> &visit);
};

/// The effects of an equation, with those of the programs in its parameters.
EffectSet effectsOf(const Primitive &primitive, const Params &params);
/// As JAX prints it.
std::string printJaxpr(const Jaxpr &jaxpr);
/// Without equations whose results are not used and that have no effects.
/// `used`: per result, or empty for all of them. Inputs stay.
JaxprPtr eliminateDeadCode(const Jaxpr &jaxpr, std::vector<bool> used = {});
/// Per variable: whether an equation or a result reads it.
std::vector<bool> usedVariables(const Jaxpr &jaxpr);
/// Per input: whether a result or an effect needs it.
std::vector<bool> usedInputs(const Jaxpr &jaxpr);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_TRACE_JAXPR_H
