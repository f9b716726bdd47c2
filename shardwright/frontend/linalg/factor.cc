//===- factor.cc - Cholesky and QR, triangular systems ------------------===//
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

TriangularSolveOptions solveOptions(const Params &p) {
  return {p.flag("left_side"), p.flag("lower"), p.flag("transpose_a"),
          p.flag("conjugate_a"), p.flag("unit_diagonal")};
}
// Cholesky

JvpResult jvpCholesky(const Tensors &in, const MaybeTensors &t,
                      const Params &) {
  Tensor l = lowerPart(bind1(*findPrimitive("cholesky"), in));
  if (!l.ok())
    return failedJvp(l.error());
  // phi: the lower triangle, half of the diagonal.
  Tensor middle = solveLeft(l, solveRight(l, *t[0], true, true), true, false);
  Tensor phi = lowerPart(middle);
  Tensor weights = add(full_like(phi, 1), identityLike(phi));
  return oneResult(l, matrixProduct(l, div(phi, weights)));
}

Primitive makeCholesky() {
  Primitive p;
  p.name = "cholesky";
  p.sharding = matrixSharding("cholesky");
  p.infer = [](const std::vector<Aval> &in,
               const Params &) -> Expected<std::vector<Aval>> {
    SW_TRY(checkMatrix("cholesky", in[0], true));
    return std::vector<Aval>{Aval{in[0].dtype, in[0].shape}};
  };
  p.jvp = jvpCholesky;
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &dims,
               const Params &params) {
    return batchMatrix(*findPrimitive("cholesky"), axis, in, dims, params, 1);
  };
  p.lower = [](LoweringContext &c) {
    const Aval &x = c.operandTypes()[0];
    Names out = callLapack(c, "potrf", "potrf", c.operands(), {x},
                           {x, batchOf(x, DType::I32)}, {2}, {2, 0},
                           letter("uplo", 'L'), {{0, 0}});
    return Names{checkedByInfo(c, out[0], x, out[1], x.rank() - 2)};
  };
  return p;
}

// Triangular systems

JvpResult jvpSolve(const Tensors &in, const MaybeTensors &t,
                   const Params &params) {
  const Primitive &self = *findPrimitive("triangular_solve");
  Tensor x = bind1(self, in, params);
  MaybeTensor tangent;
  if (t[1])
    tangent = bind1(self, {in[0], *t[1]}, params);
  if (t[0]) {
    TriangularSolveOptions o = solveOptions(params);
    int64_t k = o.unitDiagonal ? 1 : 0;
    Tensor da = neg(o.lower ? lowerPart(*t[0], -k) : upperPart(*t[0], k));
    if (o.conjugateA)
      da = conj(da);
    if (o.transposeA)
      da = transposeMatrix(da);
    Tensor b = o.leftSide ? matrixProduct(da, x) : matrixProduct(x, da);
    tangent = addTangents(tangent, bind1(self, {in[0], b}, params));
  }
  return oneResult(x, tangent);
}

/// The dimension along which the right-hand sides are numbered may be sharded.
Expected<std::vector<PartitionSpec>> solveSharding(const std::vector<Aval> &in,
                                                   const std::vector<Aval> &out,
                                                   const Params &params) {
  TriangularSolveOptions o = solveOptions(params);
  auto contracting = [&](const Aval &x, char which, int64_t d) -> Status {
    if (x.spec()[d].empty())
      return {};
    return makeError(ErrorKind::ShardingType, "triangular solve input `", which,
                     "` must be unsharded on the contracting axis, but got ",
                     x.spec().str(),
                     " with left_side=", o.leftSide ? "True" : "False",
                     " and transpose_a=", o.transposeA ? "True" : "False", ".");
  };
  int64_t row = in[0].rank() - 2, column = row + 1;
  SW_TRY(contracting(in[0], 'a', o.leftSide == o.transposeA ? row : column));
  SW_TRY(contracting(in[1], 'b', o.leftSide ? row : column));
  // Checks the batch dimensions alone.
  auto withoutMatrix = [](Aval x) {
    std::vector<SpecEntry> entries = x.spec().entries();
    entries[x.rank() - 2] = entries[x.rank() - 1] = SpecEntry();
    if (x.sharding)
      x.sharding = std::make_shared<const TypeSharding>(
          TypeSharding{x.sharding->mesh, *PartitionSpec::get(entries)});
    return x;
  };
  auto batch = matrixSharding("triangular_solve")(
      {withoutMatrix(in[0]), withoutMatrix(in[1])}, out, params);
  if (!batch)
    return batch;
  return std::vector<PartitionSpec>{in[1].spec()};
}

Primitive makeSolve() {
  Primitive p;
  p.name = "triangular_solve";
  p.sharding = solveSharding;
  p.infer = [](const std::vector<Aval> &in,
               const Params &params) -> Expected<std::vector<Aval>> {
    const Aval &a = in[0], &b = in[1];
    bool areInexact = isInexact(a.dtype) && isInexact(b.dtype);
    if (areInexact && a.dtype != b.dtype)
      return typeError("lax.triangular_solve requires arguments to have the "
                       "same dtypes, got ",
                       name(a.dtype), ", ", name(b.dtype), ".");
    SW_TRY(checkMatrix("triangular_solve", a, true, 0));
    SW_TRY(checkMatrix("triangular_solve", b, false, 1));
    int64_t size = params.flag("left_side") ? rowsOf(b) : columnsOf(b);
    if (a.rank() != b.rank() || columnsOf(a) != size ||
        !std::equal(a.shape.begin(), a.shape.end() - 2, b.shape.begin()))
      return valueError(
          "Incompatible shapes for arguments to triangular_solve: ",
          tupleText(a.shape), " and ", tupleText(b.shape), ".");
    return std::vector<Aval>{Aval{b.dtype, b.shape}};
  };
  p.jvp = jvpSolve;
  p.isLinearIn = [](size_t i) { return i == 1; };
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &in,
                   const std::vector<Aval> &, const Params &params) {
    TriangularSolveOptions o = solveOptions(params);
    o.transposeA = !o.transposeA;
    return MaybeTensors{{}, linalg::triangular_solve(*in[0], *ct[0], o)};
  };
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &dims,
               const Params &params) {
    return batchMatrix(*findPrimitive("triangular_solve"), axis, in, dims,
                       params, 1);
  };
  p.lower = [](LoweringContext &c) {
    TriangularSolveOptions o = solveOptions(c.params());
    if (o.conjugateA && !o.transposeA)
      return c.inlineFunction([o](const Tensors &in) {
        TriangularSolveOptions plain = o;
        plain.conjugateA = false;
        return Tensors{linalg::triangular_solve(conj(in[0]), in[1], plain)};
      });
    char op = !o.transposeA ? 'N' : o.conjugateA ? 'C' : 'T';
    return callLapack(c, "trsm", "trsm", c.operands(), c.operandTypes(),
                      c.resultTypes(), {2, 2}, {2},
                      cat(letter("diag", o.unitDiagonal ? 'U' : 'N'), ", ",
                          letter("side", o.leftSide ? 'L' : 'R'), ", ",
                          letter("trans_x", op), ", ",
                          letter("uplo", o.lower ? 'L' : 'U')),
                      {{0, 1}});
  };
  return p;
}

// QR

JvpResult jvpQr(const Tensors &in, const MaybeTensors &t,
                const Params &params) {
  int64_t m = rowsOf(in[0].aval()), n = columnsOf(in[0].aval());
  Tensors out = bindMany(*findPrimitive("qr"), 2, in, params);
  if (errorIn(out))
    return {out, {}};
  // The thin factors: q depends on as many columns as it has.
  int64_t k = std::min(m, n), last = in[0].rank() - 1;
  auto columns = [&](const Tensor &x, int64_t from, int64_t to) {
    return to - from < x.dim(last) ? slice_in_dim(x, from, to, 1, last) : x;
  };
  Tensor q = columns(out[0], 0, k), r = columns(out[1], 0, k);
  bool isFull = out[0].dim(last) > k;
  if (isFull)
    r = slice_in_dim(r, 0, k, 1, last - 1);
  Tensor dxInv = solveRight(r, columns(*t[0], 0, k), false);
  Tensor qtDx = matrixProduct(adjoint(q), dxInv);
  Tensor low = lowerPart(qtDx, -1);
  Tensor rotation = lax::sub(low, adjoint(low));
  if (isComplex(q.dtype())) {
    // The diagonal of a unitary factor's rotation is imaginary.
    Tensor imaginary =
        lax::sub(qtDx, convert_element_type(real(qtDx), qtDx.dtype()));
    rotation = add(rotation, mul(identityLike(qtDx), imaginary));
  }
  Tensor dq = add(matrixProduct(q, lax::sub(rotation, qtDx)), dxInv);
  Tensor dr = matrixProduct(lax::sub(qtDx, rotation), r);
  if (k < n) {
    Tensor rest = lax::sub(columns(*t[0], k, n),
                           matrixProduct(dq, columns(out[1], k, n)));
    dr = concatenate({dr, matrixProduct(adjoint(q), rest)}, last);
  }
  if (isFull) {
    // The other columns of q stay orthogonal to the first.
    Tensor others = columns(out[0], k, m);
    Tensor tilt = adjoint(matrixProduct(adjoint(others), dq));
    dq = concatenate({dq, neg(matrixProduct(q, tilt))}, last);
    dr = resize(dr, m, n);
  }
  return {out, {dq, dr}};
}

Names lowerQr(LoweringContext &c) {
  const Aval &x = c.operandTypes()[0];
  const Aval &q = c.resultTypes()[0], &r = c.resultTypes()[1];
  int64_t m = rowsOf(x), n = columnsOf(x), k = std::min(m, n);
  Aval taus = batchOf(x, x.dtype, {k});
  Names factor = callLapack(c, "geqrf", "geqrf", c.operands(), {x}, {x, taus},
                            {2}, {2, 1}, "", {{0, 0}});
  // The reflectors are the first columns; q may have more.
  auto resized = [&](const std::string &value, int64_t rows, int64_t columns) {
    Ints low(x.rank(), 0), high(x.rank(), 0), none(x.rank(), 0);
    high[x.rank() - 2] = rows - m;
    high[x.rank() - 1] = columns - n;
    return c.op("stablehlo.pad", {value, c.constant(Aval{x.dtype, {}}, 0)},
                {mlirType(x), mlirType(Aval{x.dtype, {}})},
                {mlirType(batchOf(x, x.dtype, {rows, columns}))},
                cat(arrayAttr("edge_padding_low", low), ", ",
                    arrayAttr("edge_padding_high", high), ", ",
                    arrayAttr("interior_padding", none)))[0];
  };
  Names orthogonal = callLapack(
      c, "orgqr", "ungqr", {resized(factor[0], m, columnsOf(q)), factor[1]},
      {q, taus}, {q}, {2, 1}, {2}, "", {{0, 0}});
  std::string top = resized(factor[0], rowsOf(r), n);
  // Zeros below the diagonal.
  Aval index{DType::I32, r.shape}, mask{DType::Bool, r.shape};
  auto positions = [&](int64_t d) {
    return c.op("stablehlo.iota", {}, {}, {mlirType(index)},
                cat("iota_dimension = ", d, " : i64"))[0];
  };
  std::string below = c.op(
      "stablehlo.compare", {positions(r.rank() - 2), positions(r.rank() - 1)},
      {mlirType(index), mlirType(index)}, {mlirType(mask)},
      "comparison_direction = #stablehlo<comparison_direction GT>, "
      "compare_type = #stablehlo<comparison_type SIGNED>")[0];
  std::string upper =
      c.op("stablehlo.select", {below, c.constant(r, 0), top},
           {mlirType(mask), mlirType(r), mlirType(r)}, {mlirType(r)})[0];
  return {orthogonal[0], upper};
}

Primitive makeQr() {
  Primitive p;
  p.name = "qr";
  p.sharding = matrixSharding("qr");
  p.infer = [](const std::vector<Aval> &in,
               const Params &params) -> Expected<std::vector<Aval>> {
    SW_TRY(checkMatrix("qr", in[0], false));
    int64_t m = rowsOf(in[0]), n = columnsOf(in[0]);
    int64_t k = params.flag("full_matrices") ? m : std::min(m, n);
    return std::vector<Aval>{batchOf(in[0], in[0].dtype, {m, k}),
                             batchOf(in[0], in[0].dtype, {k, n})};
  };
  p.jvp = jvpQr;
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &dims,
               const Params &params) {
    return batchMatrix(*findPrimitive("qr"), axis, in, dims, params, 2);
  };
  p.lower = lowerQr;
  return p;
}

const bool registered = registerAll({makeCholesky(), makeSolve(), makeQr()});

} // namespace

namespace lax::linalg {
Tensor cholesky(const Tensor &x, bool symmetrize) {
  Tensor in = x;
  if (symmetrize && x.ok() && checkMatrix("cholesky", x.aval(), true).ok())
    in = div(add(x, adjoint(x)), scalarOf(2.0, x.dtype()));
  return lowerPart(bind1(*findPrimitive("cholesky"), {in}));
}
Tensor triangular_solve(const Tensor &a, const Tensor &b,
                        const TriangularSolveOptions &o) {
  return bind1(*findPrimitive("triangular_solve"), {a, b},
               {{"left_side", o.leftSide},
                {"lower", o.lower},
                {"transpose_a", o.transposeA},
                {"conjugate_a", o.conjugateA && a.ok() && isComplex(a.dtype())},
                {"unit_diagonal", o.unitDiagonal}});
}
Tensors qr(const Tensor &x, bool fullMatrices) {
  return bindMany(*findPrimitive("qr"), 2, {x},
                  {{"pivoting", false},
                   {"full_matrices", fullMatrices},
                   {"use_magma", std::monostate()}});
}
} // namespace lax::linalg
} // namespace shardwright::frontend
