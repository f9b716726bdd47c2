//===- shard_map_rules.cc - derivatives and batches of shardMap -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/base/lists.h"
#include "shardwright/frontend/control/control.h"
#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/shard_map/collectives.h"
#include "shardwright/frontend/shard_map/shard_map_primitive.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

template <typename T>
void append(std::vector<T> &list, const std::vector<T> &more) {
  list.insert(list.end(), more.begin(), more.end());
}
/// A residual: a result of the known part that the tangent part reads.
struct Residual {
  /// Position of the input that it is, or -1.
  int64_t input = -1;
  PartitionSpec spec;
  /// A scalar that differs between devices leaves as an array of one element.
  bool isExpanded = false;
};

std::vector<Residual> residualsOf(const ShardMapEqn &m,
                                  const LinearizedJaxpr &linear) {
  const Jaxpr &known = *linear.known;
  std::vector<Residual> out;
  size_t first = linear.outNonzero.size();
  for (size_t i = 0; i < linear.numResiduals; ++i) {
    const Atom &atom = known.outs[first + i];
    Residual r;
    auto input = std::find(known.ins.begin(), known.ins.end(), atom.var);
    if (atom.isVar() && input != known.ins.end()) {
      r.input = input - known.ins.begin();
      r.spec = m.in[r.input];
      out.push_back(r);
      continue;
    }
    const Aval &type = known.aval(atom);
    AxisNames axes;
    for (const std::string &axis : m.manual)
      if (!m.check || contains(type.varying, axis))
        axes.push_back(axis);
    std::vector<SpecEntry> entries;
    if (!axes.empty())
      entries.push_back(axes.size() == 1 ? SpecEntry(axes[0])
                                         : SpecEntry(axes));
    r.spec = *PartitionSpec::get(entries,
                                 {type.unreduced.begin(), type.unreduced.end()},
                                 {type.reduced.begin(), type.reduced.end()});
    r.isExpanded = type.rank() == 0 && !axes.empty();
    out.push_back(r);
  }
  return out;
}

/// The known part: residuals that are no inputs, then the results.
Expected<JaxprPtr> knownBody(const ShardMapEqn &m,
                             const LinearizedJaxpr &linear,
                             const std::vector<Residual> &residuals) {
  ManualScope scope = m.scope();
  return traceToJaxpr(
      [&](const Tensors &args) {
        Tensors outs = evalJaxpr(*linear.known, args);
        size_t first = linear.outNonzero.size();
        Tensors all;
        for (size_t i = 0; i < residuals.size(); ++i)
          if (residuals[i].input < 0)
            all.push_back(residuals[i].isExpanded
                              ? lax::broadcast_in_dim(outs[first + i], {1}, {})
                              : outs[first + i]);
        all.insert(all.end(), outs.begin(), outs.begin() + first);
        return all;
      },
      linear.known->inAvals(), m.jaxpr->name);
}

/// The tangent part, which takes residuals as they left the known part.
Expected<JaxprPtr> tangentBody(const ShardMapEqn &m,
                               const LinearizedJaxpr &linear,
                               const std::vector<Residual> &residuals) {
  std::vector<Aval> types = linear.tangent->inAvals();
  for (size_t i = 0; i < residuals.size(); ++i)
    if (residuals[i].isExpanded)
      types[i] = types[i].withShape({1});
  ManualScope scope = m.scope();
  return traceToJaxpr(
      [&](const Tensors &args) {
        Tensors ins = args;
        for (size_t i = 0; i < residuals.size(); ++i)
          if (residuals[i].isExpanded)
            ins[i] = lax::squeeze(args[i], {0});
        return evalJaxpr(*linear.tangent, ins);
      },
      types, m.jaxpr->name);
}

} // namespace

JvpResult jvpShardMap(const Tensors &in, const MaybeTensors &t,
                      const Params &params) {
  ShardMapEqn m(params);
  std::vector<bool> nonzero = given(t);
  Expected<JvpJaxpr> jvp = [&] {
    ManualScope scope = m.scope();
    return jvpJaxpr(m.jaxpr, nonzero);
  }();
  if (!jvp)
    return failedJvp(jvp.error());
  size_t n = m.out.size();
  ShardMapEqn both = m;
  both.jaxpr = jvp->jaxpr;
  append(both.in, chosenEntries(m.in, nonzero));
  append(both.out, chosenEntries(m.out, jvp->outNonzero));
  Tensors args = in;
  appendGiven(args, t);
  Tensors outs = both.bind(args);
  return {Tensors(outs.begin(), outs.begin() + n),
          spread(outs, jvp->outNonzero, n)};
}

JvpResult linearizeShardMap(JaxprTrace &tangents, const TracePtr &,
                            const Tensors &in, const MaybeTensors &t,
                            const Params &params) {
  ShardMapEqn m(params);
  std::vector<bool> nonzero = given(t);
  Expected<LinearizedJaxpr> linear = [&] {
    ManualScope scope = m.scope();
    return linearizeJaxpr(m.jaxpr, nonzero);
  }();
  if (!linear)
    return failedJvp(linear.error());
  std::vector<Residual> residuals = residualsOf(m, *linear);
  Expected<JaxprPtr> known = knownBody(m, *linear, residuals);
  Expected<JaxprPtr> tangent = tangentBody(m, *linear, residuals);
  if (!known || !tangent)
    return failedJvp(known ? tangent.error() : known.error());
  ShardMapEqn first = m, second = m;
  first.jaxpr = *known;
  first.out.clear();
  second.jaxpr = *tangent;
  second.in.clear();
  for (const Residual &r : residuals) {
    second.in.push_back(r.spec);
    if (r.input < 0)
      first.out.push_back(r.spec);
  }
  size_t numNew = first.out.size();
  append(first.out, m.out);
  append(second.in, chosenEntries(m.in, nonzero));
  second.out = chosenEntries(m.out, linear->outNonzero);
  Tensors outs = first.bind(in);
  if (const Error *error = errorIn(outs))
    return failedJvp(*error);
  Tensors results(outs.begin() + numNew, outs.end()), args;
  size_t next = 0;
  for (const Residual &r : residuals)
    args.push_back(r.input < 0 ? outs[next++] : in[r.input]);
  appendGiven(args, t);
  if (second.out.empty())
    return {results, MaybeTensors(results.size())};
  Tensors pushed = second.bindIn(tangents, args);
  if (const Error *error = errorIn(pushed))
    return failedJvp(*error);
  return {results, spread(pushed, linear->outNonzero)};
}

/// Without types that say along which axes values vary, a result is taken from
/// one device of those that hold it: its cotangent is divided among them.
static MaybeTensors dividedCotangents(const ShardMapEqn &m,
                                      const MaybeTensors &ct) {
  MaybeTensors out = ct;
  for (size_t i = 0; i < ct.size(); ++i) {
    int64_t copies = sizeOf(m.outer(), m.unmentioned(m.out[i]));
    if (ct[i] && copies > 1)
      out[i] = lax::div(*ct[i],
                        scalarOf(static_cast<double>(copies), ct[i]->dtype()));
  }
  return out;
}

/// Sums the results of a body over the axes that their specs do not mention.
static Expected<JaxprPtr> withSums(const ShardMapEqn &m, const JaxprPtr &body,
                                   const std::vector<PartitionSpec> &out) {
  return traceToJaxpr(
      [&](const Tensors &args) {
        Tensors outs = evalJaxpr(*body, args);
        for (size_t i = 0; i < outs.size(); ++i)
          if (AxisNames axes = m.unmentioned(out[i]); !axes.empty())
            outs[i] = lax::psum(outs[i], axes);
        return outs;
      },
      body->inAvals(), body->name);
}

MaybeTensors transposeShardMap(const MaybeTensors &ct, const MaybeTensors &in,
                               const std::vector<Aval> &,
                               const Params &params) {
  ShardMapEqn m(params);
  std::vector<bool> known = given(in), linear = known, ctNonzero = given(ct);
  linear.flip();
  ShardMapEqn back = m;
  back.out = swapped(chosenEntries(m.in, linear));
  back.in = swapped(chosenEntries(m.out, ctNonzero));
  append(back.in, chosenEntries(m.in, known));
  Expected<JaxprPtr> body = [&]() -> Expected<JaxprPtr> {
    ManualScope scope = m.scope();
    Expected<TransposedJaxpr> made =
        transposeJaxpr(m.jaxpr, linear, ctNonzero, linear);
    if (!made)
      return made.error();
    if (m.check)
      return made->jaxpr;
    return withSums(m, made->jaxpr, back.out);
  }();
  if (!body)
    return {Tensor(body.error())};
  // Cotangents first, then residuals.
  std::vector<size_t> order, results;
  size_t numKnown = std::count(known.begin(), known.end(), true);
  for (size_t i = 0; i < back.in.size(); ++i)
    order.push_back((i + numKnown) % back.in.size());
  for (size_t i = 0; i < back.out.size(); ++i)
    results.push_back(i);
  back.jaxpr = reordered(*body, order, results);
  Tensors args;
  appendGiven(args, m.check ? ct : dividedCotangents(m, ct));
  appendGiven(args, in);
  return spread(back.bind(args), linear);
}

BatchResult batchShardMap(const BatchAxis &axis, const Tensors &in,
                          const Ints &dims, const Params &params) {
  ShardMapEqn m(params);
  SpecEntry entry;
  AxisNames spmd;
  for (const std::string &name : axis.spmdNames)
    if (contains(m.manual, name))
      spmd.push_back(name);
  entry.axes = spmd;
  ShardMapEqn out = m;
  auto body = std::make_shared<Jaxpr>(*m.jaxpr);
  std::vector<bool> batched;
  Tensors args;
  auto insert = [&](PartitionSpec &spec) { spec = withEntry(spec, entry); };
  auto usesSpmd = [&](const PartitionSpec &spec) {
    AxisNames used = axesOf(spec);
    return std::any_of(spmd.begin(), spmd.end(), [&](const std::string &name) {
      return contains(used, name);
    });
  };
  for (size_t i = 0; i < in.size(); ++i) {
    batched.push_back(dims[i] >= 0);
    args.push_back(dims[i] > 0 ? moveBatch(in[i], dims[i], 0) : in[i]);
    if (dims[i] < 0)
      continue;
    if (usesSpmd(m.in[i]))
      return {{Tensor(valueError("vmap spmd_axis_name cannot appear in "
                                 "shard_map in_specs"))},
              {}};
    insert(out.in[i]);
    if (!m.check)
      continue;
    Aval &own = body->types[body->ins[i]];
    Aval local = out.localType(args[i].aval(), out.in[i]);
    own.varying = local.varying;
    own.unreduced = local.unreduced;
    own.reduced = local.reduced;
  }
  BatchAxis inner = axis;
  inner.size /= sizeOf(m.outer(), spmd);
  Expected<BatchedJaxpr> mapped = [&] {
    ManualScope scope = m.scope();
    return batchJaxpr(body, inner, batched);
  }();
  if (!mapped)
    return {{Tensor(mapped.error())}, {}};
  out.jaxpr = mapped->jaxpr;
  Ints outDims;
  for (size_t i = 0; i < out.out.size(); ++i) {
    outDims.push_back(mapped->outBatched[i] ? 0 : -1);
    if (!mapped->outBatched[i])
      continue;
    if (usesSpmd(m.out[i]))
      return {{Tensor(valueError("vmap spmd_axis_name cannot appear in "
                                 "shard_map out_specs"))},
              {}};
    insert(out.out[i]);
  }
  return {out.bind(args), outDims};
}

} // namespace shardwright::frontend
