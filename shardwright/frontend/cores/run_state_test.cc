//===- run_state_test.cc - tests of references and runState ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/cores/run_state.h"

#include "shardwright/frontend/api/autodiff.h"
#include "shardwright/frontend/api/control.h"
#include "shardwright/frontend/api/jit.h"
#include "shardwright/frontend/base/config.h"
#include "shardwright/frontend/cores/core_map.h"
#include "shardwright/frontend/numpy/numpy.h"

#include <cmath>

#include <gtest/gtest.h>

using namespace shardwright::frontend;

namespace {

// Every file of the executable asks for the devices before any uses one.
const bool configured = setDeviceCount(8).ok();

Tensor numbers(const Shape &shape, float first = 0) {
  std::vector<float> all(shape.elements());
  for (float &x : all)
    x = first++;
  return arrayOf(all, shape);
}
std::vector<float> values(const Tensor &x) {
  Expected<std::vector<float>> out = x.toVector<float>();
  EXPECT_TRUE(out.ok()) << out.error().str();
  return *out;
}
std::string errorOf(const Tensor &x) {
  return x.ok() ? "no error" : x.error().str();
}

/// Everything that a body can do with a reference.
Tensor updated(const Tensor &x) {
  return runState(
      [](const Ref &r) {
        r.set(r.get() + 1);
        r.at(0).set(r[1] * 2.);
        Tensor i = scalarOf(int64_t(3), DType::I32);
        r.at(i).set(lax::sin(r[i]));
        r.at(i, slice()).addUpdate(lax::full({2}, 1, DType::F32));
        r.at(slice(1, 3)).at(slice(0, 1)).set(lax::full({1, 2}, 1, DType::F32));
        Tensor before = r.at(0).swap(lax::full({2}, 0, DType::F32));
        r.at(4).set(before);
        auto increment = [&](const Tensor &k) { r.at(k).set(r[k] + 1); };
        forEach(0, 4, increment);
        forEach(0, i, increment);
        when(r.get(0, 0) > 0, [&] { r.at(0).set(r[1]); });
        auto triple = jit([&](const Tensor &by) {
          r.at(0).set(r[0] * by);
          return by;
        });
        Tensor done = triple(Tensor(3.));
        EXPECT_TRUE(done.ok()) << errorOf(done);
      },
      x);
}

// Feature: core-map
TEST(RunState, HasTheValuesOfJax) {
  // jax.experimental's run_state of the same body.
  const std::vector<float> expected = {9, 9, 3, 3, 7, 8};
  Tensor x = numbers({6, 2});
  for (const Tensor &y :
       {updated(x), *jit([](const Tensor &a) { return updated(a); })(x)}) {
    ASSERT_TRUE(y.ok()) << errorOf(y);
    std::vector<float> all = values(y);
    EXPECT_EQ(std::vector<float>(all.begin(), all.begin() + 6), expected);
    EXPECT_NEAR(all[6], std::sin(7.f) + 2, 1e-5);
    EXPECT_NEAR(all[7], std::sin(8.f) + 2, 1e-5);
    EXPECT_EQ(std::vector<float>(all.begin() + 8, all.end()),
              (std::vector<float>{6, 8, 11, 12}));
  }
  EXPECT_EQ(values(x), values(numbers({6, 2}))) << "the argument is a copy";
}

TEST(RunState, PrintsAsJax) {
  auto f = [](const Tensor &x) {
    return runState(
        [](const Ref &r) {
          Tensor i = lax::convert_element_type(r.get(0, 0), DType::I32);
          r.at(i).set(lax::squeeze(r.get(ds(i, 1), ds(0, 2)), {0}));
          r.at(slice(1, 3)).addUpdate(r[slice(2, 4)]);
          when(r.get(0, 1) > 0, [&] { r.at(-1).set(r[0]); });
        },
        x);
  };
  auto traced = jit(f).trace(numbers({4, 2}));
  ASSERT_TRUE(traced.ok());
  EXPECT_EQ(traced->str(),
            R"(let jaxpr = { lambda ; a:Ref{f32[4,2]}. let
    b:f32[] <- a[0,0]
    c:i32[] = convert_element_type[new_dtype=int32 weak_type=False] b
    d:f32[1,2] <- a[c:c+1,:]
    e:f32[2] = squeeze[dimensions=(0,)] d
    f:f32[2], a[c,:] <- a[c,:], e
    g:f32[2,2] <- a[2:,:]
    a[1:3,:] += g
    h:f32[] <- a[0,1]
    i:bool[] = gt h 0.0:f32[]
    j:i32[] = convert_element_type[new_dtype=int32 weak_type=False] i
    cond[
      branches=(
        { lambda ; k:Ref{f32[4,2]}. let  in () }
        { lambda ; l:Ref{f32[4,2]}. let
            m:f32[2] <- l[0,:]
            n:f32[2], l[3,:] <- l[3,:], m
          in () }
      )
    ] j a
  in () } in
{ lambda ; o:f32[4,2]. let
    p:f32[4,2] = run_state[
      is_initialized=(True,)
      jaxpr=jaxpr
      which_linear=(False,)
    ] o
  in (p,) })");
}

Tensor sinOfRow(const Tensor &x) {
  return runState([](const Ref &r) { r.at(0).set(lax::sin(r[1])); }, x);
}

TEST(RunState, JvpIsARunStateOfTwoReferences) {
  Tensor x = numbers({2, 2});
  auto traced = jit([](const Tensor &a, const Tensor &t) {
                  auto both = jvp(sinOfRow, a, t);
                  return std::pair{both->first, both->second};
                }).trace(x, x);
  ASSERT_TRUE(traced.ok());
  // As JAX prints it.
  EXPECT_EQ(traced->str(),
            R"({ lambda ; a:f32[2,2] b:f32[2,2]. let
    c:f32[2,2] d:f32[2,2] = run_state[
      is_initialized=(True, True)
      jaxpr={ lambda ; e:Ref{f32[2,2]} f:Ref{f32[2,2]}. let
          g:f32[2] <- e[1,:]
          h:f32[2] <- f[1,:]
          i:f32[2] = sin g
          j:f32[2] = cos g
          k:f32[2] = mul h j
          l:f32[2], e[0,:] <- e[0,:], i
          m:f32[2], f[0,:] <- f[0,:], k
        in () }
      which_linear=(False, True)
    ] a b
  in (c, d) })");
}

/// r[0] holds the partial sums of r[1]^k.
Tensor powers(const Tensor &x) {
  return runState(
      [](const Ref &r) {
        Tensor ones = lax::full({2}, 1, DType::F32);
        r.at(0).set(ones);
        forEach(0, 3, [&](const Tensor &) {
          r.at(0).set(r[0] * r[1]);
          r.at(0).addUpdate(ones);
        });
      },
      x);
}
/// The same without references.
Tensor plainPowers(const Tensor &x) {
  Tensor row = x[1], sum = lax::full({2}, 1, DType::F32);
  for (int i = 0; i < 3; ++i)
    sum = sum * row + lax::full({2}, 1, DType::F32);
  return lax::concatenate(
      {lax::reshape(sum, {1, 2}), lax::reshape(row, {1, 2})}, 0);
}

TEST(RunState, DerivativesAndBatchesAreThoseOfTheFunction) {
  Tensor x = numbers({2, 2}, 2);
  auto weighted = [](auto f) {
    return [f](const Tensor &a) {
      return lax::reduce_sum(f(a) * numbers({2, 2}, 1), {0, 1});
    };
  };
  EXPECT_EQ(values(*grad(weighted(powers))(x)),
            values(*grad(weighted(plainPowers))(x)));
  EXPECT_EQ(values(jvp(powers, x, x)->second),
            values(jvp(plainPowers, x, x)->second));
  auto twice = [&](auto f) {
    return grad(weighted(
        [=](const Tensor &a) { return Tensor(grad(weighted(f))(a)); }))(x);
  };
  EXPECT_EQ(values(*twice(powers)), values(*twice(plainPowers)));
  Tensor batch = numbers({3, 2, 2}, -1);
  EXPECT_EQ(values(*vmap(powers)(batch)), values(*vmap(plainPowers)(batch)));
  auto perExample = [&](auto f) { return vmap(grad(weighted(f)))(batch); };
  EXPECT_EQ(values(*perExample(powers)), values(*perExample(plainPowers)));
}

TEST(RunState, SeveralReferencesAndCapturedArrays) {
  Tensor x = numbers({4}), y = numbers({4}, 10), captured = numbers({4}, 100);
  auto [a, b] = runState(
      [&](const Ref &r, const Ref &s) {
        Tensor before = r.swap(s.get() + captured);
        s.set(before);
      },
      x, y);
  EXPECT_EQ(values(a), (std::vector<float>{110, 112, 114, 116}));
  EXPECT_EQ(values(b), values(x));
}

TEST(RunState, NestsWithReferencesOfTheOuterOne) {
  Tensor out = runState(
      [](const Ref &r) {
        Tensor inner = runState(
            [&](const Ref &s) {
              s.addUpdate(r.get());
              r.at(0).set(s[1]);
            },
            numbers({2}, 5));
        r.addUpdate(inner);
      },
      numbers({2}, 1));
  // s = [5, 6] + [1, 2] = [6, 8]; r = [8, 2] + [6, 8].
  EXPECT_EQ(values(out), (std::vector<float>{14, 10}));
}

TEST(RunState, LoopConditionsReadReferences) {
  Tensor out = runState(
      [](const Ref &r) {
        auto done = whileLoop([&](const Tensor &i) { return r.get(0) < i; },
                              [&](const Tensor &i) {
                                r.at(0).addUpdate(1.f);
                                r.at(1).addUpdate(2.f);
                                return i;
                              },
                              Tensor(4.5f));
        EXPECT_TRUE(done.ok()) << done.error().str();
      },
      numbers({2}));
  EXPECT_EQ(values(out), (std::vector<float>{5, 11}));
}

TEST(RunState, StridedAndDynamicPartsAreWritten) {
  Tensor out = runState(
      [](const Ref &r) {
        Tensor one = lax::convert_element_type(r.get(1), DType::I32);
        r.at(ds(one, 3, 2)).set(numbers({3}, 50));
        r.at(slice(0, 8, 4)).set(numbers({2}, 80));
        r.at(ds(one, 4)).at(ds(1, 2)).at(0).addUpdate(100.f);
      },
      numbers({8}));
  EXPECT_EQ(values(out), (std::vector<float>{80, 50, 102, 51, 81, 52, 6, 7}));
}

TEST(RunState, MistakesAreJaxsErrors) {
  Tensor x = numbers({6, 2});
  auto error = [&](const std::function<void(const Ref &)> &body) {
    return errorOf(runState([&](const Ref &r) { body(r); }, x));
  };
  EXPECT_EQ(
      error([](const Ref &r) { r.at(slice(1, 3)).at(slice(0, 1)).set(5.0); }),
      "ValueError: Invalid shape for `swap`. Ref shape: (6, 2). Expected "
      "shape: (1, 2). Value shape: (). Transforms: (NDIndexer(indices=("
      "Slice(start=1, size=2, stride=1), Slice(start=0, size=2, "
      "stride=1)), shape=(6, 2), int_indexer_shape=(), validate=False), "
      "NDIndexer(indices=(Slice(start=0, size=1, stride=1), "
      "Slice(start=0, size=2, stride=1)), shape=(2, 2), "
      "int_indexer_shape=(), validate=False)). ");
  EXPECT_EQ(
      error([](const Ref &r) { r.set(lax::full({6, 2}, 1, DType::I32)); }),
      "ValueError: Invalid dtype for `swap`. Ref dtype: float32. Value "
      "dtype: int32. ");
  EXPECT_EQ(error([](const Ref &r) { r.at(6).set(r[0]); }),
            "ValueError: Out of bound indexer: idx=6, dim=6.");
  EXPECT_EQ(
      error([](const Ref &r) { r.at(ds(5, 2)).set(r[slice(0, 2)]); }),
      "ValueError: Out of bound slice: start=5, size=2, stride=1, dim=6.");
  EXPECT_EQ(error([](const Ref &r) { r.at(slice(0, 2, 0)).set(r[0]); }),
            "ValueError: slices of references need a positive step, got 0");
  EXPECT_EQ(error([](const Ref &r) {
              ScopedConfig<bool> wide(config::enableX64, true);
              r.at(ds(scalarOf(INT64_MAX, DType::I64), 2)).set(r[0]);
            }),
            "ValueError: Out of bound slice: start=9223372036854775807, "
            "size=2, stride=1, dim=6.");
  EXPECT_EQ(error([](const Ref &r) { r.at(ellipsis, ellipsis).set(1.); }),
            "ValueError: Only one ellipsis is supported.");
  EXPECT_EQ(error([](const Ref &) { Ref().set(1.); }),
            "ValueError: Can only call `ref_swap` on a `Ref`: it is null.");
  EXPECT_EQ(
      error([](const Ref &r) { r.set(r.reference()); }),
      "ValueError: Cannot store a Ref into another Ref. Did you forget to "
      "load from it using `[...]`?");
  EXPECT_EQ(error([](const Ref &r) {
              runScoped([&](const Ref &s) { s.set(r[0]); },
                        vmem({2}, DType::F32));
            }),
            "NotImplementedError: Evaluation rule for 'run_scoped' not "
            "implemented");
}

TEST(RunState, AReferenceDoesNotOutliveItsFunction) {
  std::optional<Ref> kept;
  Tensor out = runState([&](const Ref &r) { kept = r; }, numbers({2}));
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(errorOf(kept->get()).rfind("UnexpectedTracerError", 0), 0u)
      << errorOf(kept->get());
}

TEST(RunState, DimensionsOfExplicitAxesAreNotSliced) {
  Expected<Mesh> mesh = Mesh::get(devices(), {8}, {"x"}, {AxisType::Explicit});
  ASSERT_TRUE(mesh.ok());
  Tensor x = devicePut(numbers({8, 2}), *Sharding::named(*mesh, P("x")));
  ScopedMesh scope(*mesh);
  auto run = [&](const std::function<void(const Ref &)> &body) {
    return runState([&](const Ref &r) { body(r); }, x);
  };
  EXPECT_EQ(errorOf(run([](const Ref &r) { r.at(slice(0, 4)).get(); })),
            "no error");
  EXPECT_EQ(
      errorOf(run([](const Ref &r) {
        r.at(slice(0, 4)).set(lax::full({4, 2}, 0, DType::F32));
      })),
      "ValueError: sharded ref (array reference) can only be sliced along "
      "unsharded axes, but ref of shape (8, 2) was sliced on axis 0, "
      "which is sharded like ('x',)");
  Tensor column = run([](const Ref &r) {
    r.at(slice(), slice(0, 1)).set(r.get(slice(), slice(1, 2)));
  });
  std::vector<float> expected = values(x);
  for (size_t i = 0; i < expected.size(); i += 2)
    expected[i] = expected[i + 1];
  EXPECT_EQ(values(column), expected);
}

TEST(RunState, PartitionsLikeAnyProgram) {
  Expected<Mesh> mesh = Mesh::get(devices(), {8}, {"x"});
  ASSERT_TRUE(mesh.ok());
  Tensor x = devicePut(numbers({8, 2}), *Sharding::named(*mesh, P("x")));
  Tensor out = *jit([](const Tensor &a) {
    return runState(
        [](const Ref &r) {
          r.set(r.get() * 2);
          r.at(3).addUpdate(lax::full({2}, 1, DType::F32));
        },
        a);
  })(x);
  std::vector<float> expected = values(x);
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i] = expected[i] * 2 + (i / 2 == 3);
  EXPECT_EQ(values(out), expected);
}

} // namespace
