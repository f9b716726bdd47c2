//===- jit_primitive.cc - a program as an equation ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/transform/jit_primitive.h"

#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/trace/sharding_param.h"
#include "shardwright/frontend/transform/pruning.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

using Layouts = std::vector<std::optional<Layout>>;

std::string boolsText(const std::vector<bool> &list) {
  std::string out = "(";
  for (size_t i = 0; i < list.size(); ++i)
    out += cat(i ? ", " : "", list[i] ? "True" : "False");
  return out + (list.size() == 1 ? ",)" : ")");
}

bool anySpecified(const std::vector<Sharding> &list) {
  return std::any_of(list.begin(), list.end(),
                     [](const Sharding &s) { return s.isSpecified(); });
}
bool anyGiven(const Layouts &list) {
  return std::any_of(list.begin(), list.end(),
                     [](const auto &l) { return l.has_value(); });
}

/// Only what is not the default, as JAX prints it.
Params jitParams(const JaxprPtr &jaxpr, const JitEqn &eqn) {
  Params params{{"name", eqn.name}, {"jaxpr", jaxpr}};
  setContextMesh(params);
  if (anySpecified(eqn.ins))
    params.set("in_shardings", objectParam(ShardingsParam(eqn.ins)));
  if (anySpecified(eqn.outs))
    params.set("out_shardings", objectParam(ShardingsParam(eqn.outs)));
  if (anyGiven(eqn.inLayouts))
    params.set("in_layouts", objectParam(LayoutsParam(eqn.inLayouts)));
  if (anyGiven(eqn.outLayouts))
    params.set("out_layouts", objectParam(LayoutsParam(eqn.outLayouts)));
  if (std::find(eqn.donated.begin(), eqn.donated.end(), true) !=
      eqn.donated.end())
    params.set("donated_invars",
               objectParam(TextParam(boolsText(eqn.donated))));
  if (eqn.keepUnused)
    params.set("keep_unused", true);
  if (eqn.compilerOptions)
    params.set(kCompilerOptions,
               std::shared_ptr<const ParamObject>(eqn.compilerOptions));
  return params;
}

/// What an equation says of shardings and layouts, one entry per operand and
/// result. A derived equation donates nothing.
JitEqn eqnOf(const Params &params) {
  const Jaxpr &jaxpr = *params.jaxpr("jaxpr");
  JitEqn eqn{params.text("name")};
  eqn.ins.resize(jaxpr.ins.size());
  eqn.outs.resize(jaxpr.outs.size());
  eqn.inLayouts.resize(jaxpr.ins.size());
  eqn.outLayouts.resize(jaxpr.outs.size());
  if (const auto *ins = params.object<ShardingsParam>("in_shardings"))
    eqn.ins = ins->shardings;
  if (const auto *outs = params.object<ShardingsParam>("out_shardings"))
    eqn.outs = outs->shardings;
  if (const auto *ins = params.object<LayoutsParam>("in_layouts"))
    eqn.inLayouts = ins->layouts;
  if (const auto *outs = params.object<LayoutsParam>("out_layouts"))
    eqn.outLayouts = outs->layouts;
  eqn.keepUnused = params.flag("keep_unused");
  if (const Param *options = params.find(kCompilerOptions))
    eqn.compilerOptions = std::static_pointer_cast<const CompilerOptionsParam>(
        std::get<std::shared_ptr<const ParamObject>>(*options));
  return eqn;
}

/// Appends the entries of `list` where `chosen`.
template <typename T>
void appendWhere(std::vector<T> &out, const std::vector<T> &list,
                 const std::vector<bool> &chosen) {
  for (size_t i = 0; i < list.size(); ++i)
    if (chosen[i])
      out.push_back(list[i]);
}
JvpResult jvpJit(const Tensors &in, const MaybeTensors &t,
                 const Params &params) {
  std::vector<bool> nonzero = given(t);
  Expected<JvpJaxpr> jvp = jvpJaxpr(params.jaxpr("jaxpr"), nonzero);
  if (!jvp)
    return failedJvp(jvp.error());
  JitEqn primal = eqnOf(params), eqn = primal;
  appendWhere(eqn.ins, primal.ins, nonzero);
  appendWhere(eqn.inLayouts, primal.inLayouts, nonzero);
  appendWhere(eqn.outs, primal.outs, jvp->outNonzero);
  appendWhere(eqn.outLayouts, primal.outLayouts, jvp->outNonzero);
  Tensors args = in;
  appendGiven(args, t);
  Tensors outs = bindJit(jvp->jaxpr, eqn, args);
  size_t n = jvp->outNonzero.size();
  return {Tensors(outs.begin(), outs.begin() + n),
          spread(outs, jvp->outNonzero, n)};
}

Eqn pruneJit(const Eqn &eqn, const std::vector<bool> &used) {
  PrunedProgram pruned = prunedProgram(eqn.params.jaxpr("jaxpr"), used);
  const std::vector<bool> &read = pruned.inputs;
  JitEqn all = eqnOf(eqn.params), some = all;
  some.ins = chosenEntries(all.ins, read);
  some.inLayouts = chosenEntries(all.inLayouts, read);
  some.outs = chosenEntries(all.outs, used);
  some.outLayouts = chosenEntries(all.outLayouts, used);
  Eqn out{eqn.primitive, chosenEntries(eqn.ins, read),
          chosenEntries(eqn.outs, used), jitParams(pruned.jaxpr, some)};
  if (const Param *mesh = eqn.params.find("ctx_mesh"))
    out.params.set("ctx_mesh", *mesh);
  return out;
}

JvpResult linearizeJit(JaxprTrace &tangents, const TracePtr &known,
                       const Tensors &in, const MaybeTensors &t,
                       const Params &params) {
  std::vector<bool> nonzero = given(t);
  Expected<LinearizedJaxpr> linear =
      linearizeJaxpr(params.jaxpr("jaxpr"), nonzero);
  if (!linear)
    return failedJvp(linear.error());
  const JitEqn primal = eqnOf(params);
  size_t n = linear->outNonzero.size();
  JitEqn eqn = primal;
  eqn.outs.resize(linear->known->outs.size());
  eqn.outLayouts.resize(linear->known->outs.size());
  // Residuals that are arguments or results are no results of their own, nor
  // are results that are arguments.
  Ints fromIns = forwardedInputs(*linear->known);
  Ints fromOuts = forwardedResults(*linear->known, n);
  std::vector<bool> keep;
  for (size_t i = 0; i < fromIns.size(); ++i) {
    if (i < n && (eqn.outs[i].isSpecified() || eqn.outLayouts[i]))
      fromIns[i] = -1;
    keep.push_back(fromIns[i] < 0 && (i < n || fromOuts[i] < 0));
  }
  eqn.outs = chosenEntries(eqn.outs, keep);
  eqn.outLayouts = chosenEntries(eqn.outLayouts, keep);
  Tensors made = bindJit(withResults(linear->known, keep), eqn, in);
  if (const Error *error = errorIn(made))
    return failedJvp(*error);
  Tensors outs;
  for (size_t i = 0, next = 0; i < keep.size(); ++i)
    outs.push_back(keep[i]           ? made[next++]
                   : fromIns[i] >= 0 ? in[fromIns[i]]
                                     : outs[fromOuts[i]]);
  Tensors args(outs.begin() + n, outs.end());
  outs.resize(n);
  JitEqn tangent{primal.name};
  tangent.compilerOptions = primal.compilerOptions;
  tangent.ins.resize(args.size());
  appendWhere(tangent.ins, primal.ins, nonzero);
  tangent.outs = chosenEntries(primal.outs, linear->outNonzero);
  appendGiven(args, t);
  if (linear->tangent->outs.empty())
    return {outs, MaybeTensors(n)};
  Tensors results = tangents.bind(*findPrimitive("jit"), args,
                                  jitParams(linear->tangent, tangent));
  if (const Error *error = errorIn(results))
    return failedJvp(*error);
  return {outs, spread(results, linear->outNonzero)};
}

MaybeTensors transposeJit(const MaybeTensors &ct, const MaybeTensors &in,
                          const std::vector<Aval> &, const Params &params) {
  std::vector<bool> known = given(in), linear = known;
  linear.flip();
  Expected<TransposedJaxpr> transposed =
      transposeJaxpr(params.jaxpr("jaxpr"), linear, given(ct));
  if (!transposed)
    return {Tensor(transposed.error())};
  const JitEqn primal = eqnOf(params);
  JitEqn eqn{primal.name};
  eqn.ins = chosenEntries(primal.ins, known);
  appendWhere(eqn.ins, primal.outs, given(ct));
  eqn.outs = chosenEntries(primal.ins, transposed->outNonzero);
  Tensors args;
  appendGiven(args, in);
  appendGiven(args, ct);
  return spread(bindJit(transposed->jaxpr, eqn, args), transposed->outNonzero);
}

/// The sharding of a value with a batch dimension. One that is replicated
/// stays.
Expected<Sharding> batchedSharding(const Sharding &sharding, int64_t dim,
                                   const BatchAxis &axis) {
  if (!sharding.isNamed() || sharding.isFullyReplicated())
    return sharding;
  std::vector<SpecEntry> entries = sharding.spec().entries();
  entries.resize(std::max(entries.size(), static_cast<size_t>(dim)));
  entries.insert(entries.begin() + dim, SpecEntry(axis.spmdNames));
  Expected<PartitionSpec> spec = PartitionSpec::get(
      entries, sharding.spec().unreduced(), sharding.spec().reduced());
  if (!spec)
    return spec.error();
  return sharding.withSpec(*spec);
}

/// Shardings of values of which some have a batch dimension.
Status batchShardings(std::vector<Sharding> &list, const Ints &dims,
                      const BatchAxis &axis) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (dims[i] < 0)
      continue;
    Expected<Sharding> sharding = batchedSharding(list[i], dims[i], axis);
    if (!sharding)
      return sharding.error();
    list[i] = *sharding;
  }
  return {};
}

BatchResult batchJit(const BatchAxis &axis, const Tensors &in, const Ints &dims,
                     const Params &params) {
  JitEqn eqn = eqnOf(params);
  for (const Layouts *layouts : {&eqn.inLayouts, &eqn.outLayouts})
    for (const auto &layout : *layouts)
      if (layout && !layout->isAuto())
        return {{Tensor(notImplemented(
                    "Concrete layouts are not supported for vmap(jit)."))},
                {}};
  Expected<BatchedProgram> inner =
      batchJaxprAt(params.jaxpr("jaxpr"), axis, dims, {kAnyBatchDim});
  if (!inner)
    return {{Tensor(inner.error())}, {}};
  if (Status done = batchShardings(eqn.ins, dims, axis); !done)
    return {{Tensor(done.error())}, {}};
  if (Status done = batchShardings(eqn.outs, inner->outDims, axis); !done)
    return {{Tensor(done.error())}, {}};
  return {bindJit(inner->jaxpr, eqn, in), inner->outDims};
}

const Primitive jitP = [] {
  Primitive p;
  p.name = "jit";
  p.ownManualAxes = true;
  p.infer = [](const std::vector<Aval> &,
               const Params &params) -> Expected<std::vector<Aval>> {
    if (const auto *options =
            params.object<CompilerOptionsParam>(kCompilerOptions))
      return valueError("`compiler_options` can only be passed to top-level "
                        "`jax.jit`. Got compiler_options=",
                        options->text, " specified on a nested jit with name: ",
                        params.text("name"));
    return params.jaxpr("jaxpr")->outAvals();
  };
  p.jvp = jvpJit;
  p.prune = pruneJit;
  p.linearize = linearizeJit;
  p.transpose = transposeJit;
  p.batch = batchJit;
  p.lower = [](LoweringContext &c) {
    JitEqn eqn = eqnOf(c.params());
    return c.call(c.params().jaxpr("jaxpr"), eqn.name, c.operands(),
                  {eqn.ins, eqn.outs, eqn.inLayouts, eqn.outLayouts});
  };
  return p;
}();
const Registered jitR(jitP);

} // namespace

bool JitEqn::isPlain() const {
  return !anySpecified(ins) && !anySpecified(outs) && !anyGiven(inLayouts) &&
         !anyGiven(outLayouts) && !compilerOptions;
}

bool isPlainJit(const Eqn &eqn) {
  return eqn.primitive == &jitP && eqnOf(eqn.params).isPlain();
}

Tensors bindJit(const JaxprPtr &jaxpr, const JitEqn &eqn, const Tensors &args) {
  return bindMany(jitP, jaxpr->outs.size(), args, jitParams(jaxpr, eqn));
}

} // namespace shardwright::frontend
