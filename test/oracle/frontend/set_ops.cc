//===- set_ops.cc - sets, orders, products and polynomials by name --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ops.h"

namespace shardwright::frontend {
namespace {

std::optional<int64_t> sizeOf(const Keys &k) {
  return k.count("size") ? std::optional<int64_t>(one(k, "size"))
                         : std::nullopt;
}
Axes axesOf(const Keys &k) {
  return k.count("axes") ? Axes(get(k, "axes")) : Axes();
}
/// Arrays that are known while a program is traced.
Tensor known(const Keys &k, const char *name) {
  std::vector<int32_t> elements;
  for (int64_t v : get(k, name))
    elements.push_back(static_cast<int32_t>(v));
  return arrayOf(elements);
}

} // namespace

static void addSets(Ops &ops) {
  ops["set_nonzero"] = [](const Args &a, const Keys &k) {
    return nonzero(a[0], sizeOf(k), one(k, "fill"));
  };
  OP("set_flatnonzero", flatnonzero(a[0], sizeOf(k), one(k, "fill")))
  OP("set_argwhere", argwhere(a[0], sizeOf(k), one(k, "fill")))
  OP("set_extract", extract(a[0], a[1], sizeOf(k)))
  ops["set_unique"] = [](const Args &a, const Keys &k) -> Tensors {
    UniqueResult out = uniqueAll(a[0], sizeOf(k));
    return {out.values, out.index, out.inverse, out.counts};
  };
  OP("set_isin", isin(a[0], a[1], one(k, "invert") != 0))
  OP("set_lexsort", lexsort({a[0], a[1]}, one(k, "axis")))
  // Of elements that are known.
  OP("known_unique", unique(known(k, "x")))
  OP("known_nonzero", nonzero(known(k, "x"))[0])
  OP("known_compress", compress(known(k, "x") > 2, a[0], one(k, "axis")))
  OP("known_union1d", union1d(known(k, "x"), known(k, "y")))
  OP("known_intersect1d", intersect1d(known(k, "x"), known(k, "y")))
  OP("known_setdiff1d", setdiff1d(known(k, "x"), known(k, "y")))
  OP("known_setxor1d", setxor1d(known(k, "x"), known(k, "y")))
}

static void addProducts(Ops &ops) {
  OP("product_cross", cross(a[0], a[1], one(k, "axis")))
  OP("product_vecdot", vecdot(a[0], a[1], one(k, "axis")))
  OP("product_matvec", matvec(a[0], a[1]))
  OP("product_vecmat", vecmat(a[0], a[1]))
  OP("product_multi_dot", linalg::multiDot(a))
  OP("product_svdvals", linalg::svdvals(a[0]))
  OP("product_cond", linalg::cond(a[0]))
  OP("product_tensorinv",
     linalg::tensorinv(a[0] + reshape(4.0 * eye(6), a[0].shape()), one(k, "n")))
  OP("product_tensorsolve",
     linalg::tensorsolve(a[0] + reshape(4.0 * eye(6), a[0].shape()), a[1]))
  OP("poly_polyval", polyval(a[0], a[1]))
  OP("poly_polyadd", polyadd(a[0], a[1]))
  OP("poly_polysub", polysub(a[0], a[1]))
  OP("poly_polymul", polymul(a[0], a[1]))
  OP("poly_polyder", polyder(a[0], one(k, "m")))
  OP("poly_polyint", polyint(a[0], one(k, "m")))
  OP("nn_log1mexp", nn::log1mexp(a[0]))
  OP("nn_logmeanexp", nn::logmeanexp(a[0], axesOf(k), one(k, "keep") != 0))
  OP("nn_sparse_plus", nn::sparsePlus(a[0]))
  OP("nn_sparse_sigmoid", nn::sparseSigmoid(a[0]))
}

static void addPieces(Ops &ops) {
  ops["piece_piecewise"] = [](const Args &a, const Keys &k) -> Tensors {
    using Function = std::function<Tensor(const Tensor &)>;
    std::vector<Function> functions = {
        [](const Tensor &x) { return -x; },
        [](const Tensor &) { return Tensor(2); }};
    if (one(k, "default"))
      functions.push_back([](const Tensor &x) { return x * x; });
    return {piecewise(a[0], {a[0] < 0, a[1] > 0}, functions)};
  };
  OP("piece_along_axis",
     applyAlongAxis(
         [](const Tensor &x) { return stack({cumsum(x), x * sum(x)}); },
         one(k, "axis"), a[0]))
  OP("piece_over_axes",
     applyOverAxes(
         [](const Tensor &x, int64_t axis) { return sum(x, Ints{axis}); }, a[0],
         get(k, "axes")))
  OP("piece_insert",
     insert(a[0], a[1], a[2],
            k.count("axis") ? std::optional<int64_t>(one(k, "axis"))
                            : std::nullopt))
  auto axis = [](const Keys &k) {
    return k.count("axis") ? std::optional<int64_t>(one(k, "axis"))
                           : std::nullopt;
  };
  ops["piece_packbits"] = [axis](const Args &a, const Keys &k) -> Tensors {
    return {packbits(a[0], axis(k), static_cast<BitOrder>(one(k, "little")))};
  };
  ops["piece_unpackbits"] = [axis](const Args &a, const Keys &k) -> Tensors {
    return {unpackbits(a[0], axis(k), sizeOf(k),
                       static_cast<BitOrder>(one(k, "little")))};
  };
  OP("poly_poly", poly(a[0]))
  ops["poly_polydiv"] = [](const Args &a, const Keys &) -> Tensors {
    auto [quotient, rest] = polydiv(a[0], a[1] + 2);
    return {quotient, rest};
  };
  OP("product_eigvals", sort(real(linalg::eigvals(a[0]))))
  ops["product_eig"] = [](const Args &a, const Keys &) -> Tensors {
    auto [w, v] = linalg::eig(a[0]);
    return {abs(matmul(a[0], v) - v * expandDims(w, -2)) < 1e-4, sort(abs(w))};
  };
  OP("special_gammainc", scipy::special::gammainc(a[0], a[1]))
  OP("special_gammaincc", scipy::special::gammaincc(a[0], a[1]))
  OP("special_betainc", scipy::special::betainc(a[0], a[1], a[2]))
  OP("special_comb", scipy::special::comb(a[0], a[1], one(k, "again") != 0))
}

void addSetCalls(Ops &ops) {
  addPieces(ops);
  addSets(ops);
  addProducts(ops);
}

} // namespace shardwright::frontend
