//===- general.cc - eigenvalues of any matrix, products of reflectors -----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/linalg/matrix.h"

namespace shardwright::frontend {
namespace {

using namespace lax;
using Names = std::vector<std::string>;

std::function<BatchResult(const BatchAxis &, const Tensors &, const Ints &,
                          const Params &)>
batchOfMatrices(const char *name, size_t results) {
  return [=](const BatchAxis &axis, const Tensors &in, const Ints &dims,
             const Params &params) {
    return batchMatrix(*findPrimitive(name), axis, in, dims, params, results);
  };
}

// Eigenvalues

/// b with v b = a, by an LU factorization of v.
Tensor solved(const Tensor &v, const Tensor &a) {
  Tensors factors = linalg::lu(v);
  if (const Error *error = errorIn(factors))
    return *error;
  Tensor y = solveLeft(factors[0], permuteRows(a, factors[2]), /*lower=*/true,
                       /*unit=*/true);
  return solveLeft(factors[0], y, /*lower=*/false, /*unit=*/false);
}

JvpResult jvpEig(const Tensors &in, const MaybeTensors &t,
                 const Params &params) {
  if (params.flag("compute_left_eigenvectors") ||
      params.flag("compute_right_eigenvectors"))
    return failedJvp(notImplemented(
        "Derivatives of non-symmetric eigenvectors are only valid under "
        "assumptions on the input that JAX cannot check (see the "
        "enable_eigvec_derivs argument to jax.lax.linalg.eig). Pass "
        "enable_eigvec_derivs=True to jax.lax.linalg.eig to opt in. See "
        "https://github.com/jax-ml/jax/issues/2748 for discussion."));
  Tensors out = linalg::eig(in[0], /*computeLeft=*/false);
  if (errorIn(out))
    return {out, {}};
  Tensor da = convert_element_type(*t[0], out[1].dtype());
  Tensor products = mul(solved(out[1], da), transposeMatrix(out[1]));
  return {{out[0]}, {reduce_sum(products, {products.rank() - 1})}};
}

Primitive makeEig() {
  Primitive p;
  p.name = "eig";
  p.sharding = matrixSharding("eig");
  p.infer = [](const std::vector<Aval> &in,
               const Params &params) -> Expected<std::vector<Aval>> {
    SW_TRY(checkMatrix("eig", in[0], true));
    DType type = complexType(realType(in[0].dtype));
    std::vector<Aval> out{batchOf(in[0], type, {columnsOf(in[0])})};
    for (const char *side :
         {"compute_left_eigenvectors", "compute_right_eigenvectors"})
      if (params.flag(side))
        out.push_back(Aval{type, in[0].shape});
    return out;
  };
  p.jvp = jvpEig;
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &dims,
               const Params &params) {
    size_t results = 1 + params.flag("compute_left_eigenvectors") +
                     params.flag("compute_right_eigenvectors");
    return batchMatrix(*findPrimitive("eig"), axis, in, dims, params, results);
  };
  p.lower = [](LoweringContext &c) {
    const Aval &x = c.operandTypes()[0], &w = c.resultTypes()[0];
    bool left = c.params().flag("compute_left_eigenvectors"),
         right = c.params().flag("compute_right_eigenvectors");
    bool isReal = !isComplex(x.dtype);
    Aval part{x.dtype, w.shape}, vectors{w.dtype, x.shape};
    std::vector<Aval> results{part, vectors, vectors, batchOf(x, DType::I32)};
    Ints ranks{1, 2, 2, 0};
    if (isReal) {
      results.insert(results.begin(), part);
      ranks.insert(ranks.begin(), 1);
    }
    Names out =
        callLapack(c, "geev", "geev", c.operands(), {x}, results, {2}, ranks,
                   cat(letter("compute_left", left ? 'V' : 'N'), ", ",
                       letter("compute_right", right ? 'V' : 'N')),
                   {});
    if (isReal) {
      std::string value =
          c.op("stablehlo.complex", {out[0], out[1]},
               {mlirType(part), mlirType(part)}, {mlirType(w)})[0];
      out.erase(out.begin());
      out[0] = value;
    }
    int64_t batch = x.rank() - 2;
    Names checked{checkedByInfo(c, out[0], w, out[3], batch)};
    if (left)
      checked.push_back(checkedByInfo(c, out[1], vectors, out[3], batch));
    if (right)
      checked.push_back(checkedByInfo(c, out[2], vectors, out[3], batch));
    return checked;
  };
  return p;
}

// Products

Primitive makeHouseholder() {
  Primitive p;
  p.name = "householder_product";
  p.infer = [](const std::vector<Aval> &in,
               const Params &) -> Expected<std::vector<Aval>> {
    const Aval &a = in[0], &taus = in[1];
    SW_TRY(checkMatrix("householder_product", a, false, 0));
    if (taus.dtype != a.dtype)
      return typeError("lax.householder_product requires arguments to have the "
                       "same dtypes, got ",
                       name(a.dtype), ", ", name(taus.dtype), ".");
    if (rowsOf(a) < columnsOf(a))
      return valueError("The first argument to householder_product must have "
                        "at least as many rows as columns, got shape ",
                        tupleText(Shape{rowsOf(a), columnsOf(a)}));
    if (taus.rank() != a.rank() - 1 ||
        !std::equal(a.shape.begin(), a.shape.end() - 2, taus.shape.begin()))
      return valueError("householder_product expects taus of the batch "
                        "dimensions of the first argument, got shapes ",
                        tupleText(a.shape), " and ", tupleText(taus.shape));
    if (taus.shape[taus.rank() - 1] > columnsOf(a))
      return valueError("The second argument to householder_product must not "
                        "have more rows than the minimum of the first "
                        "argument's rows and columns.");
    return std::vector<Aval>{Aval{a.dtype, a.shape}};
  };
  p.batch = batchOfMatrices("householder_product", 1);
  p.lower = [](LoweringContext &c) {
    return callLapack(c, "orgqr", "ungqr", c.operands(), c.operandTypes(),
                      c.resultTypes(), {2, 1}, {2}, "", {{0, 0}});
  };
  return p;
}

Primitive makeSymmetricProduct() {
  Primitive p;
  p.name = "symmetric_product";
  p.infer = [](const std::vector<Aval> &in,
               const Params &) -> Expected<std::vector<Aval>> {
    const Aval &a = in[0], &c = in[1];
    for (size_t i : {0, 1}) {
      if (in[i].rank() >= 2 && !isFloat(in[i].dtype))
        return typeError("symmetric_product does not accept dtype ",
                         name(in[i].dtype), " at position ", i,
                         ". Accepted dtypes at position ", i,
                         " are subtypes of floating.");
      SW_TRY(checkMatrix("symmetric_product", in[i], false, i));
    }
    if (c.dtype != a.dtype)
      return typeError("lax.symmetric_product requires arguments to have the "
                       "same dtypes, got ",
                       name(a.dtype), ", ", name(c.dtype), ".");
    bool fits = a.rank() == c.rank() && rowsOf(a) == columnsOf(c) &&
                rowsOf(c) == columnsOf(c) &&
                std::equal(a.shape.begin(), a.shape.end() - 2, c.shape.begin());
    if (!fits)
      return valueError("symmetric_update expects a rectangular matrix of "
                        "shape (m, n) and a square matrix of shape (n, n). Got "
                        "shapes ",
                        tupleText(a.shape), " and ", tupleText(c.shape), ".");
    return std::vector<Aval>{Aval{c.dtype, c.shape}};
  };
  p.batch = batchOfMatrices("symmetric_product", 1);
  p.composite = [](const Tensors &in, const Params &params) {
    Tensor product = matrixProduct(in[0], transposeMatrix(in[0]));
    auto scaled = [&](const char *name, const Tensor &x) {
      return mul(scalarOf(params.get<double>(name), x.dtype()), x);
    };
    return Tensors{add(scaled("alpha", product), scaled("beta", in[1]))};
  };
  return p;
}

const bool registered =
    registerAll({makeEig(), makeHouseholder(), makeSymmetricProduct()});

} // namespace

namespace lax::linalg {
Tensors eig(const Tensor &x, bool computeLeft, bool computeRight) {
  return bindMany(*findPrimitive("eig"), 1 + computeLeft + computeRight, {x},
                  {{"compute_left_eigenvectors", computeLeft},
                   {"compute_right_eigenvectors", computeRight},
                   {"enable_eigvec_derivs", false},
                   {"implementation", std::monostate()}});
}
Tensor householder_product(const Tensor &a, const Tensor &taus) {
  return bind1(*findPrimitive("householder_product"), {a, taus});
}
Tensor symmetric_product(const Tensor &a, const Tensor &c, double alpha,
                         double beta, bool symmetrize) {
  Tensor out = bind1(*findPrimitive("symmetric_product"), {a, c},
                     {{"alpha", alpha}, {"beta", beta}});
  if (!symmetrize || !out.ok())
    return out;
  Tensor upper = transposeMatrix(lowerPart(out, -1));
  return add(lowerPart(out), upper);
}
} // namespace lax::linalg
} // namespace shardwright::frontend
