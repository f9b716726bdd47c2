//===- cond.cc - branches -------------------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/control/control.h"
#include "shardwright/frontend/control/mismatch.h"
#include "shardwright/frontend/transform/pruning.h"

namespace shardwright::frontend {
namespace {

using Jaxprs = std::vector<JaxprPtr>;
const Primitive &condPrimitive() {
  static const Primitive &p = *findPrimitive("cond");
  return p;
}
const Jaxprs &branchesOf(const Params &params) {
  return params.get<Jaxprs>("branches");
}

JvpResult jvpCond(const Tensors &in, const MaybeTensors &t,
                  const Params &params) {
  const Jaxprs &branches = branchesOf(params);
  std::vector<bool> nonzero = given(MaybeTensors(t.begin() + 1, t.end()));
  std::vector<bool> has(branches[0]->outs.size());
  auto made = alignBranches(
      branches, has, [&](const JaxprPtr &j, const std::vector<bool> &force) {
        return jvpJaxpr(j, nonzero, force);
      });
  if (!made)
    return failedJvp(made.error());
  Jaxprs changed;
  for (const JvpJaxpr &branch : *made)
    changed.push_back(branch.jaxpr);
  Tensors args = in;
  appendGiven(args, MaybeTensors(t.begin() + 1, t.end()));
  Tensors outs = bindMany(condPrimitive(), changed[0]->outs.size(), args,
                          {{"branches", changed}});
  size_t n = has.size();
  return {Tensors(outs.begin(), outs.begin() + n), spread(outs, has, n)};
}

/// The residuals of all branches as results of a conditional. Branches share
/// those of equal types.
struct MergedResiduals {
  std::vector<Aval> types;
  /// Of each branch: where its residuals are.
  std::vector<std::vector<size_t>> places;
};
MergedResiduals mergedResiduals(const std::vector<LinearizedJaxpr> &branches) {
  MergedResiduals out;
  for (const LinearizedJaxpr &branch : branches) {
    std::vector<bool> taken(out.types.size());
    std::vector<size_t> places;
    for (size_t r = 0; r < branch.numResiduals; ++r) {
      const Aval &type = branch.tangent->types[branch.tangent->ins[r]];
      size_t at = 0;
      while (at < taken.size() && (taken[at] || !(out.types[at] == type)))
        ++at;
      if (at == taken.size()) {
        out.types.push_back(type);
        taken.push_back(false);
      }
      taken[at] = true;
      places.push_back(at);
    }
    out.places.push_back(std::move(places));
  }
  return out;
}

/// The branch with the residuals of all branches, where those of others have
/// any elements.
Expected<JaxprPtr> withAllResiduals(const LinearizedJaxpr &own,
                                    const MergedResiduals &all,
                                    const std::vector<size_t> &places) {
  return traceToJaxpr(
      [&](const Tensors &args) {
        Tensors outs = evalJaxpr(*own.known, args);
        if (errorIn(outs))
          return outs;
        size_t n = own.outNonzero.size();
        Tensors residuals(outs.begin() + n, outs.end());
        outs.resize(n);
        for (const Aval &type : all.types)
          outs.push_back(emptyOf(type));
        for (size_t r = 0; r < places.size(); ++r)
          outs[n + places[r]] = residuals[r];
        return outs;
      },
      own.known->inAvals(), own.known->name);
}

/// The linear branch, whose inputs are the residuals of all branches.
JaxprPtr ignoringOthers(const LinearizedJaxpr &own, const MergedResiduals &all,
                        const std::vector<size_t> &places) {
  auto out = std::make_shared<Jaxpr>(*own.tangent);
  std::vector<int32_t> ins(all.types.size(), -1);
  for (size_t r = 0; r < places.size(); ++r)
    ins[places[r]] = own.tangent->ins[r];
  for (size_t i = 0; i < ins.size(); ++i)
    if (ins[i] < 0) {
      out->types.push_back(all.types[i]);
      ins[i] = static_cast<int32_t>(out->types.size()) - 1;
    }
  ins.insert(ins.end(), own.tangent->ins.begin() + own.numResiduals,
             own.tangent->ins.end());
  out->ins = ins;
  return out;
}

JvpResult linearizeCond(JaxprTrace &tangents, const TracePtr &,
                        const Tensors &in, const MaybeTensors &t,
                        const Params &params) {
  const Jaxprs &branches = branchesOf(params);
  MaybeTensors branchTangents(t.begin() + 1, t.end());
  std::vector<bool> nonzero = given(branchTangents);
  std::vector<bool> has(branches[0]->outs.size());
  auto made = alignBranches(
      branches, has, [&](const JaxprPtr &j, const std::vector<bool> &force) {
        return linearizeJaxpr(j, nonzero, force);
      });
  if (!made)
    return failedJvp(made.error());
  MergedResiduals all = mergedResiduals(*made);
  Jaxprs known, linear;
  for (size_t b = 0; b < made->size(); ++b) {
    const LinearizedJaxpr &own = (*made)[b];
    Expected<JaxprPtr> joined = withAllResiduals(own, all, all.places[b]);
    if (!joined)
      return failedJvp(joined.error());
    known.push_back(*joined);
    linear.push_back(ignoringOthers(own, all, all.places[b]));
  }
  Tensors outs = bindMany(condPrimitive(), known[0]->outs.size(), in,
                          {{"branches", known}});
  if (const Error *error = errorIn(outs))
    return failedJvp(*error);
  size_t n = has.size();
  Tensors args{in[0]};
  args.insert(args.end(), outs.begin() + n, outs.end());
  outs.resize(n);
  appendGiven(args, branchTangents);
  if (linear[0]->outs.empty())
    return {outs, MaybeTensors(n)};
  Tensors results =
      tangents.bind(condPrimitive(), args, {{"branches", linear}});
  if (const Error *error = errorIn(results))
    return failedJvp(*error);
  return {outs, spread(results, has)};
}

MaybeTensors transposeCond(const MaybeTensors &ct, const MaybeTensors &in,
                           const std::vector<Aval> &, const Params &params) {
  std::vector<bool> linear = given(MaybeTensors(in.begin() + 1, in.end()));
  linear.flip();
  std::vector<bool> has(linear.size());
  auto made =
      alignBranches(branchesOf(params), has,
                    [&](const JaxprPtr &j, const std::vector<bool> &force) {
                      return transposeJaxpr(j, linear, given(ct), force);
                    });
  if (!made)
    return {Tensor(made.error())};
  Jaxprs changed;
  for (const TransposedJaxpr &branch : *made)
    changed.push_back(branch.jaxpr);
  Tensors args{*in[0]};
  appendGiven(args, MaybeTensors(in.begin() + 1, in.end()));
  appendGiven(args, ct);
  Tensors outs = bindMany(condPrimitive(), changed[0]->outs.size(), args,
                          {{"branches", changed}});
  has.insert(has.begin(), false); // the index
  return spread(outs, has);
}

BatchResult batchCond(const BatchAxis &axis, const Tensors &in,
                      const Ints &dims, const Params &params) {
  const Jaxprs &branches = branchesOf(params);
  bool each = dims[0] >= 0;
  std::vector<bool> batched;
  Tensors args;
  for (size_t i = 1; i < in.size(); ++i) {
    batched.push_back(dims[i] >= 0 || each);
    args.push_back(batched.back() ? batchToFront(in[i], dims[i], axis) : in[i]);
  }
  std::vector<bool> mapped(branches[0]->outs.size(), each);
  auto made = alignBranches(
      branches, mapped, [&](const JaxprPtr &j, const std::vector<bool> &force) {
        return batchJaxpr(j, axis, batched, force);
      });
  if (!made)
    return {{Tensor(made.error())}, {}};
  Jaxprs changed;
  for (const BatchedJaxpr &branch : *made)
    changed.push_back(branch.jaxpr);
  Ints outDims = batchDims(mapped);
  if (!each) {
    args.insert(args.begin(), in[0]);
    return {
        bindMany(condPrimitive(), mapped.size(), args, {{"branches", changed}}),
        outDims};
  }
  for (const JaxprPtr &branch : branches)
    if (branch->effects.has(Effect::IO) ||
        branch->effects.has(Effect::OrderedIO))
      return {{Tensor(notImplemented("IO effect not supported in "
                                     "vmap-of-cond."))},
              {}};
  // Every branch is computed, and each example takes its own. A branch gets no
  // derivatives of the operands of others.
  Tensor which = moveBatch(in[0], dims[0], 0);
  auto wide = [](const Tensor &x, const Tensor &like) {
    return x.rank() == like.rank()
               ? x
               : lax::broadcast_in_dim(x, like.shape(), {0});
  };
  std::vector<Tensors> results;
  for (size_t b = 0; b < changed.size(); ++b) {
    Tensor isThis =
        lax::eq(which, scalarOf(static_cast<int64_t>(b), DType::I32));
    Tensors own;
    for (const Tensor &x : args) {
      Tensor stopped = lax::stop_gradient(x);
      own.push_back(lax::select_n(wide(isThis, x), {stopped, x}));
    }
    results.push_back(evalJaxpr(*changed[b], own));
    if (const Error *error = errorIn(results.back()))
      return {{Tensor(*error)}, {}};
  }
  Tensors outs;
  for (size_t i = 0; i < mapped.size(); ++i) {
    Tensors cases;
    for (const Tensors &r : results)
      cases.push_back(r[i]);
    outs.push_back(lax::select_n(wide(which, cases[0]), cases));
  }
  return {outs, outDims};
}

/// Inputs that no branch needs for the results in use go.
Eqn pruneCond(const Eqn &eqn, const std::vector<bool> &used) {
  Jaxprs branches;
  std::vector<bool> read(eqn.ins.size() - 1);
  for (const JaxprPtr &branch : branchesOf(eqn.params)) {
    branches.push_back(withLiveResults(branch, used));
    std::vector<bool> own = inputsInUse(*branches.back());
    for (size_t i = 0; i < read.size(); ++i)
      read[i] = read[i] || own[i];
  }
  for (JaxprPtr &branch : branches)
    branch = withInputs(branch, read);
  std::vector<bool> kept = read;
  kept.insert(kept.begin(), true);
  Eqn out{eqn.primitive, chosenEntries(eqn.ins, kept),
          chosenEntries(eqn.outs, used), eqn.params};
  out.params.set("branches", branches);
  return out;
}

const Primitive condP = [] {
  Primitive p;
  p.name = "cond";
  p.prune = pruneCond;
  p.ownManualAxes = true;
  p.infer = [](const std::vector<Aval> &,
               const Params &params) -> Expected<std::vector<Aval>> {
    return branchesOf(params)[0]->outAvals();
  };
  p.jvp = jvpCond;
  p.linearize = linearizeCond;
  p.isLinearIn = [](size_t i) { return i > 0; };
  p.transpose = transposeCond;
  p.batch = batchCond;
  p.lower = [](LoweringContext &c) {
    std::vector<std::string> captures(c.operands().begin() + 1,
                                      c.operands().end());
    EffectSet ordered;
    for (const JaxprPtr &branch : branchesOf(c.params()))
      ordered.add(branch->effects.ordered());
    std::vector<std::string> regions;
    for (const JaxprPtr &branch : branchesOf(c.params())) {
      c.enterRegion(cat("branch_", regions.size(), "_fun"));
      regions.push_back(c.regionOf({}, [&](const std::vector<std::string> &) {
        std::vector<std::string> outs = c.inlineJaxpr(*branch, captures);
        return joinedNames(c.tokens(ordered), outs);
      }));
    }
    return takeTokens(
        c, ordered,
        c.op("stablehlo.case", {c.operands()[0]},
             {mlirType(c.operandTypes()[0])},
             joinedNames(tokenTypes(ordered), mlirTypes(c.resultTypes())), "",
             regions));
  };
  return p;
}();
const Registered condR(condP);

} // namespace

/// Results of a branch have the types of those of the first one, or JAX's
/// error. `isCond`: a condition with the branches (false, true).
static Status checkBranch(bool isCond, const std::vector<Aval> &first,
                          const std::vector<Aval> &own, size_t number) {
  std::string what = isCond ? "cond" : "switch";
  std::string one = isCond ? "true_fun" : "branch 0",
              other = isCond ? "false_fun" : cat("branch", number);
  const std::vector<Aval> &a = isCond ? own : first, &b = isCond ? first : own;
  if (a.size() != b.size())
    return typeError(what,
                     " branch outputs must have the same pytree structure, but "
                     "they differ:\n\n",
                     one, " output has ", a.size(), " leaves but ", other,
                     " output has ", b.size(), ".\n\nRevise ", one, " and/or ",
                     other, " so that they have the same pytree structure.");
  std::vector<std::string> lines, casts;
  auto advise = [&](const Aval &from, const Aval &to, const std::string &name) {
    if (std::string cast = castAdvice(from, to, " to the output of " + name);
        !cast.empty())
      casts.push_back(cast);
  };
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].sameType(b[i]))
      continue;
    std::string path = a.size() > 1 ? cat(" at path [", i, "]") : "";
    lines.push_back(cat(" output of ", one, path, " has type ", a[i].longStr(),
                        " but the corresponding output of ", other,
                        " has type ", b[i].longStr(),
                        mismatchText(a[i], b[i])));
    advise(a[i], b[i], one + path);
    advise(b[i], a[i], other + path);
  }
  if (lines.empty())
    return {};
  return typeError(what,
                   " branches must have equal output types but they "
                   "differ.\n\n",
                   listOfDifferences(lines), "\n\n", adviceText(casts),
                   "Revise ", one, " and/or ", other,
                   " so that all output types match.");
}

/// Captured values of one branch become inputs of all, each once. Returns them.
static Tensors shareCaptures(Jaxprs &jaxprs,
                             const std::vector<Tensors> &captured,
                             const std::vector<size_t> &order) {
  Tensors consts;
  auto find = [](const Tensors &list, const Tensor &x) {
    return std::find_if(
               list.begin(), list.end(),
               [&](const Tensor &y) { return y.handle() == x.handle(); }) -
           list.begin();
  };
  for (size_t b : order)
    for (const Tensor &x : captured[b])
      if (find(consts, x) == static_cast<int64_t>(consts.size()))
        consts.push_back(x);
  if (consts.empty())
    return consts;
  for (size_t b = 0; b < jaxprs.size(); ++b) {
    auto changed = std::make_shared<Jaxpr>(*jaxprs[b]);
    std::vector<int32_t> ins;
    for (const Tensor &x : consts) {
      size_t own = find(captured[b], x);
      if (own < captured[b].size()) {
        ins.push_back(jaxprs[b]->ins[own]);
        continue;
      }
      changed->types.push_back(x.aval());
      ins.push_back(static_cast<int32_t>(changed->types.size()) - 1);
    }
    ins.insert(ins.end(), jaxprs[b]->ins.begin() + captured[b].size(),
               jaxprs[b]->ins.end());
    changed->ins = std::move(ins);
    jaxprs[b] = changed;
  }
  return consts;
}

/// Binds a conditional. Results that all branches take from one input are that
/// input.
static Tensors bindForwarding(const Tensor &number, const Jaxprs &jaxprs,
                              const Tensors &args) {
  Ints common = forwardedInputs(*jaxprs[0]);
  for (const JaxprPtr &jaxpr : jaxprs) {
    Ints own = forwardedInputs(*jaxpr);
    for (size_t i = 0; i < common.size(); ++i)
      if (own[i] != common[i])
        common[i] = -1;
  }
  std::vector<bool> keep;
  for (int64_t from : common)
    keep.push_back(from < 0);
  Jaxprs pruned = jaxprs;
  if (std::find(keep.begin(), keep.end(), false) != keep.end())
    for (JaxprPtr &jaxpr : pruned)
      jaxpr = withResults(jaxpr, keep);
  Tensors in{number};
  in.insert(in.end(), args.begin(), args.end());
  Tensors made = frontend::bind(condP, in, {{"branches", pruned}});
  if (const Error *error = errorIn(made))
    return {Tensor(*error)};
  Tensors results;
  for (size_t i = 0, next = 0; i < common.size(); ++i)
    results.push_back(keep[i] ? made[next++] : args[common[i]]);
  return results;
}

/// `cond` of branches (false, true) if `isCond`, else a switch.
static Tensors branchFlat(bool isCond, const Tensor &number,
                          const std::vector<TensorsFunction> &branches,
                          const Tensors &operands) {
  std::vector<Aval> types;
  for (const Tensor &x : operands)
    types.push_back(x.aval());
  // The branch of a true predicate is traced first.
  std::vector<size_t> order = range(0, branches.size());
  if (isCond)
    std::reverse(order.begin(), order.end());
  Jaxprs jaxprs(branches.size());
  std::vector<Tensors> captured(branches.size());
  for (size_t b : order) {
    Expected<JaxprPtr> jaxpr =
        traceWithCaptures(branches[b], types, "", captured[b]);
    if (!jaxpr)
      return {Tensor(jaxpr.error())};
    jaxprs[b] = *jaxpr;
  }
  for (size_t b = 1; b < branches.size(); ++b)
    if (Status status = checkBranch(isCond, jaxprs[0]->outAvals(),
                                    jaxprs[b]->outAvals(), b);
        !status)
      return {Tensor(status.error())};
  Tensors args = shareCaptures(jaxprs, captured, order);
  args.insert(args.end(), operands.begin(), operands.end());
  return bindForwarding(number, jaxprs, args);
}

/// An error unless `index`, of which `what` speaks, and the operands are
/// values, and `index` is a scalar.
static Status checkIndex(const char *what, const Tensor &index,
                         const Tensors &operands) {
  Tensors all = operands;
  all.push_back(index);
  if (const Error *error = errorIn(all))
    return *error;
  if (index.rank())
    return typeError(what, " scalar, got ", index.str(), " of shape ",
                     tupleText(index.shape()), ".");
  return {};
}

Tensors condFlat(const Tensor &predicate, const TensorsFunction &onTrue,
                 const TensorsFunction &onFalse, const Tensors &operands) {
  if (Status status = checkIndex("Pred must be a", predicate, operands);
      !status)
    return {Tensor(status.error())};
  DType type = predicate.dtype();
  // As numpy, which has no number types of its own below 8 bits, or bfloat16.
  bool isNumber = isInteger(type) ? bitWidth(type) >= 8
                                  : type == DType::F16 || type == DType::F32 ||
                                        type == DType::F64;
  if (type != DType::Bool && !isNumber)
    return {Tensor(typeError("Pred type must be either boolean or number, got ",
                             name(type), "."))};
  Tensor isTrue = type == DType::Bool
                      ? predicate
                      : lax::ne(predicate, lax::full_like(predicate, 0));
  return branchFlat(true, lax::convert_element_type(isTrue, DType::I32),
                    {onFalse, onTrue}, operands);
}

Tensors switchFlat(const Tensor &index,
                   const std::vector<TensorsFunction> &branches,
                   const Tensors &operands) {
  if (Status status = checkIndex("Branch index must be", index, operands);
      !status)
    return {Tensor(status.error())};
  if (!isInteger(index.dtype()))
    return {Tensor(typeError("Index type must be an integer, got ", index.str(),
                             " as ", name(index.dtype())))};
  if (branches.empty())
    return {Tensor(valueError("Empty branch sequence"))};
  if (branches.size() == 1)
    return branches[0](operands);
  Tensor number = lax::clamp(
      scalarOf(int64_t(0), DType::I32),
      lax::convert_element_type(index, DType::I32),
      scalarOf(static_cast<int64_t>(branches.size()) - 1, DType::I32));
  return branchFlat(false, number, branches, operands);
}

} // namespace shardwright::frontend
