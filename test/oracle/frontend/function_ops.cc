//===- function_ops.cc - transformations and loops by name ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ops.h"

namespace shardwright::frontend {

/// Small models (model_ops.cc).
void addModels(Ops &ops);

namespace {

Ints everyAxis(const Tensor &x) {
  Ints out;
  for (int64_t d = 0; d < x.rank(); ++d)
    out.push_back(d);
  return out;
}

using Pair = std::tuple<Tensor, Tensor>;

Tensor sinMul(const Tensor &x, const Tensor &y) {
  return lax::mul(lax::sin(x), y);
}
/// The tangent of y is ignored, so that a test sees whose rule is applied.
auto customJvpOp() {
  return customJvp(
      sinMul,
      [](Pair p, Pair t) {
        auto [x, y] = p;
        return std::pair{sinMul(x, y),
                         lax::mul(lax::mul(std::get<0>(t), y), lax::cos(x))};
      },
      "f");
}
auto customVjpOp() {
  return customVjp(
      sinMul,
      [](Tensor x, Tensor y) {
        return std::pair{sinMul(x, y), std::pair{lax::cos(x), y}};
      },
      [](std::pair<Tensor, Tensor> r, Tensor ct) {
        return Pair(lax::mul(ct, r.first), lax::mul(ct, r.second));
      },
      "f");
}

/// x, scaled by the sum of its elements.
Tensor scaledBySum(const Tensor &x) {
  return lax::mul(lax::sin(x), lax::reduce_sum(x, everyAxis(x)));
}

/// h = a h + b over the leading axis, as an associative function.
Pair recurrence(const Pair &p, const Pair &q) {
  auto [a1, b1] = p;
  auto [a2, b2] = q;
  return {lax::mul(a1, a2), lax::add(lax::mul(a2, b1), b2)};
}

} // namespace

static void addTransformations(Ops &ops) {
  OP("custom_jvp", customJvpOp()(a[0], a[1]))
  OP("custom_vjp", customVjpOp()(a[0], a[1]))
  OP("grad", grad([](Tensor x) {
       return lax::reduce_sum(lax::mul(x, lax::tanh(x)), everyAxis(x));
     })(a[0]))
  OP("jacfwd", jacfwd(scaledBySum)(a[0]))
  OP("jacrev", jacrev(scaledBySum)(a[0]))
  OP("hessian", hessian([](Tensor x) {
       return lax::reduce_sum(scaledBySum(x), {0});
     })(a[0]))
  OP("vmap_rows", vmap(scaledBySum)(a[0]))
  OP("vmap_last", vmap(sinMul, {.inAxes = {a[0].rank() - 1, -1},
                                .outAxes = {a[0].rank() - 1}})(
                      a[0], lax::full({}, 0.5, DType::F32)))
  OP("checkpoint",
     checkpoint([](Tensor x) { return lax::sin(lax::sin(x)); })(a[0]))
}

void addFunctions(Ops &ops) {
  addTransformations(ops);
  ops["scan_rows"] = [](const Args &a, const Keys &k) -> Tensors {
    Tensor first = a[0][0];
    auto body = [&](Tensor c, Tensor x) {
      Tensor next = lax::add(lax::mul(c, lax::sin(x)), first);
      return std::pair{next, lax::mul(c, x)};
    };
    auto out = scan(body, first, a[0], {.reverse = one(k, "reverse") != 0});
    if (!out)
      return {Tensor(out.error()), Tensor(out.error())};
    return {out->first, out->second};
  };
  OP("while_double",
     whileLoop(
         [](Tensor c) {
           return lax::lt(lax::reduce_max(lax::abs(c), everyAxis(c)),
                          scalarOf(8.0, DType::F32));
         },
         [](Tensor c) {
           return lax::add(lax::mul(c, scalarOf(2.0, DType::F32)),
                           scalarOf(1.0, DType::F32));
         },
         lax::abs(a[0])))
  OP("fori",
     foriLoop(
         0, 3, [](Tensor, Tensor x) { return lax::mul(lax::sin(x), x); }, a[0]))
  OP("fori_dynamic", foriLoop(
                         lax::argmax(lax::reshape(a[0], {a[0].size()}), 0),
                         scalarOf(int64_t(4), DType::I32),
                         [](Tensor, Tensor x) { return lax::sin(x); }, a[0]))
  OP("cond", cond(
                 lax::gt(lax::reduce_sum(a[0], everyAxis(a[0])),
                         scalarOf(1.0, DType::F32)),
                 [](Tensor x, Tensor y) { return lax::mul(lax::sin(x), y); },
                 [](Tensor x, Tensor) { return lax::mul(x, x); }, a[0], a[1]))
  OP("map", map([](Tensor x) { return scaledBySum(x); }, a[0]))
  OP("assoc_scan",
     associativeScan([](Tensor x, Tensor y) { return lax::mul(x, y); }, a[0],
                     one(k, "reverse") != 0, one(k, "axis")))
  ops["assoc_recurrence"] = [](const Args &a, const Keys &) -> Tensors {
    auto out = associativeScan(recurrence, Pair(a[0], a[1]));
    return {std::get<0>(*out), std::get<1>(*out)};
  };
}

const SharedOps &allOps() {
  static const Ops *table = [] {
    auto *made = new Ops;
    addPrimitives(*made);
    addArrayAlgebra(*made);
    addCases(*made);
    addFunctions(*made);
    addCallbacks(*made);
    addGeneral(*made);
    addMistakes(*made);
    addElementwiseCalls(*made);
    addArrangeCalls(*made);
    addReductionCalls(*made);
    addDrawCalls(*made);
    addScipyCalls(*made);
    addSetCalls(*made);
    addIndexing(*made);
    addUserFunctions(*made);
    addModels(*made);
    return made;
  }();
  return *table;
}

} // namespace shardwright::frontend
