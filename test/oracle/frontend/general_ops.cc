//===- general_ops.cc - primitives that take functions or groups ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ops.h"

namespace shardwright::frontend {
namespace {

/// Functions of jax.lax, and others that are associative.
const lax::Reducer reducers[] = {
    lax::add,
    lax::mul,
    lax::max,
    lax::min,
    lax::bitwise_and,
    lax::bitwise_or,
    lax::bitwise_xor,
    [](const Tensor &x, const Tensor &y) { return lax::mul(x, y); },
    [](const Tensor &x, const Tensor &y) {
      return lax::sub(lax::add(x, y), lax::mul(x, y));
    },
};

Tensor reduceBy(const Tensor &x, const Tensor &init, const Keys &k) {
  return lax::reduce(x, init, reducers[one(k, "by") % 9], get(k, "axes"));
}

/// The greatest of the first elements, and the second one beside it.
Tensors greaterPair(const Tensors &x, const Tensors &y) {
  return {lax::max(x[0], y[0]), lax::select(lax::gt(x[0], y[0]), x[1], y[1])};
}
Tensors reducePairs(const Args &a, const Keys &k) {
  return lax::reduce({a[0], a[1]}, {a[2], a[3]}, greaterPair, get(k, "axes"));
}

/// Products of matrices of two rows and columns: not commutative.
Tensors reduceMatrices(const Args &a, const Keys &k) {
  auto one = [](double x) { return scalarOf(x, DType::F32); };
  return lax::reduce(
      {a[0], a[1], a[2], a[3]}, {one(1), one(0), one(0), one(1)},
      [](const Tensors &x, const Tensors &y) {
        auto dot = [](const Tensor &p, const Tensor &q, const Tensor &r,
                      const Tensor &s) {
          return lax::add(lax::mul(p, q), lax::mul(r, s));
        };
        return Tensors{dot(x[0], y[0], x[1], y[2]), dot(x[0], y[1], x[1], y[3]),
                       dot(x[2], y[0], x[3], y[2]),
                       dot(x[2], y[1], x[3], y[3])};
      },
      get(k, "axes"));
}

RaggedDotDims raggedDims(const Keys &k) {
  return {{get(k, "lc"), get(k, "rc"), get(k, "lb"), get(k, "rb")},
          get(k, "ragged"),
          get(k, "group")};
}

/// Solves with a diagonal matrix. Mode 0: with a transposed solver, 1:
/// symmetric, 2: without.
Tensors diagonalSolve(const Args &a, const Keys &k) {
  Tensor d = a[0];
  LinearSolveOptions<Tensor> options;
  options.symmetric = one(k, "mode") == 1;
  if (one(k, "mode") == 0)
    options.transposeSolve = [d](const LinearFunction<Tensor> &,
                                 const Tensor &y) {
      return lax::mul(y, lax::integer_pow(d, -1));
    };
  return {customLinearSolve([d](const Tensor &x) { return lax::mul(d, x); },
                            a[1],
                            [d](const LinearFunction<Tensor> &,
                                const Tensor &y) { return lax::div(y, d); },
                            options)};
}

/// Two equations with the lower triangle of a matrix, and the residual.
Tensors triangularSolve(const Args &a, const Keys &) {
  using Pair = std::pair<Tensor, Tensor>;
  int64_t n = a[0].dim(0);
  Tensor below = lax::ge(lax::iota(DType::I32, {n, n}, 0),
                         lax::iota(DType::I32, {n, n}, 1));
  Tensor matrix =
      lax::select(below, lax::add(a[0], lax::full({n, n}, 1, DType::F32)),
                  lax::full({n, n}, 0, DType::F32));
  auto times = [matrix](const Tensor &x) {
    return lax::dot_general(matrix, x, {{1}, {0}, {}, {}});
  };
  auto solved = [matrix](const Tensor &y, bool transposed) {
    return lax::squeeze(
        lax::linalg::triangular_solve(
            matrix, lax::expand_dims(y, {1}),
            {.leftSide = true, .lower = true, .transposeA = transposed}),
        {1});
  };
  LinearSolveOptions<Pair> options;
  options.transposeSolve = [=](const LinearFunction<Pair> &, const Pair &b) {
    return Pair(solved(b.first, true), solved(b.second, true));
  };
  auto out = customLinearSolve(
      [=](const Pair &x) { return Pair(times(x.first), times(x.second)); },
      Pair(a[1], a[2]),
      [=](const LinearFunction<Pair> &matvec, const Pair &b) {
        Pair x(solved(b.first, false), solved(b.second, false));
        return std::pair(x, lax::sub(matvec(x).first, b.first));
      },
      options);
  if (!out)
    return {Tensor(out.error())};
  return {out->first.first, out->first.second, out->second};
}

Tensor times(const Tensor &x, const Tensor &y) { return lax::mul(x, y); }

/// A ragged product of (6, 3) by (2, 3, 5), or by other dimensions.
Tensor raggedOf(const RaggedDotDims &dims, const Shape &sizes = {2},
                DType type = DType::I32) {
  return lax::ragged_dot_general(ones({6, 3}), ones({2, 3, 5}),
                                 ones(sizes, type), dims);
}
const DotDims rowsByMatrices = {{1}, {1}, {}, {}};

Tensor dotOf(const DotDims &dims, const Shape &x = {3, 3},
             const Shape &y = {3, 3}) {
  return lax::dot_general(ones(x), ones(y), dims);
}

void addReduceMistakes(Ops &ops) {
  OP("mistake_reduce_dtype",
     lax::reduce(ones({3, 4}), scalarOf(int64_t(0), DType::I32, true), lax::mul,
                 {0}))
  OP("mistake_reduce_init", lax::reduce(ones({3, 4}), ones({2}), times, {0}))
  OP("mistake_reduce_sum_axis", lax::reduce(ones({3, 4}), 0.0, lax::add, {-1}))
  OP("mistake_reduce_capture", jit([](Tensor y) {
       return lax::reduce(ones({3, 4}), 1.0,
                          [y](const Tensor &a, const Tensor &b) {
                            return lax::mul(a, lax::add(b, y));
                          },
                          {0});
     })(ones({})))
  OP("mistake_reduce_bool",
     lax::reduce(ones({3}, DType::Bool), scalarOf(int64_t(0), DType::Bool),
                 lax::add, {0}))
}

void addProductMistakes(Ops &ops) {
  OP("mistake_ragged_two", raggedOf({rowsByMatrices, {0, 1}, {0}}))
  OP("mistake_ragged_none", raggedOf({rowsByMatrices, {}, {0}}))
  OP("mistake_ragged_range", raggedOf({rowsByMatrices, {2}, {0}}))
  OP("mistake_ragged_no_group", raggedOf({rowsByMatrices, {0}, {}}))
  OP("mistake_ragged_group_range", raggedOf({rowsByMatrices, {0}, {3}}))
  OP("mistake_ragged_group_kind", raggedOf({rowsByMatrices, {0}, {1}})) OP(
      "mistake_ragged_group_extra",
      raggedOf({rowsByMatrices, {1}, {0}})) OP("mistake_ragged_float",
                                               raggedOf(
                                                   {rowsByMatrices, {0}, {0}},
                                                   {2}, DType::F32))
      OP("mistake_ragged_sizes", raggedOf({rowsByMatrices, {0}, {0}}, {3})) OP(
          "mistake_ragged_rank", raggedOf({rowsByMatrices, {0}, {0}}, {1, 2}))
          OP("mistake_dot_lhs_range", dotOf({{2}, {0}, {}, {}})) OP(
              "mistake_dot_rhs_range", dotOf({{1}, {-2}, {}, {}}))
              OP("mistake_dot_distinct", dotOf({{1, 1}, {0, 1}, {}, {}})) OP(
                  "mistake_dot_batch_distinct", dotOf({{}, {}, {0, 1}, {1, 1}}))
                  OP("mistake_dot_disjoint", dotOf({{0}, {0}, {1}, {0}}))
                      OP("mistake_dot_batches", dotOf({{1}, {0}, {0}, {}})) OP(
                          "mistake_dot_batch_sizes",
                          dotOf({{1}, {1}, {0}, {0}}, {2, 3}))
                          OP("mistake_dot_sizes", dotOf({{1, 0}, {0}, {}, {}}))
                              OP("mistake_dot_narrow",
                                 lax::dot_general(ones({2, 3}, DType::I32),
                                                  ones({3, 4}, DType::I32),
                                                  {{1}, {0}, {}, {}},
                                                  DType::I16))
}

void addLayoutMistakes(Ops &ops){
    OP("mistake_layout_rank", withLayoutConstraint(ones({3, 4}), Layout({0})))}

Tensor solveOf(const LinearFunction<Tensor> &matvec,
               const LinearFunction<Tensor> &solved,
               const LinearFunction<Tensor> &transposed = {}) {
  auto solver = [](const LinearFunction<Tensor> &f) {
    return
        [f](const LinearFunction<Tensor> &, const Tensor &y) { return f(y); };
  };
  LinearSolveOptions<Tensor> options;
  if (transposed)
    options.transposeSolve = solver(transposed);
  auto out = customLinearSolve(matvec, ones({3}), solver(solved), options);
  return out ? Tensor(valueError("no error")) : Tensor(out.error());
}

void addSolveMistakes(Ops &ops) {
  static const auto same = [](const Tensor &x) { return x; };
  static const auto two = [](const Tensor &x) {
    return lax::slice(x, {0}, {2});
  };
  OP("mistake_solve_matvec", solveOf(two, same))
  OP("mistake_solve_shape", solveOf(same, two))
  OP("mistake_solve_transposed", solveOf(same, same, two))
  OP("mistake_solve_backwards", grad([](Tensor b) {
       return lax::reduce_sum(
           Tensor(customLinearSolve(same, b,
                                    [](const LinearFunction<Tensor> &,
                                       const Tensor &y) { return y; })),
           {0});
     })(ones({3})))
}

} // namespace

void addGeneral(Ops &ops) {
  addReduceMistakes(ops);
  addProductMistakes(ops);
  addLayoutMistakes(ops);
  addSolveMistakes(ops);
  OP("reduce", reduceBy(a[0], a[1], k))
  OP("reduce_window",
     lax::reduce_window(a[0], a[1], reducers[one(k, "by") % 9], windowOf(k)))
  ops["reduce_window_pairs"] = [](const Args &a, const Keys &k) -> Tensors {
    return lax::reduce_window({a[0], a[1]}, {a[2], a[3]}, greaterPair,
                              windowOf(k));
  };
  ops["reduce_pairs"] = reducePairs;
  ops["reduce_matrices"] = reduceMatrices;
  OP("ragged_dot", lax::ragged_dot(a[0], a[1], a[2]))
  OP("ragged_dot_general",
     lax::ragged_dot_general(a[0], a[1], a[2], raggedDims(k)))
  OP("layout_constraint", withLayoutConstraint(a[0], Layout(get(k, "order"))))
  ops["diagonal_solve"] = diagonalSolve;
  ops["lower_solve"] = triangularSolve;
}

} // namespace shardwright::frontend
