//===- scan.cc - loops of known length ------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/control/scan.h"
#include "shardwright/frontend/trace/partial_sums.h"
#include "shardwright/frontend/transform/pruning.h"

namespace shardwright::frontend {
namespace {

Params scanParams(const JaxprPtr &jaxpr, size_t consts, size_t carry,
                  int64_t length, bool reverse, int64_t unroll) {
  return {{"jaxpr", jaxpr},
          {"length", length},
          {"num_consts", static_cast<int64_t>(consts)},
          {"num_carry", static_cast<int64_t>(carry)},
          {"reverse", reverse},
          {"unroll", unroll}};
}
const Primitive &scanPrimitive() {
  static const Primitive &p = *findPrimitive("scan");
  return p;
}

Expected<std::vector<Aval>> inferScan(const std::vector<Aval> &in,
                                      const Params &params) {
  Scan s(params);
  std::vector<Aval> out = s.jaxpr->outAvals();
  for (size_t i = 0; i < s.carry; ++i)
    if (i + s.consts < in.size())
      out[i] = in[i + s.consts];
  for (size_t i = s.carry; i < out.size(); ++i)
    out[i] = stacked(out[i], s.length);
  return out;
}

/// Positions of the true entries in [from, from + count), offset by `base`
/// plus their rank among all true entries.
std::vector<size_t> ranksOf(const std::vector<bool> &mask, size_t from,
                            size_t count, size_t base) {
  std::vector<size_t> out;
  size_t rank = 0;
  for (size_t i = 0; i < mask.size(); ++i) {
    if (i >= from && i < from + count && mask[i])
      out.push_back(base + rank);
    rank += mask[i];
  }
  return out;
}
JvpResult jvpScan(const Tensors &in, const MaybeTensors &t,
                  const Params &params) {
  Scan s(params);
  std::vector<bool> nonzero = given(t);
  Expected<JvpJaxpr> made = carryFixpoint(
      s.consts, s.carry, s.carry + s.ys, nonzero,
      [&](const std::vector<bool> &ins, const std::vector<bool> &force) {
        return jvpJaxpr(s.jaxpr, ins, force);
      });
  if (!made)
    return failedJvp(made.error());
  const JvpJaxpr &jvp = *made;
  size_t n = in.size(), m = s.carry + s.ys;
  auto tin = [&](size_t from, size_t count) {
    return ranksOf(nonzero, from, count, n);
  };
  auto tout = [&](size_t from, size_t count) {
    return ranksOf(jvp.outNonzero, from, count, m);
  };
  size_t xsAt = s.consts + s.carry;
  JaxprPtr body = reordered(
      jvp.jaxpr,
      joined(range(0, s.consts), tin(0, s.consts), range(s.consts, s.carry),
             tin(s.consts, s.carry), range(xsAt, s.xs), tin(xsAt, s.xs)),
      joined(range(0, s.carry), tout(0, s.carry), range(s.carry, s.ys),
             tout(s.carry, s.ys)));
  Tensors args;
  size_t counts[3] = {s.consts, s.carry, s.xs}, at = 0;
  size_t tangents[2] = {0, 0};
  for (int part = 0; part < 3; ++part) {
    args.insert(args.end(), in.begin() + at, in.begin() + at + counts[part]);
    for (size_t i = at; i < at + counts[part]; ++i)
      if (nonzero[i]) {
        args.push_back(instantiate(t[i], in[i].aval()));
        if (part < 2)
          ++tangents[part];
      }
    at += counts[part];
  }
  Tensors outs =
      bindMany(scanPrimitive(), body->outs.size(), args,
               scanParams(body, s.consts + tangents[0], s.carry + tangents[1],
                          s.length, s.reverse, s.unroll));
  JvpResult r;
  r.tangents.resize(m);
  size_t next = 0;
  r.outs.resize(m);
  for (auto [from, count] : {std::pair(size_t(0), s.carry), {s.carry, s.ys}}) {
    for (size_t i = from; i < from + count; ++i)
      r.outs[i] = outs[next++];
    for (size_t i = from; i < from + count; ++i)
      if (jvp.outNonzero[i])
        r.tangents[i] = outs[next++];
  }
  return r;
}

JvpResult linearizeScan(JaxprTrace &tangentTrace, const TracePtr &,
                        const Tensors &in, const MaybeTensors &t,
                        const Params &params) {
  Scan s(params);
  std::vector<bool> nonzero = given(t);
  Expected<LinearizedJaxpr> made = carryFixpoint(
      s.consts, s.carry, s.carry + s.ys, nonzero,
      [&](const std::vector<bool> &ins, const std::vector<bool> &force) {
        return linearizeJaxpr(s.jaxpr, ins, force);
      });
  if (!made)
    return failedJvp(made.error());
  const LinearizedJaxpr &linear = *made;
  size_t m = s.carry + s.ys, known = linear.known->outs.size();
  // Residuals that are constants or scanned arguments are not computed anew,
  // and what depends on constants only is computed once.
  Ints forwarded = forwardedInputs(*linear.known);
  std::vector<bool> keep;
  for (size_t i = 0; i < known; ++i) {
    bool isCarry = forwarded[i] >= static_cast<int64_t>(s.consts) &&
                   forwarded[i] < static_cast<int64_t>(s.consts + s.carry);
    if (i < m || isCarry)
      forwarded[i] = -1;
    keep.push_back(forwarded[i] < 0);
  }
  Expected<HoistedJaxpr> program =
      hoistKnown(withResults(linear.known, keep),
                 Tensors(in.begin(), in.begin() + s.consts), m);
  if (!program)
    return failedJvp(program.error());
  Tensors operands = program->consts;
  operands.insert(operands.end(), in.begin() + s.consts, in.end());
  Tensors outs;
  if (!program->jaxpr->outs.empty() || !program->jaxpr->effects.empty())
    outs = bindMany(scanPrimitive(), program->jaxpr->outs.size(), operands,
                    scanParams(program->jaxpr, program->consts.size(), s.carry,
                               s.length, s.reverse, s.unroll));
  if (const Error *error = errorIn(outs))
    return failedJvp(*error);
  // Constants come first, residuals that are scanned last.
  size_t r = linear.numResiduals, total = linear.tangent->ins.size();
  Tensors args, scanned;
  std::vector<size_t> front, back;
  for (size_t i = m, next = m, made = m; i < known; ++i) {
    Tensor residual;
    bool isConst = false;
    if (keep[i]) {
      const MaybeTensor &hoisted = program->known[made++];
      isConst = hoisted.has_value();
      residual = isConst ? *hoisted : outs[next++];
    } else {
      isConst = forwarded[i] < static_cast<int64_t>(s.consts);
      residual = in[forwarded[i]];
    }
    (isConst ? front : back).push_back(i - m);
    (isConst ? args : scanned).push_back(residual);
  }
  outs.resize(m);
  JaxprPtr body =
      reordered(linear.tangent, joined(front, range(r, total - r), back),
                range(0, linear.tangent->outs.size()));
  size_t counts[2] = {args.size(), 0};
  for (size_t i = 0; i < in.size(); ++i)
    if (nonzero[i]) {
      args.push_back(instantiate(t[i], in[i].aval()));
      if (i < s.consts)
        ++counts[0];
      else if (i < s.consts + s.carry)
        ++counts[1];
    }
  args.insert(args.end(), scanned.begin(), scanned.end());
  if (body->outs.empty())
    return {outs, MaybeTensors(m)};
  Tensors tangents = tangentTrace.bind(
      scanPrimitive(), args,
      scanParams(body, counts[0], counts[1], s.length, s.reverse, s.unroll));
  if (const Error *error = errorIn(tangents))
    return failedJvp(*error);
  return {outs, spread(tangents, linear.outNonzero)};
}

/// The body of a transposed scan, with inputs of these types: known constants,
/// the sums of the cotangents of the others, the cotangents of the carry, those
/// of the results with `hasCt`, known scanned values. Results: the sums, the
/// cotangents of the carry before, those of the scanned values.
Expected<JaxprPtr> transposedBody(const Scan &s, const std::vector<Aval> &types,
                                  const std::vector<bool> &linear,
                                  const std::vector<bool> &hasCt) {
  std::vector<Aval> bodyTypes = s.jaxpr->inAvals();
  return traceToJaxpr(
      [&](const Tensors &args) -> Tensors {
        MaybeTensors known(bodyTypes.size()), initial(bodyTypes.size());
        MaybeTensors cts(s.carry + s.ys);
        size_t next = 0;
        for (bool sums : {false, true})
          for (size_t i = 0; i < s.consts; ++i)
            if (linear[i] == sums)
              (sums ? initial : known)[i] = args[next++];
        for (size_t i = 0; i < s.carry; ++i)
          cts[i] = args[next++];
        for (size_t i = 0; i < s.ys; ++i)
          if (hasCt[i])
            cts[s.carry + i] = args[next++];
        for (size_t i = s.consts + s.carry; i < linear.size(); ++i)
          if (!linear[i])
            known[i] = args[next++];
        Expected<MaybeTensors> back =
            backwardPass(*s.jaxpr, known, cts, initial);
        if (!back)
          return {Tensor(back.error())};
        Tensors results;
        for (size_t i = 0; i < bodyTypes.size(); ++i)
          if (linear[i])
            results.push_back((*back)[i]
                                  ? *(*back)[i]
                                  : lax::zeros(cotangentAval(bodyTypes[i])));
        return results;
      },
      types, s.jaxpr->name);
}

/// Runs backwards with the cotangents of the carry, and sums those of the
/// constants.
MaybeTensors transposeScan(const MaybeTensors &ct, const MaybeTensors &in,
                           const std::vector<Aval> &, const Params &params) {
  Scan s(params);
  std::vector<bool> linear = given(in);
  linear.flip();
  // A carry with a value is the zero tangent of one that is not differentiated.
  for (size_t i = s.consts; i < s.consts + s.carry; ++i)
    linear[i] = true;
  std::vector<bool> hasCt = given({ct.begin() + s.carry, ct.end()});
  std::vector<Aval> bodyTypes = s.jaxpr->inAvals();
  Tensors args, sums;
  for (size_t i = 0; i < s.consts; ++i)
    if (in[i])
      args.push_back(*in[i]);
    else
      sums.push_back(lax::zeros(cotangentAval(bodyTypes[i])));
  size_t knownConsts = args.size();
  args.insert(args.end(), sums.begin(), sums.end());
  for (size_t i = 0; i < s.carry; ++i)
    args.push_back(ct[i] ? *ct[i]
                         : lax::zeros(cotangentAval(bodyTypes[s.consts + i])));
  size_t scannedAt = args.size();
  appendGiven(args, {ct.begin() + s.carry, ct.end()});
  appendGiven(args, {in.begin() + s.consts + s.carry, in.end()});
  if (const Error *error = errorIn(args))
    return {Tensor(*error)};
  std::vector<Aval> types;
  for (const Tensor &x : args)
    types.push_back(types.size() < scannedAt ? x.aval()
                                             : x.aval().withoutDim(0));
  Expected<JaxprPtr> body = transposedBody(s, types, linear, hasCt);
  if (!body)
    return {Tensor(body.error())};
  Tensors outs = bindMany(scanPrimitive(), (*body)->outs.size(), args,
                          scanParams(*body, knownConsts, sums.size() + s.carry,
                                     s.length, !s.reverse, s.unroll));
  return spread(outs, linear);
}

BatchResult batchScan(const BatchAxis &axis, const Tensors &in,
                      const Ints &dims, const Params &params) {
  Scan s(params);
  std::vector<bool> batched = isBatched(dims);
  Expected<BatchedJaxpr> made = carryFixpoint(
      s.consts, s.carry, s.carry + s.ys, batched,
      [&](const std::vector<bool> &ins, const std::vector<bool> &force) {
        return batchJaxpr(s.jaxpr, axis, ins, force);
      });
  if (!made)
    return {{Tensor(made.error())}, {}};
  const BatchedJaxpr &inner = *made;
  Tensors args;
  for (size_t i = 0; i < in.size(); ++i) {
    if (!batched[i])
      args.push_back(in[i]);
    else if (i < s.consts + s.carry)
      args.push_back(batchToFront(in[i], dims[i], axis));
    else
      args.push_back(moveBatch(in[i], dims[i], 1));
  }
  Ints outDims;
  for (size_t i = 0; i < inner.outBatched.size(); ++i)
    outDims.push_back(!inner.outBatched[i] ? -1 : i < s.carry ? 0 : 1);
  return {bindMany(scanPrimitive(), inner.jaxpr->outs.size(), args,
                   scanParams(inner.jaxpr, s.consts, s.carry, s.length,
                              s.reverse, s.unroll)),
          outDims};
}

/// A carry is needed if its last value is, or if a later iteration reads it.
Eqn pruneScan(const Eqn &eqn, const std::vector<bool> &used) {
  Scan s(eqn.params);
  std::vector<bool> live = used, read;
  JaxprPtr body;
  while (true) {
    body = withLiveResults(s.jaxpr, live);
    read = inputsInUse(*body);
    bool grew = false;
    for (size_t i = 0; i < s.carry; ++i) {
      if (read[s.consts + i] && !live[i])
        live[i] = grew = true;
      read[s.consts + i] = live[i];
    }
    if (!grew)
      break;
  }
  auto count = [&](size_t from, size_t n) {
    return std::count(read.begin() + from, read.begin() + from + n, true);
  };
  // Results that nothing uses stay if they are carried.
  return {eqn.primitive, chosenEntries(eqn.ins, read),
          chosenEntries(eqn.outs, live),
          scanParams(withInputs(body, read), count(0, s.consts),
                     count(s.consts, s.carry), s.length, s.reverse, s.unroll)};
}

const Primitive scanP = [] {
  Primitive p;
  p.name = "scan";
  p.prune = pruneScan;
  p.ownManualAxes = true;
  p.infer = inferScan;
  p.jvp = jvpScan;
  p.linearize = linearizeScan;
  p.transpose = transposeScan;
  p.batch = batchScan;
  p.lower = lowerScan;
  return p;
}();
const Registered scanR(scanP);

/// Binds a scan. A carry that the body returns as it is becomes a constant, and
/// a result that is a scanned argument is that argument.
Tensors bindForwarding(const JaxprPtr &jaxpr, const Tensors &args,
                       size_t consts, size_t carry, int64_t length,
                       bool reverse, int64_t unroll) {
  Ints forwarded = forwardedInputs(*jaxpr);
  std::vector<size_t> moved, ins = range(0, consts), outs;
  for (size_t i = 0; i < forwarded.size(); ++i) {
    auto from = forwarded[i] < 0 ? args.size() : size_t(forwarded[i]);
    bool isSame = i < carry ? from == consts + i
                            : from >= consts + carry && from < args.size();
    if (i < carry)
      (isSame ? moved : ins).push_back(consts + i);
    if (!isSame)
      outs.push_back(i);
  }
  ins = joined(moved, ins, range(consts + carry, args.size() - consts - carry));
  Tensors operands;
  for (size_t i : ins)
    operands.push_back(args[i]);
  Tensors made =
      frontend::bind(scanP, operands,
                     scanParams(moved.empty() && outs.size() == forwarded.size()
                                    ? jaxpr
                                    : reordered(jaxpr, ins, outs),
                                consts + moved.size(), carry - moved.size(),
                                length, reverse, unroll));
  if (const Error *error = errorIn(made))
    return {Tensor(*error)};
  Tensors results;
  for (size_t i = 0, next = 0; i < forwarded.size(); ++i)
    results.push_back(next < outs.size() && outs[next] == i
                          ? made[next++]
                          : args[forwarded[i]]);
  return results;
}

} // namespace

Tensors mapSlices(const std::function<Tensors(const Tensors &fixed,
                                              const Tensors &slices)> &body,
                  const Tensors &fixed, const Tensors &xs, int64_t length,
                  int64_t unroll) {
  std::vector<Aval> types;
  for (const Tensor &x : fixed)
    types.push_back(x.aval());
  for (const Tensor &x : xs)
    types.push_back(x.aval().withoutDim(0));
  size_t n = fixed.size();
  Tensors captured;
  Expected<JaxprPtr> jaxpr = traceWithCaptures(
      [&](const Tensors &args) {
        return body(Tensors(args.begin(), args.begin() + n),
                    Tensors(args.begin() + n, args.end()));
      },
      types, "", captured);
  if (!jaxpr)
    return {Tensor(jaxpr.error())};
  Tensors args = captured;
  args.insert(args.end(), fixed.begin(), fixed.end());
  args.insert(args.end(), xs.begin(), xs.end());
  return bindMany(
      scanP, (*jaxpr)->outs.size(), args,
      scanParams(*jaxpr, captured.size() + n, 0, length, false, unroll));
}

Tensors scanFlat(const TensorsFunction &body, const Tensors &init,
                 const Tensors &xs, int64_t length, bool reverse,
                 int64_t unroll) {
  Tensors all = init;
  all.insert(all.end(), xs.begin(), xs.end());
  if (const Error *error = errorIn(all))
    return {Tensor(*error)};
  std::vector<Aval> types;
  for (const Tensor &x : init)
    types.push_back(x.aval());
  for (const Tensor &x : xs) {
    if (!x.rank())
      return {Tensor(valueError("scan got value with no leading axis to scan "
                                "over: ",
                                x.aval().longStr(), "."))};
    if (x.dim(0) != xs[0].dim(0))
      return {Tensor(valueError("scan got values with different leading axis "
                                "sizes: ",
                                xs[0].dim(0), ", ", x.dim(0), "."))};
    if (length >= 0 && x.dim(0) != length)
      return {Tensor(valueError("scan got `length` argument of ", length,
                                " which disagrees with leading axis sizes [",
                                x.dim(0), "]."))};
    const PartitionSpec spec = x.aval().spec();
    if (!spec[0].empty())
      return {Tensor(valueError("0th dimension of all xs should be replicated. "
                                "Got ",
                                spec.str()))};
    types.push_back(x.aval().withoutDim(0));
  }
  if (length < 0 && !xs.empty())
    length = xs[0].dim(0);
  if (length < 0)
    return {Tensor(valueError("scan got no values to scan over and `length` "
                              "not provided."))};
  if (unroll < -1)
    return {Tensor(valueError("`unroll` must be a `bool` or a non-negative "
                              "`int`."))};
  unroll = unroll == 0 ? 1 : unroll;
  if (std::min(unroll < 0 ? length : unroll, length) > 1 << 16)
    return {Tensor(valueError("scan repeats its body at most ", 1 << 16,
                              " times in a program, but `unroll` is ", unroll,
                              " and the length ", length))};
  Tensors captured;
  Expected<JaxprPtr> jaxpr = traceWithCaptures(body, types, "", captured);
  if (!jaxpr)
    return {Tensor(jaxpr.error())};
  std::vector<Aval> before(types.begin(), types.begin() + init.size());
  std::vector<Aval> after = (*jaxpr)->outAvals();
  if (after.size() < init.size())
    return {
        Tensor(typeError("scan body function returned ", after.size(),
                         " values, fewer than its carry of ", init.size()))};
  after.resize(init.size());
  if (auto carry = strengthenedCarry(init, before, after))
    return scanFlat(body, *carry, xs, length, reverse, unroll);
  if (Status status = checkCarry("scan", before, after); !status)
    return {Tensor(status.error())};
  Tensors args = captured;
  args.insert(args.end(), all.begin(), all.end());
  return bindForwarding(*jaxpr, args, captured.size(), init.size(), length,
                        reverse,
                        unroll < 0 ? std::max<int64_t>(length, 1) : unroll);
}

} // namespace shardwright::frontend
