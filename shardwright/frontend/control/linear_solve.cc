//===- linear_solve.cc - solutions of linear equations --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/control/linear_solve.h"

#include "shardwright/frontend/base/lists.h"
#include "shardwright/frontend/control/control.h"

#include <algorithm>
#include <array>

namespace shardwright::frontend {
namespace {

const Primitive &linearSolve() {
  static const Primitive &p = *findPrimitive("custom_linear_solve");
  return p;
}

/// The programs of an equation. Those without a program are null.
enum Part { Matvec, Vecmat, Solve, TransposeSolve, kNumParts };
template <typename T> using Parts = std::array<T, kNumParts>;

/// How many of the operands are constants of each program.
struct ConstLengths : ParamObject {
  explicit ConstLengths(const Parts<size_t> &c) : counts(c) {}
  std::string str() const override {
    return cat("_LinearSolveTuple(matvec=", counts[Matvec],
               ", vecmat=", counts[Vecmat], ", solve=", counts[Solve],
               ", transpose_solve=", counts[TransposeSolve], ")");
  }
  Parts<size_t> counts;
};

/// The operands are the constants of the programs, then b.
struct Equation {
  explicit Equation(const Params &params)
      : counts(params.object<ConstLengths>("const_lengths")->counts) {
    const auto &list = params.get<std::vector<JaxprPtr>>("jaxprs");
    std::copy(list.begin(), list.end(), jaxprs.begin());
    size_t next = 0;
    for (size_t p = 0; p < kNumParts; ++p) {
      starts[p] = next;
      next += counts[p];
    }
    firstB = next;
  }
  /// The operands of a program's constants.
  template <typename T>
  std::vector<T> constsOf(size_t part, const std::vector<T> &operands) const {
    auto first = operands.begin() + static_cast<int64_t>(starts[part]);
    return {first, first + static_cast<int64_t>(counts[part])};
  }
  template <typename T>
  std::vector<T> bOf(const std::vector<T> &operands) const {
    return {operands.begin() + static_cast<int64_t>(firstB), operands.end()};
  }
  Parts<size_t> counts, starts;
  Parts<JaxprPtr> jaxprs;
  size_t firstB = 0;
};

Params equationParams(const Parts<JaxprPtr> &jaxprs,
                      const Parts<size_t> &counts) {
  return {{"const_lengths", objectParam(ConstLengths(counts))},
          {"jaxprs", std::vector<JaxprPtr>(jaxprs.begin(), jaxprs.end())}};
}

/// dx of A dx = db - dA x.
JvpResult jvpSolve(const Tensors &in, const MaybeTensors &t,
                   const Params &params) {
  Equation e(params);
  size_t numOuts = e.jaxprs[Solve]->outs.size();
  JvpResult result{bindMany(linearSolve(), numOuts, in, params), {}};
  Tensors b = e.bOf(in);
  Tensors x(result.outs.begin(), result.outs.begin() + b.size());
  MaybeTensors rhs = e.bOf(t);
  MaybeTensors constTangents = e.constsOf(Matvec, t);
  std::vector<bool> has = given(constTangents);
  if (std::find(has.begin(), has.end(), true) != has.end()) {
    Expected<JvpResult> product = jvpFlat(
        [&](const Tensors &consts) {
          return evalJaxpr(*e.jaxprs[Matvec], joinedLists(consts, x));
        },
        e.constsOf(Matvec, in), constTangents);
    if (!product)
      return failedJvp(product.error());
    for (size_t i = 0; i < rhs.size(); ++i)
      if (product->tangents[i])
        rhs[i] = addTangents(rhs[i], lax::neg(*product->tangents[i]));
  }
  has = given(rhs);
  if (std::find(has.begin(), has.end(), true) == has.end())
    return result;
  Tensors args(in.begin(), in.begin() + e.firstB);
  for (size_t i = 0; i < rhs.size(); ++i)
    args.push_back(instantiate(rhs[i], b[i].aval()));
  Tensors dx = bindMany(linearSolve(), numOuts, args, params);
  result.tangents = MaybeTensors(dx.begin(), dx.begin() + b.size());
  result.tangents.resize(numOuts);
  return result;
}

/// The solution of the transposed equation.
MaybeTensors transposeEquation(const MaybeTensors &ct, const MaybeTensors &in,
                               const std::vector<Aval> &types,
                               const Params &params) {
  Equation e(params);
  MaybeTensors out(in.size());
  if (!e.jaxprs[TransposeSolve]) {
    out.back() = Tensor(
        typeError("transpose_solve required for backwards mode automatic "
                  "differentiation of custom_linear_solve"));
    return out;
  }
  constexpr Parts<size_t> swapped = {Vecmat, Matvec, TransposeSolve, Solve};
  Parts<JaxprPtr> jaxprs;
  Parts<size_t> counts;
  Tensors args;
  for (size_t p = 0; p < kNumParts; ++p) {
    jaxprs[p] = e.jaxprs[swapped[p]];
    counts[p] = e.counts[swapped[p]];
    appendGiven(args, e.constsOf(swapped[p], in));
  }
  if (args.size() != e.firstB) {
    out.back() = Tensor(typeError("a function that should be linear is not: "
                                  "'custom_linear_solve' has an equation that "
                                  "depends on the linear argument"));
    return out;
  }
  for (size_t i = e.firstB; i < in.size(); ++i)
    args.push_back(instantiate(ct[i - e.firstB], types[i]));
  Tensors made = bindMany(linearSolve(), jaxprs[Solve]->outs.size(), args,
                          equationParams(jaxprs, counts));
  for (size_t i = e.firstB; i < in.size(); ++i)
    if (!in[i])
      out[i] = made[i - e.firstB];
  return out;
}

/// The programs on batches: where b, x or a constant has a batch dimension, the
/// solution has one, and so have all values that are compared with it. Other
/// results of the solution may have one of their own accord.
Expected<Parts<BatchedJaxpr>> batchParts(const Equation &e,
                                         const BatchAxis &axis,
                                         const std::vector<bool> &batched,
                                         std::vector<bool> &mask) {
  Parts<BatchedJaxpr> out;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t p = 0; p < kNumParts; ++p) {
      if (!e.jaxprs[p])
        continue;
      std::vector<bool> force = mask;
      force.resize(e.jaxprs[p]->outs.size());
      Expected<BatchedJaxpr> made = batchJaxpr(
          e.jaxprs[p], axis, joinedLists(e.constsOf(p, batched), mask), force);
      if (!made)
        return made.error();
      out[p] = *made;
      for (size_t i = 0; i < mask.size(); ++i)
        if (made->outBatched[i] && !mask[i])
          mask[i] = changed = true;
    }
  }
  return out;
}

BatchResult batchSolve(const BatchAxis &axis, const Tensors &in,
                       const Ints &dims, const Params &params) {
  Equation e(params);
  std::vector<bool> batched = isBatched(dims), mask = e.bOf(batched);
  Expected<Parts<BatchedJaxpr>> parts = batchParts(e, axis, batched, mask);
  if (!parts)
    return {{Tensor(parts.error())}, {}};
  Tensors args;
  for (size_t i = 0; i < in.size(); ++i)
    args.push_back(i < e.firstB
                       ? (batched[i] ? moveBatch(in[i], dims[i], 0) : in[i])
                   : mask[i - e.firstB] ? batchToFront(in[i], dims[i], axis)
                                        : in[i]);
  Parts<JaxprPtr> jaxprs;
  for (size_t p = 0; p < kNumParts; ++p)
    jaxprs[p] = (*parts)[p].jaxpr;
  const std::vector<bool> &outs = (*parts)[Solve].outBatched;
  return {bindMany(linearSolve(), outs.size(), args,
                   equationParams(jaxprs, e.counts)),
          batchDims(outs)};
}

const Primitive solveP = [] {
  Primitive p;
  p.name = "custom_linear_solve";
  p.ownManualAxes = true;
  p.infer = [](const std::vector<Aval> &,
               const Params &params) -> Expected<std::vector<Aval>> {
    return Equation(params).jaxprs[Solve]->outAvals();
  };
  p.jvp = jvpSolve;
  p.transpose = transposeEquation;
  p.batch = batchSolve;
  p.lower = [](LoweringContext &c) {
    Equation e(c.params());
    return c.inlineJaxpr(
        *e.jaxprs[Solve],
        joinedNames(e.constsOf(Solve, c.operands()), e.bOf(c.operands())));
  };
  return p;
}();
const Registered solveR(solveP);

std::string shapesText(const std::vector<Aval> &avals, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i)
    out += cat(i ? ", " : "", tupleText(avals[i].shape));
  return "[" + out + "]";
}
std::string typesText(const std::vector<Aval> &avals, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i)
    out += cat(i ? ", " : "", name(avals[i].dtype));
  return "[" + out + "]";
}

/// The results of a program have the types of b. `more`: others may follow.
Status checkResults(const std::string &what, const std::vector<Aval> &outs,
                    const std::vector<Aval> &b, bool more) {
  size_t n = more ? std::min(outs.size(), b.size()) : outs.size();
  bool sameShapes = n == b.size(), sameTypes = true;
  for (size_t i = 0; i < std::min(n, b.size()); ++i) {
    sameShapes &= outs[i].shape == b[i].shape;
    sameTypes &= outs[i].dtype == b[i].dtype;
  }
  if (!sameShapes)
    return valueError(what, " output shapes must match b, got ",
                      shapesText(outs, n), " and ", shapesText(b, b.size()));
  if (!sameTypes)
    return typeError(what, " output dtypes must match b, got ",
                     typesText(outs, n), " and ", typesText(b, b.size()));
  return {};
}

/// A program and the values that it captures, which are its first inputs.
struct Closed {
  JaxprPtr jaxpr;
  Tensors consts;
};
Expected<Closed> closedProgram(const TensorsFunction &function,
                               const std::vector<Aval> &types) {
  Expected<JaxprPtr> traced = traceToJaxpr(function, types);
  if (!traced)
    return traced.error();
  if (!(*traced)->effects.empty())
    return notImplemented("Effects not supported in `custom_linear_solve`.");
  return Closed{constantsToInputs(*traced), (*traced)->consts};
}

/// The function with an error where its results do not fit b.
TensorsFunction checked(const TensorsFunction &function,
                        const std::vector<Aval> &types) {
  return [=](const Tensors &x) {
    Tensors outs = function(x);
    std::vector<Aval> avals;
    for (const Tensor &out : outs) {
      if (!out.ok())
        return Tensors(types.size(), out);
      avals.push_back(out.aval());
    }
    Status good = checkResults("matvec()", avals, types, false);
    return good ? outs : Tensors(types.size(), Tensor(good.error()));
  };
}

/// Adds the programs for the transposed equation.
Status addTransposes(const LinearSolve &problem, const std::vector<Aval> &types,
                     Parts<Closed> &parts) {
  const Closed &matvec = parts[Matvec];
  if (problem.symmetric) {
    parts[Vecmat] = matvec;
  } else {
    std::vector<bool> linear(matvec.consts.size(), false);
    linear.resize(matvec.jaxpr->ins.size(), true);
    Expected<TransposedJaxpr> made = transposeJaxpr(
        matvec.jaxpr, linear, std::vector<bool>(types.size(), true), linear);
    if (!made)
      return made.error();
    parts[Vecmat] = {constantsToInputs(made->jaxpr), matvec.consts};
  }
  Closed vecmat = parts[Vecmat];
  TensorsFunction apply = [vecmat](const Tensors &x) {
    return evalJaxpr(*vecmat.jaxpr, joinedLists(vecmat.consts, x));
  };
  const LinearSolve::Solver &solver =
      problem.transposeSolve ? problem.transposeSolve : problem.solve;
  Expected<Closed> made =
      closedProgram([&](const Tensors &b) { return solver(apply, b); }, types);
  if (!made)
    return made.error();
  parts[TransposeSolve] = *made;
  return checkResults("transpose_solve()", made->jaxpr->outAvals(), types,
                      true);
}

Expected<Parts<Closed>> tracedParts(const LinearSolve &problem,
                                    const std::vector<Aval> &types) {
  Parts<Closed> parts;
  TensorsFunction matvec = checked(problem.matvec, types);
  Expected<Closed> product = closedProgram(matvec, types);
  if (!product)
    return product.error();
  parts[Matvec] = *product;
  Expected<Closed> solve = closedProgram(
      [&](const Tensors &b) { return problem.solve(matvec, b); }, types);
  if (!solve)
    return solve.error();
  parts[Solve] = *solve;
  SW_TRY(checkResults("solve()", solve->jaxpr->outAvals(), types, true));
  if (problem.transposeSolve || problem.symmetric)
    SW_TRY(addTransposes(problem, types, parts));
  return parts;
}

} // namespace

Tensors linearSolveFlat(const LinearSolve &problem, const Tensors &b) {
  if (b.empty())
    return {Tensor(valueError("custom_linear_solve needs a right-hand side"))};
  if (const Error *error = errorIn(b))
    return {Tensor(*error)};
  std::vector<Aval> types;
  for (const Tensor &x : b) {
    types.push_back(x.aval());
    types.back().weak = false;
  }
  Expected<Parts<Closed>> parts = tracedParts(problem, types);
  if (!parts)
    return {Tensor(parts.error())};
  Parts<JaxprPtr> jaxprs;
  Parts<size_t> counts;
  Tensors args;
  for (size_t p = 0; p < kNumParts; ++p) {
    jaxprs[p] = (*parts)[p].jaxpr;
    counts[p] = (*parts)[p].consts.size();
    args = joinedLists(std::move(args), (*parts)[p].consts);
  }
  args = joinedLists(std::move(args), b);
  return bindMany(solveP, jaxprs[Solve]->outs.size(), args,
                  equationParams(jaxprs, counts));
}

} // namespace shardwright::frontend
