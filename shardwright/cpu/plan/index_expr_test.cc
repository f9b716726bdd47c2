//===- index_expr_test.cc - simplification keeps values -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/plan/index_expr.h"

#include "shardwright/cpu/program/program.h"
#include "shardwright/support/shape.h"

#include "gtest/gtest.h"
#include <rapidcheck/gtest.h>

using namespace shardwright;
using namespace shardwright::cpu;

namespace {

int64_t floorDiv(int64_t a, int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

int64_t evaluate(const IndexSpace &space, const IndexExpr &e,
                 const std::map<AtomId, int64_t> &variables) {
  int64_t sum = e.constant;
  for (auto [id, c] : e.terms) {
    const Atom &atom = space.atom(id);
    int64_t v = 0;
    if (atom.kind == Atom::Kind::Variable) {
      v = variables.at(id);
    } else {
      int64_t x = evaluate(space, atom.expr, variables);
      int64_t q = floorDiv(x, atom.divisor);
      v = atom.kind == Atom::Kind::Quotient ? q : x - q * atom.divisor;
    }
    sum += c * v;
  }
  return sum;
}

RC_GTEST_PROP(IndexExpr, AlgebraKeepsValues, ()) {
  IndexSpace space;
  std::vector<AtomId> vars;
  std::map<AtomId, int64_t> at;
  for (int i = 0; i < 3; ++i) {
    int64_t size = *rc::gen::inRange<int64_t>(2, 40);
    vars.push_back(space.variable({0, size - 1}));
    at[vars.back()] = *rc::gen::inRange<int64_t>(0, size);
  }
  std::vector<IndexExpr> exprs;
  std::vector<int64_t> values;
  for (AtomId v : vars) {
    exprs.push_back(space.term(v));
    values.push_back(at[v]);
  }
  int steps = *rc::gen::inRange(1, 12);
  for (int s = 0; s < steps; ++s) {
    size_t i = *rc::gen::inRange<size_t>(0, exprs.size());
    size_t j = *rc::gen::inRange<size_t>(0, exprs.size());
    int64_t k = *rc::gen::inRange<int64_t>(1, 20);
    switch (*rc::gen::inRange(0, 5)) {
    case 0:
      exprs.push_back(space.add(exprs[i], exprs[j]));
      values.push_back(values[i] + values[j]);
      break;
    case 1:
      exprs.push_back(space.add(space.multiply(exprs[i], k), -k));
      values.push_back(values[i] * k - k);
      break;
    case 2:
      exprs.push_back(space.divide(exprs[i], k));
      values.push_back(floorDiv(values[i], k));
      break;
    case 3:
      exprs.push_back(space.remainder(exprs[i], k));
      values.push_back(values[i] - floorDiv(values[i], k) * k);
      break;
    default:
      exprs.push_back(space.add(exprs[i], space.multiply(exprs[j], -1)));
      values.push_back(values[i] - values[j]);
    }
    RC_ASSERT(evaluate(space, exprs.back(), at) == values.back());
    Range r = space.range(exprs.back());
    RC_ASSERT(r.lo <= values.back() && values.back() <= r.hi);
  }
}

TEST(IndexExpr, SplittingAndJoiningIsNothing) {
  IndexSpace space;
  IndexExpr r = space.variableExpr({0, 8 * 12 * 5 - 1});
  Shape shape{8, 12, 5};
  IndexVector index = space.delinearize(r, shape);
  EXPECT_EQ(space.linearize(index, rowMajorStrides(shape)), r);
  // The inverse, and through another shape.
  IndexExpr a = space.variableExpr({0, 7}), b = space.variableExpr({0, 11}),
            c = space.variableExpr({0, 4});
  IndexExpr linear =
      space.linearize(IndexVector{a, b, c}, rowMajorStrides(shape));
  EXPECT_EQ(space.delinearize(linear, shape), (IndexVector{a, b, c}));
  IndexVector other = space.delinearize(linear, Shape{4, 2, 60});
  EXPECT_EQ(space.linearize(other, rowMajorStrides(Shape{4, 2, 60})), linear);
}

TEST(IndexExpr, ShapesWithoutElementsCanBePlanned) {
  IndexSpace space;
  IndexExpr r = space.variableExpr({0, -1});
  EXPECT_EQ(space.delinearize(r, Shape{2, 0, 3}).size(), 3u);
}

} // namespace
