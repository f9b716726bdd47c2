//===- spectral.cc - eigenvalues and singular values ----------------------===//
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

/// 1 / x, and 0 where x is 0.
Tensor safeReciprocal(const Tensor &x) {
  Tensor zeros = convert_element_type(eq(x, full_like(x, 0)), x.dtype());
  return lax::sub(div(full_like(x, 1), add(x, zeros)), zeros);
}
Tensor asType(const Tensor &x, const Tensor &like) {
  return convert_element_type(x, like.dtype());
}
Tensor realPart(const Tensor &x) {
  return x.ok() && isComplex(x.dtype()) ? real(x) : x;
}

// Eigenvalues

JvpResult jvpEigh(const Tensors &in, const MaybeTensors &t,
                  const Params &params) {
  Tensors out = bindMany(*findPrimitive("eigh"), 2, in, params);
  if (errorIn(out))
    return {out, {}};
  const Tensor &v = out[0], &w = out[1];
  Tensor inner = matrixProduct(matrixProduct(adjoint(v), *t[0]), v);
  Tensor gaps = lax::sub(asRow(w, v.shape()), asColumn(w, v.shape()));
  Tensor eye = identityLike(gaps);
  Tensor f = lax::sub(div(full_like(gaps, 1), add(gaps, eye)), eye);
  Tensor dv = matrixProduct(v, mul(asType(f, inner), inner));
  return {out, {dv, realPart(diagonalOf(inner))}};
}

Primitive makeEigh() {
  Primitive p;
  p.name = "eigh";
  p.sharding = matrixSharding("eigh");
  p.infer = [](const std::vector<Aval> &in,
               const Params &) -> Expected<std::vector<Aval>> {
    SW_TRY(checkMatrix("eigh", in[0], true));
    return std::vector<Aval>{
        Aval{in[0].dtype, in[0].shape},
        batchOf(in[0], realType(in[0].dtype), {in[0].shape[in[0].rank() - 1]})};
  };
  p.jvp = jvpEigh;
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &dims,
               const Params &params) {
    return batchMatrix(*findPrimitive("eigh"), axis, in, dims, params, 2);
  };
  p.lower = [](LoweringContext &c) {
    const Aval &x = c.operandTypes()[0], &w = c.resultTypes()[1];
    Names out =
        callLapack(c, "syevd", "heevd", c.operands(), {x},
                   {x, w, batchOf(x, DType::I32)}, {2}, {2, 1, 0},
                   cat(letter("mode", 'V'), ", ",
                       letter("uplo", c.params().flag("lower") ? 'L' : 'U')),
                   {{0, 0}});
    int64_t batch = x.rank() - 2;
    return Names{checkedByInfo(c, out[0], x, out[2], batch),
                 checkedByInfo(c, out[1], w, out[2], batch)};
  };
  return p;
}

// Singular values

/// Derivatives of the thin factors; of x = u s v^H.
JvpResult jvpSvd(const Tensors &in, const MaybeTensors &t,
                 const Params &params) {
  const Tensor &x = in[0], &dx = *t[0];
  int64_t m = x.dim(x.rank() - 2), n = x.dim(x.rank() - 1);
  bool computeUv = params.flag("compute_uv");
  if (computeUv && params.flag("full_matrices") && m != n)
    return failedJvp(notImplemented(
        "Singular value decomposition JVP not implemented for full matrices"));
  Tensors factors = linalg::svd(x, false, true);
  if (errorIn(factors))
    return {factors, {}};
  const Tensor &u = factors[0], &s = factors[1], &vt = factors[2];
  Tensor ut = adjoint(u), v = adjoint(vt);
  Tensor ds = matrixProduct(matrixProduct(ut, dx), v);
  Tensor slope = realPart(diagonalOf(ds));
  if (!computeUv)
    return {{s}, {slope}};
  Tensor row = asRow(s, ds.shape()), column = asColumn(s, ds.shape());
  Tensor f =
      asType(safeReciprocal(mul(add(row, column), lax::sub(row, column))), ds);
  Tensor scaledRow = mul(asType(row, ds), ds),
         scaledColumn = mul(asType(column, ds), ds);
  Tensor inverse = diagonalMatrix(asType(safeReciprocal(s), ds));
  Tensor skew =
      mul(scalarOf(0.5, ds.dtype()), mul(lax::sub(ds, adjoint(ds)), inverse));
  Tensor du =
      matrixProduct(u, add(mul(f, add(scaledRow, adjoint(scaledRow))), skew));
  Tensor dv =
      matrixProduct(v, mul(f, add(scaledColumn, adjoint(scaledColumn))));
  // What the columns of the factors do not span.
  auto outside = [&](const Tensor &image, const Tensor &basis) {
    Tensor rest = lax::sub(
        image, matrixProduct(basis, matrixProduct(adjoint(basis), image)));
    return div(rest, asType(asRow(s, rest.shape()), rest));
  };
  if (m > n)
    du = add(du, outside(matrixProduct(dx, v), u));
  if (n > m)
    dv = add(dv, outside(matrixProduct(adjoint(dx), u), v));
  return {{s, u, vt}, {slope, du, adjoint(dv)}};
}

Expected<std::vector<Aval>> inferSvd(const std::vector<Aval> &in,
                                     const Params &params) {
  SW_TRY(checkMatrix("svd", in[0], false));
  const Aval &x = in[0];
  int64_t m = x.shape[x.rank() - 2], n = x.shape[x.rank() - 1],
          k = std::min(m, n);
  std::vector<Aval> out{batchOf(x, realType(x.dtype), {k})};
  bool full = params.flag("full_matrices");
  if (params.flag("compute_uv")) {
    out.push_back(batchOf(x, x.dtype, {m, full ? m : k}));
    out.push_back(batchOf(x, x.dtype, {full ? n : k, n}));
  }
  return out;
}

Primitive makeSvd() {
  Primitive p;
  p.name = "svd";
  p.sharding = matrixSharding("svd");
  p.infer = inferSvd;
  p.jvp = jvpSvd;
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &dims,
               const Params &params) {
    return batchMatrix(*findPrimitive("svd"), axis, in, dims, params,
                       params.flag("compute_uv") ? 3 : 1);
  };
  p.lower = [](LoweringContext &c) {
    const Aval &x = c.operandTypes()[0];
    bool computeUv = c.params().flag("compute_uv");
    bool full = c.params().flag("full_matrices");
    Params thin = c.params();
    thin.set("compute_uv", true);
    std::vector<Aval> factors = *inferSvd({x}, thin);
    Names out = callLapack(
        c, "gesdd", "gesdd", c.operands(), {x},
        {x, factors[0], factors[1], factors[2], batchOf(x, DType::I32)}, {2},
        {2, 1, 2, 2, 0},
        letter("mode", !computeUv ? 'N'
                       : full     ? 'A'
                                  : 'S'),
        {{0, 0}});
    Names checked;
    for (size_t i = 0; i < c.resultTypes().size(); ++i)
      checked.push_back(
          checkedByInfo(c, out[i + 1], factors[i], out[4], x.rank() - 2));
    return checked;
  };
  return p;
}

const bool registered = registerAll({makeEigh(), makeSvd()});

} // namespace

namespace lax::linalg {
Tensors eigh(const Tensor &x, bool lower, bool symmetrize) {
  Tensor in = x;
  if (symmetrize && x.ok() && checkMatrix("eigh", x.aval(), true).ok())
    in = div(add(x, adjoint(x)), scalarOf(2.0, x.dtype()));
  return bindMany(*findPrimitive("eigh"), 2, {in},
                  {{"algorithm", std::monostate()},
                   {"lower", lower},
                   {"sort_eigenvalues", true},
                   {"subset_by_index", std::monostate()}});
}
Tensors svd(const Tensor &x, bool fullMatrices, bool computeUv) {
  Tensors out = bindMany(*findPrimitive("svd"), computeUv ? 3 : 1, {x},
                         {{"algorithm", std::monostate()},
                          {"compute_uv", computeUv},
                          {"full_matrices", fullMatrices},
                          {"subset_by_index", std::monostate()}});
  if (computeUv)
    std::swap(out[0], out[1]);
  return out;
}
} // namespace lax::linalg
} // namespace shardwright::frontend
