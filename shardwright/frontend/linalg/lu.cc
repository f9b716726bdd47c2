//===- lu.cc - LU factorization -------------------------------------------===//
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

/// The identity outside the leading block of k x k.
Tensor identityAfter(const Tensor &like, int64_t k) {
  Tensor eye = identityLike(like);
  int64_t n = like.dim(like.rank() - 1);
  return lax::sub(eye, resize(resize(eye, k, k), n, n));
}

JvpResult jvpLu(const Tensors &in, const MaybeTensors &t,
                const Params &params) {
  Tensors out = bindMany(*findPrimitive("lu"), 3, in, params);
  if (errorIn(out))
    return {out, {}};
  const Tensor &lu = out[0];
  int64_t m = rowsOf(in[0].aval()), n = columnsOf(in[0].aval()),
          k = std::min(m, n);
  Tensor dx = permuteRows(*t[0], out[2]);
  // Both factors, completed by an identity to square matrices.
  Tensor l = resize(lowerPart(resize(lu, m, k), -1), m, m);
  l = add(l, identityLike(l));
  Tensor u = resize(upperPart(resize(lu, k, n)), n, n);
  u = add(u, identityAfter(u, k));
  Tensor la = solveLeft(l, dx, true, true);
  Tensor lau = solveRight(u, la, false);
  Tensor dl = matrixProduct(l, resize(lowerPart(lau, -1), m, m));
  Tensor du = matrixProduct(resize(upperPart(lau), n, n), u);
  // Columns of the strict lower part beyond k are zero, as rows of du are.
  return {
      out,
      {add(resize(dl, m, n), resize(du, m, n)), MaybeTensor(), MaybeTensor()}};
}

/// One exchange: `state` is its number, the order of rows and the pivots.
Tensors exchangeRows(const Tensors &state) {
  const Tensor &step = state[0], &order = state[1], &pivots = state[2];
  const Shape &shape = order.shape();
  int64_t last = shape.rank() - 1;
  Tensor positions = iota(DType::I32, shape, last);
  Tensors starts(shape.rank(), scalarOf(int64_t(0), DType::I32));
  starts[last] = step;
  Ints sizes(pivots.shape());
  sizes[last] = 1;
  Tensor pivot = broadcast_in_dim(dynamic_slice(pivots, starts, sizes), shape,
                                  iotaInts(shape.rank()));
  Tensor isHere = eq(positions, broadcast_in_dim(step, shape, {})),
         isPivot = eq(positions, pivot);
  auto valueAt = [&](const Tensor &mask) {
    Tensor one = reduce_sum(select(mask, order, full_like(order, 0)), {last});
    return broadcast_in_dim(one, shape, iotaInts(last));
  };
  Tensor next =
      select(isHere, valueAt(isPivot), select(isPivot, valueAt(isHere), order));
  return {add(step, scalarOf(int64_t(1), DType::I32)), next, pivots};
}

Names lowerPermutation(LoweringContext &c) {
  const Aval &pivots = c.operandTypes()[0], &order = c.resultTypes()[0];
  std::vector<Aval> state{Aval{DType::I32, {}}, Aval{DType::I32, order.shape},
                          Aval{DType::I32, pivots.shape}};
  int64_t steps = pivots.shape[-1];
  Expected<JaxprPtr> test = traceToJaxpr(
      [&](const Tensors &s) {
        return Tensors{lt(s[0], scalarOf(steps, DType::I32))};
      },
      state);
  Expected<JaxprPtr> body = traceToJaxpr(exchangeRows, state);
  if (!test || !body) {
    c.fail(test ? body.error() : test.error());
    return c.operands();
  }
  std::string start =
      c.op("stablehlo.iota", {}, {}, {mlirType(state[1])},
           cat("iota_dimension = ", order.rank() - 1, " : i64"))[0];
  Names types = mlirTypes(state);
  return {c.op("stablehlo.while",
               {c.constant(state[0], 0), start, c.operands()[0]}, types, types,
               "", {c.region(**test, {}), c.region(**body, {})})[1]};
}

/// The permutation of rows that a sequence of exchanges is.
Primitive makePermutation() {
  Primitive p;
  p.name = "lu_pivots_to_permutation";
  p.infer = [](const std::vector<Aval> &in,
               const Params &params) -> Expected<std::vector<Aval>> {
    int64_t size = params.integer("permutation_size");
    if (in[0].dtype != DType::I32)
      return typeError("lu_pivots_to_permutation does not accept dtype ",
                       frontend::name(in[0].dtype),
                       " at position 0. Accepted dtypes at position 0 are "
                       "subtypes of int32.");
    if (!in[0].rank())
      return typeError("lu_pivots_to_permutation expects pivots of type int32 "
                       "and rank at least 1, got ",
                       in[0].longStr(), ".");
    if (size < in[0].shape[-1])
      return valueError("Output permutation size ", size,
                        " has to exceed the trailing dimension of the pivots. "
                        "Got pivots size ",
                        in[0].shape[-1]);
    Shape shape = in[0].shape;
    shape.at(shape.rank() - 1) = size;
    return std::vector<Aval>{Aval{DType::I32, shape}};
  };
  p.batch = [](const BatchAxis &, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    return {frontend::bind(*findPrimitive("lu_pivots_to_permutation"),
                           {moveBatch(in[0], dims[0], 0)}, params),
            {0}};
  };
  p.jvp = [](const Tensors &in, const MaybeTensors &, const Params &params) {
    return oneResult(
        bind1(*findPrimitive("lu_pivots_to_permutation"), in, params), {});
  };
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &,
                  const Params &) -> Expected<std::vector<PartitionSpec>> {
    return std::vector<PartitionSpec>{in[0].spec()};
  };
  p.lower = lowerPermutation;
  return p;
}

Primitive makeLu() {
  Primitive p;
  p.name = "lu";
  p.sharding = matrixSharding("lu");
  p.infer = [](const std::vector<Aval> &in,
               const Params &) -> Expected<std::vector<Aval>> {
    SW_TRY(checkMatrix("lu", in[0], false));
    int64_t m = rowsOf(in[0]), n = columnsOf(in[0]);
    return std::vector<Aval>{Aval{in[0].dtype, in[0].shape},
                             batchOf(in[0], DType::I32, {std::min(m, n)}),
                             batchOf(in[0], DType::I32, {m})};
  };
  p.jvp = jvpLu;
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &dims,
               const Params &params) {
    return batchMatrix(*findPrimitive("lu"), axis, in, dims, params, 3);
  };
  p.composite = [](const Tensors &in, const Params &params) -> Tensors {
    Tensors out = bindMany(*findPrimitive("getrf"), 2, in, params);
    Tensor pivots = lax::sub(out[1], scalarOf(int64_t(1), DType::I32));
    return {out[0], pivots,
            linalg::lu_pivots_to_permutation(pivots, rowsOf(in[0].aval()))};
  };
  return p;
}

/// LAPACK's factors and its pivots, which count from 1.
Primitive makeGetrf() {
  Primitive p;
  p.name = "getrf";
  p.sharding = matrixSharding("lu");
  p.infer = [](const std::vector<Aval> &in,
               const Params &) -> Expected<std::vector<Aval>> {
    int64_t k = std::min(rowsOf(in[0]), columnsOf(in[0]));
    return std::vector<Aval>{Aval{in[0].dtype, in[0].shape},
                             batchOf(in[0], DType::I32, {k})};
  };
  p.lower = [](LoweringContext &c) {
    const Aval &x = c.operandTypes()[0];
    Names out = callLapack(c, "getrf", "getrf", c.operands(), {x},
                           {x, c.resultTypes()[1], batchOf(x, DType::I32)}, {2},
                           {2, 1, 0}, "", {{0, 0}});
    return Names{checkedByInfo(c, out[0], x, out[2], x.rank() - 2, true),
                 out[1]};
  };
  return p;
}

const bool registered = registerAll({makeLu(), makeGetrf(), makePermutation()});

} // namespace

namespace lax::linalg {
Tensor lu_pivots_to_permutation(const Tensor &pivots, int64_t size) {
  return bind1(*findPrimitive("lu_pivots_to_permutation"), {pivots},
               {{"permutation_size", size}});
}
Tensors lu(const Tensor &x) { return bindMany(*findPrimitive("lu"), 3, {x}); }
} // namespace lax::linalg
} // namespace shardwright::frontend
